package footprint

import (
	"cmp"
	"math"
	"slices"

	"wordsize/internal/result"
)

// How much of a doubt makes the interval, and what no doubt accounts for, as
// a share of the private memory: how the other build's heap grew, what is free
// in it. It is more where no allocator was recognised. See docs/whatif.md.
const (
	doubtDown       = 0.8
	doubtUp         = 0.4
	residualKnown   = 0.06
	residualUnknown = 0.09
	// undecidedShare is how much of the private memory may hang on bare
	// integers before there is no middle.
	undecidedShare = 0.2
)

// fileFactor is what resident text and read-only data of a 32-bit build take
// of that of a 64-bit build: 0.93 to 1.08 in the calibration set.
var fileFactor = bounds{0.88, 0.97, 1.10}

// conclude turns what was seen into the estimate.
func (a *analysis) conclude() {
	tallies := a.scan.settle()
	var all tally
	for i := range tallies {
		all.add(&tallies[i], 1)
	}
	ratio := bounds{1, 1, 1}
	if all.seen > 0 {
		ratio = all.then.times(1 / all.seen)
	}
	var total tally
	for i := range a.names {
		a.conclude1(i, &tallies[i], ratio, &total)
	}
	slices.SortStableFunc(a.rec.Mappings, func(x, y result.WhatIfMapping) int { return cmp.Compare(y.Private, x.Private) })
	if a.opt.Top > 0 && len(a.rec.Mappings) > a.opt.Top {
		a.rec.Mappings = a.rec.Mappings[:a.opt.Top]
	}
	a.rec.MakeUp = makeUp(&total)
	for i, v := range total.alloc {
		if v >= 1 {
			a.rec.Allocators = append(a.rec.Allocators, result.WhatIfPart{Name: allocatorNames[i], Bytes: int64(v), Then: result.Some(int64(total.allocTo[i]))})
		}
	}
	a.rec.Coverage.ReadBytes, a.rec.Coverage.OfBytes = int64(a.read), int64(a.private)
	a.figures(&total)
	a.fits(&total)
	a.against()
}

// conclude1 scales one region from what was seen to what there is.
func (a *analysis) conclude1(i int, t *tally, ratio bounds, total *tally) {
	n := &a.names[i]
	if n.anon == 0 {
		return
	}
	var scaled tally
	now := float64(n.anon)
	if t.seen > 0 {
		scaled.add(t, now/t.seen)
	} else {
		scaled.seen, scaled.then = now, ratio.times(now)
	}
	page := float64(a.t.PageSize())
	if n.kind == kindData || n.kind == kindBss || n.kind == kindRelro || n.kind == kindStack {
		// A segment of few pages does not shrink below the pages it begins and
		// ends in: half a page of each is left as it is.
		still := min(now, float64(n.count)*page*0.5)
		f := (now - still) / now
		scaled.then = scaled.then.times(f)
		scaled.then.add(exactly(still))
	}
	total.add(&scaled, 1)
	m := result.WhatIfMapping{
		Name: result.RawText(n.name), Count: n.count, Private: int64(n.anon), ReadBytes: int64(n.read), MakeUp: makeUp(&scaled),
		Then: result.Some(int64(scaled.then.mid)), Low: int64(scaled.then.low), High: int64(scaled.then.high), Unread: n.why,
	}
	if (scaled.bareDown + scaled.bareUp) > 0.2*now {
		m.Undecided, m.Then = true, result.Bytes{}
	}
	a.rec.Mappings = append(a.rec.Mappings, m)
}

func makeUp(t *tally) (list []result.WhatIfPart) {
	for i, v := range t.parts {
		if v >= 1 {
			list = append(list, result.WhatIfPart{Name: partNames[i], Bytes: int64(v)})
		}
	}
	slices.SortStableFunc(list, func(x, y result.WhatIfPart) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return list
}

// residual returns what no doubt accounts for.
func (a *analysis) residual(t *tally) float64 {
	all := 0.0
	for _, v := range t.alloc {
		all += v
	}
	if all == 0 {
		return residualUnknown
	}
	unknown := t.alloc[allocNone] / all
	return residualKnown*(1-unknown) + residualUnknown*unknown
}

// figures sets the estimate and its interval.
func (a *analysis) figures(t *tally) {
	now := float64(a.private)
	residual := a.residual(t) * now
	down := math.Hypot((t.then.mid-t.then.low-t.bareDown)*doubtDown, residual) + t.bareDown
	up := math.Hypot((t.then.high-t.then.mid-t.bareUp)*doubtUp, residual) + t.bareUp
	private := bounds{max(0, t.then.mid-down), t.then.mid, t.then.mid + up}
	if a.scan.to.word < a.scan.from.word {
		private.high = min(private.high, now*1.02)
	}
	file := exactly(float64(a.rec.FileBytes))
	if a.scan.to.name != "x32" && a.scan.to.name != "ptr32" {
		f := fileFactor
		if a.scan.to.word > a.scan.from.word {
			f = bounds{1 / f.high, 1 / f.mid, 1 / f.low}
		}
		file = bounds{file.low * f.low, file.mid * f.mid, file.high * f.high}
	}
	rss := exactly(float64(a.rec.SharedBytes))
	rss.add(file)
	rss.add(private)
	a.rec.Undecided = t.bareDown+t.bareUp > undecidedShare*now
	e := &result.WhatIfEstimate{
		RSSLow: int64(rss.low), RSSHigh: int64(rss.high), PrivateLow: int64(private.low), PrivateHigh: int64(private.high),
	}
	if !a.rec.Undecided {
		e.RSS, e.Private = result.Some(int64(rss.mid)), result.Some(int64(private.mid))
	}
	a.rec.Estimate = e
}

// fits compares the address space with what 32 bits can address.
func (a *analysis) fits(t *tally) {
	if !a.rec.VMPeakBytes.Known {
		return
	}
	peak := float64(a.rec.VMPeakBytes.Value)
	var reserved, anon float64
	for i := range a.maps {
		m := &a.maps[i]
		if m.perms[:3] == "---" {
			reserved += float64(m.size())
		} else if !m.file() && !m.shared() {
			anon += float64(m.size())
		}
	}
	used := max(0, peak-reserved)
	shrink := 1.0
	if a.private > 0 {
		shrink = min(1, t.then.high/float64(a.private))
	}
	used -= min(anon, used) * (1 - shrink)
	f := &result.WhatIfFits{BasisBytes: int64(used), Reserved: int64(reserved)}
	verdict := func(limit float64) string {
		switch {
		case used > limit:
			return "no"
		case used > 0.85*limit:
			return "tight"
		}
		return "yes"
	}
	f.In3GiB, f.In4GiB = verdict(3<<30), verdict(4<<30)
	a.rec.Fits = f
}
