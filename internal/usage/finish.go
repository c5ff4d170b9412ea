package usage

import (
	"cmp"
	"math"
	"slices"

	"wordsize/internal/result"
)

// finish completes what is only known at the end.
func (u *Usage) finish() {
	r := &u.Recording
	r.Ticks, r.Complete, r.ElapsedNS = u.number, u.End != nil, u.at
	if u.End != nil {
		r.ElapsedNS = max(u.at, u.End.AtNS)
		r.SelfCPUNS, r.SelfPeakBytes = u.End.SelfCPUNS, u.End.SelfPeakBytes
	} else {
		if u.facts.selfKnown {
			r.SelfCPUNS = result.Some(u.facts.selfCPU)
		}
		r.SelfPeakBytes = u.facts.selfPeak
	}
	if r.SelfCPUNS.Known && r.ElapsedNS > 0 {
		r.SelfPercent = result.Some(100 * float64(r.SelfCPUNS.Value) / float64(r.ElapsedNS))
	}
	if u.facts.tookN > 0 {
		r.SelfTickNS = result.Some(u.facts.took / u.facts.tookN)
	}
	if u.number > 0 {
		u.total.live(0, r.ElapsedNS)
	}
	for _, p := range u.procs {
		u.judgeProcess(p)
	}
	if e := u.End; e != nil && !e.Complete && u.opt.Of == nil {
		u.total.cpuUnseen = e.MissedCPUNS.Value
	}
	for _, g := range u.all() {
		g.window = g.meter.finish(g.from, g.to)
		g.growth = u.growth(g)
	}
	if u.opt.Course {
		u.Course = u.course.result(u)
	}
	u.procs, u.byPID, u.course = nil, nil, nil
}

// Empty says whether no process counted.
func (u *Usage) Empty() bool { return u.total.started == 0 }

// all returns the groups and the total.
func (u *Usage) all() []*group { return append(u.sorted(), u.total) }

// sorted returns the groups, largest first: by PSS, then CPU time, then name.
func (u *Usage) sorted() []*group {
	list := make([]*group, 0, len(u.groups))
	for _, g := range u.groups {
		list = append(list, g)
	}
	slices.SortFunc(list, compareGroups)
	return list
}

func compareGroups(a, b *group) int {
	avg := func(g *group) float64 {
		if g.size[pss].n == 0 {
			return 0
		}
		return g.size[pss].mean()
	}
	return cmp.Or(cmp.Compare(avg(b), avg(a)), cmp.Compare(b.peakMax, a.peakMax), cmp.Compare(b.meter.cum[cpuNS], a.meter.cum[cpuNS]), cmp.Compare(a.name, b.name))
}

// usage makes the record of a group.
func (g *group) usage() result.GroupUsage {
	out := result.GroupUsage{
		Name: result.RawText(g.name), SpanNS: max(0, g.to-g.from), SeenNS: int64(g.seen),
		Processes: g.procs.distribution(false), Started: g.started, Unseen: g.unseen,
		Virtual: g.size[virtual].distribution(true), Resident: g.size[resident].distribution(true), Swap: g.size[swap].distribution(true),
		PeakPID: g.peakPID, PeakAtLeast: g.peakLow, WindowNS: g.window,
		UserNS: g.user, SystemNS: g.system, CPUAtLeast: g.cpuLow, CPUUnseen: g.cpuUnseen, Growth: g.growth,
	}
	for name := range g.archs {
		out.Arch = append(out.Arch, name)
	}
	slices.Sort(out.Arch)
	if g.pssRead {
		out.PSS, out.USS = g.size[pss].distribution(true), g.size[uss].distribution(true)
		if g.pssSum > 0 {
			out.PSSEstimated = g.estimated / g.pssSum
		}
		if g.ageWeight > 0 {
			out.PSSAgeAvgNS = result.Some(int64(g.ageSum / g.ageWeight))
			out.PSSAgeMaxNS = result.Some(g.ageMax)
		}
	}
	out.WhatIf = g.whatIf.usage()
	if g.peakKnown {
		out.PeakSum = result.Some(g.peakSum)
	}
	if g.peakMax > 0 {
		out.PeakProcess = result.Some(g.peakMax)
	}
	if g.meter.known[cpuNS] {
		out.CPU = g.cpu(out.SpanNS)
	}
	for i, r := range []**result.Rate{&out.Read, &out.Write, &out.DiskRead, &out.DiskWrite} {
		*r = g.meter.rate(readChars+i, out.SpanNS)
	}
	return out
}

// cpu returns CPU use: the average is what was used over the whole span.
func (g *group) cpu(span int64) *result.Distribution {
	d := g.meter.cpu.distribution(false)
	if d == nil {
		if span <= 0 {
			return nil
		}
		d = new(result.Distribution)
	}
	if span > 0 {
		d.Avg = 100 * float64(g.meter.cum[cpuNS]+g.cpuUnseen) / float64(span)
		d.Max = max(d.Max, d.Avg)
	}
	return d
}

// Merge takes the recordings of one label together; at least one.
func Merge(label string, list []*Usage) result.LabelUsage {
	out := result.LabelUsage{Label: label, Warnings: []result.Note{}, Groups: []result.GroupUsage{}}
	var names []string
	byName := map[string][]*group{}
	for _, u := range list {
		out.Recordings = append(out.Recordings, u.Recording)
		for _, g := range u.sorted() {
			if byName[g.name] == nil {
				names = append(names, g.name)
			}
			byName[g.name] = append(byName[g.name], g)
		}
	}
	var all []*group
	for _, u := range list {
		all = append(all, u.total)
	}
	out.Total = together(all, len(list))
	var merged []result.GroupUsage
	for _, name := range names {
		merged = append(merged, together(byName[name], len(list)))
	}
	slices.SortStableFunc(merged, func(a, b result.GroupUsage) int {
		return cmp.Or(cmp.Compare(avgOf(b.PSS, b.Resident), avgOf(a.PSS, a.Resident)), cmp.Compare(b.PeakProcess.Value, a.PeakProcess.Value), cmp.Compare(b.CPUNS(), a.CPUNS()))
	})
	out.Groups = append(out.Groups, merged...)
	out.Warnings = warnings(list, &out)
	return out
}

func avgOf(list ...*result.Distribution) float64 {
	for _, d := range list {
		if d != nil {
			return d.Avg
		}
	}
	return 0
}

// together takes the groups of one name from n recordings together.
func together(list []*group, n int) result.GroupUsage {
	if n == 1 {
		return list[0].usage()
	}
	sum := newGroup(list[0].name, list[0].window, 0)
	var growths []*result.Growth
	span := int64(0)
	for _, g := range list {
		for name := range g.archs {
			sum.archs[name] = true
		}
		sum.procs.merge(&g.procs)
		for i := range sum.size {
			sum.size[i].merge(&g.size[i])
		}
		span += g.to - g.from
		sum.seen += g.seen
		sum.started, sum.unseen, sum.peakLow, sum.cpuLow = sum.started+g.started, sum.unseen+g.unseen, sum.peakLow+g.peakLow, sum.cpuLow+g.cpuLow
		sum.user, sum.system, sum.cpuUnseen = sum.user+g.user, sum.system+g.system, sum.cpuUnseen+g.cpuUnseen
		sum.pssRead = sum.pssRead || g.pssRead
		sum.estimated, sum.pssSum = sum.estimated+g.estimated, sum.pssSum+g.pssSum
		sum.ageSum, sum.ageWeight, sum.ageMax = sum.ageSum+g.ageSum, sum.ageWeight+g.ageWeight, max(sum.ageMax, g.ageMax)
		sum.peakSum, sum.peakKnown = max(sum.peakSum, g.peakSum), sum.peakKnown || g.peakKnown
		sum.peakOf(g.peakPID, g.peakMax)
		sum.whatIf.merge(&g.whatIf)
		sum.meter.cpu.merge(&g.meter.cpu)
		for i := range sum.meter.cum {
			sum.meter.cum[i] += g.meter.cum[i]
			sum.meter.known[i] = sum.meter.known[i] || g.meter.known[i]
			sum.meter.peak[i] = max(sum.meter.peak[i], g.meter.peak[i])
		}
		sum.window = max(sum.window, g.window)
		if g.growth != nil {
			growths = append(growths, g.growth)
		}
	}
	sum.from, sum.to = 0, span
	sum.growth = mix(growths)
	out := sum.usage()
	mean := func(v *int64) { *v = int64(math.Round(float64(*v) / float64(n))) }
	for _, v := range []*int64{&out.SpanNS, &out.SeenNS, &out.Started, &out.Unseen, &out.UserNS, &out.SystemNS, &out.CPUUnseen} {
		mean(v)
	}
	for _, r := range []*result.Rate{out.Read, out.Write, out.DiskRead, out.DiskWrite} {
		if r != nil {
			mean(&r.Bytes)
		}
	}
	return out
}

// mix takes the verdicts of several recordings together.
func mix(list []*result.Growth) *result.Growth {
	if len(list) == 0 {
		return nil
	}
	out := *list[0]
	var slopes []float64
	for _, g := range list {
		if g.Verdict != out.Verdict {
			out.Verdict = result.GrowthMixed
		}
		if g.PerHour != nil {
			slopes = append(slopes, *g.PerHour)
		}
		out.OverNS = min(out.OverNS, g.OverNS)
	}
	if len(list) > 1 {
		out.PerHour, out.Lo, out.Hi, out.Leaking = nil, nil, nil, nil
		if len(slopes) == len(list) {
			mid := 0.0
			for _, v := range slopes {
				mid += v / float64(len(slopes))
			}
			lo, hi := slices.Min(slopes), slices.Max(slopes)
			out.PerHour, out.Lo, out.Hi = &mid, &lo, &hi
		}
		counts := map[string]int{}
		for _, g := range list {
			counts[g.Verdict]++
		}
		if out.Verdict == result.GrowthMixed {
			out.Why = "the recordings disagree: " + verdictCounts(counts)
		}
	}
	return &out
}
