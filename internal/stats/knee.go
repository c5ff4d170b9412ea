package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Scaling is what was reached at several levels of parallelism: Values[i] are
// launches of N[i]. N rises, and values are above 0.
type Scaling struct {
	N      []float64
	Values [][]float64
}

// Knee is a broken line through the origin fitted to a Scaling: Slope up to At,
// After beyond it, in values a unit of N. Residuals are relative to the median
// of their level. (After near 0 is saturation.)
type Knee struct {
	At, Slope, After float64
	Lo, Hi           float64 // 95 % of the resampled launches have At within; NaN with fewer than MinForInterval launches
	// Evidence is how much smaller the Bayesian information criterion
	// (Schwarz, Annals of Statistics 6, 1978) is than a straight line's: above
	// 10 is called very strong (Kass and Raftery, JASA 90, 1995).
	Evidence float64
}

const (
	kneeSteps    = 32    // places tried between two neighbours of N
	kneeResample = 400   // of the launches, for the interval
	kneeFloor    = 0.001 // relative error below which nobody measures
)

// FitKnee fits the line. ok is false when there are not two levels with a
// value.
func FitKnee(s Scaling) (k Knee, ok bool) {
	s = s.filled().tamed()
	if len(s.N) < 2 {
		return k, false
	}
	levels := s.levels()
	k, broken := fitBroken(levels)
	count, least := 0, math.MaxInt
	for _, v := range s.Values {
		count, least = count+len(v), min(least, len(v))
	}
	bic := func(squares float64, parameters int) float64 {
		n := float64(count)
		return n*math.Log(max(squares/n, kneeFloor*kneeFloor)) + float64(parameters)*math.Log(n)
	}
	parameters := 3
	if len(levels) == 2 { // the break has one place only
		parameters = 2
	}
	k.Evidence = bic(straight(levels), 1) - bic(broken, parameters)
	k.Lo, k.Hi = math.NaN(), math.NaN()
	if least >= MinForInterval {
		k.Lo, k.Hi = s.resampled()
	}
	return k, true
}

// filled leaves out levels without a value.
func (s Scaling) filled() (out Scaling) {
	for i, v := range s.Values {
		if len(v) > 0 {
			out.N, out.Values = append(out.N, s.N[i]), append(out.Values, v)
		}
	}
	return out
}

// tamed draws outliers in, to three standard deviations from the median of
// their level: one launch that met another program must not turn the line. The
// deviation is that of all levels together, from the median of absolute ones.
func (s Scaling) tamed() Scaling {
	const deviations, ofMedian = 3, 1.4826 // of a normal distribution, over its median absolute deviation
	var apart []float64
	for _, v := range s.Values {
		mid := median(v)
		for _, x := range v {
			apart = append(apart, math.Abs(x/mid-1))
		}
	}
	if len(apart) == 0 {
		return s
	}
	most := max(kneeFloor, deviations*ofMedian*median(apart))
	out := Scaling{N: s.N, Values: make([][]float64, len(s.Values))}
	for i, v := range s.Values {
		mid := median(v)
		for _, x := range v {
			out.Values[i] = append(out.Values[i], min(max(x, mid*(1-most)), mid*(1+most)))
		}
	}
	return out
}

// level is the values of one N, in units of their median: what least squares
// need of them.
type level struct {
	n, unit             float64
	count, sum, squares float64
}

func (s Scaling) levels() []level {
	all := make([]level, len(s.N))
	for i, values := range s.Values {
		l := level{n: s.N[i], unit: median(values), count: float64(len(values))}
		for _, v := range values {
			l.sum += v / l.unit
			l.squares += v / l.unit * v / l.unit
		}
		all[i] = l
	}
	return all
}

// left returns the sum of squared residuals when the level is predicted.
func (l *level) left(predicted float64) float64 {
	f := predicted / l.unit
	return l.squares - 2*f*l.sum + f*f*l.count
}

// straight fits one line through the origin and returns the sum of squared
// residuals.
func straight(levels []level) (squares float64) {
	var num, den float64
	for _, l := range levels {
		num += l.n / l.unit * l.sum
		den += l.n / l.unit * l.n / l.unit * l.count
	}
	for i := range levels {
		squares += levels[i].left(num / den * levels[i].n)
	}
	return squares
}

// fitBroken tries every place for the break, from the first level to the last
// but one: beyond it something must have been measured.
func fitBroken(levels []level) (best Knee, squares float64) {
	squares = math.Inf(1)
	try := func(at float64) {
		slope, after, left := broken(levels, at)
		if left < squares*(1-1e-9) {
			best, squares = Knee{At: at, Slope: slope, After: after}, left
		}
	}
	last := len(levels) - 2
	for i := range last {
		for j := range kneeSteps {
			try(levels[i].n + (levels[i+1].n-levels[i].n)*float64(j)/kneeSteps)
		}
	}
	try(levels[last].n)
	return best, squares
}

// broken fits the two slopes for a break at a place, by least squares.
func broken(levels []level, at float64) (slope, after, squares float64) {
	var uu, uv, vv, u1, v1 float64
	for _, l := range levels {
		u, v := min(l.n, at)/l.unit, max(0, l.n-at)/l.unit
		uu, uv, vv = uu+u*u*l.count, uv+u*v*l.count, vv+v*v*l.count
		u1, v1 = u1+u*l.sum, v1+v*l.sum
	}
	det := uu*vv - uv*uv
	if det <= 0 {
		return math.NaN(), math.NaN(), math.Inf(1)
	}
	slope, after = (u1*vv-v1*uv)/det, (v1*uu-u1*uv)/det
	for i := range levels {
		squares += levels[i].left(slope*min(levels[i].n, at) + after*max(0, levels[i].n-at))
	}
	return slope, after, max(0, squares)
}

// resampled draws launches with replacement and returns the range that holds
// 95 % of the breaks found (the bootstrap's percentiles). The draws are the
// same for the same data.
func (s Scaling) resampled() (lo, hi float64) {
	r := rand.New(rand.NewPCG(1, uint64(len(s.N))))
	places := make([]float64, kneeResample)
	drawn := Scaling{N: s.N, Values: make([][]float64, len(s.Values))}
	for i := range places {
		for j, v := range s.Values {
			drawn.Values[j] = drawn.Values[j][:0]
			for range v {
				drawn.Values[j] = append(drawn.Values[j], v[r.IntN(len(v))])
			}
		}
		k, _ := fitBroken(drawn.levels())
		places[i] = k.At
	}
	slices.Sort(places)
	const tail = (1 - Confidence) / 2
	return places[int(tail*kneeResample)], places[int((1-tail)*kneeResample)-1]
}
