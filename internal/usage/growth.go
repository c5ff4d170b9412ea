package usage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// What a verdict on growth takes.
const (
	shortest    = 30 * time.Second // a recording, or a life, that can be judged
	leastBlocks = 12
	mostBlocks  = 24      // their medians are what the slope goes through
	leastGrowth = 256_000 // bytes over the second half: less does not matter
	leastPart   = 0.005   // of the size, likewise
	mostStep    = 1. / 3  // of all growth that may come at once
	leastPace   = 0.5     // of the last quarter, against the one before it
)

// judge says how a figure grew over the second half of its course: values are
// means over stretches of width ns, NaN where there is none, span ns in all.
func judge(values []float64, width, span int64) *result.Growth {
	life := time.Duration(min(span, int64(len(values))*width))
	half := values[len(values)/2:]
	half = half[:max(0, len(half)-1)] // the last stretch is not complete
	x, y := blocks(half, width)
	g := &result.Growth{OverNS: int64(len(half)) * width}
	if life < shortest || len(x) < leastBlocks {
		g.Verdict = result.GrowthShort
		g.Why = fmt.Sprintf("too short to tell: %s, want %s at least, better minutes", seconds(int64(life)), seconds(int64(shortest)))
		return g
	}
	s := stats.TheilSen(x, y)
	hour := func(v float64) *float64 {
		if v *= 3600; math.IsInf(v, 0) || math.IsNaN(v) {
			return nil
		}
		return &v
	}
	g.PerHour, g.Lo, g.Hi = hour(s.Slope), hour(s.Lo), hour(s.Hi)
	level := stats.Median(y)
	grown := s.Slope * (x[len(x)-1] - x[0])
	biggest, sum := steps(y)
	quarter := len(x) / 2
	before, last := stats.TheilSen(x[:quarter], y[:quarter]), stats.TheilSen(x[quarter:], y[quarter:])
	switch {
	case s.Hi < 0 && -grown > max(leastGrowth, leastPart*level):
		g.Verdict, g.Why = result.GrowthShrinks, "it becomes less"
	case sum > 0 && biggest > mostStep*sum && y[len(y)-1]-y[0] > max(leastGrowth, leastPart*level) && biggest > leastGrowth:
		g.Verdict = result.GrowthSteps
		g.Why = fmt.Sprintf("%.0f %% of the growth came at once: a step, not a trend; a longer recording would tell", 100*biggest/sum)
	case s.Lo <= 0, grown < max(leastGrowth, leastPart*level):
		g.Verdict, g.Why = result.GrowthNone, "no growth to speak of"
	case !(last.Slope >= leastPace*before.Slope), last.Slope <= 0:
		g.Verdict, g.Why = result.GrowthSlowing, "it grows less and less, as a cache does that fills up"
	default:
		g.Verdict, g.Why = result.GrowthLeak, fmt.Sprintf("it grew steadily for %s, to the end", seconds(g.OverNS))
	}
	return g
}

// blocks returns the medians of up to mostBlocks stretches, and their middles
// in seconds: neighbouring samples resemble each other, so that an interval
// made from all of them would be far too narrow.
func blocks(values []float64, width int64) (x, y []float64) {
	n := min(mostBlocks, len(values))
	for i := range n {
		from, to := i*len(values)/n, (i+1)*len(values)/n
		var known []float64
		for _, v := range values[from:to] {
			if !math.IsNaN(v) {
				known = append(known, v)
			}
		}
		if len(known) > 0 {
			x = append(x, float64(from+to)/2*float64(width)/1e9)
			y = append(y, stats.Median(known))
		}
	}
	return x, y
}

// steps returns the largest rise between neighbours, and the sum of all rises.
func steps(y []float64) (biggest, sum float64) {
	for i := 1; i < len(y); i++ {
		if d := y[i] - y[i-1]; d > 0 {
			biggest, sum = max(biggest, d), sum+d
		}
	}
	return biggest, sum
}

// mostLeaking are named of a group.
const mostLeaking = 5

// judgeProcess notes a process of its group that grew steadily.
func (u *Usage) judgeProcess(p *proc) {
	s := &p.private
	if len(s.point) < 2*leastBlocks || p.group == nil {
		return
	}
	v := judge(s.means(s.first, s.first+len(s.point)), u.grid.width, u.at-p.from)
	if v.Verdict == result.GrowthShort {
		return
	}
	for _, g := range [2]*group{p.group, u.total} {
		g.longest++
		if v.Verdict != result.GrowthLeak {
			continue
		}
		g.leaking = append(g.leaking, result.LeakingProcess{PID: p.pid, Program: result.RawText(p.program), PerHour: *v.PerHour})
		slices.SortFunc(g.leaking, func(a, b result.LeakingProcess) int {
			switch {
			case a.PerHour > b.PerHour:
				return -1
			case a.PerHour < b.PerHour:
				return 1
			}
			return int(a.PID) - int(b.PID)
		})
	}
}

// growth judges a group as a whole and by its processes.
func (u *Usage) growth(g *group) *result.Growth {
	s := &g.series
	if len(s.point) == 0 {
		return nil
	}
	from, to := s.first, s.first+len(s.point)
	v := judge(s.means(from, to), u.grid.width, g.to-g.from)
	v.Leaking = g.leaking[:min(len(g.leaking), mostLeaking)]
	counts := g.count.means(from+(to-from)/2, to)
	low, high, changed := changes(counts)
	switch {
	case v.Verdict == result.GrowthShort:
	case len(g.leaking) > 0:
		v.Verdict = result.GrowthLeak
		var names []string
		for _, l := range v.Leaking {
			names = append(names, fmt.Sprintf("%s (%d)", l.Program, l.PID))
		}
		if len(g.leaking) > len(v.Leaking) {
			names = append(names, fmt.Sprintf("%d more", len(g.leaking)-len(v.Leaking)))
		}
		v.Why = "grew steadily to the end: " + strings.Join(names, ", ")
	case changed:
		v.Verdict = result.GrowthCount
		v.Why = fmt.Sprintf("there were %g to %g processes meanwhile, so that the sum says nothing; ", low, high)
		if g.longest > 0 {
			v.Why += "no single process grew steadily"
		} else {
			v.Why += "none lived long enough to be judged alone"
		}
	}
	return v
}

// changes says whether the number of processes changed: the first and the last
// stretch may be of starting and ending.
func changes(counts []float64) (low, high float64, changed bool) {
	var known []float64
	for _, c := range counts {
		if !math.IsNaN(c) {
			known = append(known, c)
		}
	}
	if len(known) > 4 {
		known = known[1 : len(known)-1]
	}
	if len(known) == 0 {
		return 0, 0, false
	}
	usual, other := stats.Median(known), 0
	for _, c := range known {
		if math.Abs(c-usual) > 0.01 {
			other++
		}
	}
	return math.Floor(slices.Min(known)), math.Ceil(slices.Max(known)), other*20 > len(known)
}

// seconds writes a time in words.
func seconds(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	case d < 10*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 10*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
