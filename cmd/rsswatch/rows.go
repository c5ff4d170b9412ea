package main

import (
	"context"
	"slices"

	"wordsize/internal/procstat"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// collectRows records the picked processes, sorts them, and reads the second
// tier of those that are shown.
func (c *collector) collectRows(ctx context.Context, v *view, snap *procstat.Snapshot, picked []*procstat.Proc, t *result.WatchTick) {
	c.readEarly(ctx, v, picked)
	c.page = 1 - c.page
	page := slices.Grow(c.pages[c.page][:0], len(picked))[:len(picked)]
	c.pages[c.page] = page
	c.rec.History = v.history
	rows := make([]*result.Process, len(picked))
	for i, p := range picked {
		page[i].Index, page[i].Depth = i, 0
		c.rec.Record(snap, p, &page[i])
		rows[i] = &page[i]
	}
	wctx := c.context()
	slices.SortStableFunc(rows, func(a, b *result.Process) int { return v.sort.Compare(&wctx, a, b, v.descending) })
	if v.tree {
		rows = report.TreeOrder(rows)
	}
	if v.cut && v.limit > 0 {
		rows = rows[:min(v.limit, len(rows))]
	}
	whole := rows
	if c.opt.threads {
		rows = c.withThreads(snap, picked, rows)
	}
	if v.cut { // first and limit count processes
		c.readShown(ctx, v, snap, picked, whole)
	} else { // they count rows of the screen, threads among them
		first := min(v.first, len(rows))
		c.readShown(ctx, v, snap, picked, rows[first:min(first+v.limit, len(rows))])
	}
	t.Processes = rows
}

// withThreads puts the rows of its threads below each process.
func (c *collector) withThreads(snap *procstat.Snapshot, picked []*procstat.Proc, rows []*result.Process) (all []*result.Process) {
	for _, r := range rows {
		all = append(all, r)
		for _, th := range picked[r.Index].Members {
			rec := &result.Process{Index: r.Index, Depth: r.Depth + 1}
			c.rec.Record(snap, th, rec)
			all = append(all, rec)
		}
	}
	return all
}

// readEarly reads what is needed of all processes before they can be sorted,
// and at least once the title of each. Where all are shown that is all.
func (c *collector) readEarly(ctx context.Context, v *view, picked []*procstat.Proc) {
	if v.limit == 0 {
		c.readTier(ctx, v, picked, v.needs|columnNeeds[v.sort.Name])
		return
	}
	needs := columnNeeds[v.sort.Name]
	if c.wantsPSS(v) && needs&procstat.HasSmaps != 0 {
		c.readPSS(ctx, picked)
	}
	if needs&procstat.HasWhatIf != 0 {
		c.readWhatIf(ctx, picked)
	}
	if needs &^= besideTicks; needs != 0 {
		c.sampler.Fill(picked, needs)
	}
	const title = procstat.HasTitle
	for _, p := range picked {
		if v.needs&title != 0 && (p.Detail.Have|p.Detail.Denied)&title == 0 {
			c.sampler.Fill([]*procstat.Proc{p}, title)
		}
	}
}

// readTier reads second-tier fields of the processes that are shown.
func (c *collector) readTier(ctx context.Context, v *view, shown []*procstat.Proc, needs procstat.Fields) {
	c.shown = append(c.shown[:0], shown...)
	if files := needs &^ besideTicks; files != 0 {
		c.sampler.Fill(shown, files)
	}
	if c.wantsPSS(v) && needs&procstat.HasSmaps != 0 {
		c.readPSS(ctx, shown)
	}
	if needs&procstat.HasWhatIf != 0 {
		c.readWhatIf(ctx, shown)
	}
}

// readShown reads the second tier of the rows that are shown and records
// them again.
func (c *collector) readShown(ctx context.Context, v *view, snap *procstat.Snapshot, picked []*procstat.Proc, rows []*result.Process) {
	if v.limit == 0 {
		return // read before they were recorded
	}
	var shown []*procstat.Proc
	for _, r := range rows {
		if r.TID == 0 { // threads have no second tier
			shown = append(shown, picked[r.Index])
		}
	}
	needs := v.needs
	needs &^= columnNeeds[v.sort.Name] & besideTicks // read for all of them already
	c.readTier(ctx, v, shown, needs)
	for _, r := range rows {
		if r.TID == 0 {
			c.rec.Record(snap, picked[r.Index], r)
		}
	}
}

// context returns what cells and comparisons need.
func (c *collector) context() report.WatchContext {
	w := report.WatchContext{PSSOff: c.opt.pssBudget <= 0, WhatIfOff: c.opt.whatIfBudget <= 0}
	if c.mem.TotalBytes != nil {
		w.MemoryTotal = *c.mem.TotalBytes
	}
	return w
}
