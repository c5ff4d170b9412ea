package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scaling makes launches of a curve with relative noise.
func scaling(n []float64, launches int, noise float64, seed uint64, curve func(n float64) float64) Scaling {
	r := rand.New(rand.NewPCG(seed, 3))
	s := Scaling{N: n, Values: make([][]float64, len(n))}
	for i := range n {
		for range launches {
			s.Values[i] = append(s.Values[i], curve(n[i])*(1+noise*r.NormFloat64()))
		}
	}
	return s
}

var upTo8 = []float64{1, 2, 3, 4, 5, 6, 7, 8}

func TestFitKneeFindsSaturation(t *testing.T) {
	for seed := range uint64(20) {
		k, ok := FitKnee(scaling(upTo8, 6, 0.01, seed, func(n float64) float64 { return min(12*n, 50) }))
		if !ok || math.Abs(k.At-50./12) > 0.1 || math.Abs(k.Slope-12) > 0.2 || math.Abs(k.After) > 0.4 || k.Evidence < 50 {
			t.Errorf("seed %d: %+v, want a knee at 4.17", seed, k)
		}
		if k.Lo > k.At || k.Hi < k.At || k.Hi-k.Lo > 0.5 {
			t.Errorf("seed %d: the interval is %.3f to %.3f around %.3f", seed, k.Lo, k.Hi, k.At)
		}
	}
}

// Straight scaling must hardly ever be called broken.
func TestFitKneeOnStraightLines(t *testing.T) {
	const trials = 300
	falsely := 0
	for seed := range uint64(trials) {
		k, _ := FitKnee(scaling([]float64{1, 2, 3, 4, 6, 8, 12, 16}, 4, 0.02, seed, func(n float64) float64 { return 10 * n }))
		if k.Evidence > 10 {
			falsely++
		}
	}
	if falsely > trials/100 {
		t.Errorf("%d of %d straight lines are called broken", falsely, trials)
	}
}

func TestFitKneeOfTwoLevels(t *testing.T) {
	k, ok := FitKnee(scaling([]float64{1, 2}, 6, 0.01, 1, func(n float64) float64 { return 9 + n }))
	if !ok || k.At != 1 || k.Evidence < 10 || math.Abs(k.After/k.Slope-0.1) > 0.05 {
		t.Errorf("%+v: the second adds a tenth, and the break can only be at 1", k)
	}
	k, ok = FitKnee(scaling([]float64{1, 2}, 6, 0.01, 1, func(n float64) float64 { return 10 * n }))
	if !ok || k.Evidence > 0 {
		t.Errorf("%+v: the second adds as much as the first", k)
	}
}

func TestFitKneeWithoutData(t *testing.T) {
	for _, s := range []Scaling{{}, {N: []float64{1}, Values: [][]float64{{10}}}, {N: []float64{1, 2}, Values: [][]float64{{10}, nil}}} {
		if k, ok := FitKnee(s); ok {
			t.Errorf("%+v of %+v", k, s)
		}
	}
	k, ok := FitKnee(Scaling{N: []float64{1, 2, 4}, Values: [][]float64{{10}, {20}, {20}}})
	if !ok || math.Abs(k.At-2) > 1e-9 || !math.IsNaN(k.Lo) {
		t.Errorf("%+v: one launch each shows the knee at 2, and no interval", k)
	}
}

// A launch that met another program must neither hide a knee nor make one.
func TestFitKneeWithOutliers(t *testing.T) {
	for seed := range uint64(20) {
		flat := scaling(upTo8, 6, 0.02, seed, func(n float64) float64 { return min(15*n, 30) })
		flat.Values[0][2] = 0.8
		flat.Values[5][1] = 4
		if k, _ := FitKnee(flat); k.Evidence < 10 || math.Abs(k.At-2) > 0.15 {
			t.Errorf("seed %d: %+v, want a knee at 2", seed, k)
		}
		straight := scaling(upTo8, 6, 0.02, seed, func(n float64) float64 { return 10 * n })
		straight.Values[7][0], straight.Values[6][5] = 20, 30
		if k, _ := FitKnee(straight); k.Evidence > 10 && k.After < k.Slope/2 {
			t.Errorf("seed %d: %+v, want no knee", seed, k)
		}
	}
}
