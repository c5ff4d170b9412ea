package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

func TestNUMABadInput(t *testing.T) {
	exists := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(exists, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	badCalls(t, "", map[string][]string{
		"numa 5":                    {"numa", `"5"`},
		"numa --mb 4MB":             {"--mb", `"4MB"`, "MiB"},
		"numa --mb 99999999":        {" fit", "--force"},
		"numa --time never":         {"--time", `"never"`},
		"numa --processes 9999":     {"--processes", `"9999"`, "allowed CPUs"},
		"numa --processes -1":       {"--processes", "-1"},
		"numa --repeat 0":           {"--repeat", "from 1"},
		"numa --kernel nosuch":      {"--kernel", "nosuch"},
		"numa --pages 3k":           {"--pages", `"3k"`},
		"numa --format text":        {"--format", "table, csv or json"},
		"numa -o " + exists:         {"-o", exists, "--overwrite"},
		"1 0 16 --numa near":        {"--numa", `"near"`, "interleave"},
		"1 0 16 --numa -1":          {"--numa", `"-1"`},
		"1 0 16 --numa 1023":        {"--numa", `"1023"`},
		"1 0 16 --numa 999999":      {"--numa", `"999999"`},
		"1 0 16 --numa local,local": {"--numa", "local,local"},
	})
}

// TestNUMAOfOneNode asks such a host for another one.
func TestNUMAOfOneNode(t *testing.T) {
	if n := hostinfo.DefaultFS().NUMA(); len(n) != 1 {
		t.Skipf("this host has %d nodes", len(n))
	}
	for _, where := range []string{"remote", "interleave", "1"} {
		if got := memtest(t, "1", "0", "16", "--numa", where); got.code != exitUsage || !strings.Contains(got.stderr, "this host has a single node") {
			t.Errorf("--numa %s: exit %d, %q", where, got.code, got.stderr)
		}
	}
}

func TestNUMA(t *testing.T) {
	file := filepath.Join(t.TempDir(), "n.json")
	got := memtest(t, "numa", "--mb", "4", "--time", "0.01", "--repeat", "2", "--processes", "1", "-o", file)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q; want 0 and silence", got.code, got.stderr)
	}
	for _, want := range []string{"Rows: node of the CPUs.", "GB/s", "medians of 2 launches", "Placement", "loop read/"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, got.stdout)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var n result.NUMA
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&n); err != nil {
		t.Fatal(err)
	}
	if n.Kind != result.NUMAKind || len(n.Cells) == 0 || n.Cells[0].Rate == nil || n.Cells[0].Latency == nil || n.Cells[0].Latency.Median <= 0 || len(n.Cells[0].Samples) != 2 {
		t.Errorf("record %+v", n)
	}
	got = memtest(t, "numa", "--mb", "4", "--time", "0.01", "--repeat", "1", "--processes", "1", "--format", "csv")
	if got.code != exitOK || strings.Count(got.stdout, "\n") != 1+len(n.Cells) || !strings.HasPrefix(got.stdout, "host,goarch,") {
		t.Errorf("exit %d: want a header and %d rows:\n%s%s", got.code, len(n.Cells), got.stdout, got.stderr)
	}
}

// Every run says where its memory is, asked or not.
func TestRunRecordsNodes(t *testing.T) {
	if len(hostinfo.DefaultFS().NUMA()) == 0 {
		t.Skip("this kernel has no NUMA")
	}
	got := memtest(t, "1", "0.01", "16", "--format", "json")
	var run result.Run
	if err := json.Unmarshal([]byte(got.stdout), &run); err != nil || got.code != exitOK {
		t.Fatalf("exit %d, %v", got.code, err)
	}
	p := run.Launches[0].Phases[0].Workers[0].NUMA
	if run.Args.NUMA != result.NUMADefault || p == nil || p.Policy != "" || p.Error == "" && p.Located() == 0 {
		t.Errorf("numa %q, placement %+v", run.Args.NUMA, p)
	}
}
