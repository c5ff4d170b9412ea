package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wordsize/internal/footprint"
	"wordsize/internal/procstat"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const whatIfHelp = `rsswatch whatif estimates what running processes would take as 32-bit builds,
or, of 32-bit processes, as 64-bit builds. It looks at a sample of their private
memory, without stopping them: it recognises the allocators (glibc malloc,
CPython, jemalloc, Go), tells pointers, integers, text and other data apart over
all objects of a kind, and computes what the objects take in the other build.

  rsswatch whatif 812                one process
  rsswatch whatif gunicorn           all processes whose command line matches
  rsswatch whatif --tree 812         a process and all it started
  rsswatch whatif --format json 812  for machines; bytes

It takes the rights to trace the process: its user, or root. Nothing of what is
read is kept or shown. The method and its limits: docs/whatif.md.`

// whatIfFlags are the flags of the subcommand.
type whatIfFlags struct {
	tree   []string
	format string
	model  string
	ints   string
	all    bool
	limit  string
	width  int
	proc   string
}

func newWhatIf() *cobra.Command {
	var f whatIfFlags
	cmd := &cobra.Command{
		Use:   "whatif [flags] PID|REGEX...",
		Short: "Estimate what processes would take as builds of the other word size",
		Long:  whatIfHelp,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return whatIf(cmd.Context(), &f, args, cmd.Flags().Changed, cmd.OutOrStdout())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&f.tree, "tree", nil, "this PID and all its descendants")
	fl.StringVar(&f.format, "format", "table", "table or json")
	fl.StringVar(&f.model, "model", "", "ilp32 (32-bit build), x32, ptr32 (compressed pointers, integers as they are) or lp64 (64-bit build); default: the other word size")
	fl.StringVar(&f.ints, "ints", "", "what you know of arrays of small integers: word (int, long) or fixed (int64, int32)")
	fl.BoolVar(&f.all, "all", false, "read all of the private memory, however long it takes")
	fl.StringVar(&f.limit, "limit", "0.8", "seconds a process that reading may take; 64 MiB at most are read")
	fl.IntVarP(&f.width, "width", "w", 0, "cut lines at this width (default: the terminal's, else 80)")
	fl.StringVar(&f.proc, "proc", "/proc", "where the proc file system is mounted")
	return cmd
}

// whatIfBudget is how much of a process's memory is read at most.
const whatIfBudget = 64 << 20

func (f *whatIfFlags) options(changed func(string) bool) (opt footprint.Options, err error) {
	if f.format != "table" && f.format != "json" {
		return opt, usagef("--format %s: use table or json", f.format)
	}
	if !slices.Contains([]string{"", "ilp32", "x32", "ptr32", "lp64"}, f.model) {
		return opt, usagef("--model %s: use ilp32, x32, ptr32 or lp64", f.model)
	}
	if !slices.Contains([]string{"", "word", "fixed"}, f.ints) {
		return opt, usagef("--ints %s: use word (int, long) or fixed (int64, int32)", f.ints)
	}
	if f.width < 0 {
		return opt, usagef("--width %d: give a number of columns, 0 for the terminal's", f.width)
	}
	opt = footprint.Options{Model: f.model, Ints: f.ints, Budget: whatIfBudget}
	if opt.Limit, err = parseSeconds(f.limit); err != nil || opt.Limit < 10*time.Millisecond {
		return opt, usagef("--limit %s: give seconds from 0.01, such as 0.8", f.limit)
	}
	if f.all {
		if changed("limit") {
			return opt, usagef("--all reads everything: leave --limit out")
		}
		opt.Budget, opt.Limit = 0, 0
	}
	return opt, nil
}

// whatIf runs the subcommand.
func whatIf(ctx context.Context, f *whatIfFlags, args []string, changed func(string) bool, stdout io.Writer) error {
	opt, err := f.options(changed)
	if err != nil {
		return err
	}
	if changed("tree") && blank(f.tree) {
		return usagef("--tree is empty: give a value, or leave the flag out")
	}
	if len(args)+len(f.tree) == 0 {
		return usagef("whatif: name a process by its PID, a pattern on its command line, or --tree PID")
	}
	procs, err := f.pick(ctx, args)
	if err != nil {
		return err
	}
	rec := result.WhatIf{Schema: result.WhatIfSchema, Model: f.model, Ints: f.ints}
	var first error
	for _, p := range procs {
		if ctx.Err() != nil {
			break
		}
		one, err := estimate(ctx, f.proc, p, opt)
		if err != nil {
			one.Problems = append(one.Problems, result.WhatIfNote{Code: problemCode(err), Text: err.Error()})
			if first == nil {
				first = fmt.Errorf("PID %d: %w", p.PID, err)
			}
		}
		rec.Processes = append(rec.Processes, *one)
	}
	rec.Group = footprint.Sum(rec.Processes)
	return f.print(ctx, &rec, first, stdout)
}

// print writes the record. With no estimate at all the reason is the error.
func (f *whatIfFlags) print(ctx context.Context, rec *result.WhatIf, first error, stdout io.Writer) error {
	some := slices.ContainsFunc(rec.Processes, func(p result.WhatIfProcess) bool { return p.Estimate != nil })
	var err error
	switch {
	case f.format == "json":
		err = result.WriteJSON(stdout, rec)
	case some:
		width := f.width
		if width == 0 {
			width = terminalWidth(stdout)
		}
		err = report.WhatIf(stdout, rec, report.WhatIfStyle{Width: width, Text: report.WatchText{ASCII: isTerminal(stdout) && !utf8Locale(os.Getenv)}})
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if !some {
		return first
	}
	return nil
}

// problemCode names why there is no estimate.
func problemCode(err error) string {
	var refused *footprint.RefusedError
	switch {
	case errors.As(err, &refused):
		return "refused"
	case errors.Is(err, footprint.ErrGone):
		return "gone"
	}
	return "failed"
}

// estimate opens and estimates one process; the record holds what is known
// of it even when there is no estimate.
func estimate(ctx context.Context, proc string, p *procstat.Proc, opt footprint.Options) (*result.WhatIfProcess, error) {
	known := func(r *result.WhatIfProcess) *result.WhatIfProcess {
		r.PID, r.Start = p.PID, p.Start
		r.Program = result.RawText(p.Program())
		if r.RSSBytes == 0 {
			r.RSSBytes = p.Resident
		}
		return r
	}
	t, err := footprint.Open(proc, p.PID)
	if err != nil {
		return known(&result.WhatIfProcess{}), err
	}
	defer t.Close()
	r, err := footprint.Analyze(ctx, t, opt)
	return known(r), err
}

// pick finds the processes that are named: any of the PIDs, patterns and
// trees, each process once, in the order of their PIDs.
func (f *whatIfFlags) pick(ctx context.Context, args []string) ([]*procstat.Proc, error) {
	src, err := procstat.Open(f.proc)
	if err != nil {
		return nil, usagef("--proc %s: %v", f.proc, err)
	}
	defer src.Close()
	var sels []procstat.Selection
	add := func(s procstat.Selection) {
		s.Self = int32(os.Getpid())
		sels = append(sels, s)
	}
	for _, a := range args {
		if n, err := strconv.ParseInt(a, 10, 32); err == nil {
			if n < 1 {
				return nil, usagef("whatif %s: give a process id above 0", a)
			}
			add(procstat.Selection{PIDs: []int32{int32(n)}})
			continue
		}
		re, err := regexp.Compile(a)
		if err != nil {
			return nil, usagef("pattern %q: %s", a, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		add(procstat.Selection{Patterns: []*regexp.Regexp{re}})
	}
	trees, err := parsePIDs("--tree", f.tree)
	if err != nil {
		return nil, err
	}
	for _, pid := range trees {
		add(procstat.Selection{Trees: []int32{pid}})
	}
	var all []*procstat.Proc
	for i := range sels {
		procs, err := pickOne(ctx, src, &sels[i])
		if err != nil {
			return nil, err
		}
		all = append(all, procs...)
	}
	slices.SortFunc(all, func(a, b *procstat.Proc) int { return int(a.PID) - int(b.PID) })
	return slices.CompactFunc(all, func(a, b *procstat.Proc) bool { return a.PID == b.PID }), nil
}

// pickOne finds the processes of one argument; there must be one at least.
func pickOne(ctx context.Context, src procstat.Source, sel *procstat.Selection) ([]*procstat.Proc, error) {
	sampler := procstat.NewSampler(src, procstat.Config{})
	defer sampler.Close()
	_, picked, err := sampler.Next(ctx, sel)
	if err != nil {
		return nil, err
	}
	picked = slices.Clone(picked)
	sampler.Fill(picked, procstat.HasTitle)
	switch {
	case len(picked) > 0:
		return picked, nil
	case len(sel.PIDs) > 0:
		return nil, usagef("whatif %d: there is no such process", sel.PIDs[0])
	case len(sel.Trees) > 0:
		return nil, usagef("--tree %d: there is no such process", sel.Trees[0])
	}
	return nil, fmt.Errorf("no process matches %q", sel.Patterns[0])
}
