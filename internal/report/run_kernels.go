package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// busFactor returns what the rates of a run have to be multiplied by to have
// the write-allocate traffic in them; false when that is unknown.
func busFactor(run *result.Run) (float64, bool) {
	k := &run.Kernel
	if k.BusBytesPerPass == nil || k.BytesPerPass <= 0 {
		return 0, false
	}
	return float64(*k.BusBytesPerPass) / float64(k.BytesPerPass), true
}

// withAllocate writes a rate with write-allocate traffic: "-" when there is
// none, "?" when that is unknown.
func withAllocate(run *result.Run, rate float64) string {
	f, known := busFactor(run)
	switch {
	case !known:
		return "?"
	case f == 1:
		return "-"
	}
	return number(f*rate/gb, "%.2f")
}

// WriteAllocate writes the line that says what a run's rates are with
// write-allocate traffic; nothing when the kernel causes none.
func WriteAllocate(w io.Writer, run *result.Run) error {
	single, parallel := overLaunches(run, result.PhaseSingle), overLaunches(run, result.PhaseParallel)
	switch f, known := busFactor(run); {
	case !known || f == 1 || math.IsNaN(single.aggregate.Median):
		return nil
	case math.IsNaN(parallel.aggregate.Median):
		_, err := fmt.Fprintf(w, "aggregate with write-allocate traffic: %s GB/s.\n", withAllocate(run, single.aggregate.Median))
		return err
	}
	_, err := fmt.Fprintf(w, "aggregate with write-allocate traffic: %s and %s GB/s.\n",
		withAllocate(run, single.aggregate.Median), withAllocate(run, parallel.aggregate.Median))
	return err
}

// kernelFigures are a phase of one kernel over its launches.
type kernelFigures struct {
	aggregate result.Spread // bytes a second
	fairness  float64       // median
	passes    int64         // fewest
}

func overLaunches(run *result.Run, phase string) kernelFigures {
	var aggregates, fairness []float64
	f := kernelFigures{passes: math.MaxInt64}
	for l := range run.Launches {
		for i := range run.Launches[l].Phases {
			p := &run.Launches[l].Phases[i]
			if p.Name != phase || p.Summary == nil {
				continue
			}
			if a := p.Summary.Aggregate; a != nil {
				aggregates = append(aggregates, *a)
			}
			fairness = append(fairness, p.Summary.Fairness)
			f.passes = min(f.passes, p.Passes)
		}
	}
	f.aggregate, f.fairness = result.SpreadOf(aggregates), result.SpreadOf(fairness).Median
	return f
}

// KernelTable writes one row a kernel, and the lines that explain the columns.
func KernelTable(w io.Writer, runs []*result.Run) error {
	many, repeated := runs[0].Args.Processes, runs[0].Args.Repeat > 1
	alone, kind := "1 process", "processes"
	if runs[0].Args.Parallel == result.ParallelThreads {
		alone, kind = "1 thread", "threads"
	}
	together := fmt.Sprintf("%d %s", many, kind)
	if many == 1 {
		together = alone + " again"
	}
	header := []string{"kernel", alone, "+walloc", together, "+walloc", "fairness", "gain"}
	theoretical, source, withPeak := peak(runs[0])
	if withPeak {
		header = append(header, "of peak")
	}
	if repeated {
		header = append(header, "range")
	}
	var rows [][]string
	for _, run := range runs {
		one, all := overLaunches(run, result.PhaseSingle), overLaunches(run, result.PhaseParallel)
		row := []string{
			run.Kernel.Name + "/" + run.Kernel.Tier,
			number(one.aggregate.Median/gb, "%.2f"), orDash(one.aggregate.Median, withAllocate(run, one.aggregate.Median)),
			number(all.aggregate.Median/gb, "%.2f"), orDash(all.aggregate.Median, withAllocate(run, all.aggregate.Median)),
			number(all.fairness, "%.3f"), number(all.aggregate.Median/one.aggregate.Median, "%.2fx"),
		}
		if withPeak {
			row = append(row, ofPeak(run, all.aggregate.Median))
		}
		if repeated {
			row = append(row, number(all.aggregate.Min/gb, "%.2f")+".."+number(all.aggregate.Max/gb, "%.2f"))
		}
		rows = append(rows, row)
	}
	if err := plainTable(w, header, rows); err != nil {
		return err
	}
	lines := fmt.Sprintf("%s, %s: GB/s (10^9 bytes) of all while all ran, bytes counted as\n"+
		"STREAM does: each read and each written once; +walloc: with the lines that ordinary\n"+
		"stores make the caches read first (write-allocate; -: none, ?: unknown); fairness:\n"+
		"slowest / fastest; gain: %s against %s.\n", alone, together, together, alone)
	if repeated {
		launches := runs[0].Args.Repeat
		if runs[0].Until != nil { // that was only the most
			launches = runs[0].Until.Launches
		}
		lines += fmt.Sprintf("Medians over %d launches, kernels in turns; range: of %s.", launches, together)
	} else {
		lines += "One launch: a sample of one; take --repeat 10 to compare."
	}
	if withPeak {
		lines += fmt.Sprintf("\nof peak: %s, walloc included, of %.4g GB/s (%s).", together, theoretical/gb, source)
	}
	_, err := fmt.Fprintln(w, lines)
	return err
}

// loops names the loop, or how many there were.
func loops(runs []*result.Run) string {
	if len(runs) > 1 {
		return fmt.Sprintf("%d loops", len(runs))
	}
	return fmt.Sprintf("loop %s/%s", runs[0].Kernel.Name, runs[0].Kernel.Tier)
}

func orDash(v float64, s string) string {
	if math.IsNaN(v) {
		return "-"
	}
	return s
}

// KernelWarnings writes the warnings of runs that differ in their kernel:
// those that all have once, others with the kernels that have them. Of a kind
// only the first kernel's figures are told.
func KernelWarnings(w io.Writer, runs []*result.Run) error {
	if len(runs) == 1 {
		return Warnings(w, runs[0].Warnings)
	}
	type kind struct{ code, phase, subject string }
	var order []kind
	texts, names := make(map[kind][]string), make(map[kind][]string)
	for _, run := range runs {
		for i := range run.Warnings {
			g := &run.Warnings[i]
			k := kind{g.Code, g.Phase, g.Subject}
			if names[k] == nil {
				order = append(order, k)
			}
			names[k] = append(names[k], run.Kernel.Name)
			if text := WarningText(g); !slices.Contains(texts[k], text) {
				texts[k] = append(texts[k], text)
			}
		}
	}
	for _, k := range order {
		of := ""
		switch n := names[k]; {
		case len(n) == len(runs) && len(texts[k]) == 1:
		case len(n) == 1:
			of = n[0] + ": "
		case len(texts[k]) == 1:
			of = strings.Join(n, ", ") + ": "
		case len(n) == len(runs):
			of = n[0] + " (and, with other figures, all others): "
		default:
			of = fmt.Sprintf("%s (and, with other figures, %s): ", n[0], strings.Join(n[1:], ", "))
		}
		if _, err := fmt.Fprintf(w, "Warning: %s%s\n", of, texts[k][0]); err != nil {
			return err
		}
	}
	return nil
}
