package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

const noiseSamples = 4000

// alarms returns in which share of samples of n values check says so.
func alarms(n int, draw func(*rand.Rand, int) float64, check func([]float64) bool) float64 {
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	said := 0
	v := make([]float64, n)
	for range noiseSamples {
		for i := range v {
			v[i] = draw(rnd, i)
		}
		if check(v) {
			said++
		}
	}
	return float64(said) / noiseSamples
}

func trends(v []float64) bool  { _, yes := Trend(v); return yes }
func leveled(v []float64) bool { _, yes := FindLevels(v); return yes }
func slow(v []float64) bool    { _, yes := FindSlow(v); return yes }
func outlying(v []float64) bool {
	return len(Outlying(v)) > 0
}

// normal is noise of a tenth of the mean, which is much.
func normal(rnd *rand.Rand, _ int) float64 { return max(0.1, 1+0.1*rnd.NormFloat64()) }

// skewed is noise as of a shared machine: mostly near the best, with a tail to
// the slow side.
func skewed(rnd *rand.Rand, _ int) float64 { return 1 / (1 + 0.06*rnd.ExpFloat64()) }

// Independent noise is seldom called anything.
func TestFalseAlarms(t *testing.T) {
	for _, n := range []int{6, 7, 8, 10, 16, 20, 40, 200} {
		for name, c := range map[string]struct {
			draw  func(*rand.Rand, int) float64
			check func([]float64) bool
			most  float64
		}{
			"trend of normal noise":    {normal, trends, 0.013},
			"trend of skewed noise":    {skewed, trends, 0.013},
			"levels of normal noise":   {normal, leveled, 0.001},
			"levels of skewed noise":   {skewed, leveled, 0.002},
			"slow in normal noise":     {normal, slow, 0.001},
			"slow in skewed noise":     {skewed, slow, 0.001},
			"outlying in normal noise": {normal, outlying, 0.016},
		} {
			if share := alarms(n, c.draw, c.check); share > c.most {
				t.Errorf("%s, n = %d: %.4f, want at most %.3f", name, n, share, c.most)
			}
		}
	}
}

// What is there is found, in the same noise.
func TestFinds(t *testing.T) {
	falling := func(rnd *rand.Rand, i int) float64 { return normal(rnd, i) * (1 - 0.3*float64(i)/40) }
	twoTurns := func(rnd *rand.Rand, i int) float64 { // as of two CPUs that share a core for some seconds
		level := 1.0
		if i%20 < 8 {
			level = 0.55
		}
		return level * (1 + 0.03*rnd.NormFloat64())
	}
	stalls := func(rnd *rand.Rand, i int) float64 {
		if i%13 == 5 {
			return 0.3
		}
		return normal(rnd, i)
	}
	oneOff := func(rnd *rand.Rand, i int) float64 {
		if i == 4 {
			return 0.8
		}
		return 1 + 0.01*rnd.NormFloat64()
	}
	for name, c := range map[string]struct {
		n     int
		draw  func(*rand.Rand, int) float64
		check func([]float64) bool
	}{
		"trend": {40, falling, trends}, "levels": {40, twoTurns, leveled},
		"slow": {39, stalls, slow}, "outlying": {12, oneOff, outlying},
	} {
		if share := alarms(c.n, c.draw, c.check); share < 0.95 {
			t.Errorf("%s is found in %.3f of the samples", name, share)
		}
	}
}

func TestPassFigures(t *testing.T) {
	var v []float64
	for i := range 40 {
		v = append(v, 100-float64(i))
	}
	// Quarters of ten: 95.5 and 65.5.
	if change, yes := Trend(v); !yes || math.Abs(change-(65.5/95.5-1)) > 1e-12 {
		t.Errorf("trend %v, %v", change, yes)
	}
	for i := range v {
		v[i] = 10
		if i >= 30 {
			v[i] = 5
		}
	}
	if l, yes := FindLevels(v); !yes || l != (Levels{5, 10, 0.25}) {
		t.Errorf("levels %+v, %v", l, yes)
	}
	if _, yes := FindLevels(make([]float64, 40)); yes {
		t.Error("equal values have two levels")
	}
	v = []float64{8, 8, 8, 8, 2, 8, 8, 8, 8, 8}
	// Nine passes of 1/8 and one of 1/2, which is 3/8 too long: 3/13 of all.
	if s, yes := FindSlow(v); !yes || s.Share != 0.1 || s.Worst != 4 || math.Abs(s.TimeShare-3.0/13) > 1e-12 {
		t.Errorf("slow %+v, %v", s, yes)
	}
	if _, yes := FindSlow(v[:9]); yes {
		t.Error("nine passes suffice")
	}
	if got := Outlying([]float64{10, 10.1, 9.9, 10, 10.1, 5}); len(got) != 1 || got[0] != 5 {
		t.Errorf("outlying %v", got)
	}
}

func TestHalfWidth(t *testing.T) {
	if w := Summarize([]float64{90, 99, 100, 100, 101, 102}).HalfWidth(); math.Abs(w-0.1) > 1e-12 {
		t.Errorf("%v, want the farther end: 0.1", w)
	}
	for _, v := range [][]float64{nil, {1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 0}} {
		if w := Summarize(v).HalfWidth(); !math.IsInf(w, 1) {
			t.Errorf("%v: %v, want none", v, w)
		}
	}
}

// Stopping as soon as the interval is narrow enough makes it hold the median
// less often than in 95 % of cases; docs/method.md says how often.
func TestStoppingCoverage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	const runs, most = 1000, 100
	for _, sd := range []float64{0.01, 0.015, 0.02, 0.03} { // to one of 1 %
		held, stopped := 0, 0
		for range runs {
			var v []float64
			var s Summary
			for len(v) < most {
				v = append(v, 1+sd*rnd.NormFloat64())
				if s = Summarize(v); s.HalfWidth() <= 0.01 {
					stopped++
					break
				}
			}
			if s.Lo <= 1 && 1 <= s.Hi {
				held++
			}
		}
		share := float64(held) / runs
		t.Logf("noise of %g: held in %.3f, stopped early in %.3f", sd, share, float64(stopped)/runs)
		if share < 0.88 || share > 0.97 {
			t.Errorf("noise of %g: the interval held the median in %.3f of runs", sd, share)
		}
	}
}
