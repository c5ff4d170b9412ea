package stats

import (
	"math"
	"testing"
)

func TestLeastP(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 7} {
		a, b := make([]float64, n), make([]float64, n)
		for i := range n {
			a[i], b[i] = float64(i), float64(i+100)
		}
		if got, want := LeastP(n, n), Compare(a, b).P; math.Abs(got-want) > 1e-9 {
			t.Errorf("n = %d: %g, the test gives %g", n, got, want)
		}
		if (LeastP(n, n) < Alpha) != CanBeSignificant(n, n) {
			t.Errorf("n = %d: CanBeSignificant disagrees", n)
		}
	}
	if LeastP(0, 5) != 1 {
		t.Error("an empty sample tells nothing")
	}
}

func TestLeastN(t *testing.T) {
	for tests, want := range map[int]int{1: 4, 2: 5, 10: 6, 100: 8} {
		if got := LeastN(tests); got != want {
			t.Errorf("%d tests: %d, want %d", tests, got, want)
		}
	}
}
