package gotest

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCollect(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	pkgs := []string{"internal/b", "internal/a"}
	for _, p := range pkgs {
		if err := os.MkdirAll(filepath.Join(root, p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mod := "// a comment\nmodule \"example.org/m\" // more\n\ngo 1.26\n"
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte(mod), 0o644); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(root, "x.test")
	if err := os.WriteFile(bin, []byte("binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		if err := Collect(out, filepath.Join(root, p), []string{bin, "-test.v=true", "-test.run=X"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(bin); err != nil { // as go test does
		t.Fatal(err)
	}
	jobs, err := Collected(out)
	if err != nil || len(jobs) != 2 {
		t.Fatal(jobs, err)
	}
	for i, imp := range []string{"example.org/m/internal/a", "example.org/m/internal/b"} {
		b, err := os.ReadFile(jobs[i].Binary)
		if jobs[i].Import != imp || string(b) != "binary" || !slices.Equal(jobs[i].Args, []string{"-test.v=true", "-test.run=X"}) {
			t.Errorf("%+v, %v", jobs[i], err)
		}
	}
	if err := Collect(out, root, nil); err == nil {
		t.Error("no binary, no error")
	}
	if err := Collect(out, root, []string{bin}); err == nil {
		t.Error("a missing binary, no error")
	}
}

func TestGuestArgs(t *testing.T) {
	in := []string{"-test.testlogfile=/tmp/log", "-test.paniconexit0", "-test.v=true", "-test.timeout=10m0s", "-test.run=A"}
	if got, want := GuestArgs(in, false), in[1:]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	want := []string{"-test.v=test2json", "-test.paniconexit0", "-test.timeout=10m0s", "-test.run=A"}
	if got := GuestArgs(in, true); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOutputDirs(t *testing.T) {
	if got := OutputDirs([]string{"-test.outputdir=/p"}); got != nil {
		t.Errorf("nothing is written, but %q", got)
	}
	if got := OutputDirs([]string{"-test.cpuprofile=c.out", "-test.outputdir=/p"}); !slices.Equal(got, []string{"/p"}) {
		t.Errorf("got %q", got)
	}
}

func TestEnv(t *testing.T) {
	host := []string{"GOMAXPROCS=2", "GOROOT=/go", "GOCACHE=/c", "PATH=/bin", "TZ=UTC", "LC_ALL=C", "MINE=1", "OTHER=2", "GODEBUG=x=1"}
	if got, want := Env(host, "MINE,ALSO"), []string{"GOMAXPROCS=2", "TZ=UTC", "LC_ALL=C", "MINE=1", "GODEBUG=x=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// events is what test2json makes of a package with each kind of result.
const events = `{"Action":"start"}
{"Action":"run","Test":"TestA"}
{"Action":"output","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Test":"TestA","Output":"    a_test.go:3: only with -v\n"}
{"Action":"output","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Test":"TestA"}
{"Action":"run","Test":"TestB"}
{"Action":"output","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Action":"output","Test":"TestB","Output":"    b_test.go:7: no NUMA here: one node\n"}
{"Action":"output","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
{"Action":"skip","Test":"TestB"}
{"Action":"run","Test":"TestC"}
{"Action":"run","Test":"TestC/sub"}
{"Action":"output","Test":"TestC/sub","Output":"=== RUN   TestC/sub\n"}
{"Action":"output","Test":"TestC/sub","Output":"    c_test.go:9: got 1, want 2\n"}
{"Action":"output","Test":"TestC/sub","Output":"    --- FAIL: TestC/sub (0.00s)\n"}
{"Action":"fail","Test":"TestC/sub"}
{"Action":"output","Test":"TestC","Output":"--- FAIL: TestC (0.00s)\n"}
{"Action":"fail","Test":"TestC"}
{"Action":"output","Output":"printed by the package\n"}
{"Action":"output","Output":"FAIL\n"}
{"Action":"fail"}
`

func TestReport(t *testing.T) {
	p := NewPackage("m/a")
	var live strings.Builder
	if err := p.Read(strings.NewReader(events), &live); err != nil {
		t.Fatal(err)
	}
	p.Finish(1, 1500*time.Millisecond, "")
	if p.OK || p.Passed != 1 || p.Skipped != 1 || p.Failed != 2 || p.Note != "" {
		t.Errorf("%+v", p)
	}
	if want := []Skip{{"TestB", "no NUMA here: one node"}}; !reflect.DeepEqual(p.Skips, want) {
		t.Errorf("skips %v", p.Skips)
	}
	want := "    c_test.go:9: got 1, want 2\n    --- FAIL: TestC/sub (0.00s)\n--- FAIL: TestC (0.00s)\nprinted by the package\n"
	if got := p.Failure(); got != want {
		t.Errorf("failure:\n%swant:\n%s", got, want)
	}
	if got := p.Line(); got != "FAIL\tm/a\t1.500s\t1 passed, 1 skipped, 2 failed" {
		t.Errorf("line %q", got)
	}
	if !strings.Contains(live.String(), "only with -v") || strings.Contains(live.String(), "\nFAIL\n") {
		t.Errorf("live output:\n%s", live.String())
	}
	good := NewPackage("m/b")
	good.Add(Event{Action: "pass", Test: "TestX"})
	good.Finish(0, time.Second, "")
	if !good.OK || good.Line() != "ok  \tm/b\t1.000s\t1 passed" {
		t.Errorf("line %q", good.Line())
	}
	sum := Summary([]*Package{p, good}, 1)
	for _, want := range []string{"skipped: m/a TestB: no NUMA here: one node\n", "1 packages could not be built", "3 packages, 2 tests passed, 1 skipped, 2 failed\n"} {
		if !strings.Contains(sum, want) {
			t.Errorf("no %q in\n%s", want, sum)
		}
	}
	if OK([]*Package{good, p}, 0) || OK([]*Package{good}, 1) || !OK([]*Package{good}, 0) {
		t.Error("OK is wrong")
	}
}

// TestCrash: a binary that dies fails the test that was running.
func TestCrash(t *testing.T) {
	p := NewPackage("m")
	p.Add(Event{Action: "run", Test: "TestA"})
	p.Add(Event{Action: "output", Test: "TestA", Output: "panic: oh\n"})
	p.Finish(2, 0, "")
	if p.OK || p.Failed != 1 || p.Note != "" || !strings.Contains(p.Failure(), "panic: oh") {
		t.Errorf("%+v\n%s", p, p.Failure())
	}
	p = NewPackage("m")
	p.Finish(3, 0, "")
	if p.OK || !strings.Contains(p.Note, "status 3") {
		t.Errorf("a binary that fails without a test: %+v", p)
	}
	p = NewPackage("m")
	p.Finish(137, 0, "killed by signal 9")
	if p.Note != "killed by signal 9" || !strings.Contains(Summary([]*Package{p}, 0), "failed: m: killed by signal 9\n") {
		t.Errorf("%+v", p)
	}
}

func TestBadEvents(t *testing.T) {
	if err := NewPackage("m").Read(strings.NewReader("{\"Action\":\"run\"}\nno json"), nil); err == nil {
		t.Error("no error")
	}
}

func TestReasonWithoutWords(t *testing.T) {
	if got := reason([]string{"=== RUN   TestA\n", "--- SKIP: TestA (0.00s)\n"}); got != "no reason given" {
		t.Errorf("got %q", got)
	}
}

func TestCompare(t *testing.T) {
	a, b := NewPackage("m"), NewPackage("m")
	for _, e := range []Event{{Action: "pass", Test: "Same"}, {Action: "skip", Test: "Other"}, {Action: "pass", Test: "OnlyA"}} {
		a.Add(e)
	}
	for _, e := range []Event{{Action: "pass", Test: "Same"}, {Action: "pass", Test: "Other"}, {Action: "pass", Test: "OnlyB"}} {
		b.Add(e)
	}
	want := []string{"m OnlyA: pass on 386, absent on amd64", "m OnlyB: absent on 386, pass on amd64", "m Other: skip on 386, pass on amd64"}
	if got := Compare("386", []*Package{a}, "amd64", []*Package{b}); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
