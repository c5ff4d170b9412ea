package stats

import (
	"math"
	"slices"
	"sort"
)

// Holm returns p-values corrected for having made all of these tests, by
// Holm's step-down method (Scandinavian Journal of Statistics 6, 1979): what
// stays below Alpha may be claimed with at most that chance of one false claim
// among all. The order is kept.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
	out := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		out[i] = worst
	}
	return out
}

// Geomean returns the geometric mean; NaN when there are no values or one is
// not above 0.
func Geomean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		if !(v > 0) {
			return math.NaN()
		}
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values))) // 0/0 is NaN
}

const (
	// OutlierScore is the score above which a value counts as outlying
	// (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
	OutlierScore = 3.5
	// MinForOutliers is the least number of values among which one can be
	// called outlying: with fewer, the middle half says little.
	MinForOutliers = 5
)

// OutlierScores returns each value's modified z-score: its distance from the
// median in units of the spread that the middle half shows, 0.6745 (x −
// median) / MAD. Where more than half of the values are the same, the mean
// distance takes the place of the median one; where all are, all scores are 0.
// Nil when there are fewer than MinForOutliers values.
func OutlierScores(values []float64) []float64 {
	if len(values) < MinForOutliers {
		return nil
	}
	middle := median(values)
	distances := make([]float64, len(values))
	sum := 0.0
	for i, v := range values {
		distances[i] = math.Abs(v - middle)
		sum += distances[i]
	}
	// Either makes the unit a standard deviation when values are normal.
	unit := median(distances) / 0.6745
	if unit == 0 {
		unit = 1.253314 * sum / float64(len(values))
	}
	scores := make([]float64, len(values))
	for i, v := range values {
		if unit > 0 {
			scores[i] = (v - middle) / unit
		}
	}
	return scores
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	mid := len(s) / 2
	if len(s)%2 == 0 {
		return (s[mid-1] + s[mid]) / 2
	}
	return s[mid]
}
