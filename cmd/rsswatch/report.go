package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"wordsize/internal/report"
	"wordsize/internal/result"
	"wordsize/internal/usage"
)

const reportHelp = `report says what the processes of a recording took: per program and in all, the
processes at once, VIRT, RES, PSS and USS on average and at most, the peaks, CPU
use and time, bytes read and written, and whether memory grew. Several
recordings under one label (record --label) are taken together.

  rsswatch report r.jsonl
  rsswatch report --plot r.jsonl
  rsswatch report --format html -o r.html r.jsonl
  rsswatch report old=old.jsonl.gz new='runs/new-*.jsonl.gz'
  zcat r.jsonl.gz | rsswatch report --format json - | jq .labels[0].total

FILE is a recording, a folder of them, a glob in quotes, or - for standard
input. One that is cut off is reported as far as it goes. A figure with a ~ is
partly an estimate, one with a > at least that. docs/rsswatch-report.md says how
each figure is made.`

// reportFlags are the command line of report as given.
type reportFlags struct {
	format, output, group, of string
	overwrite, plot           bool
	width                     int
}

func newReportCommand(stdin io.Reader, stdout io.Writer) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:           "report [flags] FILE...",
		Short:         "Say what the processes of a recording took",
		Long:          reportHelp,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(_ *cobra.Command, args []string) error {
			return f.run(args, stdin, stdout)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.format, "format", "table", "table, markdown, csv, json, html or svg")
	fl.StringVarP(&f.output, "output", "o", "", "write to this file instead of standard output")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the file when it exists")
	fl.StringVarP(&f.group, "group", "g", "program", "a row for each program, pid, role, user, arch, cgroup or cmd; label for the total alone")
	fl.StringVar(&f.of, "of", "all", "which processes count: all, command (with its descendants), watched, or a program's name")
	fl.BoolVar(&f.plot, "plot", false, "also draw memory and CPU use over time, with characters")
	fl.IntVarP(&f.width, "width", "w", 0, "width of the plot (default: the terminal's, else 80)")
	return cmd
}

var reportFormats = []string{"table", "markdown", "csv", "json", "html", "svg"}

func (f *reportFlags) run(args []string, stdin io.Reader, stdout io.Writer) error {
	opt, err := f.options(args, stdout)
	if err != nil {
		return err
	}
	out, err := openOutput(f.output, f.overwrite, stdout)
	if err != nil {
		return err
	}
	defer out.discard()
	all, err := readRecordings("report", args, stdin, func(*result.RecordingHeader) usage.Options { return *opt })
	if err != nil {
		return err
	}
	if err := anyOf(f.of, all); err != nil {
		return err
	}
	if f.format == "svg" && len(all) > 1 {
		return usagef("--format svg: draws one recording, not %d: want html for several", len(all))
	}
	r := &result.UsageReport{Schema: result.UsageSchema, GroupBy: string(opt.By)}
	labels, uses := byLabel(all)
	var courses []report.LabelCourse
	for _, name := range labels {
		l := usage.Merge(name, uses[name])
		r.Labels = append(r.Labels, l)
		c := report.LabelCourse{}
		for _, u := range uses[name] {
			c.Courses = append(c.Courses, u.Course)
		}
		courses = append(courses, c)
	}
	return out.write(func(w io.Writer) error { return f.write(w, stdout, r, courses) })
}

// anyOf makes sure that --of chose something.
func anyOf(of string, all []usage.Labelled) error {
	for _, r := range all {
		if of == "all" || !r.Use.Empty() {
			return nil
		}
	}
	return usagef("--of %s: none of these recordings has such a process; rsswatch report lists the programs", of)
}

// write writes the report in the chosen format.
func (f *reportFlags) write(w, stdout io.Writer, r *result.UsageReport, courses []report.LabelCourse) error {
	switch f.format {
	case "csv":
		return report.UsageCSV(w, r)
	case "json":
		return result.WriteJSON(w, r)
	case "html":
		return report.UsagePage(w, r, courses, version())
	case "svg":
		return report.UsageFigure(&r.Labels[0], courses[0].Courses[0]).WriteSVG(w)
	}
	write := report.UsageTable
	if f.format == "markdown" {
		write = report.UsageMarkdown
	}
	if err := write(w, r); err != nil || !f.plot {
		return err
	}
	width := f.width
	if width == 0 && f.output == "" {
		width = terminalWidth(stdout)
	}
	if width == 0 {
		width = 80
	}
	return report.UsagePlot(w, r, courses, report.PlotStyle{Width: width, ASCII: !utf8Locale(os.Getenv), Markdown: f.format == "markdown"})
}

// options validates the flags.
func (f *reportFlags) options(args []string, stdout io.Writer) (*usage.Options, error) {
	if len(args) == 0 {
		return nil, usagef("report: want a recording, such as: rsswatch report r.jsonl (rsswatch record makes one)")
	}
	if !slices.Contains(reportFormats, f.format) {
		return nil, usagef("--format %s: use table, markdown, csv, json, html or svg", f.format)
	}
	by, err := usage.ParseBy(f.group)
	if err != nil {
		return nil, usagef("--group: %v", err)
	}
	if f.width < 0 || f.width > 0 && f.width < report.NarrowestPlot {
		return nil, usagef("--width %d: give a number of columns from %d, 0 for the terminal's", f.width, report.NarrowestPlot)
	}
	if f.plot && f.format != "table" && f.format != "markdown" {
		return nil, usagef("--plot goes with --format table or markdown; html and svg draw by themselves")
	}
	if f.format == "html" && f.output == "" && isTerminal(stdout) {
		return nil, usagef("--format html: a page is not for a terminal: want -o report.html")
	}
	opt := &usage.Options{By: by, Course: f.plot || f.format == "html" || f.format == "svg"}
	if opt.Of, err = usage.ParseOf(f.of); err != nil {
		return nil, usagef("--of: %v", err)
	}
	return opt, nil
}

// output is a file that appears whole or not at all, or standard output.
type output struct {
	file   *result.OutFile
	stdout io.Writer
}

// openOutput prepares the file before anything is read, so that a wrong path
// costs nothing.
func openOutput(path string, overwrite bool, stdout io.Writer) (*output, error) {
	if path == "" || path == "-" {
		return &output{stdout: stdout}, nil
	}
	file, err := result.NewOutFile(path, overwrite)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, usagef("-o: %v: want another name, or --overwrite", err)
	case err != nil:
		return nil, usagef("-o: %v", err)
	}
	return &output{file: file}, nil
}

// write writes what content makes, all at once: a report that fails half-way
// leaves nothing behind.
func (o *output) write(content func(io.Writer) error) error {
	var b bytes.Buffer
	if err := content(&b); err != nil {
		return err
	}
	flush := func(w io.Writer) error { _, err := w.Write(b.Bytes()); return err }
	if o.file != nil {
		if err := o.file.Save(flush); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		return nil
	}
	if err := flush(o.stdout); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func (o *output) discard() {
	if o.file != nil {
		o.file.Discard()
	}
}
