package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wordsize/internal/report"
	"wordsize/internal/result"
	"wordsize/internal/usage"
)

const usageCompareHelp = `compare sets recordings against each other: memory, CPU, I/O, with differences,
ratios and a verdict in words. Recordings are grouped by their label (record
--label), by NAME=FILES, or by file; several under one label are samples, and
with two of each or more a difference is tested against chance. The first label
is the baseline.

  rsswatch compare 64.jsonl.gz 32.jsonl.gz
  rsswatch compare old='runs/old-*.jsonl.gz' new='runs/new-*.jsonl.gz'
  rsswatch compare --metric cpu,pss runs/

Labels with two parts that vary (record --label strategy=thread,conns=64) make a
matrix: average/maximum for each combination. Where processes were watched
(record --watch), they are compared, and the command is left out as the load.`

type compareFlags struct {
	metrics                      []string
	baseline, of, format, output string
	rows, columns, matrix        string
	overwrite                    bool
}

func newCompareCommand(stdin io.Reader, stdout io.Writer) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:           "compare [flags] A B...",
		Short:         "Set recordings against each other",
		Long:          usageCompareHelp,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(_ *cobra.Command, args []string) error {
			return f.run(args, stdin, stdout)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.metrics, "metric", nil, "what to compare, with commas: "+strings.Join(usage.Metrics(), ", ")+" (default all; in a matrix cpu and pss)")
	fl.StringVar(&f.baseline, "baseline", "", "label to compare with (default the first)")
	fl.StringVar(&f.of, "of", "auto", "which processes count: all, command (with its descendants), watched, or a program's name")
	fl.StringVar(&f.matrix, "matrix", "auto", "show a matrix where labels have two parts that vary: auto, or no")
	fl.StringVar(&f.rows, "rows", "", "part of the labels that makes the rows of the matrix")
	fl.StringVar(&f.columns, "columns", "", "part of the labels that makes its columns")
	fl.StringVar(&f.format, "format", "table", "table, markdown, csv or json")
	fl.StringVarP(&f.output, "output", "o", "", "write to this file instead of standard output")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the file when it exists")
	return cmd
}

func (f *compareFlags) run(args []string, stdin io.Reader, stdout io.Writer) error {
	if err := f.check(args); err != nil {
		return err
	}
	opt := usage.Options{By: usage.ByLabel}
	var err error
	if f.of != "auto" {
		if opt.Of, err = usage.ParseOf(f.of); err != nil {
			return usagef("--of: %v", err)
		}
	}
	out, err := openOutput(f.output, f.overwrite, stdout)
	if err != nil {
		return err
	}
	defer out.discard()
	watched, whole := 0, 0
	all, err := readRecordings("compare", args, stdin, func(h *result.RecordingHeader) usage.Options {
		o := opt
		if f.of == "auto" && h.Watch != nil && len(h.Command) > 0 {
			o.Of, _ = usage.ParseOf("watched")
			watched++
			return o
		}
		whole++
		return o
	})
	if err != nil {
		return err
	}
	of := f.of
	switch {
	case of != "auto":
	case watched == 0:
		of = "all"
	case whole == 0:
		of = "watched"
	default:
		of = usage.OfMixed
	}
	if err := anyOf(of, all); err != nil {
		return err
	}
	c, err := usage.Compare(all, usage.CompareOptions{Metrics: f.metrics, Baseline: f.baseline, Of: of, Rows: f.rows, Columns: f.columns})
	if err != nil {
		return usagef("compare: %v", err)
	}
	if f.matrix == "no" {
		c.Matrices = nil
	}
	return out.write(func(w io.Writer) error {
		switch f.format {
		case "markdown":
			return report.UsageCompareMarkdown(w, c)
		case "csv":
			return report.UsageCompareCSV(w, c)
		case "json":
			return result.WriteJSON(w, c)
		}
		return report.UsageCompareTable(w, c)
	})
}

// check validates the flags.
func (f *compareFlags) check(args []string) error {
	switch {
	case len(args) == 0:
		return usagef("compare: want recordings, such as: rsswatch compare 64.jsonl.gz 32.jsonl.gz")
	case !slices.Contains([]string{"table", "markdown", "csv", "json"}, f.format):
		return usagef("--format %s: use table, markdown, csv or json", f.format)
	case f.matrix != "auto" && f.matrix != "no":
		return usagef("--matrix %s: use auto or no", f.matrix)
	case f.matrix == "no" && f.rows+f.columns != "":
		return usagef("--matrix no: there is nothing for --rows and --columns")
	case f.rows != "" && f.rows == f.columns:
		return usagef("--rows and --columns: want two parts of the labels, not %s twice", f.rows)
	}
	for _, m := range f.metrics {
		if !slices.Contains(usage.Metrics(), m) {
			return usagef("--metric %s: use some of %s", m, strings.Join(usage.Metrics(), ", "))
		}
	}
	return nil
}
