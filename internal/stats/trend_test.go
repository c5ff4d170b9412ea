package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTheilSen(t *testing.T) {
	x := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	y := make([]float64, len(x))
	for i := range x {
		y[i] = 3 + 2*x[i]
	}
	if s := TheilSen(x, y); s.Slope != 2 || s.Lo != 2 || s.Hi != 2 || s.Intersection != 3 || !s.Significant {
		t.Errorf("%+v", s)
	}
	y[11] = 1e9 // one outlier moves it little
	if s := TheilSen(x, y); s.Slope != 2 || s.Hi > 1e6 {
		t.Errorf("%+v", s)
	}
	flat := make([]float64, len(x))
	if s := TheilSen(x, flat); s.Slope != 0 || s.Lo != 0 || s.Hi != 0 || s.Significant {
		t.Errorf("%+v", s)
	}
	if s := TheilSen(x[:1], y[:1]); !math.IsNaN(s.Slope) || s.Significant {
		t.Errorf("%+v", s)
	}
	if s := TheilSen(x[:3], y[:3]); s.Slope != 2 || !math.IsInf(s.Lo, -1) || s.Significant {
		t.Errorf("%+v", s)
	}
}

// The interval holds the slope in about 95 % of samples of noise.
func TestTheilSenInterval(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, 24)
	y := make([]float64, 24)
	held, claimed := 0, 0
	const samples = 2000
	for range samples {
		for i := range x {
			x[i] = float64(i)
			y[i] = 0.5*x[i] + 4*rnd.NormFloat64()
		}
		if s := TheilSen(x, y); s.Lo <= 0.5 && s.Hi >= 0.5 {
			held++
		}
		for i := range y {
			y[i] -= 0.5 * x[i]
		}
		if TheilSen(x, y).Significant {
			claimed++
		}
	}
	if share := float64(held) / samples; share < 0.93 || share > 0.98 {
		t.Errorf("the interval held the slope in %.3f", share)
	}
	if share := float64(claimed) / samples; share > 0.07 {
		t.Errorf("a slope was claimed of noise in %.3f", share)
	}
}
