package main

import (
	"context"
	"os"
	"runtime"
	"slices"

	"wordsize/internal/hostinfo"
	"wordsize/internal/procstat"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// columnNeeds says which second-tier fields a column takes. Reading them
// costs more than all the rest, so only what is shown is read.
var columnNeeds = map[string]procstat.Fields{
	"ARCH": procstat.HasArch, "SWAP": procstat.HasStatus, "HUGE": procstat.HasStatus, "PEAK": procstat.HasStatus,
	"PSS": procstat.HasSmaps, "USS": procstat.HasSmaps, "SWPSS": procstat.HasSmaps, "CGROUP": procstat.HasCgroup,
	"COMMAND": procstat.HasTitle, "PROGRAM": procstat.HasTitle,
	"WHATIF32": procstat.HasWhatIf, "LOW32": procstat.HasWhatIf, "HIGH32": procstat.HasWhatIf, "NO32": procstat.HasWhatIf,
}

func needsOf[R any](cols []*report.WatchColumn[R]) (f procstat.Fields) {
	for _, c := range cols {
		f |= columnNeeds[c.Name]
	}
	return f
}

// view says what of a tick will be shown, so that no more is read.
type view struct {
	needs      procstat.Fields // of the rows shown
	sort       *report.ProcessColumn
	descending bool
	first      int  // rows first to first+limit are shown, in sorted order
	limit      int  // 0 for all
	cut        bool // rows beyond limit are left out
	tree       bool
	history    bool

	group      procstat.GroupBy // "" for processes
	groupSort  *report.GroupColumn
	groupOrder bool // descending
}

// collector turns ticks of the sampler into records.
type collector struct {
	opt     *options
	src     procstat.Source
	sampler *procstat.Sampler
	rec     procstat.Recorder
	users   func(uint32) string
	fs      hostinfo.FS
	host    result.Host
	mem     result.Memory
	self    selfMeter

	// The records of a tick are valid until the tick after the next, since
	// the live screen shows one while the next is being collected.
	pages   [2][]result.Process
	page    int
	missing []*procstat.Proc // members of groups whose PSS is not known
	shown   []*procstat.Proc // whose second tier was read on this tick

	replay *replayer // nil for this host
}

func newCollector(ctx context.Context, opt *options) (*collector, error) {
	src, err := procstat.Open(opt.proc)
	if err != nil {
		return nil, usagef("--proc %s: %v", opt.proc, err)
	}
	if opt.proc == hostinfo.DefaultFS().Proc {
		opt.sel.Self = int32(os.Getpid())
	}
	c := &collector{opt: opt, src: src, users: procstat.LoadUsers("/etc/passwd").Name, fs: hostinfo.DefaultFS()}
	if opt.proc != c.fs.Proc {
		c.fs = hostinfo.FS{Proc: opt.proc, Sys: "/sys"}
	}
	c.host = hostinfo.Read(ctx, c.fs)
	c.mem = c.host.Memory
	c.sampler = procstat.NewSampler(src, c.samplerConfig(opt.delay, opt.threads))
	c.setRecorder()
	return c, nil
}

func (c *collector) setRecorder() {
	c.rec = procstat.Recorder{UserName: c.users, CPUScale: 100}
	if c.opt.cpuTotal {
		c.rec.CPUScale = 100 / float64(c.cpus())
	}
}

func (c *collector) cpus() int {
	if c.host.CPU.Online != nil && *c.host.CPU.Online > 0 {
		return *c.host.CPU.Online
	}
	return runtime.NumCPU()
}

func (c *collector) close() {
	c.sampler.Close()
	c.src.Close()
}

// wantsPSS reports whether a view shows PSS.
func (c *collector) wantsPSS(v *view) bool {
	return c.opt.pssBudget > 0 && (v.group != "" || (v.needs|columnNeeds[v.sort.Name])&procstat.HasSmaps != 0)
}

// oneShot reports whether there is only this one tick: then PSS is read for
// all rows at once, since there is no later tick to complete it.
func (c *collector) oneShot() bool { return c.opt.count == 1 }

// collect takes one tick and returns its record.
func (c *collector) collect(ctx context.Context, v *view) (*result.WatchTick, error) {
	snap, picked, err := c.next(ctx)
	if err != nil {
		return nil, err
	}
	t := procstat.TickRecord(snap)
	c.readHost(&t)
	if v.group != "" {
		c.collectGroups(ctx, v, snap, picked, &t)
	} else {
		c.collectRows(ctx, v, snap, picked, &t)
	}
	t.Counts = procstat.Counts(snap, picked, false)
	if c.wantsPSS(v) {
		t.Counts = procstat.Counts(snap, c.shown, true)
		t.Counts.Selected = len(picked)
	}
	if c.wantsWhatIf(v) {
		procstat.CountWhatIf(&t.Counts, c.shown)
	}
	for _, p := range snap.Procs {
		t.Counts.SelfLeftOut = t.Counts.SelfLeftOut || c.opt.sel.LeavesOut(p)
	}
	if c.replay != nil {
		c.replay.complete(&t)
		return &t, nil
	}
	t.Self = c.self.read(snap, c.opt.proc == hostinfo.DefaultFS().Proc)
	return &t, nil
}

// next takes the next tick, or looks at that of a recording again.
func (c *collector) next(ctx context.Context) (*procstat.Snapshot, []*procstat.Proc, error) {
	if c.replay != nil && c.replay.again {
		snap, picked := c.sampler.Again(&c.opt.sel)
		return snap, picked, nil
	}
	return c.sampler.Next(ctx, &c.opt.sel)
}

// readHost reads what is known of the host at this tick.
func (c *collector) readHost(t *result.WatchTick) {
	if c.replay != nil {
		c.replay.host(c, t)
		return
	}
	t.Load = readLoad(c.fs.Proc)
	if m, err := c.fs.MemInfo(); err == nil {
		c.mem = m
	}
	if cg := c.host.Cgroup; cg != nil && cg.MemoryLimitBytes != nil {
		if now, err := c.fs.ReadCgroup(); err == nil && now != nil {
			c.host.Cgroup = now
		}
	}
}

func (c *collector) collectGroups(ctx context.Context, v *view, snap *procstat.Snapshot, picked []*procstat.Proc, t *result.WatchTick) {
	c.sampler.Fill(picked, v.group.Needs())
	c.readPSS(ctx, picked)
	if c.wantsWhatIf(v) {
		c.readWhatIf(ctx, picked)
	}
	// The swap of members whose PSS is not known comes from status.
	c.missing = c.missing[:0]
	for _, p := range picked {
		if p.Detail.Have&procstat.HasSmaps == 0 {
			c.missing = append(c.missing, p)
		}
	}
	c.sampler.Fill(c.missing, procstat.HasStatus)
	c.shown = append(c.shown[:0], picked...)
	g := procstat.Grouper{By: v.group, Patterns: c.opt.sel.Patterns, UserName: c.users, CPUScale: c.rec.CPUScale, WhatIf: c.wantsWhatIf(v)}
	t.Groups, t.Total = g.Group(snap, picked)
	wctx := c.context()
	slices.SortStableFunc(t.Groups, func(a, b *result.Group) int {
		return v.groupSort.Compare(&wctx, a, b, v.groupOrder)
	})
}

func (c *collector) readPSS(ctx context.Context, procs []*procstat.Proc) {
	switch {
	case c.opt.pssBudget <= 0:
	case c.oneShot():
		c.sampler.PSSNow(ctx, procs, c.opt.pssTimeout)
	default:
		c.sampler.PSS(ctx, procs)
	}
}
