package usage

import (
	"cmp"
	"math"
	"slices"

	"wordsize/internal/result"
)

const (
	mostKept   = 12 // ended processes whose course is kept: the largest
	mostShown  = 6  // processes with an area of their own
	mostEvents = 64
)

// course is what is needed to draw a recording.
type course struct {
	ends   [slots]int64 // time of each slot's last tick
	cpu    [slots]int64 // the total's CPU time then
	high   [slots]float64
	count  [slots]float64
	starts [slots]float64
	stops  [slots]float64
	events []result.CourseEvent
	kept   []*proc // ended, largest first
}

func newCourse() *course { return new(course) }

// widen makes room in all series for a time; false when there is.
func (u *Usage) widen(at int64) bool {
	if _, ok := u.grid.slot(at); ok {
		return false
	}
	u.grid.widen()
	for _, p := range u.procs {
		p.private.widen(u.grid)
		p.memory.widen(u.grid)
	}
	for _, p := range u.course.kept {
		p.memory.widen(u.grid)
	}
	for _, g := range u.groups {
		g.widen(u.grid)
	}
	u.total.widen(u.grid)
	u.course.widen()
	return true
}

func (g *group) widen(grid *grid) {
	g.series.widen(grid)
	g.count.widen(grid)
	g.cpuAt = join(g.cpuAt, func(_, b int64) int64 { return b })
}

// join halves a list; a last element without neighbour stays.
func join[T any](list []T, both func(a, b T) T) []T {
	var out []T
	for i := 0; i < len(list); i += 2 {
		if i+1 < len(list) {
			out = append(out, both(list[i], list[i+1]))
		} else {
			out = append(out, list[i])
		}
	}
	return out
}

func (c *course) widen() {
	for i := range slots / 2 {
		a, b := 2*i, 2*i+1
		if c.ends[i], c.cpu[i] = c.ends[a], c.cpu[a]; c.ends[b] != 0 {
			c.ends[i], c.cpu[i] = c.ends[b], c.cpu[b]
		}
		c.high[i], c.count[i] = max(c.high[a], c.high[b]), max(c.count[a], c.count[b])
		c.starts[i], c.stops[i] = c.starts[a]+c.starts[b], c.stops[a]+c.stops[b]
	}
	for i := slots / 2; i < slots; i++ {
		c.ends[i], c.cpu[i], c.high[i], c.count[i], c.starts[i], c.stops[i] = 0, 0, 0, 0, 0, 0
	}
}

// follow takes a process' part in the course.
func (u *Usage) follow(t *result.RecordedTick, p *proc, r *result.RecordedProcess, moved int64) {
	slot, _ := u.grid.slot(t.AtNS)
	p.last = math.NaN()
	if !r.Resident.Known {
		return
	}
	p.private.mean(slot, float64(ownBytes(r)+r.Swap.Value))
	p.last = float64(ownBytes(r))
	if r.PSS.Known {
		p.last = float64(later(r, r.PSS, moved).Value)
	}
	p.area += p.last * float64(t.IntervalNS.Value)
}

// draw takes the tick as a whole; sum is the total's.
func (u *Usage) draw(t *result.RecordedTick, sum *tally) {
	slot, _ := u.grid.slot(t.AtNS)
	u.total.draw(slot, sum)
	for _, g := range u.groups {
		g.draw(slot, &g.before)
	}
	picked := u.grid.pick(slot, t.Number, t.AtNS, float64(sum.sum[pss]))
	if !u.opt.Course {
		return
	}
	if picked {
		for _, p := range u.procs {
			if p.seen == t.Number && !math.IsNaN(p.last) {
				p.memory.keep(slot, t.Number, p.last)
			}
		}
	}
	c := u.course
	c.ends[slot], c.cpu[slot] = t.AtNS, u.total.meter.cum[cpuNS]
	c.high[slot] = max(c.high[slot], u.total.meter.last)
	c.count[slot] = max(c.count[slot], float64(sum.n))
}

func (g *group) draw(slot int, t *tally) {
	for len(g.cpuAt) <= slot {
		last := int64(0)
		if n := len(g.cpuAt); n > 0 {
			last = g.cpuAt[n-1]
		}
		g.cpuAt = append(g.cpuAt, last)
	}
	g.cpuAt[slot] = g.meter.cum[cpuNS]
	if t.n == 0 {
		return
	}
	g.count.mean(slot, float64(t.n))
	if t.known[private] {
		g.series.mean(slot, float64(t.sum[private]))
	}
}

// event notes a start or an end; those of processes that no tick saw are
// counted, and too short for a mark.
func (u *Usage) event(at int64, start, seen bool, pid int32, program string) {
	if !u.opt.Course {
		return
	}
	if i, ok := u.grid.slot(at); ok {
		if start {
			u.course.starts[i]++
		} else {
			u.course.stops[i]++
		}
	}
	if seen && len(u.course.events) <= mostEvents {
		u.course.events = append(u.course.events, result.CourseEvent{AtNS: at, Start: start, PID: pid, Program: result.RawText(program)})
	}
}

// ended keeps the course of a process that has ended, as long as it is among
// the largest.
func (c *course) ended(p *proc) {
	if len(p.memory.point) == 0 {
		return
	}
	p.private = series{}
	c.kept = append(c.kept, p)
	slices.SortStableFunc(c.kept, func(a, b *proc) int { return cmp.Compare(b.area, a.area) })
	c.kept = c.kept[:min(len(c.kept), mostKept)]
}

// result makes what is drawn.
func (c *course) result(u *Usage) *result.Course {
	g := u.grid
	out := &result.Course{AtNS: slices.Clone(g.at[:g.used]), Total: slices.Clone(g.sum[:g.used]), Events: c.events}
	if len(c.events) > mostEvents {
		out.Events = nil
	}
	out.Others = slices.Clone(out.Total)
	all := slices.Clone(c.kept)
	for _, p := range u.procs {
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b *proc) int { return cmp.Or(cmp.Compare(b.area, a.area), cmp.Compare(a.pid, b.pid)) })
	for i, p := range all {
		if i == mostShown && len(all) > mostShown+1 || len(p.memory.point) == 0 {
			break
		}
		line := result.CourseProcess{PID: p.pid, Program: result.RawText(p.program), Bytes: p.memory.picked(g)}
		for k, v := range line.Bytes {
			if !math.IsNaN(v) {
				out.Others[k] -= v
			}
		}
		out.Processes = append(out.Processes, line)
	}
	for k, v := range out.Others {
		out.Others[k] = max(0, v) // NaN stays
		if math.IsNaN(v) {
			out.Others[k] = v
		}
	}
	c.cpuLines(u, out)
	skipEmpty(out, g.ticks[:g.used])
	return out
}

// skipEmpty leaves out the stretches without a tick, when ticks were late: the
// line goes on from the one before to the one behind.
func skipEmpty(c *result.Course, ticks []int64) {
	lists := []*[]float64{&c.Total, &c.Others, &c.CPU, &c.CPUHigh, &c.Count, &c.Starts, &c.Stops}
	for i := range c.Processes {
		lists = append(lists, &c.Processes[i].Bytes)
	}
	for i := range c.GroupCPU {
		lists = append(lists, &c.GroupCPU[i].Percent)
	}
	n := 0
	for i, tick := range ticks {
		if tick == 0 {
			continue
		}
		c.AtNS[n], c.EndsNS[n] = c.AtNS[i], c.EndsNS[i]
		for _, l := range lists {
			(*l)[n] = (*l)[i]
		}
		n++
	}
	c.AtNS, c.EndsNS = c.AtNS[:n], c.EndsNS[:n]
	for _, l := range lists {
		*l = (*l)[:n]
	}
}

// cpuLines derives CPU use from slot to slot.
func (c *course) cpuLines(u *Usage, out *result.Course) {
	share := func(cum []int64) []float64 {
		v := make([]float64, u.grid.used)
		at, last := int64(0), int64(0)
		for i := range v {
			v[i] = math.NaN()
			if c.ends[i] > at && i < len(cum) {
				v[i] = 100 * float64(cum[i]-last) / float64(c.ends[i]-at)
				at, last = c.ends[i], cum[i]
			}
		}
		return v
	}
	out.EndsNS = slices.Clone(c.ends[:u.grid.used])
	out.CPU = share(c.cpu[:u.grid.used])
	out.CPUHigh = slices.Clone(c.high[:u.grid.used])
	out.Count = slices.Clone(c.count[:u.grid.used])
	out.Starts, out.Stops = slices.Clone(c.starts[:u.grid.used]), slices.Clone(c.stops[:u.grid.used])
	out.SlotNS = u.grid.width
	for _, g := range u.sorted() {
		if len(out.GroupCPU) < mostShown && len(u.groups) > 1 && g.meter.cum[cpuNS] > 0 {
			out.GroupCPU = append(out.GroupCPU, result.CourseGroup{Name: result.RawText(g.name), Percent: share(g.cpuAt)})
		}
	}
}
