package steady

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"wordsize/internal/result"
)

// phaseAt is a phase with an aggregate alone.
func phaseAt(name string, rate float64) result.Phase {
	return result.Phase{Name: name, Summary: &result.PhaseSummary{Aggregate: &rate}}
}

func add(run *result.Run, single, parallel float64) {
	run.Launches = append(run.Launches, result.Launch{Phases: []result.Phase{phaseAt(result.PhaseSingle, single), phaseAt(result.PhaseParallel, parallel)}})
}

func TestWidths(t *testing.T) {
	run := &result.Run{}
	for _, v := range []float64{100, 99, 101, 97, 102, 100} {
		add(run, v, 2*v)
	}
	w := Widths(run)
	if len(w) != 2 || w[0].Name != result.PhaseSingle || w[0].HalfWidthPercent == nil || math.Abs(*w[0].HalfWidthPercent-3) > 1e-9 || Widest(w) != *w[0].HalfWidthPercent {
		t.Errorf("%+v, want ±3 %% of both", w)
	}
	run.Launches[5].Phases = run.Launches[5].Phases[:1] // interrupted
	if w := Widths(run); w[0].HalfWidthPercent == nil || w[1].HalfWidthPercent != nil || !math.IsInf(Widest(w), 1) {
		t.Errorf("%+v, want none of the phase with five launches", w)
	}
}

// launch makes launches until the watch has enough, and returns the state at
// each time that it spoke.
func launch(w *Watch, most int, runs []*result.Run, draw func(kernel int) float64) (said []int) {
	w.Say = func(s State) { said = append(said, s.Launches) }
	for range most {
		for k, run := range runs {
			add(run, draw(k), draw(k))
		}
		if w.Enough(runs) {
			break
		}
	}
	return said
}

func TestWatchReaches(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	runs := []*result.Run{{}, {}}
	w := NewWatch(1, 0, 100)
	launch(w, 100, runs, func(k int) float64 { return 1 + 0.01*float64(k)*rnd.NormFloat64() })
	w.Finish(runs, false)
	n := len(runs[0].Launches)
	if n <= 6 || n >= 100 {
		t.Errorf("%d launches: the noisier kernel wants more than the least", n)
	}
	for _, run := range runs {
		if u := run.Until; u == nil || !u.Reached || u.Stop != result.StopReached || u.Launches != n || len(run.Warnings) != 0 || Widest(u.Phases) > 1 {
			t.Errorf("%+v, warnings %v", u, run.Warnings)
		}
	}
}

func TestWatchNeverTakesLessThanSix(t *testing.T) {
	runs := []*result.Run{{}}
	w := NewWatch(100, 0, 100)
	if said := launch(w, 100, runs, func(int) float64 { return 5 }); len(runs[0].Launches) != 6 || len(said) != 0 {
		t.Errorf("%d launches, spoke at %v", len(runs[0].Launches), said)
	}
}

func TestWatchGivesUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	runs := []*result.Run{{}, {}}
	w := NewWatch(0.1, 0, 40)
	said := launch(w, 40, runs, func(k int) float64 { return 1 + 0.1*float64(k)*rnd.Float64() })
	if !slices.Equal(said, []int{6, 8, 10, 13, 17, 22, 28, 35}) {
		t.Errorf("spoke at %v, want ever less often", said)
	}
	w.Finish(runs, false)
	if u := runs[0].Until; !u.Reached || u.Stop != result.StopRepeat || len(runs[0].Warnings) != 0 {
		t.Errorf("the steady kernel: %+v, %v", u, runs[0].Warnings)
	}
	ws := runs[1].Warnings
	if u := runs[1].Until; u.Reached || len(ws) != 1 || ws[0].Code != result.WarnUntil || ws[0].Subject != result.StopRepeat || ws[0].Values["half_width_percent"] != Widest(u.Phases) {
		t.Errorf("the other: %+v, %v", u, ws)
	}
}

func TestWatchLimit(t *testing.T) {
	runs := []*result.Run{{}}
	w := NewWatch(1, time.Minute, 100)
	clock := w.started
	w.now = func() time.Time { clock = clock.Add(25 * time.Second); return clock }
	launch(w, 100, runs, func(int) float64 { return 5 })
	w.Finish(runs, false)
	ws := runs[0].Warnings
	if n := len(runs[0].Launches); n != 3 || len(ws) != 1 || ws[0].Subject != result.StopTime {
		t.Errorf("%d launches, warnings %v; want the third to be the last", n, ws)
	}
	if _, known := ws[0].Values["half_width_percent"]; known {
		t.Errorf("three launches have an interval: %v", ws[0].Values)
	}
}

func TestWatchOfAnInterruptedRun(t *testing.T) {
	runs := []*result.Run{{}}
	w := NewWatch(1, 0, 100)
	launch(w, 3, runs, func(int) float64 { return 5 })
	w.Finish(runs, true)
	if u := runs[0].Until; u.Reached || u.Stop != result.StopEarly || len(runs[0].Warnings) != 0 {
		t.Errorf("%+v, %v: the error says it", u, runs[0].Warnings)
	}
}

func TestNeeded(t *testing.T) {
	if n := (State{Launches: 10, Percent: 3, Wanted: 1}).Needed(); n != 90 {
		t.Errorf("%d, want 90: a third of the width takes nine times the launches", n)
	}
	if n := (State{Launches: 3, Percent: math.Inf(1), Wanted: 1}).Needed(); n != 0 {
		t.Errorf("%d of no interval", n)
	}
}
