package steady

import (
	"math"
	"time"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// phases are what each launch measures.
var phases = []string{result.PhaseSingle, result.PhaseParallel}

// Widths returns, for the single and the parallel phase, how far the farther
// end of the interval of the median aggregate lies from it.
func Widths(run *result.Run) []result.UntilPhase {
	list := make([]result.UntilPhase, len(phases))
	for i, name := range phases {
		list[i].Name = name
		if w := stats.Summarize(run.Aggregates(name)).HalfWidth(); !math.IsInf(w, 0) {
			percent := 100 * w
			list[i].HalfWidthPercent = &percent
		}
	}
	return list
}

// Widest returns the largest half width of all phases in percent; infinite
// while one has no interval.
func Widest(list []result.UntilPhase) float64 {
	widest := 0.0
	for _, p := range list {
		if p.HalfWidthPercent == nil {
			return math.Inf(1)
		}
		widest = max(widest, *p.HalfWidthPercent)
	}
	return widest
}

// A State is how far the launches of all kernels have come.
type State struct {
	Launches int
	Percent  float64 // the widest half width; infinite while there is none
	Wanted   float64
}

// Needed guesses how many launches would do if they go on to spread as they
// do: the width falls with their square root. 0 when there is no interval yet.
func (s State) Needed() int {
	if math.IsInf(s.Percent, 0) {
		return 0
	}
	n := math.Ceil(float64(s.Launches) * math.Pow(s.Percent/s.Wanted, 2))
	return int(min(n, math.MaxInt32))
}

// Watch decides when enough launches were made.
type Watch struct {
	Percent float64       // the half width that is wanted of each phase of each kernel
	Limit   time.Duration // no launch begins later; 0: no limit
	Most    int           // launches
	Say     func(State)   // told of the state after some of the launches, ever fewer; may be nil

	now     func() time.Time
	started time.Time
	said    int
	stop    string
}

// NewWatch starts the clock.
func NewWatch(percent float64, limit time.Duration, most int) *Watch {
	return &Watch{Percent: percent, Limit: limit, Most: most, now: time.Now, started: time.Now()}
}

// Enough says, after each launch of all kernels, whether it was the last one.
func (w *Watch) Enough(runs []*result.Run) bool {
	s := State{Launches: len(runs[0].Launches), Wanted: w.Percent}
	for _, run := range runs {
		s.Percent = max(s.Percent, Widest(Widths(run)))
	}
	switch {
	case s.Percent <= w.Percent:
		w.stop = result.StopReached
	case w.Limit > 0 && w.now().Sub(w.started) >= w.Limit:
		w.stop = result.StopTime
	case s.Launches < w.Most: // else the end says it
		w.tell(s)
	}
	return w.stop != ""
}

// tell speaks when an interval is possible, and then each time that there are
// a quarter more launches.
func (w *Watch) tell(s State) {
	if w.Say != nil && s.Launches >= stats.MinForInterval && 4*s.Launches >= 5*w.said {
		w.said = s.Launches
		w.Say(s)
	}
}

// Finish puts the outcome into the records, with a warning into those that did
// not get there. early: the run was interrupted or failed, and says so itself.
func (w *Watch) Finish(runs []*result.Run, early bool) {
	for _, run := range runs {
		u := &result.Until{Stop: w.stop, Launches: len(run.Launches), Phases: Widths(run)}
		widest := Widest(u.Phases)
		u.Reached = widest <= w.Percent
		switch {
		case early:
			u.Stop = result.StopEarly
		case u.Stop == "":
			u.Stop = result.StopRepeat
		}
		run.Until = u
		if u.Reached || early {
			continue
		}
		v := map[string]float64{"launches": float64(u.Launches), "wanted_percent": w.Percent}
		if !math.IsInf(widest, 0) {
			v["half_width_percent"] = widest
		}
		run.Warnings = append(run.Warnings, result.Warning{Code: result.WarnUntil, Subject: u.Stop, Values: v})
	}
}
