package result

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sampleRun is a small complete run; no two numbers give the same one.
func sampleRun(n int) *Run {
	p := Phase{Name: PhaseSingle, Processes: 1, Passes: 2, Workers: []Worker{{
		PID: 100 + n, StartNS: 0, EndNS: 20, StopNS: 20, PassEndNS: []int64{10, 20}, PassStride: 1, Passes: 2, BytesPerPass: 100,
	}}}
	p.Summary = p.Summarize()
	return &Run{
		Schema: RunSchema, Kind: RunKind, Started: time.Unix(1700000000+int64(n), 0).UTC(),
		Host: Host{Hostname: "h"}, Launches: []Launch{{Phases: []Phase{p}}}, Warnings: []Warning{},
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParseRuns(t *testing.T) {
	good := encode(t, sampleRun(1))
	newer := sampleRun(2)
	newer.Schema = RunSchema + 1
	failed := &Run{Schema: 1, Kind: RunKind, Error: "worker 3 died"}
	for name, c := range map[string]struct {
		in   string
		runs int
		err  error
		says string
	}{
		"one":            {string(good), 1, nil, ""},
		"two in a row":   {string(good) + string(encode(t, sampleRun(2))), 2, nil, ""},
		"empty":          {"", 0, ErrEmpty, ""},
		"blank":          {" \n", 0, ErrEmpty, ""},
		"truncated":      {string(good[:len(good)/2]), 0, ErrTruncated, "bytes"},
		"good, then cut": {string(good) + "{", 1, ErrTruncated, ""},
		"text":           {"hello", 0, ErrNoResult, "byte 1"},
		"array":          {"[1, 2]", 0, ErrNoResult, ""},
		"array of runs":  {string(encode(t, []*Run{sampleRun(1), sampleRun(2)})), 2, nil, ""},
		"array and more": {"[" + string(good) + "]\n" + string(encode(t, sampleRun(2))) + "[]", 2, nil, ""},
		"array cut":      {"[" + string(good) + ",", 1, ErrTruncated, "bytes"},
		"array not shut": {"[" + string(good), 1, ErrTruncated, "bytes"},
		"array, cut run": {"[" + string(good) + "," + string(good[:200]), 1, ErrTruncated, ""},
		"array of other": {"[" + string(encode(t, Verdict{Schema: 1, Kind: VerdictKind})) + "]", 0, ErrNoResult, VerdictKind},
		"empty array":    {" []\n", 0, ErrEmpty, ""},
		"one failed":     {string(encode(t, []*Run{sampleRun(1), failed, sampleRun(2)})) + string(encode(t, sampleRun(3))), 3, ErrNoLaunch, "worker 3 died"},
		"failed, in row": {string(encode(t, failed)) + string(good), 1, ErrNoLaunch, "worker 3 died"},
		"newer, then":    {string(encode(t, newer)) + string(good), 1, ErrNewer, "schema 2"},
		"failed, cut":    {string(encode(t, []*Run{failed})) + string(good[:50]), 0, ErrNoLaunch, ""},
		"recording":      {`{"schema": "rsswatch-recording/1", "kind": "header"}`, 0, ErrNoResult, "is a rsswatch-recording/1 record: want one of memtest"},
		"foreign":        {`{"a": 1}`, 0, ErrNoResult, "kind"},
		"foreign types":  {`{"schema": "x", "kind": 5}`, 0, ErrNoResult, ""},
		"verdict":        {string(encode(t, Verdict{Schema: 1, Kind: VerdictKind})), 0, ErrNoResult, VerdictKind},
		"newer":          {string(encode(t, newer)), 0, ErrNewer, "schema 2"},
		"newer, changed": {`{"schema": 9, "kind": "memtest", "launches": {}}`, 0, ErrNewer, "schema 9"},
		"no schema":      {`{"kind": "memtest"}`, 0, ErrNoResult, "schema 0"},
		"failed":         {string(encode(t, failed)), 0, ErrNoLaunch, "worker 3 died"},
		"unknown key":    {strings.Replace(string(good), `"kind"`, `"future": [1], "kind"`, 1), 1, nil, ""},
	} {
		runs, err := ParseRuns([]byte(c.in))
		if len(runs) != c.runs || !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d runs, error %v; want %d and %v %q", name, len(runs), err, c.runs, c.err, c.says)
		}
	}
}

func FuzzParseRuns(f *testing.F) {
	f.Add([]byte(`{"schema": 1, "kind": "memtest", "launches": [{"phases": [{"summary": {}}]}]}`))
	f.Add([]byte(`{"kind": 5}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		runs, err := ParseRuns(b)
		for _, r := range runs {
			if r.Kind != RunKind || r.Schema != RunSchema {
				t.Errorf("%q was taken for a run", b)
			}
		}
		if len(runs) == 0 && err == nil {
			t.Errorf("%q: neither runs nor an error", b)
		}
	})
}

// Records from before there were threads were made by processes.
func TestOldRecordsAreOfProcesses(t *testing.T) {
	runs, err := ParseRuns(encode(t, sampleRun(1)))
	if err != nil || runs[0].Args.Parallel != ParallelProcesses {
		t.Errorf("%v, %v", runs, err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := write("ab/a.json", encode(t, sampleRun(1))), write("ab/b.json", encode(t, sampleRun(2)))
	verdict := write("ab/verdict.json", encode(t, Verdict{Schema: 1, Kind: VerdictKind}))
	write("ab/notes.txt", []byte("no JSON"))
	write("ab/.c.json.tmp.json", []byte("half a reco"))
	folder := filepath.Join(dir, "ab")
	copied := write("copy.json", encode(t, sampleRun(1)))
	cut := write("cut.json", encode(t, sampleRun(3))[:50])
	write("none/readme", nil)
	write("other/v.json", encode(t, Verdict{Schema: 1, Kind: VerdictKind}))
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(a, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for name, c := range map[string]struct {
		args []string
		runs int
		errs []error
		says string
	}{
		"files":            {[]string{a, b}, 2, nil, ""},
		"folder":           {[]string{folder}, 2, nil, ""},
		"glob":             {[]string{filepath.Join(folder, "?.json")}, 2, nil, ""},
		"standard input":   {[]string{"-"}, 1, nil, ""},
		"and a file":       {[]string{"-", a}, 2, nil, ""},
		"stdin twice":      {[]string{"-", "-"}, 1, []error{ErrTwice}, "-"},
		"twice":            {[]string{a, a}, 1, []error{ErrTwice}, "a.json"},
		"by another path":  {[]string{a, folder + "/../ab/a.json"}, 1, []error{ErrTwice}, "same file as"},
		"by a link":        {[]string{a, link}, 1, []error{ErrTwice}, "same file as"},
		"a copy":           {[]string{a, copied}, 1, []error{ErrTwice}, "same run as"},
		"rest is kept":     {[]string{cut, a}, 1, []error{ErrTruncated}, "cut.json"},
		"missing":          {[]string{dir + "/nosuch.json", a}, 1, []error{nil}, "no such file"},
		"glob of nothing":  {[]string{dir + "/x*.json"}, 0, []error{nil}, "no file matches"},
		"folder without":   {[]string{dir + "/none"}, 0, []error{ErrNoRecords}, "none"},
		"of another kind":  {[]string{dir + "/other"}, 0, []error{ErrNoRecords}, "other"},
		"verdict by name":  {[]string{verdict, a}, 1, []error{ErrNoResult}, "memtest-verdict"},
		"errors in order":  {[]string{cut, a, a}, 1, []error{ErrTruncated, ErrTwice}, "cut.json"},
		"nothing is named": {nil, 0, nil, ""},
	} {
		got, errs := Load(c.args, bytes.NewReader(encode(t, sampleRun(9))))
		if len(got) != c.runs || len(errs) != len(c.errs) {
			t.Errorf("%s: %d runs, errors %v; want %d and %d", name, len(got), errs, c.runs, len(c.errs))
			continue
		}
		for i, err := range errs {
			var re *ReadError
			if !errors.As(err, &re) || c.errs[i] != nil && !errors.Is(err, c.errs[i]) {
				t.Errorf("%s: error %v, want %v", name, err, c.errs[i])
			}
		}
		if len(errs) > 0 && !strings.Contains(errs[0].Error(), c.says) {
			t.Errorf("%s: %q does not say %q", name, errs[0], c.says)
		}
	}
}

func TestOutFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	o, err := NewOutFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there before it is complete: %v", err)
	}
	if err := o.Save(writes("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := NewOutFile(path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that exists: %v", err)
	}
	if _, err := NewOutFile(dir, true); !errors.Is(err, ErrFolder) {
		t.Errorf("a folder: %v", err)
	}
	if o, err = NewOutFile(path, true); err != nil {
		t.Fatal(err)
	}
	o.Discard()
	expect(t, path, "one")
	if o, err = NewOutFile(path, true); err != nil {
		t.Fatal(err)
	}
	if err := o.Save(writes("two")); err != nil {
		t.Fatal(err)
	}
	expect(t, path, "two")
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// A file that came to be after the check is not replaced, and nothing is lost.
func TestOutFileRace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	o, err := NewOutFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = o.Save(writes("ours"))
	if err == nil {
		t.Fatal("replaced")
	}
	expect(t, path, "theirs")
	_, kept, _ := strings.Cut(err.Error(), "the record is in ")
	expect(t, kept, "ours")
}

func writes(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func expect(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s holds %q, %v; want %q", path, b, err, want)
	}
}
