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
	c.rows = c.rows[:0]
	for i, p := range picked {
		c.rec.Record(snap, p, &page[i])
		c.rows = append(c.rows, row{p, &page[i]})
	}
	wctx := c.context()
	slices.SortStableFunc(c.rows, func(a, b row) int { return v.sort.Compare(&wctx, a.rec, b.rec, v.descending) })
	if v.tree {
		c.rows = treeOrder(c.rows)
	}
	c.readShown(ctx, v, snap)
	t.Processes = make([]*result.Process, 0, len(c.rows))
	for _, r := range c.rows {
		t.Processes = append(t.Processes, r.rec)
		for _, th := range r.proc.Members {
			rec := new(result.Process)
			c.rec.Record(snap, th, rec)
			rec.Depth = r.rec.Depth + 1
			t.Processes = append(t.Processes, rec)
		}
	}
}

// readEarly reads what is needed of all processes before they can be sorted,
// and at least once the title of each.
func (c *collector) readEarly(ctx context.Context, v *view, picked []*procstat.Proc) {
	needs := columnNeeds[v.sort.Name]
	if c.wantsPSS(v) && needs&procstat.HasSmaps != 0 {
		c.readPSS(ctx, picked)
	}
	if needs &^= procstat.HasSmaps; needs != 0 {
		c.sampler.Fill(picked, needs)
	}
	if v.limit == 0 || v.needs&procstat.HasTitle == 0 {
		return
	}
	const title = procstat.HasTitle
	for _, p := range picked {
		if (p.Detail.Have|p.Detail.Denied)&title == 0 {
			c.sampler.Fill([]*procstat.Proc{p}, title)
		}
	}
}

// readShown reads the second tier of the rows that are shown and records
// them again.
func (c *collector) readShown(ctx context.Context, v *view, snap *procstat.Snapshot) {
	shown := c.rows
	if v.limit > 0 {
		first := min(v.first, len(shown))
		shown = shown[first:min(first+v.limit, len(shown))]
	}
	c.shown = c.shown[:0]
	for _, r := range shown {
		c.shown = append(c.shown, r.proc)
	}
	if needs := v.needs &^ procstat.HasSmaps; needs != 0 {
		c.sampler.Fill(c.shown, needs)
	}
	if c.wantsPSS(v) && columnNeeds[v.sort.Name]&procstat.HasSmaps == 0 {
		c.readPSS(ctx, c.shown)
	}
	for _, r := range shown {
		depth := r.rec.Depth
		c.rec.Record(snap, r.proc, r.rec)
		r.rec.Depth = depth
	}
}

// context returns what cells and comparisons need.
func (c *collector) context() report.WatchContext {
	w := report.WatchContext{PSSOff: c.opt.pssBudget <= 0}
	if c.mem.TotalBytes != nil {
		w.MemoryTotal = *c.mem.TotalBytes
	}
	return w
}

// treeOrder puts each row below its parent, keeping the order among siblings.
// Rows whose parent is not among them are roots.
func treeOrder(rows []row) []row {
	children := map[int32][]row{}
	here := make(map[int32]bool, len(rows))
	for _, r := range rows {
		here[r.proc.PID] = true
	}
	var roots []row
	for _, r := range rows {
		if r.proc.PPID != r.proc.PID && here[r.proc.PPID] && r.proc.PPID != 0 {
			children[r.proc.PPID] = append(children[r.proc.PPID], r)
		} else {
			roots = append(roots, r)
		}
	}
	out := make([]row, 0, len(rows))
	var walk func(rs []row, depth int)
	walk = func(rs []row, depth int) {
		for _, r := range rs {
			r.rec.Depth = depth
			out = append(out, r)
			below := children[r.proc.PID]
			delete(children, r.proc.PID) // a circle of reused PIDs must end
			walk(below, depth+1)
		}
	}
	walk(roots, 0)
	// What hangs in a circle has no root.
	for _, r := range rows {
		if below, ok := children[r.proc.PID]; ok {
			delete(children, r.proc.PID)
			walk(below, 0)
		}
	}
	return out
}
