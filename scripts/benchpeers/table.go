package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// samples are rates in bytes a second by the name of what reached them, for
// one number of processes.
type samples map[string][]float64

func (s samples) median(name string) float64 { return result.SpreadOf(s[name]).Median }

// best returns the name and median of the fastest among those wanted.
func (s samples) best(want func(name string) bool) (string, float64) {
	name, top := "-", math.NaN()
	for n := range s {
		if m := s.median(n); want(n) && (math.IsNaN(top) || m > top || m == top && n < name) {
			name, top = n, m
		}
	}
	return name, top
}

func (s samples) writeTable(w io.Writer, processes int) {
	names := make([]string, 0, len(s))
	for n := range s {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := s.median(b) - s.median(a); d != 0 {
			return int(math.Copysign(1, d))
		}
		return strings.Compare(a, b)
	})
	fmt.Fprintf(w, "\n%d process(es): GB/s (10^9 bytes) of all together, median and range over the rounds\n\n", processes)
	fmt.Fprintln(w, "| what | median | min | max | max/min |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|")
	for _, n := range names {
		p := result.SpreadOf(s[n])
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %.3f |\n", n, p.Median/1e9, p.Min/1e9, p.Max/1e9, p.Max/p.Min)
	}
}

// A goal is a ratio that memtest is to reach.
type goal struct {
	what       string
	ours, peer func(name string) bool
	atLeast    float64
}

func is(names ...string) func(string) bool {
	return func(n string) bool { return slices.Contains(names, n) }
}

func prefix(p string) func(string) bool {
	return func(n string) bool { return strings.HasPrefix(n, p) }
}

var goals = []goal{
	{"write against likwid's best store", is("memtest write"), is("likwid store", "likwid store_avx", "likwid store_avx512"), 0.98},
	{"write-nt against likwid's best store_mem", is("memtest write-nt"), prefix("likwid store_mem"), 0.98},
	{"best kernel against the best of all peers", prefix("memtest "), func(n string) bool { return !strings.HasPrefix(n, "memtest ") }, 1},
	{"write against sysbench's write", is("memtest write"), is("sysbench write"), 1},
	{"write against stress-ng's best ordinary write", is("memtest write"), func(n string) bool {
		m, ok := strings.CutPrefix(n, "stress-ng ")
		return ok && stressWrites(m)
	}, 1},
}

func (s samples) writeGoals(w io.Writer, processes int) {
	fmt.Fprintf(w, "\n%d process(es): ratios\n\n| what | ours | peer | of medians | median of the rounds' | goal |\n|---|---|---|---:|---:|---|\n", processes)
	for _, g := range goals {
		ours, a := s.best(g.ours)
		peer, b := s.best(g.peer)
		fmt.Fprintf(w, "| %s | %s | %s | %.3f | %.3f | >= %.2f %s |\n", g.what, ours, peer, a/b, s.paired(ours, peer), g.atLeast, metIf(a/b >= g.atLeast))
	}
	for _, g := range goals[:2] { // write and write-nt, each against likwid's best
		ours, _ := s.best(g.ours)
		peer, _ := s.best(g.peer)
		ratio := spreadRatio(s, ours, peer)
		fmt.Fprintf(w, "| spread (max/min over the rounds) | %s | %s | %.3f | | <= 1.00 %s |\n", ours, peer, ratio, metIf(ratio <= 1))
	}
}

// metIf says in a word whether a goal is met; a NaN meets none.
func metIf(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

// paired returns the median of the ratios round by round, which holds when
// the machine's speed drifts; NaN when one of the two is missing.
func (s samples) paired(a, b string) float64 {
	x, y := s[a], s[b]
	var ratios []float64
	for i := range min(len(x), len(y)) {
		ratios = append(ratios, x[i]/y[i])
	}
	return result.SpreadOf(ratios).Median
}

func spreadRatio(s samples, a, b string) float64 {
	x, y := result.SpreadOf(s[a]), result.SpreadOf(s[b])
	return (x.Max / x.Min) / (y.Max / y.Min)
}
