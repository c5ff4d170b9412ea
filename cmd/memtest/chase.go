package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const chaseHelp = `Measure how long following a pointer takes in this build.

Nodes of a native pointer and a native int (16 bytes in 64-bit builds, 8 in
32-bit ones) are linked into one cycle in random order, from a list that fits
into the first cache to one far beyond the last. Each launch is a process of its
own. A 32-bit list of as many nodes stays in a cache for longer.`

const chaseExamples = `  memtest chase                        the whole curve
  memtest chase --nodes 1k,1M,16M --repeat 10
  memtest chase --plot chase.svg -o chase.json
  scripts/cross-arch.sh chase          both word sizes in one plot`

type chaseFlags struct {
	nodes, pin, pages, format, output, plot string
	repeat                                  int
	force, quiet, overwrite                 bool
}

func newChaseCommand(stdout, stderr io.Writer) *cobra.Command {
	var f chaseFlags
	cmd := &cobra.Command{
		Use:     "chase",
		Short:   "Measure nanoseconds a hop over linked nodes of native pointers",
		Long:    chaseHelp,
		Example: chaseExamples,
		Args:    noArguments("chase"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), stdout, stderr) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.nodes, "nodes", "", "`LENGTHS` of the lists, with commas; k is 1000, M 1000k (from 256 to four last-level caches)")
	fl.IntVar(&f.repeat, "repeat", 7, "launches, each a sample")
	fl.StringVar(&f.pin, "pin", "auto", "bind to a CPU: auto, none or its `NUMBER`")
	fl.StringVar(&f.pages, "pages", string(membench.PagesDefault), "`KIND` of pages: default, 4k, thp or hugetlb")
	fl.StringVar(&f.format, "format", "table", "standard output: table, markdown, csv or json")
	fl.StringVar(&f.plot, "plot", "", "also draw the curve into `FILE`, .svg or .png")
	fl.StringVarP(&f.output, "output", "o", "", "also write the JSON record to `FILE`")
	fl.BoolVar(&f.overwrite, "overwrite", false, "let -o and --plot replace files that exist")
	fl.BoolVar(&f.force, "force", false, "run even if the lists seem not to fit into memory")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	return cmd
}

// config validates the flags.
func (f *chaseFlags) config(allowed []int) (cfg membench.ChaseConfig, err error) {
	if f.nodes != "" {
		if cfg.Nodes, err = parseElements("--nodes", f.nodes); err != nil {
			return cfg, err
		}
	}
	if err := checkRepeat(f.repeat, mostLaunches); err != nil {
		return cfg, err
	}
	if err := checkFormat(f.format, "table", "markdown", "csv", "json"); err != nil {
		return cfg, err
	}
	if err := checkPlot(f.plot); err != nil {
		return cfg, err
	}
	if cfg.Pin, err = membench.ParsePin(unshield(f.pin), allowed); err != nil {
		return cfg, err
	}
	if cfg.Pages, err = membench.ParsePages(f.pages); err != nil {
		return cfg, err
	}
	cfg.Repeat, cfg.Force = f.repeat, f.force
	return cfg, nil
}

func (f *chaseFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config(hostinfo.AllowedCPUs())
	if err != nil {
		return err
	}
	file, err := newRecordFile(f.output, f.overwrite)
	if err != nil {
		return err
	}
	defer file.discard()
	figure, err := newOutputFile("--plot", f.plot, f.overwrite)
	if err != nil {
		return err
	}
	defer figure.discard()
	root := hostinfo.DefaultFS()
	host := hostinfo.Read(ctx, root)
	env := membench.ChaseEnv{Env: membench.Env{FS: root, Host: &host, Tool: tool("memtest")}}
	if isTerminal(stderr) && !f.quiet {
		env.Progress = func(launch int) {
			showLine(stderr, fmt.Sprintf("chase: launch %d of %d", launch+1, cfg.Repeat))
		}
	}
	record, runErr := membench.Chase(ctx, cfg, env)
	if env.Progress != nil {
		clearLine(stderr)
	}
	if runErr != nil {
		var arg *membench.ArgError
		if errors.As(runErr, &arg) {
			return runErr
		}
		runErr = fmt.Errorf("chase: %w", runErr)
		record.Error = runErr.Error()
		if len(record.Launches) == 0 {
			return runErr
		}
	}
	report.SummarizeChase(record)
	report.FillTexts(record.Warnings)
	if f.format == "csv" {
		report.Warnings(stderr, record.Warnings) // the record has them too
	}
	return firstError(runErr, writeChase(stdout, f.format, record),
		file.save(record),
		figure.draw(report.ChaseFigure(record)))
}

func writeChase(w io.Writer, format string, record *result.Chase) error {
	switch format {
	case "markdown":
		return report.ChaseMarkdown(w, record)
	case "csv":
		return report.ChaseCSV(w, record)
	case "json":
		return result.WriteJSON(w, record)
	}
	return report.ChaseTable(w, record)
}
