package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"wordsize/internal/footprint/structures"
	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const footprintHelp = `Measure what data structures take in memory in this build.

Each structure is built at each size in a process of its own. Go's own count of
live memory and the kernel's count of private resident memory, after less
before, give bytes per element. STRUCTURE is a name or a group (--list); without
one all are measured. Small structures are built many times over.`

const footprintExamples = `  memtest footprint                       all structures, three sizes
  memtest footprint maps list --elements 1000,1M
  memtest footprint --list                what is each filled with?
  scripts/cross-arch.sh footprint         both word sizes side by side`

type footprintFlags struct {
	elements, format, output      string
	repeat                        int
	list, force, quiet, overwrite bool
}

func newFootprintCommand(stdout, stderr io.Writer) *cobra.Command {
	var f footprintFlags
	cmd := &cobra.Command{
		Use:     "footprint [STRUCTURE...]",
		Short:   "Measure what slices, maps, lists ... take per element in this build",
		Long:    footprintHelp,
		Example: footprintExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args, stdout, stderr)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.elements, "elements", "1000,100k,10M", "`NUMBERS` of elements, with commas; k is 1000, M 1000k")
	fl.IntVar(&f.repeat, "repeat", 3, "processes for each structure and size")
	fl.StringVar(&f.format, "format", "table", "standard output: table, markdown, csv or json")
	fl.StringVarP(&f.output, "output", "o", "", "also write the JSON record to `FILE`")
	fl.BoolVar(&f.overwrite, "overwrite", false, "let -o replace a file that exists")
	fl.BoolVar(&f.list, "list", false, "list the structures and what they are filled with")
	fl.BoolVar(&f.force, "force", false, "build what seems not to fit into memory, too")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	return cmd
}

// config validates flags and arguments.
func (f *footprintFlags) config(args []string) (cfg structures.Config, err error) {
	for i := range args {
		args[i] = unshield(args[i])
	}
	if cfg.Structures, err = structures.Select(args); err != nil {
		return cfg, usagef("footprint: %w", err)
	}
	if cfg.Elements, err = parseElements("--elements", f.elements); err != nil {
		return cfg, err
	}
	const most = 1000
	if f.repeat < 1 || f.repeat > most {
		return cfg, usagef("--repeat: %d is not right: want a number of processes from 1 to %d", f.repeat, most)
	}
	if err := checkFormat(f.format, "table", "markdown", "csv", "json"); err != nil {
		return cfg, err
	}
	cfg.Repeat, cfg.Force = f.repeat, f.force
	return cfg, nil
}

// parseElements reads a list of counts: 1000,100k,10M. The units are powers
// of ten. The counts are returned in rising order, each once.
func parseElements(name, list string) ([]int64, error) {
	const most = 1e12
	var counts []int64
	for part := range strings.SplitSeq(list, ",") {
		bad := &membench.ArgError{Name: name, Value: part, Want: "whole numbers from 1, such as 1000,100k,10M (k is 1000, M is 1000k)"}
		number, unit := part, int64(1)
		switch {
		case strings.HasSuffix(part, "k"):
			number, unit = strings.TrimSuffix(part, "k"), 1e3
		case strings.HasSuffix(part, "M"):
			number, unit = strings.TrimSuffix(part, "M"), 1e6
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 1 || n > most/unit {
			return nil, bad
		}
		counts = append(counts, n*unit)
	}
	slices.Sort(counts)
	return slices.Compact(counts), nil
}

func (f *footprintFlags) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	cfg, err := f.config(args)
	if err != nil {
		return err
	}
	if f.list {
		return report.FootprintList(stdout, describe(cfg.Structures))
	}
	file, err := newRecordFile(f.output, f.overwrite)
	if err != nil {
		return err
	}
	defer file.discard()
	host := hostinfo.Read(ctx, hostinfo.DefaultFS())
	env := structures.Env{Host: &host, Tool: tool("memtest")}
	if !f.force {
		env.Limits = footprintLimits(membench.ReadRoom(&host, membench.PagesDefault))
	}
	if isTerminal(stderr) && !f.quiet {
		env.Progress = func(done, of int, last structures.Task) {
			showLine(stderr, fmt.Sprintf("%d of %d: %s, %d elements", done, of, last.Structure, last.Elements))
		}
	}
	record, runErr := structures.Measure(ctx, cfg, env)
	if env.Progress != nil {
		clearLine(stderr)
	}
	var fit *structures.FitError
	switch {
	case errors.As(runErr, &fit):
		return usagef("footprint: %w", runErr)
	case errors.Is(runErr, structures.ErrInterrupted):
		runErr = fmt.Errorf("footprint: %w", membench.ErrInterrupted)
	case runErr != nil:
		runErr = fmt.Errorf("footprint: %w", runErr)
	}
	if runErr != nil {
		record.Error = runErr.Error()
	}
	record.Warnings = append(record.Warnings, emulatorWarnings(&host)...)
	report.FillTexts(record.Warnings)
	if f.format == "csv" {
		report.Warnings(stderr, record.Warnings) // the record has them too
	}
	return firstError(runErr, writeFootprint(stdout, f.format, record), file.save(record))
}

func writeFootprint(w io.Writer, format string, record *result.Footprint) error {
	switch format {
	case "markdown":
		return report.FootprintMarkdown(w, record)
	case "csv":
		return report.FootprintCSV(w, record)
	case "json":
		return result.WriteJSON(w, record)
	}
	return report.FootprintTable(w, record)
}

func describe(structures []structures.Structure) (list []result.FootprintStructure) {
	for _, s := range structures {
		list = append(list, result.FootprintStructure{Name: s.Name, Group: s.Group, Type: s.Type, Shape: s.Shape})
	}
	return list
}

// footprintLimits takes from memtest's limits the tightest on one process and
// the tightest on all together.
func footprintLimits(r membench.Room) structures.Limits {
	return structures.Limits{
		Process:  tightest(membench.Room{AddressSpace: r.AddressSpace, PerProcessAS: r.PerProcessAS}),
		Together: tightest(membench.Room{Available: r.Available, Cgroup: r.Cgroup, CgroupPath: r.CgroupPath, Commit: r.Commit}),
	}
}

// tightest asks for more than any machine has, and learns what stands against
// it.
func tightest(r membench.Room) structures.Limit {
	var fit *membench.FitError
	if err := r.Fit(1, math.MaxInt64/2); errors.As(err, &fit) {
		return structures.Limit{Bytes: new(max(0, fit.MaxChunk)), Name: fit.Limit}
	}
	return structures.Limit{}
}

// emulatorWarnings doubts figures when an emulator of user mode runs this
// build: the kernel's figure for the process is then the emulator's. Under
// the emulation of a whole machine footprints are exact.
func emulatorWarnings(h *result.Host) []result.Warning {
	if by := membench.UserModeEmulation(h, tool("memtest").GOARCH); by != "" {
		return []result.Warning{{Code: result.WarnUserMode, Subject: by}}
	}
	return nil
}
