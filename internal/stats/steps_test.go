package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sizes are the base-2 logarithms of sizes from 4 KiB to 256 MiB in thirds of
// a doubling.
func sizes() (x []float64) {
	for e := 12.0; e <= 28; e += 1.0 / 3 {
		x = append(x, e)
	}
	return x
}

var falling = StepRules{Span: 1, Least: math.Log(1.2), Noise: evenly(0.03)}

func evenly(noise float64) []float64 {
	all := make([]float64, len(sizes()))
	for i := range all {
		all[i] = noise
	}
	return all
}

// A hierarchy of caches, with slopes of two thirds of a doubling between.
func TestStepsFindsCaches(t *testing.T) {
	edges := []float64{math.Log2(48 << 10), 20, 25}
	levels := []float64{200, 100, 50, 20}
	missed, extra := 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 9))
		x := sizes()
		y := make([]float64, len(x))
		for i := range x {
			v := math.Log(levels[0])
			for k, e := range edges {
				v += min(1, max(0, (x[i]-e)/0.667)) * math.Log(levels[k+1]/levels[k])
			}
			y[i] = v + 0.03*r.NormFloat64()
		}
		steps := Steps(x, y, falling)
		for _, e := range edges {
			found := false
			for _, s := range steps {
				found = found || s.At > e-0.34 && s.At < e+0.7 && s.From <= s.At && s.At <= s.To
			}
			if !found {
				missed++
			}
		}
		extra += max(0, len(steps)-len(edges))
	}
	if missed > 3 || extra > 5 {
		t.Errorf("%d of 300 steps missed, %d too many", missed, extra)
	}
}

func TestStepsOfNone(t *testing.T) {
	falsely := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		x := sizes()
		y := make([]float64, len(x))
		for i := range y {
			y[i] = 3 + 0.03*r.NormFloat64()
		}
		falsely += len(Steps(x, y, falling))
	}
	if falsely > 2 {
		t.Errorf("%d steps in 200 flat curves", falsely)
	}
	for _, n := range []int{0, 1, 3} {
		if s := Steps(make([]float64, n), make([]float64, n), falling); s != nil {
			t.Errorf("%d points: %v", n, s)
		}
	}
}

// At small sizes the cost of a call makes the curve rise: that is no step down,
// and must not hide the one that comes.
func TestStepsLeadOneWay(t *testing.T) {
	x := sizes()
	y := make([]float64, len(x))
	for i := range x {
		y[i] = math.Log(100 * math.Exp2(x[i]) / (math.Exp2(x[i]) + 2000))
		if x[i] > 20 {
			y[i] -= math.Log(2)
		}
	}
	s := Steps(x, y, falling)
	if len(s) != 1 || s[0].At < 20 || s[0].At > 20.34 || math.Abs(s[0].Before-s[0].After-math.Log(2)) > 0.03 {
		t.Errorf("%+v, want one step down, behind 2^20", s)
	}
	for i := range y {
		y[i] = -y[i]
	}
	rising := falling
	rising.Rising = true
	if s := Steps(x, y, rising); len(s) != 1 {
		t.Errorf("%+v, want one step up", s)
	}
	if s := Steps(x, y, falling); len(s) > 1 {
		t.Errorf("%+v: hardly a step down", s)
	}
}

// Where the curve is far from still, as memory on a busy machine, chance makes
// no steps, and the step to there is found.
func TestStepsWithUnevenNoise(t *testing.T) {
	missed, extra := 0, 0
	rules := falling
	rules.Noise = evenly(0.02)
	x := sizes()
	for i := range x {
		if x[i] > 24 {
			rules.Noise[i] = 0.25
		}
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 10))
		y := make([]float64, len(x))
		for i := range x {
			y[i] = math.Log(100) + rules.Noise[i]*r.NormFloat64()
			if x[i] > 25 {
				y[i] -= math.Log(5)
			}
		}
		s := Steps(x, y, rules)
		if len(s) == 0 || s[0].At < 24.3 || s[0].At > 25.7 {
			missed++
		}
		extra += max(0, len(s)-1)
	}
	if missed > 5 || extra > 5 {
		t.Errorf("%d of 100 steps missed, %d too many", missed, extra)
	}
}
