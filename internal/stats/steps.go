package stats

import "math"

// Step is a place where a curve changes from one level to another. The levels
// are means of Y.
type Step struct {
	From, To      float64 // the last x of the level before, the first of the one after
	At            float64 // where the curve crosses the middle between them
	Before, After float64
}

// StepRules say what counts as a step.
type StepRules struct {
	Rising bool      // steps lead up; else down. What leads the other way is none
	Span   float64   // least extent in x of a level: what is shorter is part of a slope
	Least  float64   // least change of y
	Noise  []float64 // of each y: its standard deviation about the level, above 0
}

// Steps finds the steps of a curve by change-point detection: the curve is cut
// into pieces of constant level so that the squared residuals, in units of their
// noise, and a penalty a cut, are least (Jackson et al., IEEE Signal Processing Letters 12, 2005; the
// penalty is the Bayesian information criterion's). Pieces shorter than a
// level are slopes between levels. x rises; y has no NaN.
func Steps(x, y []float64, r StepRules) []Step {
	n := min(len(x), len(y), len(r.Noise))
	if n < 4 {
		return nil
	}
	// A cut has a place and a level: two parameters.
	pieces := partition(y[:n], r.Noise[:n], 2*math.Log(float64(n)))
	var levels []piece
	for _, p := range pieces {
		if x[p.to-1]-x[p.from] >= r.Span*(1-1e-9) || p.from == 0 && p.to-p.from > 1 || p.to == n && p.to-p.from > 1 {
			levels = append(levels, p)
		}
	}
	var steps []Step
	for i := 1; i < len(levels); i++ {
		a, b := levels[i-1], levels[i]
		change := b.mean - a.mean
		if !r.Rising {
			change = -change
		}
		switch {
		case change >= r.Least:
			steps = append(steps, Step{From: x[a.to-1], To: x[b.from], At: crossing(x[:n], y[:n], a, b), Before: a.mean, After: b.mean})
		case change >= 0: // no step: one level, as long as both
			levels[i] = piece{a.from, b.to, a.weight + b.weight, (a.mean*a.weight + b.mean*b.weight) / (a.weight + b.weight)}
		}
	}
	return steps
}

// piece is y[from:to] with its mean, each weighed by how little noise it has.
type piece struct {
	from, to     int
	weight, mean float64
}

// partition returns the cut of y into pieces that is best in all.
func partition(y, noise []float64, penalty float64) []piece {
	n := len(y)
	weights, sums, squares := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	for i, v := range y {
		w := 1 / (noise[i] * noise[i])
		weights[i+1], sums[i+1], squares[i+1] = weights[i]+w, sums[i]+w*v, squares[i]+w*v*v
	}
	left := func(from, to int) float64 {
		s := sums[to] - sums[from]
		return squares[to] - squares[from] - s*s/(weights[to]-weights[from])
	}
	best, cut := make([]float64, n+1), make([]int, n+1)
	best[0] = -penalty
	for to := 1; to <= n; to++ {
		best[to] = math.Inf(1)
		for from := range to {
			if b := best[from] + left(from, to) + penalty; b < best[to] {
				best[to], cut[to] = b, from
			}
		}
	}
	var pieces []piece
	for to := n; to > 0; to = cut[to] {
		from := cut[to]
		w := weights[to] - weights[from]
		pieces = append([]piece{{from, to, w, (sums[to] - sums[from]) / w}}, pieces...)
	}
	return pieces
}

// crossing returns where the curve crosses the middle between two levels,
// straight from point to point.
func crossing(x, y []float64, a, b piece) float64 {
	middle := (a.mean + b.mean) / 2
	for i := a.to; i <= b.from; i++ {
		if lo, hi := y[i-1], y[i]; (lo-middle)*(hi-middle) <= 0 && lo != hi {
			return x[i-1] + (x[i]-x[i-1])*(middle-lo)/(hi-lo)
		}
	}
	return (x[a.to-1] + x[b.from]) / 2
}
