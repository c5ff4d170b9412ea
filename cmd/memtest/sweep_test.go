package main

import (
	"path/filepath"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestSweepBadInput(t *testing.T) {
	badCalls(t, "sweep", map[string][]string{
		"5":                             {"sweep", `"5"`},
		"--kernel copy":                 {"--kernel", `"copy"`, "read or write"},
		"--from 0":                      {"--from", `"0"`},
		"--from 5000G":                  {"does not fit", "--to", "--force"},
		"--from 1G --to 1M":             {"--to", `"1M"`, "1G"},
		"--to 1MB":                      {"--to", "power of two"},
		"--to 9000G":                    {"--to", "8 TiB", "--force"},
		"--steps 0":                     {"--steps", "from 1 to 64"},
		"--seconds x":                   {"--seconds", `"x"`},
		"--pages 3k":                    {"--pages", `"3k"`},
		"--limit 0":                     {"--limit", `"0"`},
		"--plot x":                      {"--plot"},
		"--from 12K --to 12K --steps 1": {"--to", "between --from and --to"},
	})
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	file, figure := filepath.Join(dir, "s.json"), filepath.Join(dir, "s.png")
	got := memtest(t, "sweep", "--to", "1M", "--repeat", "2", "--steps", "1", "--seconds", "0.002", "--format", "json", "-o", file, "--plot", figure)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q; want 0 and silence", got.code, got.stderr)
	}
	var s result.Sweep
	strictly(t, file, &s)
	if s.Kind != result.SweepKind || len(s.Points) != 9 || len(s.Samples) != 18 || s.Kernel.Name != "read" || s.Points[0].CallShare == nil {
		t.Errorf("record %+v", s)
	}
	for _, format := range []string{"table", "markdown", "csv"} {
		got := memtest(t, "sweep", "--to", "64K", "--repeat", "1", "--steps", "1", "--seconds", "0.002", "--kernel", "write", "--format", format)
		if got.code != exitOK || !strings.Contains(got.stdout, "write") {
			t.Errorf("%s: exit %d:\n%s%s", format, got.code, got.stdout, got.stderr)
		}
	}
}
