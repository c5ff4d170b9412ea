package usage

import (
	"math"

	"wordsize/internal/result"
)

// whatIf sums RES and its estimates for the other word size, in bytes: of one
// tick, or of several times their weights.
type whatIf struct {
	n, missing          float64 // processes with an estimate, and without
	res, mid, low, high float64
	undecided           bool // mid is no estimate
}

// add adds one process; scale is what its RES has changed by, as a factor,
// since the estimate was made.
func (w *whatIf) add(r *result.RecordedProcess, scale float64) {
	switch {
	case !r.Resident.Known:
	case !r.WhatIfLow.Known || !r.WhatIfHigh.Known:
		w.missing++
	default:
		w.n++
		w.res += float64(r.Resident.Value)
		w.mid += scale * float64(r.WhatIf.Value)
		w.low += scale * float64(r.WhatIfLow.Value)
		w.high += scale * float64(r.WhatIfHigh.Value)
		w.undecided = w.undecided || !r.WhatIf.Known
	}
}

// sum adds o times a weight.
func (w *whatIf) sum(o *whatIf, weight float64) {
	w.n += o.n * weight
	w.missing += o.missing * weight
	w.res += o.res * weight
	w.mid += o.mid * weight
	w.low += o.low * weight
	w.high += o.high * weight
	w.undecided = w.undecided || o.undecided
}

// usage divides the sums by their weight; nil when that is 0.
func (w *whatIf) usage(weight float64) *result.WhatIfUsage {
	if weight <= 0 {
		return nil
	}
	of := func(v float64) int64 { return int64(math.Round(v / weight)) }
	u := &result.WhatIfUsage{RESBytes: of(w.res), WhatIfFigures: result.WhatIfFigures{Low: of(w.low), High: of(w.high)}}
	if !w.undecided {
		u.Value = result.Some(of(w.mid))
	}
	return u
}

// whatIfMeter is what is kept of a group's estimates.
type whatIfMeter struct {
	all, known float64 // time in which a tick saw the group, and one with an estimate
	over       whatIf  // times time
	end        whatIf  // of the last tick with one, of each recording
	ends       float64 // recordings that have such a tick
}

// weigh takes a tick for the time that it stands for; a fresh one is the last
// so far.
func (m *whatIfMeter) weigh(t *whatIf, weight float64, fresh bool) {
	if t.n+t.missing == 0 {
		return
	}
	m.all += weight
	m.over.sum(t, weight)
	if t.n > 0 {
		m.known += weight
		if fresh {
			m.end, m.ends = *t, 1
		}
	}
}

// merge takes another recording's.
func (m *whatIfMeter) merge(o *whatIfMeter) {
	m.all += o.all
	m.known += o.known
	m.over.sum(&o.over, 1)
	m.end.sum(&o.end, 1)
	m.ends += o.ends
}

// usage makes the record, nil where no estimates were asked for.
func (m *whatIfMeter) usage() *result.UsageWhatIf {
	if m.all <= 0 {
		return nil
	}
	return &result.UsageWhatIf{
		Processes: m.over.n / m.all, Missing: m.over.missing / m.all, Avg: m.over.usage(m.known), End: m.end.usage(m.ends),
	}
}

// whatIfScale returns by what factor RES has changed since the first tick that
// had the estimate.
func (p *proc) whatIfScale(r *result.RecordedProcess) float64 {
	if r.WhatIfAtNS != p.whatIfAt {
		p.whatIfAt, p.whatIfRES = r.WhatIfAtNS, r.Resident.Value
	}
	if p.whatIfRES <= 0 || !r.Resident.Known {
		return 1
	}
	return float64(r.Resident.Value) / float64(p.whatIfRES)
}
