package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHolm(t *testing.T) {
	// Worked by hand: sorted 0.01·4, 0.02·3, 0.03·2, 0.5·1, made monotone.
	got := Holm([]float64{0.5, 0.01, 0.03, 0.02})
	for i, want := range []float64{0.5, 0.04, 0.06, 0.06} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v, want %g at %d", got, want, i)
		}
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v: a p-value is at most 1", got)
	}
	if len(Holm(nil)) != 0 {
		t.Error("nothing became something")
	}
}

// Ten tests without any difference: uncorrected, every third family has a
// false claim; corrected, at most one in twenty.
func TestHolmFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const families = 400
	raw, corrected := 0, 0
	for range families {
		var p []float64
		for range 10 {
			p = append(p, Compare(draws(r, 10, 1, 0.01), draws(r, 10, 1, 0.01)).P)
		}
		if slices.Min(p) < Alpha {
			raw++
		}
		if slices.Min(Holm(p)) < Alpha {
			corrected++
		}
	}
	if raw < families/4 || float64(corrected) > 0.07*families {
		t.Errorf("of %d families %d claim falsely uncorrected, %d corrected", families, raw, corrected)
	}
}

func draws(r *rand.Rand, n int, mean, noise float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = mean * (1 + noise*r.NormFloat64())
	}
	return s
}

func TestGeomean(t *testing.T) {
	if g := Geomean([]float64{2, 0.5, 8}); math.Abs(g-2) > 1e-12 {
		t.Errorf("%g, want 2", g)
	}
	for _, bad := range [][]float64{nil, {1, 0}, {1, -1}, {1, math.NaN()}} {
		if g := Geomean(bad); !math.IsNaN(g) {
			t.Errorf("%v: %g, want NaN", bad, g)
		}
	}
}

func TestOutlierScores(t *testing.T) {
	for name, c := range map[string]struct {
		in  []float64
		out []int // which are outlying
	}{
		"one slow host":   {[]float64{30, 30.2, 29.9, 30.1, 22, 30}, []int{4}},
		"none":            {[]float64{30, 30.2, 29.9, 30.1, 29.8}, nil},
		"half the same":   {[]float64{30, 30, 30, 30, 30, 20}, []int{5}},
		"all the same":    {[]float64{30, 30, 30, 30, 30}, nil},
		"two of ten":      {[]float64{30, 31, 29, 30.5, 29.5, 30.2, 29.8, 30.1, 10, 60}, []int{8, 9}},
		"too few to tell": {[]float64{30, 30, 30, 1}, nil},
	} {
		var out []int
		for i, s := range OutlierScores(c.in) {
			if math.Abs(s) > OutlierScore {
				out = append(out, i)
			}
		}
		if !slices.Equal(out, c.out) {
			t.Errorf("%s: outlying %v, want %v (scores %.3g)", name, out, c.out, OutlierScores(c.in))
		}
	}
}

func TestShapeOfNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const trials = 2000
	for _, n := range []int{8, 10, 12, 20} {
		drift, modes := 0, 0
		for range trials {
			s := draws(r, n, 100, 0.03)
			if _, d := Drift(s); d {
				drift++
			}
			if _, _, two := Modes(s); two {
				modes++
			}
		}
		if drift > trials*15/1000 || modes > trials*2/100 {
			t.Errorf("n = %d: of %d samples of noise %d drift and %d have two modes", n, trials, drift, modes)
		}
	}
}

func TestShape(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	rising, modal := 0, 0
	for range 100 {
		s := draws(r, 12, 100, 0.01)
		for i := range s {
			s[i] *= 1 + 0.007*float64(i)
		}
		if change, d := Drift(s); d && change > 0.04 && change < 0.11 {
			rising++
		}
		s = draws(r, 12, 100, 0.01)
		for i := range s {
			if i%3 == 0 {
				s[i] *= 1.7
			}
		}
		if lo, hi, two := Modes(s); two && math.Abs(lo-100) < 2 && math.Abs(hi-170) < 3 {
			modal++
		}
	}
	if rising < 95 || modal < 99 {
		t.Errorf("of 100 each, %d drifting and %d bimodal samples were seen", rising, modal)
	}
	flat := make([]float64, 10)
	if _, d := Drift(flat); d {
		t.Error("equal values drift")
	}
	if _, _, two := Modes(flat); two {
		t.Error("equal values have two modes")
	}
}

func TestInterleaved(t *testing.T) {
	labels := func(s string) (out []bool) {
		for _, c := range s {
			out = append(out, c == 'B')
		}
		return out
	}
	for in, want := range map[string]bool{
		"ABABABABABAB": true, "ABBAABBAABBA": true, "ABBABAABBAAB": true,
		"AAAAAABBBBBB": false, "AAABBBAAABBB": true, "ABABAAAAAABBBBBB": true, "AAAAAAAAAABBBBBBBBBB": false,
		"AAAAAAAAAABBBBBBBBBBA": false, "AB": false, "ABA": true,
	} {
		if got := Interleaved(labels(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}
