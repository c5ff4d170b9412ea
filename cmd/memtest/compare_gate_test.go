package main

import (
	"strings"
	"testing"

	"wordsize/internal/result"
)

// A gate that cannot fail, and a comparison of nothing, are not passed off as
// fine; what there is to see is printed all the same.
func TestGateThatCannotFail(t *testing.T) {
	t.Chdir(t.TempDir())
	series := func(name string, n int, rate float64, edit func(*result.Run)) {
		var runs []*result.Run
		for i := range n {
			r := savedRun("h", "amd64", len(name)*1000+2*i, 2, 5, rate*(1+0.001*float64(i)))
			edit(r)
			runs = append(runs, r)
		}
		saveRuns(t, ".", name, runs...)
	}
	as := func(*result.Run) {}
	series("a", 4, 50e9, as)
	series("bb", 4, 25e9, as)
	series("ccc", 5, 50e9, as)
	series("dddd", 5, 25e9, as)
	series("eeeee", 5, 25e9, func(r *result.Run) { r.Args.ChunkBytes *= 2; r.Kernel.BytesPerPass *= 2 })
	series("ffffff", 5, 25e9, func(r *result.Run) {
		r.Warnings = []result.Warning{{Code: result.WarnEmulated, Subject: "qemu"}}
	})
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"a-*.json bb-*.json":                            {exitOK, "Note: too few launches for any difference to be significant (of 2 tests): want 5 of each group"},
		"a-*.json bb-*.json --fail-above 5":             {exitUsage, "memtest: --fail-above: the gate could not fail: too few launches"},
		"ccc-*.json dddd-*.json --fail-above 5":         {exitFailure, "slower by more than 5 % in 2 of 2"},
		"ccc-*.json dddd-*.json --fail-above 60":        {exitOK, "-50.00 %"},
		"ccc-*.json dddd-*.json --fail-above=":          {exitUsage, `"" is not right: want a percentage`},
		"ccc-*.json dddd-*.json --metric=":              {exitUsage, "want aggregate, process or fairness"},
		"ccc-*.json eeeee-*.json":                       {exitUsage, "nothing was compared: no group has a figure in common with the baseline; they differ in MB (bytes a process) (--by args.chunk_bytes"},
		"ccc-*.json eeeee-*.json --by args.chunk_bytes": {exitOK, "-50"},
		"ccc-*.json ffffff-*.json":                      {exitOK, "emulated (qemu)"},
		"ccc-*.json ffffff-*.json --fail-above 5":       {exitUsage, "the gate could not fail: no difference between emulated"},
	} {
		got := memtest(t, append([]string{"compare"}, strings.Fields(args)...)...)
		if got.code != want.code || !strings.Contains(got.stdout+got.stderr, want.says) {
			t.Errorf("%s: exit %d, want %d and %q in\n%s%s", args, got.code, want.code, want.says, got.stdout, got.stderr)
		}
	}
}
