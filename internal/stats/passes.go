package stats

import (
	"math"
	"slices"
)

const (
	minForTrend  = 16   // passes; fewer show none
	trendBlocks  = 32   // at most: neighbours are alike, and pairs are many
	trendLeast   = 0.10 // change from the first to the last quarter
	minForLevels = 20   // passes; of normal noise one sample in 10,000 then has two
	levelsApart  = 0.10 // of the median
	minForSlow   = 10   // passes
	slowBelow    = 0.5  // of the median rate
	slowLeast    = 0.05 // of all time
)

// Trend says whether the rates of passes, in order of time, rise or fall
// throughout, and by how much from the first quarter's median to the last's,
// as a part of the first: a tenth or more, in what Drift says of the medians
// of up to 32 blocks of neighbours. Fewer than 16 passes show none. Of
// independent noise of any shape at most one sample in a hundred is called so,
// and none whose quarters agree within a tenth.
func Trend(rates []float64) (change float64, trends bool) {
	n := len(rates)
	if n < minForTrend {
		return 0, false
	}
	change = median(rates[n-n/4:])/median(rates[:n/4]) - 1
	if !(math.Abs(change) >= trendLeast) {
		return change, false
	}
	blocks := make([]float64, min(n, trendBlocks))
	for i := range blocks {
		blocks[i] = median(rates[i*n/len(blocks) : (i+1)*n/len(blocks)])
	}
	drift, drifts := Drift(blocks)
	return change, drifts && drift*change > 0
}

// Levels are two rates between which a worker changes.
type Levels struct {
	Low, High float64 // medians, in the unit of the rates
	LowShare  float64 // of the passes at the lower one
}

// FindLevels says whether the rates of passes are at two levels, as Modes
// finds heaps, a tenth of the median or more apart. Fewer than 20 passes show
// none.
func FindLevels(rates []float64) (l Levels, two bool) {
	n := len(rates)
	if n < minForLevels {
		return l, false
	}
	s := slices.Sorted(slices.Values(rates))
	at, left := split(s)
	l = Levels{Low: median(s[:at]), High: median(s[at:]), LowShare: float64(at) / float64(n)}
	return l, left <= splitLeft && l.High-l.Low >= levelsApart*median(s)
}

// SlowPasses are passes at less than half of the median rate.
type SlowPasses struct {
	Share     float64 // of the passes
	Worst     float64 // how many times the median pass the slowest took
	TimeShare float64 // of all time: what they took beyond as many median passes
}

// FindSlow says whether passes at less than half of the median rate cost a
// twentieth of the time or more. Fewer than ten passes show none.
func FindSlow(rates []float64) (s SlowPasses, costly bool) {
	if len(rates) < minForSlow {
		return s, false
	}
	middle := median(rates)
	all, beyond, slow := 0.0, 0.0, 0
	for _, r := range rates {
		all += 1 / r
		if r < slowBelow*middle {
			slow++
			beyond += 1/r - 1/middle
		}
	}
	s.Share, s.Worst, s.TimeShare = float64(slow)/float64(len(rates)), middle/slices.Min(rates), beyond/all
	return s, s.TimeShare >= slowLeast
}

// minForOutlying is the least number of launches of which one can be called
// outlying.
const minForOutlying = 6

// Outlying returns the places of values whose modified z-score is beyond 4.5 +
// 320 / n²: then one sample of normal noise in a hundred has any, for 6 values
// as for 200. (OutlierScore alone would find one in every seventh sample of
// six.) Fewer than six values have none.
func Outlying(values []float64) (places []int) {
	n := float64(len(values))
	if n < minForOutlying {
		return nil
	}
	for i, z := range OutlierScores(values) {
		if math.Abs(z) > 4.5+320/(n*n) {
			places = append(places, i)
		}
	}
	return places
}

// HalfWidth returns the farther end of a summary's interval from its median,
// as a part of the median; infinite when there is no interval.
func (s Summary) HalfWidth() float64 {
	if !s.Finite() || s.Median <= 0 {
		return math.Inf(1)
	}
	return max(s.Hi-s.Median, s.Median-s.Lo) / s.Median
}
