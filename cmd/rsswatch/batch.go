package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"wordsize/internal/procstat"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// watch runs the live screen or prints ticks.
func watch(ctx context.Context, opt *options, stdin io.Reader, stdout, stderr io.Writer) error {
	c, err := newCollector(ctx, opt)
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.checkRoots(ctx); err != nil {
		return err
	}
	if !opt.batch {
		return runLive(ctx, c, stdin, stdout)
	}
	return runBatch(ctx, c, stdout, stderr)
}

// checkRoots makes sure that the processes named by -p and --tree exist.
func (c *collector) checkRoots(ctx context.Context) error {
	if len(c.opt.sel.PIDs)+len(c.opt.sel.Trees) == 0 {
		return nil
	}
	var t procstat.Tick
	if err := c.src.Scan(ctx, &t); err != nil {
		return err
	}
	alive := map[int32]bool{}
	for i := range t.Samples {
		alive[t.Samples[i].PID] = true
	}
	for _, list := range []struct {
		flag string
		pids []int32
	}{{"-p", c.opt.sel.PIDs}, {"--tree", c.opt.sel.Trees}} {
		for _, pid := range list.pids {
			if !alive[pid] {
				return usagef("%s %d: there is no such process", list.flag, pid)
			}
		}
	}
	return nil
}

// batchSink writes ticks in one format.
type batchSink interface {
	tick(w io.Writer, t *result.WatchTick) error
	end(w io.Writer) error
}

// runBatch prints ticks until there were enough or the context ends.
func runBatch(ctx context.Context, c *collector, stdout, stderr io.Writer) error {
	width := c.opt.width
	if width == 0 {
		width = terminalWidth(stdout)
	}
	v := c.batchView(width)
	sink := c.sink(v, width, isTerminal(stdout))
	w := bufio.NewWriterSize(stdout, 64<<10)
	if c.needsFirstTick() {
		if _, _, err := c.sampler.Next(ctx, &c.opt.sel); err != nil && ctx.Err() == nil {
			return err
		}
		sleep(ctx, min(c.opt.delay, firstTickTime))
	}
	matched := 0
	next := time.Now()
	for n := 1; ; n++ {
		t, err := c.collect(ctx, &v.view)
		if err != nil {
			if ctx.Err() != nil || c.replay != nil && procstat.AtEnd(err) {
				break
			}
			return err
		}
		matched += t.Counts.Selected
		if c.opt.top > 0 {
			t.Groups = t.Groups[:min(len(t.Groups), c.opt.top)]
		}
		t.Warnings = report.WatchNotes(t)
		if err := sink.tick(w, t); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		if c.opt.count > 0 && n >= c.opt.count {
			break
		}
		if c.replay != nil { // as fast as it is read
			continue
		}
		if next = nextTick(next, c.opt.delay); !sleep(ctx, time.Until(next)) {
			break
		}
	}
	if err := sink.end(w); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if matched == 0 {
		return fmt.Errorf("no process %s", c.opt.describe())
	}
	return nil
}

// firstTickTime is over how long CPU use is measured when there is only one
// tick to print.
const firstTickTime = 500 * time.Millisecond

// needsFirstTick reports whether the one tick to print has to be preceded by
// one that is not: CPU use is between two, and was asked for by name.
func (c *collector) needsFirstTick() bool {
	if !c.oneShot() || c.replay != nil {
		return false
	}
	asked := strings.ToUpper(c.opt.columns + "," + c.opt.sort)
	return strings.Contains(asked, "%CPU")
}

// nextTick keeps the schedule, and leaves out ticks whose time is over.
func nextTick(last time.Time, delay time.Duration) time.Time {
	next := last.Add(delay)
	if now := time.Now(); next.Before(now) {
		next = next.Add(now.Sub(next).Truncate(delay) + delay)
	}
	return next
}

// sleep waits; it returns false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// describe says what was selected, for the message that nothing was.
func (o *options) describe() string {
	if len(o.patterns) == 0 {
		return "is selected by these flags"
	}
	return fmt.Sprintf("matches %q", strings.Join(o.patterns, `" or "`))
}

func terminalWidth(stdout io.Writer) int {
	f, ok := stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// batchView is a view with the columns to print.
type batchView struct {
	view
	columns []*report.ProcessColumn
	groups  []*report.GroupColumn
}

// batchView chooses columns and order. Without --columns, a batch of all
// processes leaves out what takes another file of each (PSS, ARCH).
func (c *collector) batchView(width int) *batchView {
	v := &batchView{}
	o := c.opt
	pss := o.pssBudget > 0
	fit := width
	if fit == 0 {
		fit = 120
	}
	v.group = o.group
	if o.group != "" {
		v.groups = report.DefaultGroupColumns(fit, pss)
		if o.columns != "" {
			v.groups, _ = report.ParseColumns(report.GroupColumns, o.columns)
		}
		v.groupSort, v.groupOrder = sortColumn(report.GroupColumns, o, groupDefault(o))
		v.needs = needsOf(v.groups) & procstat.HasWhatIf
		return v
	}
	switch {
	case o.columns != "":
		v.columns, _ = report.ParseColumns(report.ProcessColumns, o.columns)
	case o.format != "table":
		v.columns, _ = report.ParseColumns(report.ProcessColumns, strings.Join(machineColumns(o), ","))
	case o.sel.All() && o.top == 0 && !o.recorded:
		v.columns = report.CheapProcessColumns()
	default:
		v.columns = report.DefaultProcessColumns(fit, pss)
	}
	v.needs = needsOf(v.columns)
	v.sort, v.descending = sortColumn(report.ProcessColumns, o, "RES")
	v.limit, v.cut = o.top, true
	return v
}

// machineColumns are what CSV and JSON hold without --columns: everything but
// estimates, and the PSS tier where all processes are listed.
func machineColumns(o *options) (names []string) {
	for _, name := range report.ColumnNames(report.ProcessColumns) {
		if columnNeeds[name]&procstat.HasSmaps != 0 && (o.pssBudget <= 0 || o.sel.All() && o.top == 0 && !o.recorded) {
			continue
		}
		if columnNeeds[name]&procstat.HasWhatIf == 0 { // to be named
			names = append(names, name)
		}
	}
	return names
}

// groupDefault is the column that groups are sorted by without --sort.
func groupDefault(o *options) string {
	if o.pssBudget <= 0 {
		return "RES"
	}
	return "PSS"
}

// sortColumn returns the column to sort by and whether descending.
func sortColumn[R any](all []report.WatchColumn[R], o *options, byDefault string) (*report.WatchColumn[R], bool) {
	name := o.sort
	if name == "" {
		name = byDefault
	}
	col, err := report.FindColumn(all, name)
	if err != nil {
		col = &all[0]
	}
	if o.ascending != nil {
		return col, !*o.ascending
	}
	return col, col.Descending
}
