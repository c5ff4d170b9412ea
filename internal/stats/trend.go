package stats

import (
	"math"
	"slices"
)

// Slope is the slope of a line through points, in the unit of y per unit of x,
// with its interval at Confidence.
type Slope struct {
	N            int
	Slope        float64
	Lo, Hi       float64
	Significant  bool // the interval does not hold 0
	Intersection float64
}

// z of a normal distribution at Confidence, two-sided.
const zConfidence = 1.959964

// TheilSen returns the median of the slopes of all pairs of points (Theil 1950,
// Sen 1968), which a few outliers or one step cannot move far, with Sen's
// interval from Kendall's statistic (Gilbert, Statistical Methods for
// Environmental Pollution Monitoring, 1987, section 16.4). NaN for fewer than
// two distinct places, and an infinite interval where the points are too few
// for one. It makes n (n − 1) / 2 slopes.
func TheilSen(x, y []float64) Slope {
	n := min(len(x), len(y))
	s := Slope{N: n, Slope: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1), Intersection: math.NaN()}
	var slopes []float64
	ties := map[float64]int{}
	for i := range n {
		ties[y[i]]++
		for j := i + 1; j < n; j++ {
			if x[i] != x[j] {
				slopes = append(slopes, (y[j]-y[i])/(x[j]-x[i]))
			}
		}
	}
	if len(slopes) == 0 {
		return s
	}
	slices.Sort(slopes)
	s.Slope = median(slopes)
	rest := make([]float64, n)
	for i := range rest {
		rest[i] = y[i] - s.Slope*x[i]
	}
	s.Intersection = median(rest)
	if len(ties) == 1 { // no change at all
		s.Lo, s.Hi = s.Slope, s.Slope
		return s
	}
	c := zConfidence * math.Sqrt(max(0, kendallVariance(n, ties)))
	count := float64(len(slopes))
	low, high := int(math.Floor((count-c)/2))-1, int(math.Ceil((count+c)/2))
	if low >= 0 && high < len(slopes) {
		s.Lo, s.Hi = slopes[low], slopes[high]
	}
	s.Significant = s.Lo > 0 || s.Hi < 0
	return s
}

// Median returns the middle value, NaN of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return median(values)
}
