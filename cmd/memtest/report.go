package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"wordsize/internal/compare"
	"wordsize/internal/plot"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const reportHelp = `Make one page of results: bars with intervals, the passes of every worker, the
placement in physical memory, hosts and how they differ, every warning.

The page is one HTML file that asks nothing of any network, follows the
reader's light or dark scheme, fits a phone and prints. RESULTS are grouped as
memtest compare groups them; one group is enough. Curves of memtest scale, sweep
and latency get a figure each, with all hosts and builds in it.`

const reportExamples = `  memtest report results/ -o report.html
  memtest report before.json after.json -o report.html
  memtest report results/ --by arch --svg bars.svg
  memtest report results/ --figure timeline --png passes.png
  memtest report */scale.json --svg scaling.svg`

type reportFlags struct {
	compareFlags
	output, svg, png, figure string
	overwrite                bool
}

func newReportCommand(stdout, stderr io.Writer) *cobra.Command {
	f := reportFlags{compareFlags: compareFlags{forReport: true}}
	cmd := &cobra.Command{
		Use:     "report RESULTS... -o report.html",
		Short:   "Make one page of results, or a single figure as SVG or PNG",
		Long:    reportHelp,
		Example: reportExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&f.output, "output", "o", "", "write the page to `FILE`; - is standard output")
	fl.StringVar(&f.svg, "svg", "", "write one figure to `FILE` as SVG; - is standard output")
	fl.StringVar(&f.png, "png", "", "write one figure to `FILE` as PNG")
	fl.StringVar(&f.figure, "figure", "", "which for --svg and --png: "+report.FigureList()+" (bars; of curves alone the first)")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace files that exist")
	fl.StringVar(&f.by, "by", "", "group by `KEY`, as memtest compare does")
	fl.StringVar(&f.baseline, "baseline", "", "compare with the group `NAME` (the first)")
	fl.StringSliceVar(&f.metrics, "metric", []string{compare.Aggregate}, "`WHAT` to compare: aggregate, process, fairness; several with commas")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "show what can be read, then exit 2, when something cannot")
	fl.BoolVar(&f.force, "force", false, "compare figures that do not mean the same")
	return cmd
}

func (f *reportFlags) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := f.check(args, stdout); err != nil {
		return err
	}
	outputs, err := f.open(stdout)
	if err != nil {
		return err
	}
	defer outputs.discard()
	var loaded inputs
	// Only reading may last for ever; here, so that no file begun stays behind.
	err = unlessInterrupted(ctx, 0, func() (err error) {
		loaded, err = f.load(args, stdin, stderr)
		return err
	})
	if err != nil {
		return err
	}
	in := loaded.runs
	var c *result.Comparison
	if len(in) > 0 {
		if c, err = compare.Summarize(in, f.options(loaded)); err != nil {
			return usagef("report: %w", err)
		}
		if len(loaded.leftOut) > 0 {
			c.Notes = append(c.Notes, result.Note{Code: result.NoteLeftOut, Files: loaded.leftOut})
		}
		report.FillComparison(c)
	}
	made := reportOf(in, c)
	for _, l := range loaded.curves {
		made.Curves = append(made.Curves, report.CurveRecord{File: l.File, Curve: l.Curve})
	}
	var figure *plot.Figure
	if f.svg != "" || f.png != "" {
		if f.figure == "" {
			f.figure = report.DefaultFigure(made)
		}
		if figure, err = report.Figure(made, f.figure); err != nil {
			return usagef("--figure: %w", err)
		}
	}
	return firstError(
		outputs.page.write(func(w io.Writer) error { return report.Page(w, made) }),
		outputs.svg.write(func(w io.Writer) error { return figure.WriteSVG(w) }),
		outputs.png.write(func(w io.Writer) error { return figure.WritePNG(w, figureScale) }),
		loaded.incomplete)
}

// writePage writes the page of a comparison.
func writePage(w io.Writer, c *result.Comparison, in []compare.Input) error {
	return report.Page(w, reportOf(in, c))
}

func reportOf(in []compare.Input, c *result.Comparison) *report.Report {
	r := &report.Report{Comparison: c, Version: tool("memtest").Version}
	if c == nil {
		return r
	}
	for i, g := range compare.GroupOf(in, c) {
		r.Records = append(r.Records, report.Record{File: in[i].File, Group: g, Run: in[i].Run})
	}
	for _, f := range compare.Fields(in, c) {
		r.Facts = append(r.Facts, report.Fact(f))
	}
	return r
}

// check validates the flags.
func (f *reportFlags) check(args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return usagef("report: want results, such as: memtest report results/ -o report.html")
	}
	if err := checkMetrics(f.metrics); err != nil {
		return err
	}
	if f.figure != "" {
		if err := report.CheckFigure(f.figure); err != nil {
			return usagef("--figure: %w", err)
		}
	}
	if f.output != "" || f.svg != "" || f.png != "" {
		return nil
	}
	if isTerminal(stdout) {
		return usagef("report: a page is not for a terminal: want -o report.html")
	}
	f.output = "-"
	return nil
}

// outputs are the files of one report; those that were not asked for are nil.
type outputs struct{ page, svg, png *outputFile }

// open prepares all files before anything is read, so that a wrong path costs
// nothing.
func (f *reportFlags) open(stdout io.Writer) (o outputs, err error) {
	toStdout := 0
	for _, t := range []struct {
		flag, path string
		out        **outputFile
	}{{"-o", f.output, &o.page}, {"--svg", f.svg, &o.svg}, {"--png", f.png, &o.png}} {
		if t.path == "-" {
			toStdout++
		}
		switch {
		case toStdout > 1:
			err = usagef("%s: standard output takes one file only", t.flag)
		case t.path == "-" && t.flag == "--png" && isTerminal(stdout):
			err = usagef("--png: a picture is not for a terminal: want a file's name")
		case t.path == "-":
			*t.out = &outputFile{flag: t.flag, stdout: stdout}
		default:
			*t.out, err = newOutputFile(t.flag, t.path, f.overwrite)
		}
		if err != nil {
			o.discard()
			return o, err
		}
	}
	return o, nil
}

func (o *outputs) discard() {
	o.page.discard()
	o.svg.discard()
	o.png.discard()
}
