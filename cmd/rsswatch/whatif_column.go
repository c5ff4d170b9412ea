package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"wordsize/internal/footprint"
	"wordsize/internal/hostinfo"
	"wordsize/internal/procstat"
	"wordsize/internal/record"
	"wordsize/internal/report"
)

// What an estimate for a column or a recording may read and take: less than
// that of the subcommand, since there are many.
const (
	columnBudget = 16 << 20
	columnLimit  = 300 * time.Millisecond
)

// besideTicks are the fields that are read under a budget.
const besideTicks = procstat.HasSmaps | procstat.HasWhatIf

// estimator returns what estimates the processes of a proc file system.
func estimator(proc string) procstat.EstimateFunc {
	return func(ctx context.Context, id procstat.Ident) (w procstat.WhatIf, out procstat.Outcome) {
		t, err := footprint.Open(proc, id.PID)
		if err != nil {
			return w, outcomeOf(err)
		}
		defer t.Close()
		if ended(proc, id.PID, id.Start) { // what was opened may be another
			return w, procstat.Gone
		}
		r, err := footprint.Analyze(ctx, t, footprint.Options{Budget: columnBudget, Limit: columnLimit})
		switch {
		case !t.Alive():
			return w, procstat.Gone // the last estimate stays
		case err != nil:
			return w, outcomeOf(err)
		case r.Estimate == nil:
			return w, procstat.None
		}
		return procstat.WhatIf{Bytes: r.Estimate.RSS, Low: r.Estimate.RSSLow, High: r.Estimate.RSSHigh}, procstat.Done
	}
}

func outcomeOf(err error) procstat.Outcome {
	var refused *footprint.RefusedError
	switch {
	case errors.As(err, &refused):
		return procstat.Denied
	case errors.Is(err, footprint.ErrGone):
		return procstat.Gone
	}
	return procstat.None
}

// samplerConfig is how the sampler of this host is set up.
func (c *collector) samplerConfig(every time.Duration, threads bool) procstat.Config {
	return procstat.Config{
		Interval: every, PSSBudget: c.opt.pssBudget, Threads: threads,
		Estimate: estimator(c.opt.proc), WhatIfBudget: c.opt.whatIfBudget,
	}
}

// wantsWhatIf reports whether a view shows estimates.
func (c *collector) wantsWhatIf(v *view) bool {
	needs := v.needs
	if v.group == "" {
		needs |= columnNeeds[v.sort.Name]
	} else {
		needs |= columnNeeds[v.groupSort.Name]
	}
	return c.opt.whatIfBudget > 0 && needs&procstat.HasWhatIf != 0
}

// readWhatIf updates the estimates; with only this one tick, it makes all.
func (c *collector) readWhatIf(ctx context.Context, procs []*procstat.Proc) {
	if c.oneShot() {
		c.sampler.WhatIfNow(ctx, procs, c.opt.pssTimeout)
		return
	}
	c.sampler.WhatIf(procs)
}

// allColumns replaces "all" in a list of columns by all but those that read
// the memory of processes, which have to be named.
func allColumns(list string, all []string) string {
	names := strings.Split(list, ",")
	i := slices.Index(names, "all")
	if i < 0 {
		return list
	}
	all = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(report.WhatIfColumns, name) })
	return strings.Join(slices.Replace(names, i, i+1, all...), ",")
}

// estimates sets up --whatif.
func (f *recordFlags) estimates(c *record.Config, changed func(string) bool) error {
	share, err := parseShare(f.whatShare)
	switch {
	case err != nil || share <= 0:
		return usagef("--whatif-budget %s: give a share of the time above 0, up to 100%%, such as 2%%", f.whatShare)
	case f.whatIf:
		c.Estimate, c.WhatIfBudget = estimator(hostinfo.DefaultFS().Proc), share
	case changed("whatif-budget"):
		return usagef("--whatif-budget: there are no estimates without --whatif")
	}
	return nil
}
