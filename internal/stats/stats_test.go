package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSummarize(t *testing.T) {
	in := []float64{5, 1, 4, 2, 6, 3}
	s := Summarize(in)
	if s.N != 6 || s.Median != 3.5 || s.Lo != 1 || s.Hi != 6 || !s.Finite() {
		t.Errorf("%+v, want median 3.5 in [1, 6]: at n = 6 the interval is the range", s)
	}
	if !slices.Equal(in, []float64{5, 1, 4, 2, 6, 3}) {
		t.Error("the argument was sorted")
	}
	if s := Summarize(in[:5]); s.Finite() || s.Median != 4 {
		t.Errorf("five values: %+v, want no finite interval", s)
	}
	if s := Summarize(nil); !math.IsNaN(s.Median) || s.Finite() {
		t.Errorf("no values: %+v", s)
	}
}

func TestCompare(t *testing.T) {
	a, b := []float64{10, 11, 12, 13}, []float64{20, 21, 22, 23}
	c := Compare(a, b)
	if !c.Significant || math.Abs(c.P-2.0/70) > 1e-9 || math.Abs(c.Change-(21.5/11.5-1)) > 1e-12 {
		t.Errorf("%+v, want p = 2/70", c)
	}
	if c := Compare(a[:3], b[:3]); c.Significant {
		t.Errorf("three and three: %+v, can never be significant", c)
	}
	if c := Compare(a, a); c.Significant || c.Change != 0 {
		t.Errorf("the same: %+v", c)
	}
	if c := Compare(nil, b); c.Significant || c.P != 1 {
		t.Errorf("nothing: %+v", c)
	}
	for n, want := range map[int]bool{0: false, 3: false, 4: true, 10: true} {
		if CanBeSignificant(n, n) != want {
			t.Errorf("n = %d: can be significant %v", n, !want)
		}
	}
}

// Where there is no difference, at most about one comparison in twenty may
// claim one; where there is one of 3 % at 1 % noise, nearly all must.
func TestErrorRates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(mean float64) []float64 {
		s := make([]float64, 10)
		for i := range s {
			s[i] = mean * (1 + 0.01*r.NormFloat64())
		}
		return s
	}
	const trials = 2000
	var falsely, rightly int
	for range trials {
		if Compare(draw(1), draw(1)).Significant {
			falsely++
		}
		if Compare(draw(1), draw(1.03)).Significant {
			rightly++
		}
	}
	if share := float64(falsely) / trials; share > 0.06 {
		t.Errorf("%.3f of equal pairs are called different", share)
	}
	if share := float64(rightly) / trials; share < 0.95 {
		t.Errorf("only %.3f of pairs 3 %% apart are called different", share)
	}
}
