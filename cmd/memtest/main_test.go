package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"wordsize/internal/membench"
	"wordsize/internal/result"
)

// badCalls runs a subcommand, or the benchmark when that is "", with wrong
// arguments: each must end with one line that has the words, and exit status 2.
func badCalls(t *testing.T, command string, calls map[string][]string) {
	t.Helper()
	for args, want := range calls {
		got := memtest(t, strings.Fields(command+" "+args)...)
		if got.code != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.HasPrefix(got.stderr, "memtest: ") {
			t.Errorf("memtest %s %s: exit %d, stdout %q, stderr %q; want exit 2 and one line", command, args, got.code, got.stdout, got.stderr)
		}
		for _, w := range want {
			if !strings.Contains(got.stderr, w) {
				t.Errorf("memtest %s %s: %q does not mention %q", command, args, got.stderr, w)
			}
		}
	}
}

// A worker of a test is the test binary itself.
func TestMain(m *testing.M) {
	if status, ok := asWorker(os.Args); ok {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

type output struct {
	code           int
	stdout, stderr string
}

func memtest(t *testing.T, args ...string) output {
	t.Helper()
	return named(t.Context(), "memtest", args...)
}

func named(ctx context.Context, name string, args ...string) output {
	var out, errs bytes.Buffer
	code := run(ctx, append([]string{name}, args...), strings.NewReader(""), &out, &errs)
	return output{code, out.String(), errs.String()}
}

func TestBadInput(t *testing.T) {
	exists := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(exists, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	badCalls(t, "", map[string][]string{
		"":                                 {"three arguments N T MB", "got none"},
		"4 10":                             {"three arguments", `"4 10"`},
		"1 2 3 4":                          {"three arguments", `"1 2 3 4"`},
		"0 1 1":                            {"N:", `"0"`, "from 1"},
		"-1 1 1":                           {"N:", `"-1"`, "from 1"},
		"2 -1 5":                           {"T:", `"-1"`, ">= 0"},
		"2 1 abc":                          {"MB:", `"abc"`, "1500M"},
		"2 1 0":                            {"MB:", `"0"`, "above 0"},
		"2 1 -5":                           {"MB:", `"-5"`, "above 0"},
		"2 1 5 --kernel nosuch":            {"--kernel", `"nosuch"`, "write-nt"},
		"2 1 5 --kernel write/mmx":         {"--kernel", `"write/mmx"`, "write has"},
		"2 1 5 --pin 99999":                {"--pin", `"99999"`, "allowed"},
		"2 1 5 --pin -1":                   {"--pin", "-1"},
		"2 -1 -5":                          {"T:", `"-1"`},
		"-q -1 1 1":                        {"N:", `"-1"`},
		"kernels --measure -5":             {"MB:", `"-5"`},
		"2 1 5 --repeat abc":               {"--repeat", "abc", "whole number"},
		"2 1 5 -o -":                       {"-o", "--format json"},
		"2 1 5 --pages 3k":                 {"--pages", `"3k"`, "hugetlb"},
		"2 1 5 --repeat 0":                 {"--repeat", "0", "from 1"},
		"2 1 5 --warmup -2":                {"--warmup", "-2"},
		"2 1 5 --repeat x":                 {"--repeat", "x"},
		"2 1 5 --format xml":               {"--format", `"xml"`, "json"},
		"2 1 5 --seed-pattern foo":         {"--seed-pattern", `"foo"`},
		"2 1 5 --runner nosuch-cmd":        {"--runner", "nosuch-cmd"},
		"2 1 5 --bogus":                    {"--bogus", "--help"},
		"2 1 5 -o " + exists:               {"-o", exists, "--overwrite"},
		"2 1 5 -o /nosuch/dir/x.json":      {"-o", "/nosuch/dir"},
		"2 1 5 -o " + filepath.Dir(exists): {"-o", "folder"},
		"100 1 1000000":                    {"do not fit", "MB =", "--force"},
		"kernels 5":                        {"--measure"},
		"kernels --measure x":              {"MB:", `"x"`},
		"kernels --format csv":             {"--format", `"csv"`},
		"info now":                         {"info", `"now"`},
		"info --format csv":                {"--format", `"csv"`},
	})
	if b, _ := os.ReadFile(exists); string(b) != "precious" {
		t.Errorf("a refused run changed the old file: %q", b)
	}
}

const (
	number  = `[ \d]*\d\.\d{3}`
	oneLine = `In \d+\.\d{3}ms done \d+ tests\. It means ` + number + ` mln \(read int\)/sec\n`
	report2 = `For single process:\n` + oneLine + `\nFor 2 processes:\n` + oneLine + oneLine
)

func TestReport(t *testing.T) {
	got := memtest(t, "2", "0.05", "16")
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q; want 0 and silence", got.code, got.stderr)
	}
	if !regexp.MustCompile(`^` + report2 + `\nprocesses `).MatchString(got.stdout) {
		t.Errorf("output does not begin with test-mem's lines:\n%s", got.stdout)
	}
	for _, want := range []string{"aggregate", "fairness", "slowdown", "gain", "Measured on: ", "2 x 16 MiB", "2^20", "all verified", "Warning: "} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, got.stdout)
		}
	}
}

func TestClassic(t *testing.T) {
	whole := regexp.MustCompile(`^` + report2 + `$`)
	for name, got := range map[string]output{
		"--classic":        memtest(t, "2", "0", "8", "--classic"),
		"--format classic": memtest(t, "2", "0", "8", "--format", "classic"),
		"as test-mem":      named(t.Context(), "/usr/bin/test-mem", "2", "0", "8"),
	} {
		if warned := strings.Contains(got.stderr, "Warning: "); warned == (name == "as test-mem") {
			t.Errorf("%s: warnings on standard error: %v", name, warned)
		}
		if got.code != exitOK || !whole.MatchString(got.stdout) {
			t.Errorf("%s: exit %d, want test-mem's lines alone:\n%s%s", name, got.code, got.stdout, got.stderr)
		}
	}
}

// decode reads a record strictly: a key that the type lacks is an error.
func decode(t *testing.T, data []byte) *result.Run {
	t.Helper()
	var r result.Run
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	return &r
}

func TestJSON(t *testing.T) {
	got := memtest(t, "2", "0.02", "8", "--format", "json", "--repeat", "2", "--no-verify", "--seed-pattern", "5")
	r := decode(t, []byte(got.stdout))
	if got.code != exitOK || r.Schema != result.RunSchema || r.Kind != result.RunKind || len(r.Launches) != 2 || r.Args.Verify || r.Args.SeedPattern != 5 || r.Args.ChunkBytes != 8<<20 || r.Tool.GOARCH != runtime.GOARCH {
		t.Errorf("exit %d, record %+v", got.code, r)
	}
	found := false
	for _, w := range r.Warnings {
		found = found || w.Code == result.WarnNotVerified && w.Text != ""
	}
	if !found {
		t.Errorf("warnings %+v lack not-verified with its text", r.Warnings)
	}
}

func TestCSV(t *testing.T) {
	got := memtest(t, "2", "0", "8", "--format", "csv")
	if lines := strings.Count(got.stdout, "\n"); got.code != exitOK || lines != 4 || !strings.Contains(got.stderr, "Warning: ") {
		t.Errorf("exit %d, %d lines, want a header and three rows:\n%s", got.code, lines, got.stdout)
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	got := memtest(t, "1", "0", "8", "-o", path)
	if got.code != exitOK || !strings.HasPrefix(got.stdout, "For single process:") {
		t.Fatalf("exit %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, first)
	if got := memtest(t, "1", "0", "8", "-o", path, "--overwrite"); got.code != exitOK {
		t.Errorf("--overwrite: exit %d, %s", got.code, got.stderr)
	}
	second, err := os.ReadFile(path)
	if err != nil || bytes.Equal(first, second) {
		t.Errorf("%v: the file was not replaced", err)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

// A file that appears while the measurement runs is not replaced, and the
// record isn't lost.
func TestOutputFileThatAppears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	o, err := newRecordFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = o.saveRuns([]*result.Run{{}})
	o.discard()
	if err == nil {
		t.Fatal("no error")
	}
	name := err.Error()[strings.LastIndex(err.Error(), " ")+1:]
	if b, _ := os.ReadFile(path); string(b) != "other" {
		t.Error("the other file was replaced")
	}
	if b, err := os.ReadFile(name); err != nil {
		t.Errorf("the record isn't in %q: %v", name, err)
	} else {
		decode(t, b)
	}
}

// A link stays a link and its target is written; an old file keeps its mode.
func TestOutputFileBehindLink(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link.json"), filepath.Join(dir, "target.json")
	if err := os.Symlink("target.json", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if got := memtest(t, "1", "0", "4", "-o", link); got.code != exitOK {
		t.Fatalf("dangling link: exit %d, %s", got.code, got.stderr)
	}
	if err := os.Chmod(target, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := memtest(t, "1", "0", "4", "-o", link, "--overwrite"); got.code != exitOK {
		t.Fatalf("--overwrite: exit %d, %s", got.code, got.stderr)
	}
	l, err := os.Lstat(link)
	if err != nil || l.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", l, err)
	}
	if st, err := os.Stat(target); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("target: %v, %v; want mode 600", st, err)
	}
}

// failing is a standard output that nobody reads any more.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestReaderGoneSavesTheRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	var errs bytes.Buffer
	code := run(t.Context(), []string{"memtest", "1", "0", "4", "-o", path}, strings.NewReader(""), failing{}, &errs)
	if code != exitBrokenPipe || errs.Len() != 0 {
		t.Errorf("exit %d, %q; want %d without a word", code, errs.String(), exitBrokenPipe)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if r := decode(t, b); len(r.Launches) != 1 || len(r.Launches[0].Phases) != 2 {
		t.Error("the record isn't complete")
	}
}

func TestInterrupted(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		path := filepath.Join(t.TempDir(), "r.json")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(300*time.Millisecond, func() { cancel(signalled{sig}) })
		start := time.Now()
		got := named(ctx, "memtest", "2", "1h", "8", "-o", path)
		if got.code != want || !strings.Contains(got.stderr, "interrupted") {
			t.Errorf("%v: exit %d, stderr %q; want %d and the word", sig, got.code, got.stderr, want)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%v: took %v to end", sig, d)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if r := decode(t, b); !r.Interrupted || r.Error == "" {
			t.Errorf("record: interrupted %v, error %q", r.Interrupted, r.Error)
		}
	}
}

func TestKernelsAndInfo(t *testing.T) {
	got := memtest(t, "kernels")
	for _, name := range []string{"write:", "write-nt:", "write-int:", "write-word:", "zero:", "generic:"} {
		if got.code != exitOK || !strings.Contains(got.stdout, name) {
			t.Errorf("kernels: exit %d, no %q in\n%s", got.code, name, got.stdout)
		}
	}
	got = memtest(t, "kernels", "--measure", "4", "--format", "json")
	var list result.KernelList
	if err := json.Unmarshal([]byte(got.stdout), &list); err != nil || len(list.Kernels) < 5 {
		t.Fatalf("kernels --measure: %v, %d kernels, %s", err, len(list.Kernels), got.stderr)
	}
	for i, k := range list.Kernels {
		if k.Rate == nil || k.Rate.Min > k.Rate.Median || i > 0 && k.Rate.Median > list.Kernels[i-1].Rate.Median {
			t.Errorf("%s/%s: rate %+v; want one, fastest first", k.Name, k.Tier, k.Rate)
		}
	}
	got = memtest(t, "info", "--format", "json")
	var info result.Info
	if err := json.Unmarshal([]byte(got.stdout), &info); err != nil || info.Kind != result.InfoKind || info.Host.OS != runtime.GOOS {
		t.Errorf("info: %v, %+v", err, info)
	}
	if got := memtest(t, "info"); got.code != exitOK || !strings.Contains(got.stdout, "one process:") {
		t.Errorf("info: exit %d\n%s", got.code, got.stdout)
	}
}

func TestVersionAndHelp(t *testing.T) {
	if got := memtest(t, "--version"); got.code != exitOK || !strings.Contains(got.stdout, "-bit build") || !strings.HasPrefix(got.stdout, "memtest ") {
		t.Errorf("version: %+v", got)
	}
	if got := memtest(t, "--help"); got.code != exitOK || !strings.Contains(got.stdout, "2^20") || strings.Contains(got.stdout, membench.WorkerArg) {
		t.Errorf("help: %+v", got)
	}
}

func TestProgressText(t *testing.T) {
	for want, pr := range map[string]membench.Progress{
		"1 process: touching memory":                                       {Processes: 1, Stage: membench.StageTouch},
		"1 process: timed passes, 7 so far, 3 of 10 s":                     {Processes: 1, Stage: membench.StageTimed, Passes: 7, Elapsed: 3 * time.Second, MinTime: 10 * time.Second},
		"launch 2 of 3, 4 processes: timed passes, 5 of 20, about 6s left": {Launch: 1, Launches: 3, Processes: 4, Stage: membench.StageTimed, Passes: 5, Of: 20, Elapsed: 2 * time.Second},
		"4 processes: timed passes, 20 to make":                            {Processes: 4, Stage: membench.StageTimed, Of: 20},
	} {
		if got := progressText(pr); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := shorten("0123456789", 6); got != "01234" {
		t.Errorf("shortened to %q", got)
	}
}
