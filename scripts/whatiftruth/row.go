package main

import (
	"math"

	"wordsize/internal/stats"
)

// row is one line of the table. Percentages are changes of the RSS from the
// 64-bit process to the 32-bit one; points are their differences.
type row struct {
	Program     string   `json:"program"`
	Kind        string   `json:"kind"`
	Holds       string   `json:"holds"`
	Ints        string   `json:"word_sized_ints"`
	Calibration bool     `json:"calibration,omitempty"`
	Truth       *truth   `json:"truth,omitempty"`
	TruthPct    *float64 `json:"truth_percent,omitempty"`
	PrivatePct  *float64 `json:"private_truth_percent,omitempty"` // of Private_Clean + Private_Dirty
	BestPct     *float64 `json:"estimate_percent,omitempty"`      // absent where the content cannot decide
	LowPct      *float64 `json:"low_percent,omitempty"`
	HighPct     *float64 `json:"high_percent,omitempty"`
	Width       *float64 `json:"width_points,omitempty"`
	Error       *float64 `json:"error_points,omitempty"` // estimate less truth
	Inside      *bool    `json:"inside,omitempty"`
	Undecided   bool     `json:"undecided,omitempty"`
	Failed      string   `json:"failed,omitempty"` // why something of the above is missing
}

func newRow(p *pair) row {
	return row{Program: p.name, Kind: p.kind, Holds: p.holds, Ints: p.ints, Calibration: p.calibration}
}

func change(then, now int64) *float64 {
	return new(percent(then-now, now))
}

func (r *row) setTruth(t truth) {
	r.Truth = &t
	r.TruthPct = change(t.Narrow.RSS, t.Wide.RSS)
	r.PrivatePct = change(t.Narrow.Private, t.Wide.Private)
}

// setEstimate needs the truth to be set. The estimate's percentages are of
// the process that was estimated, which is another launch.
func (r *row) setEstimate(e estimate) {
	r.LowPct, r.HighPct = change(e.RSS.Low, e.RSS.Now), change(e.RSS.High, e.RSS.Now)
	width := *r.HighPct - *r.LowPct
	r.Width, r.Undecided = &width, e.Undecided
	if e.RSS.Best != nil {
		r.BestPct = change(*e.RSS.Best, e.RSS.Now)
	}
	if r.TruthPct == nil {
		return
	}
	inside := *r.LowPct <= *r.TruthPct && *r.TruthPct <= *r.HighPct
	r.Inside = &inside
	if r.BestPct != nil {
		d := *r.BestPct - *r.TruthPct
		r.Error = &d
	}
}

// summary is of the rows that count: no calibration.
type summary struct {
	Programs    int      `json:"programs"`
	WithoutEst  int      `json:"without_estimate"` // no estimate, or no truth
	NoMiddle    int      `json:"without_best"`     // an interval only
	Inside      int      `json:"inside"`
	Outside     []string `json:"outside,omitempty"`
	MedianError *float64 `json:"median_error_points,omitempty"` // of the absolute errors
	WorstError  *float64 `json:"worst_error_points,omitempty"`
	Worst       string   `json:"worst,omitempty"`
	MedianWidth *float64 `json:"median_width_points,omitempty"`
	WidestTruth float64  `json:"widest_spread_points"` // how far single launches differ, at most
	SpreadOf    string   `json:"widest_spread_of,omitempty"`
}

func summarize(rows []row) summary {
	var s summary
	var errs, widths []float64
	for _, r := range rows {
		if r.Calibration {
			continue
		}
		s.Programs++
		if r.Truth != nil && r.Truth.Spread > s.WidestTruth {
			s.WidestTruth, s.SpreadOf = r.Truth.Spread, r.Program
		}
		if r.Inside == nil {
			s.WithoutEst++
			continue
		}
		if *r.Inside {
			s.Inside++
		} else {
			s.Outside = append(s.Outside, r.Program)
		}
		widths = append(widths, *r.Width)
		if r.Error == nil {
			s.NoMiddle++
			continue
		}
		if len(errs) == 0 || math.Abs(*r.Error) > *s.WorstError {
			worst := math.Abs(*r.Error)
			s.WorstError, s.Worst = &worst, r.Program
		}
		errs = append(errs, math.Abs(*r.Error))
	}
	s.MedianError, s.MedianWidth = median(errs), median(widths)
	return s
}

// median returns nil for no values.
func median(v []float64) *float64 {
	if len(v) == 0 {
		return nil
	}
	return new(stats.Median(v))
}
