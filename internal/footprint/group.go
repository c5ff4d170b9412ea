package footprint

import "wordsize/internal/result"

// Sum sums processes, nil for fewer than two. Pages that several share are
// counted once by PSS: the estimate of a process's PSS is that of its RSS in
// the proportion of the two.
func Sum(procs []result.WhatIfProcess) *result.WhatIfGroup {
	if len(procs) < 2 {
		return nil
	}
	g := &result.WhatIfGroup{Processes: len(procs)}
	var pss, low, mid, high float64
	for i := range procs {
		p := &procs[i]
		if p.Estimate == nil || p.RSSBytes == 0 || !p.PSSBytes.Known {
			g.LeftOut++
			continue
		}
		f := float64(p.PSSBytes.Value) / float64(p.RSSBytes)
		g.RSSBytes += p.RSSBytes
		pss += float64(p.PSSBytes.Value)
		low += f * float64(p.Estimate.RSSLow)
		high += f * float64(p.Estimate.RSSHigh)
		mid += f * float64(p.Estimate.RSS.Value)
		g.Undecided = g.Undecided || p.Undecided
	}
	if g.LeftOut == g.Processes {
		return g
	}
	g.PSSBytes = result.Some(int64(pss))
	g.PSS = &result.WhatIfFigures{Low: int64(low), High: int64(high)}
	if !g.Undecided {
		g.PSS.Value = result.Some(int64(mid))
	}
	return g
}
