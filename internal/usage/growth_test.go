package usage

import (
	"math"
	"testing"
	"time"

	"wordsize/internal/result"
)

// grow records 200 s of a program whose RES is f(seconds) MiB.
func grow(t *testing.T, f func(s float64) float64) *result.GroupUsage {
	t.Helper()
	tp := newTape(t, time.Second)
	p := tp.start(101, "a", 10*mib)
	for i := range 200 {
		size(p, int64(f(float64(i))*mib)&^4095)
		tp.take()
	}
	tp.end()
	return &tp.label(Options{By: ByProgram}).Total
}

func TestGrowth(t *testing.T) {
	noise := func(s float64) float64 { return 2 * math.Sin(s*12.9898) * math.Cos(s*78.233) }
	for _, tc := range []struct {
		name    string
		f       func(s float64) float64
		verdict string
		perHour float64 // MiB, NaN for any
	}{
		{"1 MiB a second", func(s float64) float64 { return 20 + s }, result.GrowthLeak, 3600},
		{"slow and noisy", func(s float64) float64 { return 100 + s/10 + noise(s) }, result.GrowthLeak, 360},
		{"saw teeth that climb", func(s float64) float64 { return 50 + s/4 + math.Mod(s, 7) }, result.GrowthLeak, 900},
		{"flat", func(float64) float64 { return 50 }, result.GrowthNone, 0},
		{"flat and noisy", func(s float64) float64 { return 50 + noise(s) }, result.GrowthNone, math.NaN()},
		{"a cache that is full", func(s float64) float64 { return 100 - 90*math.Exp(-s/10) }, result.GrowthNone, math.NaN()},
		{"a cache that fills up", func(s float64) float64 { return 100 - 90*math.Exp(-s/60) }, result.GrowthSlowing, math.NaN()},
		{"a cache that gets full late", func(s float64) float64 { return min(20+s, 190) }, result.GrowthSlowing, math.NaN()},
		{"one step", func(s float64) float64 { return 50 + 40*math.Floor(s/150) }, result.GrowthSteps, math.NaN()},
		{"a step in the first half", func(s float64) float64 { return 50 + 40*min(1, math.Floor(s/60)) }, result.GrowthNone, math.NaN()},
		{"shrinking", func(s float64) float64 { return 300 - s }, result.GrowthShrinks, -3600},
	} {
		g := grow(t, tc.f).Growth
		if g == nil || g.Verdict != tc.verdict {
			t.Errorf("%s: %+v, want %s", tc.name, g, tc.verdict)
			continue
		}
		if !math.IsNaN(tc.perHour) {
			near(t, tc.name, *g.PerHour/mib, tc.perHour, 0.06*math.Abs(tc.perHour)+1e-9)
			if *g.Lo > *g.PerHour || *g.Hi < *g.PerHour {
				t.Errorf("%s: %g not in [%g, %g]", tc.name, *g.PerHour, *g.Lo, *g.Hi)
			}
		}
	}
}

func TestGrowthTooShort(t *testing.T) {
	tp := newTape(t, 100*time.Millisecond)
	p := tp.start(101, "a", 10*mib)
	for i := range 200 { // 20 s
		size(p, int64(10+i)*mib)
		tp.take()
	}
	tp.end()
	if g := tp.label(Options{}).Total.Growth; g.Verdict != result.GrowthShort || g.PerHour != nil {
		t.Errorf("%+v", g)
	}
}

// More processes are no leak; one that grows among them is, and is named.
func TestGrowthOfPools(t *testing.T) {
	pool := func(leak bool) *result.Growth {
		tp := newTape(t, time.Second)
		first := tp.start(101, "a", 10*mib)
		for i := range 200 {
			if i%10 == 5 {
				tp.start(int32(200+i), "a", 20*mib)
			}
			if leak {
				size(first, int64(10+i)*mib)
			}
			tp.take()
		}
		tp.end()
		return tp.label(Options{By: ByProgram}).Groups[0].Growth
	}
	if g := pool(false); g.Verdict != result.GrowthCount {
		t.Errorf("%+v", g)
	}
	if g := pool(true); g.Verdict != result.GrowthLeak || len(g.Leaking) != 1 || g.Leaking[0].PID != 101 || math.Abs(g.Leaking[0].PerHour/mib-3600) > 40 {
		t.Errorf("%+v", g)
	}
}

// Workers that end and are replaced, each flat: no leak.
func TestGrowthOfReplacedWorkers(t *testing.T) {
	tp := newTape(t, time.Second)
	w := tp.start(101, "a", 50*mib)
	for i := range 200 {
		if i%20 == 19 {
			next := tp.start(int32(102+i), "a", 50*mib)
			tp.take(gone(w, time.Duration(i)*time.Second, 0, 50*mib))
			w = next
			continue
		}
		tp.take()
	}
	tp.end()
	if g := tp.label(Options{By: ByProgram}).Groups[0].Growth; g.Verdict != result.GrowthNone {
		t.Errorf("%+v", g)
	}
}

func TestGrowthMixed(t *testing.T) {
	a, b := 1.0, 3.0
	g := mix([]*result.Growth{{Verdict: result.GrowthLeak, PerHour: &a}, {Verdict: result.GrowthNone, PerHour: &b}})
	if g.Verdict != result.GrowthMixed || *g.PerHour != 2 || *g.Lo != 1 || *g.Hi != 3 {
		t.Errorf("%+v", g)
	}
}
