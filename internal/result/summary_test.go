package result

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// A worker that writes 100 bytes every 10 ns from start on.
func even(start int64, passes, held, partial int64) Worker {
	w := Worker{StartNS: start, Passes: passes, HeldPasses: held, PartialBytes: partial, BytesPerPass: 100, PassStride: 1}
	for i := int64(1); i <= passes+held; i++ {
		w.PassEndNS = append(w.PassEndNS, start+10*i)
	}
	w.EndNS = start + 10*passes
	w.StopNS = start + 10*(passes+held) + partial/10
	return w
}

func TestSummaryOfHeldLoad(t *testing.T) {
	// Twice as slow: 100 bytes every 20 ns.
	slow := Worker{StartNS: 5, EndNS: 65, StopNS: 75, PassEndNS: []int64{25, 45, 65}, PassStride: 1, Passes: 3, PartialBytes: 50, BytesPerPass: 100}
	p := Phase{Workers: []Worker{even(0, 3, 4, 50), slow}}
	s := p.Summarize()
	if s == nil {
		t.Fatal("no summary")
	}
	if s.WindowStartNS != 5 || s.WindowEndNS != 65 {
		t.Errorf("window %d to %d, want 5 to 65", s.WindowStartNS, s.WindowEndNS)
	}
	if want := 15e9; !near(*s.Aggregate, want) {
		t.Errorf("aggregate %g bytes/s, want %g: 10 and 5 bytes a nanosecond", *s.Aggregate, want)
	}
	if !near(s.PerProcess.Max, 10e9) || !near(s.PerProcess.Min, 5e9) || !near(s.PerProcess.Median, 7.5e9) || !near(s.Fairness, 0.5) {
		t.Errorf("summary %+v", s)
	}
}

func TestSummaryOfLoadNotHeld(t *testing.T) {
	slow := Worker{StartNS: 0, EndNS: 60, StopNS: 60, PassEndNS: []int64{20, 40, 60}, PassStride: 1, Passes: 3, BytesPerPass: 100}
	p := Phase{Workers: []Worker{even(0, 3, 0, 0), slow}}
	s := p.Summarize()
	if s.WindowEndNS != 30 || !near(*s.Aggregate, 15e9) {
		t.Errorf("window ends at %d, aggregate %g; want 30, while both worked, and 15e9", s.WindowEndNS, *s.Aggregate)
	}
}

// Thinned timestamps tell the same as all of them.
func TestSummaryWithStride(t *testing.T) {
	all := even(0, 8, 0, 0)
	thin := all
	thin.PassStride = 4
	thin.PassEndNS = []int64{40, 80}
	late := even(3, 7, 0, 0)
	a, b := Phase{Workers: []Worker{all, late}}, Phase{Workers: []Worker{thin, late}}
	if x, y := a.Summarize(), b.Summarize(); !near(*x.Aggregate, *y.Aggregate) {
		t.Errorf("aggregate %g with all timestamps, %g with every fourth", *x.Aggregate, *y.Aggregate)
	}
}

func TestNoSummaryWithoutWork(t *testing.T) {
	for name, p := range map[string]Phase{
		"no workers": {},
		"no pass":    {Workers: []Worker{{StopNS: 10}}},
		"no time":    {Workers: []Worker{{Passes: 1, BytesPerPass: 1, PassStride: 1}}},
	} {
		if s := p.Summarize(); s != nil {
			t.Errorf("%s: summary %+v, want none", name, s)
		}
	}
}

// Workers that never ran together have rates, but no aggregate.
func TestNoAggregateWithoutWindow(t *testing.T) {
	p := Phase{Workers: []Worker{even(0, 2, 0, 0), even(100, 2, 0, 0)}}
	if s := p.Summarize(); s == nil || s.Aggregate != nil || !near(s.PerProcess.Median, 10e9) {
		t.Errorf("summary %+v, want rates and no aggregate", s)
	}
}

func TestSpread(t *testing.T) {
	in := []float64{3, 1, 2, 10}
	if s := SpreadOf(in); s != (Spread{1, 2.5, 10}) {
		t.Errorf("spread %v", s)
	}
	if in[0] != 3 {
		t.Error("SpreadOf sorted its argument")
	}
	if s := SpreadOf(nil); !math.IsNaN(s.Median) {
		t.Errorf("median of nothing is %v, want NaN", s.Median)
	}
}
