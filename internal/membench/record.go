package membench

import (
	"slices"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// record makes the phase's record out of what the workers sent: sorted by
// index, times relative to the first start.
func (p *phase) record(disturbed hostinfo.Counters) (*result.Phase, error) {
	slices.SortFunc(p.workers, func(a, b result.Worker) int { return a.Index - b.Index })
	first, last := p.workers[0].StartNS, p.workers[0].StartNS
	for _, w := range p.workers {
		first, last = min(first, w.StartNS), max(last, w.StartNS)
	}
	passes := p.workers[0].Passes
	for i := range p.workers {
		w := &p.workers[i]
		w.StartNS -= first
		w.EndNS -= first
		w.StopNS -= first
		for j := range w.PassEndNS {
			w.PassEndNS[j] -= first
		}
		passes = min(passes, w.Passes)
	}
	ph := &result.Phase{
		Name: p.name, Processes: len(p.workers), Passes: passes,
		Clock: clockName, EpochNS: first, StartSkewNS: last - first,
		Workers: p.workers, Host: phaseHost(disturbed),
	}
	ph.Summary = ph.Summarize()
	if ph.Summary == nil {
		return nil, &NoRateError{Phase: p.name, Passes: passes}
	}
	return ph, nil
}

func phaseHost(d hostinfo.Counters) result.PhaseHost {
	var h result.PhaseHost
	if d.Steal != nil && d.Total != nil && *d.Total > 0 {
		h.StealPercent = new(100 * float64(*d.Steal) / float64(*d.Total))
	}
	if d.Throttled != nil {
		h.ThrottledPeriods = new(int64(*d.Throttled))
	}
	if d.ThermalThrottles != nil {
		h.ThermalEvents = new(int64(*d.ThermalThrottles))
	}
	return h
}
