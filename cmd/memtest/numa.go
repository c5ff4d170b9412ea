package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const numaHelp = `Measure what each node's memory costs from each node's CPUs: bandwidth of one
process for each core of the node at once, and latency of a dependent load.

Memory is bound to its node before the first touch, and the kernel is asked
afterwards where it is. Nodes without CPUs (CXL) have no row, nodes without
memory no column.`

const numaExamples = `  memtest numa                       the whole matrix
  memtest numa --processes 1 --mb 256 --repeat 6
  memtest numa --kernel write -o numa.json
  memtest 4 1 1G --numa remote       one placement, with all of memtest's figures`

type numaFlags struct {
	mb, time, kernel, pages, format, output string
	processes, repeat                       int
	force, quiet, overwrite                 bool
}

func newNUMACommand(stdout, stderr io.Writer) *cobra.Command {
	var f numaFlags
	cmd := &cobra.Command{
		Use:     "numa",
		Short:   "Measure bandwidth and latency between all NUMA nodes",
		Long:    numaHelp,
		Example: numaExamples,
		Args:    noArguments("numa"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), stdout, stderr) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.mb, "mb", "", "memory of each process in `MB` of 2^20 bytes (four last-level caches, from 64 to 256)")
	fl.StringVar(&f.time, "time", "0.2", "`SECONDS` of each bandwidth")
	fl.IntVar(&f.processes, "processes", 0, "of a node's CPUs at once (one for each core)")
	fl.StringVar(&f.kernel, "kernel", "read", "the loop: `NAME` or NAME/TIER (see memtest kernels)")
	fl.StringVar(&f.pages, "pages", string(membench.PagesDefault), "`KIND` of pages: default, 4k, thp or hugetlb")
	fl.IntVar(&f.repeat, "repeat", 3, "launches, each a sample of every cell")
	fl.StringVar(&f.format, "format", "table", "standard output: table, csv or json")
	fl.StringVarP(&f.output, "output", "o", "", "also write the JSON record to `FILE`")
	fl.BoolVar(&f.overwrite, "overwrite", false, "let -o replace a file that exists")
	fl.BoolVar(&f.force, "force", false, "run even if the memory seems not to fit")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	return cmd
}

// config validates the flags.
func (f *numaFlags) config() (c membench.MatrixConfig, err error) {
	if f.mb != "" {
		if c.ChunkBytes, err = membench.ParseChunk(unshield(f.mb)); err != nil {
			return c, renamed(err, "--mb")
		}
	}
	if c.MinTime, err = membench.ParseMinTime(unshield(f.time)); err != nil {
		return c, renamed(err, "--time")
	}
	if err := checkRepeat(f.repeat, mostLaunches); err != nil {
		return c, err
	}
	const most = 10000
	if f.processes < 0 || f.processes > most {
		return c, usagef("--processes: %d is not right: want a number from 1 to a node's CPUs, or 0 for its cores", f.processes)
	}
	if err := checkFormat(f.format, "table", "csv", "json"); err != nil {
		return c, err
	}
	if c.Pages, err = membench.ParsePages(f.pages); err != nil {
		return c, err
	}
	if c.Kernel, err = oneKernel(f.kernel); err != nil {
		return c, err
	}
	c.KernelSpec, c.Processes, c.Repeat, c.Force = f.kernel, f.processes, f.repeat, f.force
	return c, nil
}

func (f *numaFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config()
	if err != nil {
		return err
	}
	file, err := newRecordFile(f.output, f.overwrite)
	if err != nil {
		return err
	}
	defer file.discard()
	executor, err := membench.NewProcesses(nil, stderr)
	if err != nil {
		return err
	}
	root := hostinfo.DefaultFS()
	host := hostinfo.Read(ctx, root)
	env := membench.MatrixEnv{Env: membench.Env{Executor: executor, FS: root, Host: &host, Tool: tool("memtest")}}
	if isTerminal(stderr) && !f.quiet {
		env.Progress = func(launch, cell, cells int, name string) {
			showLine(stderr, fmt.Sprintf("numa: launch %d of %d, %d of %d: %s", launch+1, cfg.Repeat, cell+1, cells, name))
		}
	}
	record, runErr := membench.Matrix(ctx, cfg, env)
	if env.Progress != nil {
		clearLine(stderr)
	}
	if runErr != nil {
		var arg *membench.ArgError
		var fit *membench.FitError
		if errors.As(runErr, &arg) || errors.As(runErr, &fit) {
			return renamed(runErr, nameOf(arg))
		}
		runErr = fmt.Errorf("numa: %w", runErr)
		record.Error = runErr.Error()
		if !slices.ContainsFunc(record.Cells, func(c result.NUMACell) bool { return len(c.Samples) > 0 }) {
			return runErr
		}
	}
	report.SummarizeNUMA(record)
	report.FillTexts(record.Warnings)
	return firstError(runErr, writeNUMA(stdout, stderr, f.format, record),
		file.save(record))
}

// nameOf returns the flag by which an argument of the benchmark goes here.
func nameOf(arg *membench.ArgError) string {
	switch {
	case arg == nil:
		return ""
	case arg.Name == "MB":
		return "--mb"
	case arg.Name == "N":
		return "--processes"
	}
	return arg.Name
}

func writeNUMA(stdout, stderr io.Writer, format string, record *result.NUMA) error {
	switch format {
	case "csv":
		report.Warnings(stderr, record.Warnings) // the record has them too
		return report.NUMACSV(stdout, record)
	case "json":
		return result.WriteJSON(stdout, record)
	}
	return report.NUMATable(stdout, record)
}
