package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"wordsize/internal/membench"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// usableKernels is how many --kernel all stands for here.
func usableKernels() (n int) {
	for _, k := range kernel.Table() {
		if _, ok := k.Best(); ok {
			n++
		}
	}
	return n
}

func TestAllKernelsInOneTable(t *testing.T) {
	got := memtest(t, "2", "0.01", "12", "--kernel", "all")
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q", got.code, got.stderr)
	}
	if strings.Contains(got.stdout, "For single process") {
		t.Error("test-mem's lines of every kernel drown the table")
	}
	rows := regexp.MustCompile(`(?m)^ *[a-z-]+/[a-z0-9]+ +\d`).FindAllString(got.stdout, -1)
	if len(rows) != usableKernels() {
		t.Errorf("%d rows, want one for each of %d kernels:\n%s", len(rows), usableKernels(), got.stdout)
	}
	for _, want := range []string{"+walloc", "2 processes", "2 x 12 MiB", "loops", "all verified", "Warning: "} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, got.stdout)
		}
	}
}

// The records of several kernels are read back one by one, and aligned with
// those of a single one, whichever way they were written.
func TestRecordsOfSeveralKernels(t *testing.T) {
	dir := t.TempDir()
	many, one := filepath.Join(dir, "many.json"), filepath.Join(dir, "one.json")
	for path, kernels := range map[string]string{many: "copy,read/go,triad", one: "triad"} {
		got := memtest(t, "2", "0.01", "12", "--kernel", kernels, "--repeat", "2", "-o", path, "--format", "json")
		if got.code != exitOK {
			t.Fatalf("exit %d, %s", got.code, got.stderr)
		}
		b, err := os.ReadFile(path)
		if err != nil || string(b) != got.stdout {
			t.Errorf("%v: the file and standard output differ", err)
		}
	}
	b, err := os.ReadFile(many)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := result.ParseRuns(b)
	if err != nil || len(runs) != 3 || !bytes.HasPrefix(b, []byte("[")) {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for i, want := range []string{"copy", "read", "triad"} {
		if r := runs[i]; r.Kernel.Name != want || len(r.Launches) != 2 || r.Args.Parallel != "processes" {
			t.Errorf("record %d: %+v, %d launches", i, r.Kernel, len(r.Launches))
		}
	}
	got := memtest(t, "compare", many, one)
	if got.code != exitOK || !regexp.MustCompile(`triad/\S+ 2 x 12 MiB parallel +\d`).MatchString(got.stdout) {
		t.Errorf("compare: exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

func TestSeveralKernelsAsCSV(t *testing.T) {
	got := memtest(t, "1", "0", "8", "--kernel", "read,rmw", "--format", "csv")
	if lines := strings.Count(got.stdout, "\n"); got.code != exitOK || lines != 5 || strings.Count(got.stdout, "host,goarch") != 1 {
		t.Errorf("exit %d, %d lines, want one header and four rows:\n%s", got.code, lines, got.stdout)
	}
}

func TestKernelArguments(t *testing.T) {
	for args, want := range map[string][]string{
		"1 0 8 --kernel read,copy --classic":        {"--kernel", `"read,copy"`, "one loop"},
		"1 0 8 --kernel read,copy --format classic": {"--kernel", "one loop"},
		"1 0 8 --kernel read,read":                  {"--kernel", "twice"},
		"1 0 8 --kernel read,nosuch":                {"--kernel", `"nosuch"`, "triad"},
		"1 0 8 --parallel fibres":                   {"--parallel", `"fibres"`, "threads"},
		"1 0 8 --peak fast":                         {"--peak", `"fast"`, "51.2"},
		"1 0 8 --peak -3":                           {"--peak", `"-3"`},
		"1 0 8K --kernel triad":                     {"MB:", `"8K"`, "12K", "3 arrays"},
		"kernels --measure 8K":                      {"MB:", `"8K"`, "12K"},
		"1 0 4K --kernel all --force":               {"MB:", `"4K"`, "8K"},
	} {
		got := memtest(t, strings.Fields(args)...)
		if got.code != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("memtest %s: exit %d, %q, %q; want exit 2 and one line", args, got.code, got.stdout, got.stderr)
		}
		for _, w := range want {
			if !strings.Contains(got.stderr, w) {
				t.Errorf("memtest %s: %q does not mention %q", args, got.stderr, w)
			}
		}
	}
}

func TestPeak(t *testing.T) {
	got := memtest(t, "1", "0.01", "8", "--peak", "5000")
	if got.code != exitOK || !strings.Contains(got.stdout, "of 5000 GB/s (--peak)") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

func TestThreads(t *testing.T) {
	got := memtest(t, "2", "0.01", "8", "--kernel", "triad", "--parallel", "threads", "--format", "json")
	r := decode(t, []byte(got.stdout))
	w := r.Launches[0].Phases[1].Workers
	if got.code != exitOK || r.Args.Parallel != "threads" || len(w) != 2 || w[0].PID != w[1].PID {
		t.Errorf("exit %d, %q, workers %+v", got.code, r.Args.Parallel, w)
	}
}

// What is complete is kept when the end comes among several kernels. A slow
// host needs longer for the first launch.
func TestInterruptedAmongKernels(t *testing.T) {
	var runs []*result.Run
	var err error
	var stdout string
	for _, after := range []time.Duration{700 * time.Millisecond, 5 * time.Second, 30 * time.Second} {
		path := filepath.Join(t.TempDir(), "r.json")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(after, func() { cancel(signalled{os.Interrupt}) })
		got := named(ctx, "memtest", "1", "0.2", "8", "--kernel", "read,copy,add", "--repeat", "1000", "-o", path)
		b, readErr := os.ReadFile(path)
		if got.code != 130 || readErr != nil {
			t.Fatalf("exit %d, %v", got.code, readErr)
		}
		stdout = got.stdout
		if runs, err = result.ParseRuns(b); err == nil {
			break
		}
	}
	if err != nil || len(runs) < 1 || len(runs) > 3 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if !r.Interrupted || r.Error == "" {
			t.Errorf("%s: interrupted %v, error %q", r.Kernel.Name, r.Interrupted, r.Error)
		}
	}
	if !strings.Contains(stdout, "read/") {
		t.Errorf("no table:\n%s", stdout)
	}
}

func TestProgressNamesTheKernel(t *testing.T) {
	want := "launch 1 of 2, triad/avx2, 1 process: touching memory"
	if got := progressText(membench.Progress{Launches: 2, Kernel: "triad/avx2", Processes: 1, Stage: membench.StageTouch}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The loops of one invocation are one saved result: last and previous are two
// invocations, which have their loops in common.
func TestKernelsAreSavedTogether(t *testing.T) {
	dir := stateFolder(t)
	for range 2 {
		got := memtest(t, "1", "0.01", "8", "--kernel", "read,rmw", "--save")
		if got.code != exitOK || strings.Count(got.stderr, "Saved: ") != 1 {
			t.Fatalf("exit %d, %q", got.code, got.stderr)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || len(files) != 2 {
		t.Errorf("files %v, %v", files, err)
	}
	var list result.SavedList
	if err := json.Unmarshal([]byte(memtest(t, "results", "--format", "json").stdout), &list); err != nil || len(list.Results) != 4 {
		t.Fatalf("%v, %+v", err, list)
	}
	for i, want := range []string{"last~1", "last~1", "last", "last"} {
		if list.Results[i].Ref != want {
			t.Errorf("%d is %s, want %s", i, list.Results[i].Ref, want)
		}
	}
	got := memtest(t, "compare", "previous", "last")
	if got.code != exitOK || strings.Contains(got.stdout, "not measured in") || strings.Count(got.stdout, "1+1") != 4 {
		t.Errorf("exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
}
