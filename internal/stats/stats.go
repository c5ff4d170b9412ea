// Package stats summarizes samples and compares two of them, without assuming
// any distribution: medians with order-statistic confidence intervals and the
// Mann-Whitney U test, by golang.org/x/perf/benchmath.
//
// The unit of a sample is one launch of the benchmark, not one pass: passes of
// a launch share their page placement and are correlated.
package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

const (
	// Confidence is the level of all intervals.
	Confidence = 0.95
	// Alpha is the level below which a difference counts as significant.
	Alpha = 0.05
	// MinForInterval is the least sample size that has a finite interval at
	// this level.
	MinForInterval = 6
)

// Summary is a sample's median with its confidence interval, in the sample's
// unit. Lo and Hi are infinite when there are fewer than MinForInterval
// values; all are NaN when there is none.
type Summary struct {
	N              int
	Median, Lo, Hi float64
}

// Finite says whether the interval is one.
func (s Summary) Finite() bool {
	return !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) && !math.IsNaN(s.Median)
}

// Summarize summarizes values, which it leaves as they are.
func Summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{Median: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	}
	s := benchmath.AssumeNothing.Summary(sample(values), Confidence)
	return Summary{N: len(values), Median: s.Center, Lo: s.Lo, Hi: s.Hi}
}

// sample copies the values, for NewSample sorts the slice that it is given.
func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.Thresholds{CompareAlpha: Alpha})
}

// Comparison is what two samples say of each other.
type Comparison struct {
	A, B        Summary
	P           float64 // of the U test; 1 when it cannot be made
	Significant bool    // P below Alpha
	Change      float64 // B's median over A's, minus 1
}

// Compare compares b with a.
func Compare(a, b []float64) Comparison {
	c := Comparison{A: Summarize(a), B: Summarize(b), P: 1}
	c.Change = c.B.Median/c.A.Median - 1
	if len(a) == 0 || len(b) == 0 {
		return c
	}
	c.P = benchmath.AssumeNothing.Compare(sample(a), sample(b)).P
	c.Significant = c.P < Alpha
	return c
}

// CanBeSignificant says whether samples of these sizes could show a
// significant difference at all, were they ever so different.
func CanBeSignificant(n, m int) bool {
	return LeastP(n, m) < Alpha
}
