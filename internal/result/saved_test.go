package result

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestSavedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"XDG":           {map[string]string{"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/memtest/results"},
		"relative":      {map[string]string{"XDG_STATE_HOME": "s", "HOME": "/h"}, "/h/.local/state/memtest/results"},
		"home":          {map[string]string{"HOME": "/h"}, "/h/.local/state/memtest/results"},
		"relative home": {map[string]string{"HOME": "h"}, ""},
	} {
		got, err := SavedFolder(func(k string) string { return c.env[k] })
		if got != c.want || (c.want == "") != errors.Is(err, ErrNoStateFolder) {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	t.Setenv("HOME", "")
	if _, err := SavedFolder(os.Getenv); err == nil && os.Getenv("XDG_STATE_HOME") == "" {
		t.Error("nothing is set, and no error")
	}
}

func TestSavedNames(t *testing.T) {
	r := sampleRun(1)
	r.Tool.GOARCH, r.Host.Hostname = "386", "../../etc/hôte\x1b"
	if got := savedName(r, 1); got != "20231114T221321.000Z-______etc_h_te_-386.json" {
		t.Error(got)
	}
	r.Host.Hostname = strings.Repeat("h", 300)
	if got := savedName(r, 12); len(got) > 120 || !strings.HasSuffix(got, "-386-12.json") {
		t.Error(got)
	}
	if r.Host.Hostname = ""; !strings.Contains(savedName(r, 1), "-unknown-") {
		t.Error(savedName(r, 1))
	}
}

// Runs of the same moment, host and build that end at once: each has a file.
func TestSaveRunAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "results")
	const n = 40
	paths := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			r := sampleRun(1)
			r.ElapsedNS = int64(i)
			var err error
			if paths[i], err = SaveRuns(dir, []*Run{r}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != n {
		t.Errorf("%d files, %v; want %d and nothing else", len(entries), err, n)
	}
	for i, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if runs, err := ParseRuns(b); err != nil || runs[0].ElapsedNS != int64(i) {
			t.Errorf("%s: %v, the %d-th run is not in it", p, err, i)
		}
	}
	if st, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", st.Mode(), err)
	}
}

func TestSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	if all, errs := Saved(dir); len(all) > 0 || len(errs) > 0 {
		t.Errorf("no folder: %v, %v", all, errs)
	}
	for _, n := range []int{3, 1, 2} {
		if _, err := SaveRuns(dir, []*Run{sampleRun(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "z.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	all, errs := Saved(dir)
	if len(all) != 3 || len(errs) != 1 || !errors.Is(errs[0], ErrEmpty) {
		t.Fatalf("%d runs, %v; want three and an error", len(all), errs)
	}
	list := ListSaved(dir, all, errs)
	for i, ref := range []string{"last~2", "last~1", "last"} {
		if r := list.Results[i]; r.Ref != ref || !r.Started.Equal(sampleRun(i+1).Started) || r.Launches != 0 || *r.Single != 1e10 || r.Parallel != nil {
			t.Errorf("%d: %+v", i, r)
		}
		if back, ok := ParseSavedRef(ref); !ok || back != 2-i {
			t.Errorf("%s: %d, %v", ref, back, ok)
		}
	}
	if len(list.Unusable) != 1 || !strings.Contains(list.Unusable[0].Error, "empty") {
		t.Errorf("%+v", list.Unusable)
	}
}

func TestParseSavedRef(t *testing.T) {
	for s, want := range map[string]int{"last": 0, "last~0": 0, "previous": 1, "last~12": 12, "last~": -1, "last~x": -1, "last~-1": -1, "last~99999999999": -1, "./last": -1, "": -1, "latest": -1, "previous~1": -1} {
		if back, ok := ParseSavedRef(s); ok != (want >= 0) || ok && back != want {
			t.Errorf("%s: %d, %v", s, back, ok)
		}
	}
}

// A place that cannot be written costs the record nothing: it is in the folder
// for temporary files.
func TestSaveRunElsewhere(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp) // Windows
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := SaveRuns(filepath.Join(file, "results"), []*Run{sampleRun(1)})
	if err == nil {
		t.Fatal("a folder within a file")
	}
	m := regexp.MustCompile(`the record is in (.*)$`).FindStringSubmatch(err.Error())
	if m == nil || filepath.Dir(m[1]) != filepath.Clean(tmp) {
		t.Fatalf("%v: want the place of the record", err)
	}
	b, err := os.ReadFile(m[1])
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := ParseRuns(b); err != nil || len(runs) != 1 {
		t.Errorf("%v in %s", err, b)
	}
	t.Setenv("TMPDIR", file)
	t.Setenv("TMP", file)
	if _, err := SaveRuns(filepath.Join(file, "results"), []*Run{sampleRun(1)}); err == nil || !strings.HasSuffix(err.Error(), "the record is lost") {
		t.Errorf("%v: want the bad news", err)
	}
}
