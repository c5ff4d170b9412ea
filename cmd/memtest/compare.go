package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wordsize/internal/compare"
	"wordsize/internal/membench"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const compareHelp = `Compare results of memtest: hosts, builds, today against last month.

Arguments are files, folders (their *.json), globs in quotes, or - for standard
input; last, previous and last~N are runs of --save (memtest results; a file of
that name is ./last). NAME=FILES names a group. Two arguments are two groups,
and so are folders and named ones; many single files are grouped by the host,
else the architecture, kernel or version in which they differ; --by takes any
key.
The first group is the baseline. A sample is one launch: take --repeat 10, and
run what you compare in turns.`

const compareExamples = `  memtest compare before.json after.json
  memtest compare previous last
  memtest compare old='runs/old-*.json' new='runs/new-*.json'
  memtest compare results/ --by host
  memtest compare main/ change/ --fail-above 5%
  memtest compare --format bench *.json | benchstat -col goarch -`

type compareFlags struct {
	by, baseline, failAbove, format string
	metrics                         []string
	keepGoing, force                bool
	gated                           bool // --fail-above is given; empty is no percentage
	forReport                       bool // memtest report reads records by the same flags
}

// command is the subcommand's name.
func (f *compareFlags) command() string {
	if f.forReport {
		return "report"
	}
	return "compare"
}

func newCompareCommand(stdout, stderr io.Writer) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:     "compare A.json B.json ...",
		Short:   "Compare results: medians, intervals, and whether a difference is real",
		Long:    compareHelp,
		Example: compareExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.gated = cmd.Flags().Changed("fail-above")
			return f.run(args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.by, "by", "", "group by `KEY`: argument, host, arch, kernel-version, cpu ... or a key of the JSON such as host.cpu.microcode")
	fl.StringVar(&f.baseline, "baseline", "", "compare with the group `NAME` (the first)")
	fl.StringSliceVar(&f.metrics, "metric", []string{compare.Aggregate}, "`WHAT` to compare: aggregate, process, fairness; several with commas")
	fl.StringVar(&f.failAbove, "fail-above", "", "exit 1 when a group is significantly slower by more than `5%`")
	fl.StringVar(&f.format, "format", "table", "table, markdown, csv, json, bench or html")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "compare what can be used; exit 2 still, or 1 if the gate fails")
	fl.BoolVar(&f.force, "force", false, "compare figures that do not mean the same")
	return cmd
}

// errIncomplete ends a comparison that left something out.
var errIncomplete = &usageError{errors.New("some records were left out, as said above")}

func (f *compareFlags) run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	gate, err := f.check(args)
	if err != nil {
		return err
	}
	in, err := f.load(args, stdin, stderr)
	if err != nil {
		return err
	}
	if f.format == "bench" {
		return firstError(f.bench(in.runs, stdout), in.incomplete)
	}
	c, err := compare.Compare(in.runs, f.options(in))
	if err != nil {
		return usagef("compare: %w", err)
	}
	regressed := 0
	if gate >= 0 {
		regressed = compare.Gate(c, gate/100)
	}
	if len(in.leftOut) > 0 {
		c.Notes = append(c.Notes, result.Note{Code: result.NoteLeftOut, Files: in.leftOut})
	}
	report.FillComparison(c)
	if err := writeComparison(stdout, f.format, c, in.runs); err != nil {
		return err
	}
	if regressed > 0 { // for certain, whatever was left out
		return fmt.Errorf("compare: slower by more than %g %% in %d of %d comparisons", gate, regressed, c.Tests)
	}
	return firstError(told(c, gate >= 0), in.incomplete)
}

// told is the error of a comparison that says nothing: of no figure, or with a
// gate that could not have failed, which must not pass for one that holds.
func told(c *result.Comparison, gate bool) error {
	for i := range c.Notes {
		n := &c.Notes[i]
		if n.Code == result.NoteNothing || gate && n.Code == result.NoteBlind && n.Rows == nil {
			if n.Code == result.NoteBlind {
				return usagef("--fail-above: the gate could not fail: %s", n.Text)
			}
			return usagef("compare: %s", n.Text)
		}
	}
	if gate && compare.Blind(c) == c.Tests {
		return usagef("--fail-above: the gate could not fail: no difference between emulated figures counts as significant")
	}
	return nil
}

// options are the flags that say how to compare.
func (f *compareFlags) options(in inputs) compare.Options {
	return compare.Options{By: f.by, Baseline: f.baseline, Metrics: f.metrics, Force: f.force, Sorted: in.sorted}
}

// bench writes the records for benchstat, which compares whatever has the same
// name: what would be refused here is not handed on either.
func (f *compareFlags) bench(in []compare.Input, stdout io.Writer) error {
	if !f.force {
		if err := compare.SameMeaning(in); err != nil {
			return usagef("compare: %w", err)
		}
	}
	runs := make([]*result.Run, len(in))
	for i := range in {
		runs[i] = in[i].Run
	}
	return report.Bench(stdout, runs)
}

// check validates the flags and returns the gate in percent, below 0 for none.
func (f *compareFlags) check(args []string) (gate float64, err error) {
	if len(args) == 0 {
		return 0, usagef("compare: want results, such as: memtest compare before.json after.json")
	}
	if err := checkFormat(f.format, "table", "markdown", "csv", "json", "bench", "html"); err != nil {
		return 0, err
	}
	if err := checkMetrics(f.metrics); err != nil {
		return 0, err
	}
	if !f.gated {
		return -1, nil
	}
	if f.format == "bench" {
		return 0, usagef("--fail-above: the bench format compares nothing: want another --format")
	}
	if gate, err = compare.ParsePercent(f.failAbove); err != nil {
		return 0, usagef("--fail-above: %w", err)
	}
	return gate, nil
}

func checkMetrics(metrics []string) error {
	if len(metrics) == 0 {
		return &membench.ArgError{Name: "--metric", Value: "", Want: "aggregate, process or fairness"}
	}
	for _, m := range metrics {
		if m != compare.Aggregate && m != compare.Process && m != compare.Fairness {
			return &membench.ArgError{Name: "--metric", Value: m, Want: "aggregate, process or fairness"}
		}
	}
	return nil
}

func writeComparison(w io.Writer, format string, c *result.Comparison, in []compare.Input) error {
	switch format {
	case "html":
		return writePage(w, c, in)
	case "markdown":
		return report.CompareMarkdown(w, c)
	case "csv":
		return report.CompareCSV(w, c)
	case "json":
		return result.WriteJSON(w, c)
	}
	return report.CompareTable(w, c)
}

// inputs are the records to compare.
type inputs struct {
	runs       []compare.Input
	curves     []result.LoadedCurve // for a report
	sorted     bool                 // some argument is a folder or has a name
	leftOut    []string             // files that could not be used (--keep-going)
	incomplete error                // to end with when something was wrong
}

// load reads the records. What cannot be used is the error; with --keep-going
// it is said and left out.
func (f *compareFlags) load(args []string, stdin io.Reader, stderr io.Writer) (in inputs, err error) {
	labels, paths, sorted := labelled(args)
	in.sorted = sorted
	if paths, err = resolveSaved(paths, stderr); err != nil {
		return in, usagef("%s: %w", f.command(), err)
	}
	loaded, curves, errs := f.read(paths, stdin)
	if len(errs) > 0 && (!f.keepGoing || len(loaded)+len(curves) == 0) {
		for _, e := range errs[:len(errs)-1] {
			fmt.Fprintf(stderr, "memtest: %s: %v\n", f.command(), e)
		}
		return in, usagef("%s: %w", f.command(), errs[len(errs)-1])
	}
	for _, e := range errs {
		fmt.Fprintf(stderr, "memtest: %s: left out: %v\n", f.command(), e)
		in.incomplete = errIncomplete
		var re *result.ReadError
		if errors.As(e, &re) && !errors.Is(e, result.ErrTwice) { // what is given twice is there once
			in.leftOut = append(in.leftOut, re.Name)
		}
	}
	in.curves = curves
	for _, l := range loaded {
		in.runs = append(in.runs, compare.Input{Label: labels[l.Arg], File: l.File, Run: l.Run})
	}
	return in, nil
}

// read reads what the command knows: a report knows curves, too.
func (f *compareFlags) read(paths []string, stdin io.Reader) ([]result.Loaded, []result.LoadedCurve, []error) {
	if f.forReport {
		return result.LoadAll(paths, stdin)
	}
	loaded, errs := result.Load(paths, stdin)
	return loaded, nil, errs
}

// labelled splits NAME=FILES; other arguments are named after themselves, in
// short where that is unambiguous. sorted says whether there is a name or a
// folder: then the arguments are groups.
func labelled(args []string) (labels, paths []string, sorted bool) {
	count := make(map[string]int)
	named := make([]bool, len(args))
	for i, a := range args {
		label, path, ok := splitName(a)
		if named[i] = ok; !ok {
			label, path = shortName(a), a
			count[label]++
		}
		labels, paths = append(labels, label), append(paths, path)
		st, err := os.Stat(path)
		sorted = sorted || ok || err == nil && st.IsDir()
	}
	for i, label := range labels {
		if !named[i] && (count[label] > 1 || isName(labels, named, label)) {
			labels[i] = args[i]
		}
	}
	return labels, paths, sorted
}

// isName says whether a label was given as NAME=.
func isName(labels []string, named []bool, label string) bool {
	for i := range labels {
		if named[i] && labels[i] == label {
			return true
		}
	}
	return false
}

// splitName splits NAME=FILES; ok is false when arg is a path or a glob that
// has an equals sign in it.
func splitName(arg string) (name, path string, ok bool) {
	name, path, ok = strings.Cut(arg, "=")
	if !ok || name == "" || path == "" || strings.ContainsAny(name, "/*?[") {
		return "", "", false
	}
	if _, err := os.Lstat(arg); err == nil {
		return "", "", false
	}
	if found, _ := filepath.Glob(arg); len(found) > 0 {
		return "", "", false
	}
	return name, path, true
}

func shortName(path string) string {
	if path == "-" {
		return "standard input"
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		if abs, err := filepath.Abs(path); err == nil {
			return filepath.Base(abs)
		}
	}
	return strings.TrimSuffix(filepath.Base(path), ".json")
}
