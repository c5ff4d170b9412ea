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
	{"best writing kernel against the best of all that write", is("memtest write", "memtest write-nt", "memtest write-int", "memtest zero", "memtest zero/stosb"), writes, 1},
	{"write against sysbench's write", is("memtest write"), is("sysbench write"), 1},
	{"write against stress-ng's best ordinary write", is("memtest write"), func(n string) bool {
		m, ok := strings.CutPrefix(n, "stress-ng ")
		return ok && stressWrites(m)
	}, 1},
	{"read against likwid's best load", is("memtest read"), family("load"), 0.98},
	{"copy against likwid's best copy", is("memtest copy"), family("copy"), 0.98},
	{"copy-nt against likwid's best copy_mem", is("memtest copy-nt"), family("copy_mem"), 0.98},
	{"triad against likwid's best stream or triad", is("memtest triad"), family("triad"), 0.98},
	{"triad-nt against likwid's best stream_mem or triad_mem", is("memtest triad-nt"), family("triad_mem"), 0.98},
	{"copy against STREAM's", is("memtest copy"), is("STREAM copy"), 1},
	{"scale against STREAM's", is("memtest scale"), is("STREAM scale"), 1},
	{"add against STREAM's", is("memtest add"), is("STREAM add"), 1},
	{"triad against STREAM's", is("memtest triad"), is("STREAM triad"), 1},
	{"triad by threads against STREAM's", is("memtest triad (threads)"), is("STREAM triad"), 1},
	{"copy, best pass, against STREAM's best", is("memtest copy best pass"), is("STREAM copy best"), 1},
	{"triad, best pass, against STREAM's best", is("memtest triad best pass"), is("STREAM triad best"), 1},
	{"best copy against tinymembench's", is("memtest copy", "memtest copy-nt"), is("tinymembench copy"), 1},
	// mbw's mcblock is none of them: in 1.2 it copies one block again and again.
	{"best copy against mbw's", is("memtest copy", "memtest copy-nt"), is("mbw both memcpy", "mbw both dumb"), 1},
}

// spreads are the goals whose two sides' spreads are compared too.
var spreads = []string{
	"write against likwid's best store", "write-nt against likwid's best store_mem", "read against likwid's best load",
	"copy against likwid's best copy", "copy-nt against likwid's best copy_mem",
	"triad against likwid's best stream or triad", "triad-nt against likwid's best stream_mem or triad_mem",
}

// family tells likwid's kernels of one kind.
func family(name string) func(string) bool {
	return func(n string) bool {
		k, ok := strings.CutPrefix(n, "likwid ")
		return ok && slices.Contains(likwidFamilies[name], k)
	}
}

// writes tells the peers that only write.
func writes(n string) bool {
	return strings.HasPrefix(n, "likwid store") || strings.HasPrefix(n, "sysbench ") || strings.HasPrefix(n, "stress-ng ") ||
		strings.HasPrefix(n, "mbw ") && !strings.HasPrefix(n, "mbw both ")
}

// writeGoals writes the goals of which both sides were measured.
func (s samples) writeGoals(w io.Writer, processes int) {
	fmt.Fprintf(w, "\n%d process(es): ratios\n\n| what | ours | peer | of medians | median of the rounds' | goal |\n|---|---|---|---:|---:|---|\n", processes)
	var spread []string
	for _, g := range goals {
		ours, a := s.best(g.ours)
		peer, b := s.best(g.peer)
		if math.IsNaN(a) || math.IsNaN(b) {
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s | %.3f | %.3f | >= %.2f %s |\n", g.what, ours, peer, a/b, s.paired(ours, peer), g.atLeast, metIf(a/b >= g.atLeast))
		if slices.Contains(spreads, g.what) {
			ratio := spreadRatio(s, ours, peer)
			spread = append(spread, fmt.Sprintf("| spread (max/min over the rounds) | %s | %s | %.3f | | <= 1.00 %s |\n", ours, peer, ratio, metIf(ratio <= 1)))
		}
	}
	io.WriteString(w, strings.Join(spread, ""))
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
