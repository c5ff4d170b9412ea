package result

import (
	"math"
	"slices"
	"sort"
)

// PhaseSummary is derived from a phase's workers. Rates are bytes a second.
type PhaseSummary struct {
	PerProcess    Spread   `json:"per_process_bytes_per_s"`
	Fairness      float64  `json:"fairness"`                        // slowest worker's rate / fastest's
	WindowStartNS int64    `json:"window_start_ns"`                 // when the last worker started
	WindowEndNS   int64    `json:"window_end_ns"`                   // while all still worked
	Aggregate     *float64 `json:"aggregate_bytes_per_s,omitempty"` // within the window; absent when it is empty
}

// Spread is the range and middle of a set of figures.
type Spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// SpreadOf returns the spread of values, which it leaves as they are; all
// NaN when there are none.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{math.NaN(), math.NaN(), math.NaN()}
	}
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	median := s[mid]
	if len(s)%2 == 0 {
		median = (s[mid-1] + s[mid]) / 2
	}
	return Spread{s[0], median, s[len(s)-1]}
}

// Rate returns the bytes a second of the worker's counted passes.
func (w *Worker) Rate() float64 {
	return float64(w.Passes) * float64(w.BytesPerPass) / seconds(w.EndNS-w.StartNS)
}

// Summarize derives the summary; nil when a worker made no pass or took no
// measurable time, for then there is no rate.
//
// The window is the time in which all workers wrote: from the last start to
// the last end of counted passes when the load was held until then, else to
// the first stop. What each wrote in it is interpolated within a pass.
func (p *Phase) Summarize() *PhaseSummary {
	if len(p.Workers) == 0 {
		return nil
	}
	var rates []float64
	from, lastEnd, firstStop := int64(math.MinInt64), int64(math.MinInt64), int64(math.MaxInt64)
	for i := range p.Workers {
		w := &p.Workers[i]
		if w.Passes < 1 || w.EndNS <= w.StartNS {
			return nil
		}
		rates = append(rates, w.Rate())
		from = max(from, w.StartNS)
		lastEnd = max(lastEnd, w.EndNS)
		firstStop = min(firstStop, w.StopNS)
	}
	s := &PhaseSummary{PerProcess: SpreadOf(rates), WindowStartNS: from, WindowEndNS: min(lastEnd, firstStop)}
	s.Fairness = s.PerProcess.Min / s.PerProcess.Max
	if s.WindowEndNS <= s.WindowStartNS {
		return s
	}
	var bytes float64
	for i := range p.Workers {
		w := &p.Workers[i]
		bytes += w.bytesAt(s.WindowEndNS) - w.bytesAt(s.WindowStartNS)
	}
	aggregate := bytes / seconds(s.WindowEndNS-s.WindowStartNS)
	s.Aggregate = &aggregate
	return s
}

// bytesAt returns how many bytes the worker had written at a time, taking its
// speed as even between two known points.
func (w *Worker) bytesAt(t int64) float64 {
	if t <= w.StartNS {
		return 0
	}
	perPass := float64(w.BytesPerPass)
	i := sort.Search(len(w.PassEndNS), func(i int) bool { return w.PassEndNS[i] >= t })
	t0, b0 := w.StartNS, 0.0
	if i > 0 {
		t0, b0 = w.PassEndNS[i-1], float64(int64(i)*w.PassStride)*perPass
	}
	// The point behind t: the next known pass end, else where it stopped.
	t1 := w.StopNS
	b1 := float64(w.Passes+w.HeldPasses)*perPass + float64(w.PartialBytes)
	if i < len(w.PassEndNS) {
		t1, b1 = w.PassEndNS[i], float64(int64(i+1)*w.PassStride)*perPass
	}
	if t >= t1 || t1 <= t0 {
		return b1
	}
	return b0 + (b1-b0)*float64(t-t0)/float64(t1-t0)
}

// BytesBetween returns how many bytes the worker had moved at one time more
// than at another, both in nanoseconds of the phase.
func (w *Worker) BytesBetween(from, to int64) float64 { return w.bytesAt(to) - w.bytesAt(from) }

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
