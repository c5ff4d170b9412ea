package usage

import (
	"cmp"
	"slices"

	"wordsize/internal/result"
)

// The sizes of a group that are sampled at every tick.
const (
	virtual = iota
	resident
	pss
	uss
	swap
	private // RES less SHR, and swap: what growth is judged by
	sizes
)

// group is a group of processes in the making.
type group struct {
	name  string
	archs map[string]bool
	meter *meter

	from, to int64 // span, ns since the start of the recording
	procs    dist
	size     [sizes]dist
	seen     float64 // ns in which ticks saw a process

	started, unseen, peakLow, cpuLow int64
	user, system, cpuUnseen          int64
	pssRead                          bool
	estimated, pssSum                float64 // byte seconds
	ageSum, ageWeight                float64
	ageMax                           int64

	now, before tally
	series      series  // private memory
	count       series  // processes
	cpuAt       []int64 // CPU time at the end of each slot
	peakSum     int64
	peakKnown   bool
	peakMax     int64
	peakPID     int32
	unseenNow   []span // lives since the last tick that no tick saw
	grown       int64  // by how much the peaks of those that the last tick saw have grown since
	leaking     []result.LeakingProcess
	longest     int // processes whose growth could be judged
	growth      *result.Growth
	window      int64 // ns, of highest rates
	whatIf      whatIfMeter
}

// span is one life between two ticks.
type span struct{ from, to, peak int64 }

// tally is what a tick saw of a group.
type tally struct {
	n         int64
	sum       [sizes]int64
	known     [sizes]bool
	estimate  int64 // part of the PSS that is one
	shared    int64 // largest SHR among processes without PSS
	peaks     int64
	ageSum    float64 // ns, of PSS, weighted by bytes
	ageWeight float64
	whatIf    whatIf
}

func newGroup(name string, window, at int64) *group {
	return &group{name: name, archs: map[string]bool{}, meter: newMeter(window, at), from: at, to: at}
}

// live extends the span.
func (g *group) live(from, to int64) {
	g.from, g.to = min(g.from, from), max(g.to, to)
}

// sample adds one process to what this tick saw. age is that of its PSS, moved
// by how much its RES less SHR has changed since that was read.
func (g *group) sample(p *result.RecordedProcess, age, moved, peak int64) {
	t := &g.now
	t.n++
	t.peaks += peak
	g.arch(p)
	if !p.Resident.Known {
		return
	}
	add := func(i int, v result.Bytes) {
		if v.Known {
			t.sum[i] += v.Value
			t.known[i] = true
		}
	}
	add(virtual, p.Virtual)
	add(resident, p.Resident)
	add(swap, p.Swap)
	own := ownBytes(p)
	add(private, result.Some(own+p.Swap.Value))
	if p.PSS.Known {
		g.pssRead = true
		add(pss, later(p, p.PSS, moved))
		add(uss, later(p, p.USS, moved))
		t.estimate += max(moved, -moved)
		t.ageSum += float64(age) * float64(p.PSS.Value)
		t.ageWeight += float64(p.PSS.Value)
		g.ageMax = max(g.ageMax, age)
		return
	}
	add(pss, result.Some(own))
	add(uss, result.Some(own))
	t.estimate += own
	t.shared = max(t.shared, p.Shared.Value)
}

// later is a size that was read before, as it is now: what is private has
// changed it, and it is no more than RES.
func later(p *result.RecordedProcess, v result.Bytes, moved int64) result.Bytes {
	if moved != 0 {
		v.Value = min(max(0, v.Value+moved), p.Resident.Value)
	}
	return v
}

// ownBytes is RES less SHR: what is anonymous, and so the process' own but for
// pages that are shared since a fork. Without SHR it is RES.
func ownBytes(p *result.RecordedProcess) int64 {
	return max(0, p.Resident.Value-p.Shared.Value)
}

func (g *group) arch(p *result.RecordedProcess) {
	if p.Bits != 0 {
		g.archs[archName(p)] = true
	}
}

// close takes the tick as a whole: dt ns have gone by since the one before.
func (g *group) close(at, dt int64) {
	t := &g.now
	t.sum[pss] += t.shared
	t.estimate += t.shared
	g.peaks()
	if t.n > 0 {
		g.live(at, at)
		half := float64(dt) / 2
		g.weigh(t, half, true)
		if g.before.n > 0 {
			g.weigh(&g.before, half, false)
		}
	} else if g.before.n > 0 {
		g.weigh(&g.before, float64(dt)/2, false)
	}
	g.meter.tick(at, t.n > 0)
	g.before, g.now = *t, tally{}
	g.unseenNow, g.grown = g.unseenNow[:0], 0
}

// weigh adds a tick's figures with the time for which they stand; fresh ones
// count for the extremes.
func (g *group) weigh(t *tally, weight float64, fresh bool) {
	add := func(d *dist, v int64) {
		if fresh {
			d.touch(float64(v))
		}
		d.add(float64(v), weight)
	}
	g.seen += weight
	add(&g.procs, t.n)
	for i := range g.size {
		if t.known[i] {
			add(&g.size[i], t.sum[i])
		}
	}
	g.pssSum += float64(t.sum[pss]) * weight
	g.estimated += float64(t.estimate) * weight
	g.ageSum += t.ageSum * weight
	g.ageWeight += t.ageWeight * weight
	g.whatIf.weigh(&t.whatIf, weight, fresh)
}

// peaks finds the most that the peaks of processes alive at once add up to:
// now, and between the two ticks.
func (g *group) peaks() {
	between := g.before.peaks + g.grown + overlap(g.unseenNow)
	most := max(g.now.peaks, between)
	if most > 0 {
		g.peakKnown = true
	}
	g.peakSum = max(g.peakSum, most)
}

// overlap returns the largest sum of the peaks of lives that overlap.
func overlap(lives []span) (most int64) {
	type event struct{ at, change int64 }
	var events []event
	for _, l := range lives {
		events = append(events, event{l.from, l.peak}, event{l.to, -l.peak})
	}
	slices.SortFunc(events, func(a, b event) int { // ends stand before starts of the same time
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.change, b.change))
	})
	sum := int64(0)
	for _, e := range events {
		sum += e.change
		most = max(most, sum)
	}
	return most
}

// peakOf takes the peak of one process.
func (g *group) peakOf(pid int32, peak int64) {
	if peak > g.peakMax {
		g.peakMax, g.peakPID = peak, pid
	}
}
