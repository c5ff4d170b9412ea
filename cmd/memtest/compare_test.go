package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

var update = flag.Bool("update", false, "write the golden files anew")

// home is the package's folder, in which a test starts.
var home, _ = os.Getwd()

// golden compares got with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(home, "testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew):\n--- got\n%s--- want\n%s", name, got, want)
	}
}

// savedRun is a record of one launch of two phases: passes of even length, so
// that n processes write rate bytes a second together.
func savedRun(host, arch string, minute, n, passes int, rate float64) *result.Run {
	const chunk = 256 << 20
	phase := func(name string, n int, rate float64) result.Phase {
		p := result.Phase{Name: name, Processes: n, Passes: int64(passes), Clock: "CLOCK_MONOTONIC"}
		step := chunk * float64(n) / rate * 1e9
		for i := range n {
			w := result.Worker{Index: i, PID: 1000 + i, PassStride: 1, Passes: int64(passes), BytesPerPass: chunk, Mappings: 1}
			for j := range passes {
				w.PassEndNS = append(w.PassEndNS, int64(step*float64(j+1)))
			}
			w.EndNS = w.PassEndNS[passes-1]
			w.StopNS = w.EndNS
			p.Workers = append(p.Workers, w)
		}
		p.Summary = p.Summarize()
		return p
	}
	run := &result.Run{
		Schema: result.RunSchema, Kind: result.RunKind, Started: time.Unix(1.7e9+60*int64(minute), 0).UTC(), ElapsedNS: 4e9,
		Tool:     result.Tool{Name: "memtest", Version: "1.0", GOOS: "linux", GOARCH: arch, WordBits: 64},
		Host:     result.Host{Hostname: host, Kernel: "6.1.0", OS: "linux", CPU: result.CPU{Model: "A CPU"}, Pages: result.Pages{BaseBytes: 4096}},
		Args:     result.Args{Processes: n, MinTimeNS: 2e9, ChunkBytes: chunk, Kernel: "write", Pages: "default", Repeat: 1, Held: true, Verify: true},
		Kernel:   result.Kernel{Name: "write", Tier: "avx2", BytesPerPass: chunk},
		Warnings: []result.Warning{},
	}
	run.Launches = []result.Launch{{Phases: []result.Phase{phase(result.PhaseSingle, 1, rate*0.6), phase(result.PhaseParallel, n, rate)}}}
	return run
}

// saveRuns writes records as NAME-NN.json.
func saveRuns(t testing.TB, dir, name string, runs ...*result.Run) {
	t.Helper()
	for i, r := range runs {
		var b bytes.Buffer
		if err := result.WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%02d.json", name, i)), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// twoBuilds saves twelve interleaved runs of each of two builds, the second by
// change off the first.
func twoBuilds(t testing.TB, dir string, change float64) {
	r := rand.New(rand.NewPCG(11, 12))
	var wide, narrow []*result.Run
	for i := range 12 {
		wide = append(wide, savedRun("host1", "amd64", 2*i, 2, 5, 50e9*(1+0.01*r.NormFloat64())))
		narrow = append(narrow, savedRun("host1", "386", 2*i+1, 2, 5, 50e9*(1+change)*(1+0.01*r.NormFloat64())))
	}
	saveRuns(t, dir, "amd64", wide...)
	saveRuns(t, dir, "386", narrow...)
}

func TestCompareGolden(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	check := func(name string, got output) {
		t.Helper()
		if got.code != exitOK || got.stderr != "" {
			t.Errorf("%s: exit %d, stderr %q", name, got.code, got.stderr)
		}
		golden(t, name, got.stdout)
	}
	twoBuilds(t, dir, -0.05)
	for _, format := range []string{"table", "markdown", "csv", "bench"} {
		check("compare-pair."+format, memtest(t, "compare", "wide=amd64-*.json", "narrow=386-*.json", "--format", format))
	}
	hosts := filepath.Join(dir, "hosts")
	if err := os.Mkdir(hosts, 0o700); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(13, 14))
	for h := range 7 {
		rate, steal := 50e9, 0.0
		if h == 3 {
			rate, steal = 38e9, 12
		}
		var runs []*result.Run
		for i := range 6 {
			run := savedRun(fmt.Sprintf("host%d", h), "amd64", i, 2, 5, rate*(1+0.01*r.NormFloat64()))
			run.Launches[0].Phases[1].Host.StealPercent = &steal
			runs = append(runs, run)
		}
		saveRuns(t, hosts, fmt.Sprint("h", h), runs...)
	}
	check("compare-hosts.table", memtest(t, "compare", "hosts", "--by", "host", "--baseline", "host1"))
	check("compare-three.table", memtest(t, "compare", "hosts/h0*", "hosts/h3*", "hosts/h5*", "--by", "host", "--metric", "aggregate,process"))
}

func TestCompareJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	twoBuilds(t, ".", -0.05)
	got := memtest(t, "compare", ".", "--by", "arch", "--baseline", "amd64", "--format", "json", "--fail-above", "3%")
	var c result.Comparison
	if err := json.Unmarshal([]byte(got.stdout), &c); err != nil || got.code != exitFailure {
		t.Fatalf("exit %d, %v, stderr %q", got.code, err, got.stderr)
	}
	if c.Kind != result.ComparisonKind || len(c.Groups) != 2 || c.Baseline != "amd64" || len(c.Regressed) != 2 || *c.FailAbove != 0.03 {
		t.Errorf("%+v", c)
	}
	if cell := c.Rows[1].Cells[0]; !cell.Significant || cell.N != 12 || *cell.Change > -0.03 || *cell.Change < -0.07 {
		t.Errorf("5 %% less of 12 and 12: %+v", cell)
	}
}

func TestCompareGate(t *testing.T) {
	for change, codes := range map[float64]map[string]int{
		-0.05: {"0": exitFailure, "2%": exitFailure, "20%": exitOK},
		0:     {"0": exitOK},
		0.05:  {"0": exitOK}, // faster
	} {
		t.Chdir(t.TempDir())
		twoBuilds(t, ".", change)
		for above, want := range codes {
			got := memtest(t, "compare", "amd64*", "386*", "--fail-above", above)
			if got.code != want || strings.Count(got.stdout, "~") != map[bool]int{false: 1, true: 3}[change == 0] {
				t.Errorf("change %g, gate %s: exit %d, want %d\n%s%s", change, above, got.code, want, got.stdout, got.stderr)
			}
		}
	}
}

func TestCompareBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	saveRuns(t, ".", "a", savedRun("h", "amd64", 1, 2, 3, 1e9))
	saveRuns(t, ".", "b", savedRun("h", "amd64", 2, 2, 3, 1e9))
	for name, text := range map[string]string{
		"text.json": "hello", "empty.json": "", "cut.json": `{"schema": 1, "kind": "mem`,
		"newer.json": `{"schema": 99, "kind": "memtest"}`, "info.json": `{"schema": 1, "kind": "memtest-info"}`, "d/readme": "",
	} {
		os.MkdirAll(filepath.Dir(name), 0o700)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string][]string{
		"":                                        {"want results"},
		"a-00.json":                               {"one group only", "a-00"},
		"a-00.json b-00.json --by host":           {"one group only", `"h"`},
		"a-00.json nosuch.json":                   {"nosuch.json", "no such file"},
		"a-00.json text.json":                     {"text.json", "no memtest result"},
		"a-00.json empty.json":                    {"empty.json", "empty"},
		"a-00.json cut.json":                      {"cut.json", "truncated"},
		"a-00.json newer.json":                    {"newer.json", "newer", "99"},
		"a-00.json info.json":                     {"info.json", "memtest-info"},
		"a-00.json d":                             {"d:", "no memtest results"},
		"a-00.json a-00.json":                     {"a-00.json", "twice"},
		"a-00.json x*.json":                       {"x*.json", "no file matches"},
		"a-00.json b-00.json --by colour":         {"colour", "kernel-version"},
		"a-00.json b-00.json --baseline c":        {`"c"`, "a-00, b-00"},
		"a-00.json b-00.json --format xml":        {"--format", `"xml"`, "bench"},
		"a-00.json b-00.json --metric speed":      {"--metric", `"speed"`, "fairness"},
		"a-00.json b-00.json --fail-above x":      {"--fail-above", `"x"`, "5%"},
		"a-00.json b-00.json --fail-above -1":     {"--fail-above", "-1", "5%"},
		"a-00.json b-00.json --nosuch":            {"--nosuch"},
		"a-00.json -":                             {"-:", "empty"},
		"a-00.json cut.json --keep-going":         {"one group only"},
		"a-00.json b-00.json cut.json empty.json": {"cut.json", "empty.json"},
	} {
		got := memtest(t, append([]string{"compare"}, strings.Fields(args)...)...)
		if got.code != exitUsage || got.stdout != "" || !strings.HasPrefix(got.stderr, "memtest: ") {
			t.Errorf("compare %s: exit %d, stdout %q, stderr %q; want exit 2 and a line", args, got.code, got.stdout, got.stderr)
		}
		for _, w := range want {
			if !strings.Contains(got.stderr, w) {
				t.Errorf("compare %s: %q does not mention %q", args, got.stderr, w)
			}
		}
	}
	got := memtest(t, "compare", "a-00.json", "cut.json", "b-00.json", "--keep-going", "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if got.code != exitUsage || err != nil || len(rows) != 5 || !strings.Contains(got.stderr, "left out: cut.json") {
		t.Errorf("--keep-going: exit %d, %d rows, %v, stderr %q", got.code, len(rows), err, got.stderr)
	}
}

// What the bench format hands on is refused as in the other formats.
func TestCompareRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	classic := savedRun("h", "386", 2, 2, 3, 1e9)
	classic.Args.Held = false
	saveRuns(t, ".", "a", savedRun("h", "amd64", 1, 2, 3, 1e9), classic)
	for _, format := range []string{"table", "markdown", "csv", "json", "bench"} {
		got := memtest(t, "compare", "a-00.json", "a-01.json", "--format", format)
		if got.code != exitUsage || got.stdout != "" || !strings.Contains(got.stderr, "a-00.json and a-01.json do not measure the same: the load was held") || !strings.Contains(got.stderr, "--force") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q; want a refusal", format, got.code, got.stdout, got.stderr)
		}
		if got := memtest(t, "compare", "a-00.json", "a-01.json", "--format", format, "--force"); got.code != exitOK || got.stdout == "" {
			t.Errorf("%s --force: exit %d, %q", format, got.code, got.stderr)
		}
	}
}

// --keep-going loses no work, and the exit status says still that it was not
// all of it; only a failed gate, which is certain, counts for more.
func TestCompareKeepGoing(t *testing.T) {
	t.Chdir(t.TempDir())
	twoBuilds(t, ".", -0.05)
	if err := os.WriteFile("cut.json", []byte(`{"schema": 1, "kind": "mem`), 0o600); err != nil {
		t.Fatal(err)
	}
	const note = "Note: left out as unusable (--keep-going): cut.json\n"
	for args, want := range map[string]int{
		". --by arch --baseline amd64":                               exitUsage,
		". --by arch --baseline amd64 --keep-going":                  exitUsage,
		". --by arch --keep-going --fail-above 2%":                   exitUsage, // of the slower one the other is none
		". --by arch --baseline amd64 --fail-above 2%":               exitUsage,
		"amd64* 386* --fail-above 2%":                                exitFailure,
		"amd64* 386* cut.json --keep-going --by arch":                exitUsage,
		"amd64* 386* amd64-00.json --keep-going":                     exitUsage,
		"amd64* 386* amd64-00.json":                                  exitUsage,
		"amd64* 386* nosuch.json --keep-going":                       exitUsage,
		". --by arch --baseline amd64 --keep-going --fail-above 2%":  exitFailure,
		". --by arch --baseline amd64 --keep-going --fail-above 20%": exitUsage,
		". --keep-going --format bench":                              exitUsage,
	} {
		got := memtest(t, append([]string{"compare"}, strings.Fields(args)...)...)
		goesOn := strings.Contains(args, "--keep-going") || want == exitFailure
		if got.code != want || (got.stdout != "") != goesOn {
			t.Errorf("compare %s: exit %d, want %d\n%s%s", args, got.code, want, got.stdout, got.stderr)
		}
		cut := goesOn && !strings.Contains(args, "amd64*") || strings.Contains(args, "cut.json")
		if cut != strings.Contains(got.stderr, "left out: cut.json: is truncated") || cut && !strings.Contains(args, "bench") && !strings.Contains(got.stdout, note) {
			t.Errorf("compare %s: what was left out is not said\n%s%s", args, got.stdout, got.stderr)
		}
		if strings.Contains(args, "amd64-00.json") && strings.Contains(got.stdout, "left out") {
			t.Errorf("compare %s: says that a file is missing that is there twice\n%s", args, got.stdout)
		}
	}
}

// Records in a row on standard input, as cat makes them.
func TestCompareStdin(t *testing.T) {
	var in bytes.Buffer
	for i := range 12 {
		if err := result.WriteJSON(&in, savedRun("h", []string{"amd64", "386"}[i%2], i, 2, 3, 1e9+float64(i))); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"memtest", "compare", "-"}, &in, &out, &errs)
	if code != exitOK || !strings.Contains(out.String(), "6+6") || !strings.Contains(out.String(), "tool.goarch") {
		t.Errorf("exit %d\n%s%s", code, out.String(), errs.String())
	}
}

// BenchmarkCompare300 compares 300 files of 50 workers.
func BenchmarkCompare300(b *testing.B) {
	dir := b.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	for h := range 10 {
		var runs []*result.Run
		for i := range 30 {
			runs = append(runs, savedRun(fmt.Sprint("host", h), "amd64", i, 50, 100, 1e11*(1+0.01*r.NormFloat64())))
		}
		saveRuns(b, dir, fmt.Sprint("h", h), runs...)
	}
	for b.Loop() {
		if got := named(b.Context(), "memtest", "compare", dir, "--by", "host"); got.code != exitOK {
			b.Fatal(got)
		}
	}
}

// What the arguments are called and what is in them decides the groups.
func TestCompareGroupsOfArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	saveRuns(t, ".", "r", savedRun("h1", "amd64", 1, 2, 5, 50e9), savedRun("h1", "amd64", 2, 2, 5, 50e9), savedRun("h2", "amd64", 3, 2, 5, 50e9))
	for i, host := range []string{"h1", "h1", "h2"} { // runs of two loops
		write, read := savedRun(host, "amd64", 10+i, 2, 5, 50e9), savedRun(host, "amd64", 20+i, 2, 5, 60e9)
		read.Kernel.Name = "read"
		var b bytes.Buffer
		if err := result.WriteRuns(&b, []*result.Run{write, read}, true); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(fmt.Sprintf("two-%d.json", i), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"d1", "d2", "d3", "a=b"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i, path := range []string{"d1/x.json", "d2/x.json", "d3/x.json", "a=b/x.json", "old.json"} {
		saveRuns(t, ".", "tmp", savedRun([]string{"h1", "h2"}[i%2], "amd64", 30+i, 2, 5, 50e9))
		if err := os.Rename("tmp-00.json", path); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"r-00.json r-01.json r-02.json":       "h1 h2",        // many single files
		"two-0.json two-1.json two-2.json":    "h1 h2",        // of several loops each
		"x=r-00.json y=r-01.json z=r-02.json": "x y z",        // named
		"d1 d2 d3":                            "d1 d2 d3",     // folders of one record each
		"a=b/*.json d1":                       "* d1",         // no name: the glob matches as it is
		"old=r-00.json old.json":              "old old.json", // a name and a file that is called so
	} {
		var c result.Comparison
		got := memtest(t, append([]string{"compare", "--format", "json"}, strings.Fields(args)...)...)
		if err := json.Unmarshal([]byte(got.stdout), &c); err != nil || got.code != exitOK {
			t.Errorf("%s: exit %d, %v, %q", args, got.code, err, got.stderr)
			continue
		}
		var names []string
		for _, g := range c.Groups {
			names = append(names, g.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: groups %q, want %q", args, got, want)
		}
	}
}
