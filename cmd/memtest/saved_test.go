package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"wordsize/internal/result"
)

// stateFolder gives the test a folder for saved results, which does not exist.
func stateFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	return filepath.Join(dir, "memtest", "results")
}

// saveAll writes runs into the folder of saved results.
func saveAll(t *testing.T, dir string, runs ...*result.Run) {
	t.Helper()
	for _, r := range runs {
		if _, err := result.SaveRuns(dir, []*result.Run{r}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSave(t *testing.T) {
	dir := stateFolder(t)
	mine := filepath.Join(t.TempDir(), "mine.json")
	var paths []string
	for _, args := range []string{"1 0 4 --save", "1 0 4 --save -q --format json -o " + mine, "1 0 4 --save --classic"} {
		got := memtest(t, strings.Fields(args)...)
		at := strings.Index(got.stderr, "Saved: ")
		if got.code != exitOK || at < 0 || got.stdout == "" {
			t.Fatalf("%s: exit %d, stdout %q, stderr %q", args, got.code, got.stdout, got.stderr)
		}
		paths = append(paths, strings.TrimSpace(got.stderr[at+len("Saved: "):]))
		if strings.Contains(args, "json") {
			decode(t, []byte(got.stdout)) // and nothing else is there
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v; want three files and nothing else", files, err)
	}
	for i, f := range files {
		if path := filepath.Join(dir, f.Name()); path != paths[i] || !strings.Contains(path, "-"+runtime.GOARCH) {
			t.Errorf("%s, want %s: names sort by time", path, paths[i])
		}
	}
	a, _ := os.ReadFile(mine)
	if b, _ := os.ReadFile(paths[1]); !bytes.Equal(a, b) || len(a) == 0 {
		t.Error("-o and --save wrote two things")
	}
	got := memtest(t, "compare", "last~1", mine)
	if got.code != exitUsage || !strings.Contains(got.stderr, "the same run as "+paths[1]) {
		t.Errorf("a run against itself: exit %d, %s", got.code, got.stderr)
	}
}

// Whatever is wrong with the folder, the figures are printed, one line says
// what it was, and the record is somewhere.
func TestSaveInVain(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ state, home, says string }{
		"no home":     {"", "", "neither XDG_STATE_HOME nor HOME"},
		"not allowed": {file, "", "file"},
	} {
		if runtime.GOOS == "windows" && c.state == "" {
			continue // the home is elsewhere
		}
		t.Setenv("XDG_STATE_HOME", c.state)
		t.Setenv("HOME", c.home)
		got := memtest(t, "1", "0", "4", "--save", "--format", "json")
		decode(t, []byte(got.stdout))
		if got.code != exitFailure || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, c.says) || !strings.Contains(got.stderr, "memtest: --save: ") {
			t.Errorf("%s: exit %d, %q", name, got.code, got.stderr)
		}
		_, at, _ := strings.Cut(strings.TrimSpace(got.stderr), "the record is in ")
		if b, err := os.ReadFile(at); err != nil || string(b) != got.stdout {
			t.Errorf("%s: %v: the record isn't there", name, err)
		}
		if c.state == "" {
			for _, args := range []string{"results", "compare last previous"} {
				if got := memtest(t, strings.Fields(args)...); got.code == exitOK || !strings.Contains(got.stderr, c.says) || got.stdout != "" {
					t.Errorf("%s: exit %d, %q", args, got.code, got.stderr)
				}
			}
		}
	}
}

// The reader of standard output is gone in the middle of a run: it goes on,
// for the record is wanted.
func TestReaderGoneKeepsTheRecord(t *testing.T) {
	dir := stateFolder(t)
	var errs bytes.Buffer
	code := run(t.Context(), []string{"memtest", "1", "0", "4", "--save", "--repeat", "3"}, strings.NewReader(""), failing{}, &errs)
	all, bad := result.Saved(dir)
	if code != exitBrokenPipe || len(all) != 1 || len(bad) > 0 || len(all[0].Run.Launches) != 3 || strings.Contains(errs.String(), syscall.EPIPE.Error()) {
		t.Errorf("exit %d, %d runs, %v, stderr %q", code, len(all), bad, errs.String())
	}
}

func TestResults(t *testing.T) {
	dir := stateFolder(t)
	for _, format := range []string{"table", "csv", "json"} {
		got := memtest(t, "results", "--format", format)
		if got.code != exitOK || got.stderr != "" || format == "table" && !strings.HasPrefix(got.stdout, "No saved results in "+dir) {
			t.Errorf("nothing saved, %s: exit %d, %q, %q", format, got.code, got.stdout, got.stderr)
		}
	}
	stopped := savedRun("host2\x1b[2J", "386", 1, 2, 5, 50e9)
	stopped.Args.Repeat, stopped.Interrupted = 10, true
	alone := savedRun("host1", "amd64", 2, 2, 5, 51e9)
	alone.Launches[0].Phases = alone.Launches[0].Phases[:1]
	alone.Warnings = []result.Warning{{Code: "steal"}, {Code: "governor"}}
	saveAll(t, dir, savedRun("host1", "amd64", 3, 2, 5, 52e9), stopped, alone)
	if err := os.WriteFile(filepath.Join(dir, "cut.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := memtest(t, "results")
	if want := fmt.Sprintf("memtest: results: left out: %s: is truncated", filepath.Join(dir, "cut.json")); got.code != exitOK || !strings.HasPrefix(got.stderr, want) {
		t.Errorf("exit %d, %q", got.code, got.stderr)
	}
	golden(t, "results.table", strings.ReplaceAll(got.stdout, dir, "DIR"))
	var list result.SavedList
	if err := json.Unmarshal([]byte(memtest(t, "results", "--format", "json").stdout), &list); err != nil || len(list.Results) != 3 || len(list.Unusable) != 1 || list.Kind != result.SavedListKind {
		t.Errorf("%v, %+v", err, list)
	}
	rows, err := csv.NewReader(strings.NewReader(memtest(t, "results", "--format", "csv").stdout)).ReadAll()
	if err != nil || len(rows) != 4 || rows[3][0] != "last" || rows[2][13] != "" {
		t.Errorf("%v, %q", err, rows)
	}
	for args, want := range map[string]string{"results now": "want no arguments", "results --format xml": "table, csv or json"} {
		if got := memtest(t, strings.Fields(args)...); got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: exit %d, %q", args, got.code, got.stderr)
		}
	}
}

func TestCompareSaved(t *testing.T) {
	dir := stateFolder(t)
	t.Chdir(t.TempDir())
	if got := memtest(t, "compare", "last", "previous"); got.code != exitUsage || !strings.Contains(got.stderr, "last: of saved results there are 0 in "+dir) {
		t.Errorf("nothing saved: exit %d, %q", got.code, got.stderr)
	}
	saveAll(t, dir, savedRun("h", "amd64", 1, 2, 5, 10e9), savedRun("h", "amd64", 3, 2, 5, 30e9), savedRun("h", "386", 2, 2, 5, 20e9))
	saveRuns(t, ".", "other", savedRun("h", "amd64", 4, 2, 5, 40e9))
	if err := os.WriteFile("last", []byte("no record"), 0o600); err != nil {
		t.Fatal(err)
	}
	medians := func(args ...string) (m []float64, names []string) {
		t.Helper()
		got := memtest(t, append([]string{"compare", "--format", "json"}, args...)...)
		var c result.Comparison
		if err := json.Unmarshal([]byte(got.stdout), &c); err != nil || got.code != exitOK {
			t.Fatalf("%v: exit %d, %v, %q", args, got.code, err, got.stderr)
		}
		for i, cell := range c.Rows[1].Cells {
			m, names = append(m, *cell.Median/1e9), append(names, c.Groups[i].Name)
		}
		return m, names
	}
	for args, want := range map[string]string{
		"last previous":            "[30 20] [last previous]",
		"last~2 last":              "[10 30] [last~2 last]",
		"last other-00.json":       "[30 40] [last other-00]",
		"before=last~1 after=last": "[20 30] [before after]",
	} {
		m, names := medians(strings.Fields(args)...)
		for i := range m {
			m[i] = float64(int(m[i] + 0.5))
		}
		if got := fmt.Sprint(m, names); got != want {
			t.Errorf("compare %s: %s, want %s", args, got, want)
		}
	}
	for args, want := range map[string]string{
		"last last~3": "last~3: of saved results there are 3",
		"./last last": "./last: is no memtest result",
		"last last~0": "is given twice",
		"last last~x": "last~x: no such file",
	} {
		if got := memtest(t, append([]string{"compare"}, strings.Fields(args)...)...); got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("compare %s: exit %d, %q; want %q", args, got.code, got.stderr, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "cut.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := memtest(t, "compare", "last", "previous"); got.code != exitOK || !strings.Contains(got.stderr, "cut.json: is empty") {
		t.Errorf("with an empty file: exit %d, %q", got.code, got.stderr)
	}
}
