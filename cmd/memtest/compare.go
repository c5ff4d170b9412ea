package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
that name is ./last). NAME=FILES names a group. Two arguments are two groups, and so are
folders and named ones; many single files are grouped by the host, else the
architecture, kernel or version in which they differ; --by takes any key.
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
	c, err := compare.Compare(in.runs, compare.Options{By: f.by, Baseline: f.baseline, Metrics: f.metrics, Force: f.force})
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
	return in.incomplete
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
	if formats := []string{"table", "markdown", "csv", "json", "bench", "html"}; !slices.Contains(formats, f.format) {
		return 0, &membench.ArgError{Name: "--format", Value: f.format, Want: "table, markdown, csv, json, bench or html"}
	}
	if err := checkMetrics(f.metrics); err != nil {
		return 0, err
	}
	if f.failAbove == "" {
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
	leftOut    []string // files that could not be used (--keep-going)
	incomplete error    // to end with when something was wrong
}

// load reads the records. What cannot be used is the error; with --keep-going
// it is said and left out.
func (f *compareFlags) load(args []string, stdin io.Reader, stderr io.Writer) (in inputs, err error) {
	labels, paths := labelled(args)
	if paths, err = resolveSaved(paths, stderr); err != nil {
		return in, usagef("%s: %w", f.command(), err)
	}
	loaded, errs := result.Load(paths, stdin)
	if len(errs) > 0 && (!f.keepGoing || len(loaded) == 0) {
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
	for _, l := range loaded {
		in.runs = append(in.runs, compare.Input{Label: labels[l.Arg], File: l.File, Run: l.Run})
	}
	return in, nil
}

// labelled splits NAME=FILES; other arguments are named after themselves, in
// short where that is unambiguous.
func labelled(args []string) (labels, paths []string) {
	count := make(map[string]int)
	for _, a := range args {
		count[shortName(a)]++
	}
	for _, a := range args {
		name, path, ok := strings.Cut(a, "=")
		if _, err := os.Lstat(a); ok && err != nil && name != "" && path != "" && !strings.ContainsAny(name, "/*?[") {
			labels, paths = append(labels, name), append(paths, path)
			continue
		}
		label := shortName(a)
		if count[label] > 1 {
			label = a
		}
		labels, paths = append(labels, label), append(paths, a)
	}
	return labels, paths
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
