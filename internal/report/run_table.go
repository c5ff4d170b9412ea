package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"wordsize/internal/result"
)

const gb = 1e9

// phaseFigures are one row of the table: a phase over all launches. The sample
// is the launch, so each figure is taken of each launch and the median over
// launches is shown: workers of one launch share their moment and placement,
// and extremes of pooled workers grow apart with every launch. Rates are bytes
// a second.
type phaseFigures struct {
	processes  int
	perProcess result.Spread // of a launch's workers: each the median over launches
	aggregate  result.Spread // over launches
	fairness   float64       // median over launches
	launches   int
}

func figuresOf(run *result.Run, phase string) (phaseFigures, bool) {
	var f phaseFigures
	var slowest, middle, fastest, aggregates, fairness []float64
	for l := range run.Launches {
		for i := range run.Launches[l].Phases {
			p := &run.Launches[l].Phases[i]
			if p.Name != phase || p.Summary == nil {
				continue
			}
			f.processes = p.Processes
			f.launches++
			s := p.Summary.PerProcess
			slowest, middle, fastest = append(slowest, s.Min), append(middle, s.Median), append(fastest, s.Max)
			if a := p.Summary.Aggregate; a != nil {
				aggregates = append(aggregates, *a)
			}
			fairness = append(fairness, p.Summary.Fairness)
		}
	}
	over := func(launches []float64) float64 { return result.SpreadOf(launches).Median }
	f.perProcess = result.Spread{Min: over(slowest), Median: over(middle), Max: over(fastest)}
	f.aggregate, f.fairness = result.SpreadOf(aggregates), over(fairness)
	return f, f.launches > 0
}

// RunTable writes the table of a run and the line that explains its columns;
// nothing when no phase is complete.
func RunTable(w io.Writer, run *result.Run) error {
	single, ok := figuresOf(run, result.PhaseSingle)
	if !ok {
		return nil
	}
	header := []string{"processes", "min", "median", "max", "aggregate"}
	repeated := single.launches > 1
	if repeated {
		header = append(header, "agg. min", "agg. max")
	}
	header = append(header, "fairness", "slowdown", "gain")
	rows := [][]string{tableRow(single, single, repeated)}
	parallel, ok := figuresOf(run, result.PhaseParallel)
	if ok {
		rows = append(rows, tableRow(parallel, single, repeated))
	}
	if err := plainTable(w, header, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "min, median, max: GB/s (10^9 bytes) of each process over its own passes;\n"+
		"aggregate: GB/s of all while all ran; fairness: slowest / fastest process;\n"+
		"slowdown: of a process against the single one; gain: aggregate against it.")
	if err != nil || !repeated {
		return err
	}
	launches := fmt.Sprintf("%d launches", single.launches)
	if parallel.launches < single.launches { // it was interrupted between the two
		launches += fmt.Sprintf(" (%d in the row of %d processes)", parallel.launches, run.Args.Processes)
	}
	_, err = fmt.Fprintf(w, "Each figure is the median over %s; agg. min, agg. max: the extremes.\n", launches)
	return err
}

func tableRow(f, single phaseFigures, repeated bool) []string {
	rate := func(v float64) string { return number(v/gb, "%.2f") }
	row := []string{fmt.Sprint(f.processes), rate(f.perProcess.Min), rate(f.perProcess.Median), rate(f.perProcess.Max), rate(f.aggregate.Median)}
	if repeated {
		row = append(row, rate(f.aggregate.Min), rate(f.aggregate.Max))
	}
	return append(row, number(f.fairness, "%.3f"),
		number(single.perProcess.Median/f.perProcess.Median, "%.2fx"),
		number(f.aggregate.Median/single.aggregate.Median, "%.2fx"))
}

func number(v float64, format string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

// plainTable writes right-aligned columns under a ruled header, in ASCII, so
// that it survives every terminal and ticket. The header is kept as it is.
func plainTable(w io.Writer, header []string, rows [][]string) error {
	var b strings.Builder
	t := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off},
			Symbols: tw.NewSymbols(tw.StyleASCII),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
			},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithAlignment(rightAligned(len(header))),
		tablewriter.WithHeaderAlignment(tw.AlignRight),
		tablewriter.WithPadding(tw.Padding{Left: "", Right: "  ", Overwrite: true}),
	)
	t.Header(header)
	if err := t.Bulk(rows); err != nil {
		return err
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func rightAligned(columns int) tw.Alignment {
	a := make(tw.Alignment, columns)
	for i := range a {
		a[i] = tw.AlignRight
	}
	return a
}

// MeasuredOn writes what the figures were measured on and with.
func MeasuredOn(w io.Writer, runs ...*result.Run) error {
	run := runs[0]
	h, a := &run.Host, &run.Args
	var host []string
	say := func(list *[]string, format string, args ...any) { *list = append(*list, fmt.Sprintf(format, args...)) }
	if h.CPU.Model != "" {
		say(&host, "%s", h.CPU.Model)
	}
	if n := len(h.CPU.Allowed); n > 0 {
		if h.CPU.Online != nil {
			say(&host, "%d of %d CPUs allowed", n, *h.CPU.Online)
		} else {
			say(&host, "%d CPUs allowed", n)
		}
	}
	if h.Hypervisor != "" {
		say(&host, "virtual (%s)", h.Hypervisor)
	}
	kernel := strings.TrimSpace(h.OS + " " + h.Kernel)
	if h.KernelBits != nil {
		kernel += fmt.Sprintf(" (%d-bit)", *h.KernelBits)
	}
	host = append(host, kernel)
	var what []string
	say(&what, "%d x %s MiB", a.Processes, trimFloat(float64(a.ChunkBytes)/(1<<20)))
	say(&what, "%s", loops(runs))
	say(&what, "%d-bit build (%s)", run.Tool.WordBits, run.Tool.GOARCH)
	say(&what, "%s", pagesGot(run))
	if run.Args.Parallel == result.ParallelThreads {
		say(&what, "threads of one process")
	}
	say(&what, "%s", verified(runs))
	_, err := fmt.Fprintf(w, "Measured on: %s.\nMeasured: %s. MB of the arguments is 2^20 bytes.\n", strings.Join(host, ", "), strings.Join(what, ", "))
	return err
}

// pagesGot says which pages the chunks were really made of.
func pagesGot(run *result.Run) string {
	base := fmt.Sprintf("%s KiB pages", trimFloat(float64(run.Host.Pages.BaseBytes)/(1<<10)))
	var huge, all int64
	known := false
	for _, l := range run.Launches {
		for _, p := range l.Phases {
			for _, w := range p.Workers {
				if w.ChunkHuge != nil && w.ChunkResident != nil {
					known = true
					huge += *w.ChunkHuge
					all += *w.ChunkResident
				}
			}
		}
	}
	switch {
	case !known || all == 0:
		return base + " (huge ones: unknown)"
	case huge == 0:
		return base + ", none huge"
	}
	return fmt.Sprintf("%.4g %% in huge pages, else %s", 100*float64(huge)/float64(all), base)
}

// verified says whether what was written was read back.
func verified(runs []*result.Run) string {
	for _, run := range runs {
		for _, l := range run.Launches {
			for _, p := range l.Phases {
				for _, w := range p.Workers {
					if w.VerifiedBytes == nil {
						return "not verified"
					}
				}
			}
		}
	}
	return "all verified"
}

func trimFloat(v float64) string { return fmt.Sprintf("%g", v) }
