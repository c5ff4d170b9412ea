package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestLatencyBadInput(t *testing.T) {
	badCalls(t, "latency", map[string][]string{
		"5":                              {"latency", `"5"`},
		"--pages 3k":                     {"--pages", `"3k"`, "both"},
		"--from 1G --to 1M":              {"--to", `"1M"`},
		"--to 9000G":                     {"--to", "does not fit", "--force"},
		"--seconds x":                    {"--seconds", `"x"`},
		"--kernel read":                  {"--kernel", "--loaded"},
		"--processes 2":                  {"--processes", "--loaded"},
		"--loaded --steps 3":             {"--steps", "not with --loaded"},
		"--loaded --processes 9999":      {"--processes", `"9999"`, "CPU"},
		"--loaded --processes -3":        {"--processes", "from 1"},
		"--loaded --kernel fly":          {"--kernel", `"fly"`},
		"--loaded --mb 1MB":              {"--mb", "power of two"},
		"--loaded --to 9000G --repeat 1": {"not fit", "--force"},
		"--loaded --format text":         {"--format", `"text"`},
	})
}

func TestLatency(t *testing.T) {
	dir := t.TempDir()
	file, figure := filepath.Join(dir, "l.json"), filepath.Join(dir, "l.svg")
	got := memtest(t, "latency", "--to", "1M", "--repeat", "1", "--steps", "1", "--seconds", "0.002", "-o", file, "--plot", figure)
	if got.code != exitOK || got.stderr != "" || !strings.Contains(got.stdout, "Nanoseconds a load") {
		t.Fatalf("exit %d, stderr %q:\n%s", got.code, got.stderr, got.stdout)
	}
	var r result.Latency
	strictly(t, file, &r)
	if r.Kind != result.LatencyKind || len(r.Points) != 9 || len(r.Samples) != 9*len(r.PageKinds) || r.Tool.GOARCH != runtime.GOARCH {
		t.Errorf("record %+v", r)
	}
}

func TestLatencyLoaded(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one CPU: none is left for the load")
	}
	file := filepath.Join(t.TempDir(), "l.json")
	got := memtest(t, "latency", "--loaded", "--processes", "1", "--to", "2M", "--mb", "2", "--repeat", "1", "--seconds", "0.005", "-o", file)
	if got.code != exitOK || got.stderr != "" || !strings.Contains(got.stdout, "Idle, a load takes") {
		t.Fatalf("exit %d, stderr %q:\n%s", got.code, got.stderr, got.stdout)
	}
	var r result.Latency
	strictly(t, file, &r)
	if r.Loaded == nil || len(r.Loaded.Points) < 5 || r.Loaded.Points[0].Delay != nil {
		t.Errorf("record %+v", r.Loaded)
	}
}
