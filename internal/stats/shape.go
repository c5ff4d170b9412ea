package stats

import (
	"math"
	"slices"
)

const (
	minForDrift = 8    // fewer values show no trend
	minForModes = 10   // nor heaps: with 8, one sample of noise in thirty would
	driftAlpha  = 0.01 // several samples are looked at: be slower to cry
	splitLeft   = 0.10 // share of the variance left within two modes
	minApart    = 0.02 // modes closer than this part of the median don't matter
)

// Drift says whether values, in order of time, rise or fall, by Mann's and
// Kendall's test (normal approximation, corrected for ties), and by how much
// from the first to the last, as a part of the median: Sen's slope times the
// number of steps. Samples of fewer than eight values show none.
func Drift(values []float64) (change float64, drifts bool) {
	n := len(values)
	if n < minForDrift {
		return 0, false
	}
	score := 0
	var slopes []float64
	ties := make(map[float64]int)
	for i, v := range values {
		ties[v]++
		for j := i + 1; j < n; j++ {
			switch w := values[j]; {
			case w > v:
				score++
			case w < v:
				score--
			}
			slopes = append(slopes, (values[j]-v)/float64(j-i))
		}
	}
	variance := kendallVariance(n, ties)
	if variance <= 0 {
		return 0, false
	}
	z := math.Max(0, math.Abs(float64(score))-1) / math.Sqrt(variance)
	p := math.Erfc(z / math.Sqrt2)
	return median(slopes) * float64(n-1) / median(values), p < driftAlpha
}

// kendallVariance returns the variance of Kendall's score of n values, of which
// so many each are tied (Gilbert, section 16.4).
func kendallVariance(n int, ties map[float64]int) float64 {
	term := func(k int) float64 { return float64(k) * float64(k-1) * float64(2*k+5) }
	variance := term(n)
	for _, k := range ties {
		variance -= term(k)
	}
	return variance / 18
}

// Modes says whether values fall into two heaps, and returns the heaps'
// medians: split where that leaves the least variance within the heaps, they
// must hold nearly all of it between them, and each a fifth of the values.
// Samples of fewer than ten values show none. Of normal samples at most one
// in fifty is called so.
func Modes(values []float64) (low, high float64, two bool) {
	n := len(values)
	if n < minForModes {
		return 0, 0, false
	}
	s := slices.Sorted(slices.Values(values))
	at, left := split(s)
	if left > splitLeft {
		return 0, 0, false
	}
	low, high = median(s[:at]), median(s[at:])
	return low, high, high-low > minApart*median(s)
}

// split returns where to cut sorted values, four or more, so that the least
// of their variance is left within the two parts, and which share of it that
// is: 1 when they are all the same. Each part gets a fifth of them.
func split(s []float64) (at int, left float64) {
	n := len(s)
	mean := 0.0
	for _, v := range s {
		mean += v / float64(n)
	}
	// Of values less their mean, what is between the parts is all of the
	// variance but the squares within.
	all, sum, most := 0.0, 0.0, 0.0
	for _, v := range s {
		all += (v - mean) * (v - mean)
	}
	least := max(2, n/5)
	for i, v := range s[:n-least] {
		sum += v - mean
		if k := float64(i + 1); i+1 >= least {
			if between := sum * sum * float64(n) / (k * (float64(n) - k)); between > most {
				most, at = between, i+1
			}
		}
	}
	if at == 0 {
		return least, 1
	}
	return at, max(0, 1-most/all)
}

// Interleaved says whether two groups of launches took turns: labels, in order
// of time, are false for one and true for the other. When they did not, a
// drift of the host shows as a difference between them.
func Interleaved(labels []bool) bool {
	n, blocks := [2]int{}, 0
	for i, l := range labels {
		if l {
			n[1]++
		} else {
			n[0]++
		}
		if i == 0 || l != labels[i-1] {
			blocks++
		}
	}
	// Strict turns make 2n blocks, ABBA n + 1, chance about n + 1.
	return 2*blocks >= min(n[0], n[1])+2 && blocks > 2
}
