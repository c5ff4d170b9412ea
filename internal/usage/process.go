package usage

import "wordsize/internal/result"

// proc is what is kept of a process while it is alive.
type proc struct {
	pid     int32
	ppid    int64
	program string
	group   *group
	from    int64
	seen    int64 // number of the last tick
	peak    int64
	cpu     [2]int64 // user, system: counted so far
	io      [4]int64 // own, counted so far
	ioAll   [4]int64 // as last read, with the children waited for
	ioKids  [4]int64 // of children that have ended: in ioAll once they were waited for
	ioKnown [4]bool
	pssAt   result.Bytes // when PSS was read
	pss     result.Bytes // and what it was
	uss     result.Bytes
	ownAt   int64 // and RES less SHR then

	was, wasAt int64 // RES less SHR at the last tick
	wasKnown   bool

	whatIfAt  result.Bytes // when the estimate was made
	whatIfRES int64        // and RES then

	gone    bool
	private series
	memory  series  // PSS, or what stands for it
	area    float64 // byte seconds of it
	last    float64
}

// cpuOf returns the CPU counters of a tick.
func cpuOf(p *result.RecordedProcess) (v [2]result.Bytes) {
	return [2]result.Bytes{p.UserNS, p.SystemNS}
}

func ioOf(p *result.RecordedProcess) [4]result.Bytes {
	return [4]result.Bytes{p.ReadChars, p.WriteChars, p.ReadBytes, p.WriteBytes}
}

// baseline takes what a process had used before the recording began, which
// counts for nothing.
func (p *proc) baseline(r *result.RecordedProcess) {
	for i, v := range cpuOf(r) {
		p.cpu[i] = v.Value
	}
	for i, v := range ioOf(r) {
		p.io[i] = v.Value
	}
}

// count adds what the counters of a tick grew by to the groups. Counters that
// went back have grown by nothing.
func (p *proc) count(r *result.RecordedProcess, groups ...*group) {
	for i, v := range cpuOf(r) {
		if v.Known {
			p.countCPU(i, v.Value, groups)
		}
	}
	for i, v := range ioOf(r) {
		if v.Known {
			p.ioAll[i], p.ioKnown[i] = v.Value, true
			p.countIO(i, v.Value-p.ioKids[i], groups)
		}
	}
}

func (p *proc) countCPU(i int, v int64, groups []*group) {
	grown := max(0, v-p.cpu[i])
	p.cpu[i] += grown
	for _, g := range groups {
		if g.meter.add(cpuNS, grown); i == 0 {
			g.user += grown
		} else {
			g.system += grown
		}
	}
}

func (p *proc) countIO(i int, own int64, groups []*group) {
	grown := max(0, own-p.io[i])
	p.io[i] += grown
	for _, g := range groups {
		g.meter.add(readChars+i, grown)
	}
}

// end adds what the record of its end tells beyond the last tick. It returns
// what the process' parent gets of its I/O when it waits for it.
func (p *proc) end(e *result.RecordedExit, groups ...*group) (io [4]int64) {
	known := false
	for i, v := range [2]result.Bytes{e.UserNS, e.SystemNS} {
		if v.Known {
			known = true
			p.countCPU(i, v.Value, groups)
		}
	}
	peak := max(p.peak, e.Peak.Value)
	for _, g := range groups {
		if !known {
			g.cpuLow++
		}
		g.ended(e, peak)
		g.grown += peak - p.peak
	}
	p.peak = peak
	for i, v := range exitIO(e) {
		switch {
		case v.Known:
			p.countIO(i, v.Value, groups)
			io[i] = v.Value + p.ioKids[i]
		case p.ioKnown[i]:
			io[i] = p.ioAll[i]
		}
	}
	return io
}

func exitIO(e *result.RecordedExit) [4]result.Bytes {
	return [4]result.Bytes{e.ReadChars, e.WriteChars, e.ReadBytes, e.WriteBytes}
}

// ended notes how sure the peak of an end is.
func (g *group) ended(e *result.RecordedExit, peak int64) {
	if peak > 0 {
		g.peakOf(e.PID, peak)
	}
	exact := e.PeakFrom != "" && e.PeakFrom != result.PeakFromTick || e.PeakAtMost.Known && e.PeakAtMost.Value <= peak
	if peak <= 0 || !exact {
		g.peakLow++
	}
}

// stale returns how old PSS is at a tick in ns, and by how many bytes RES less
// SHR has changed since it was read. The age is 0 where that is as it was, so
// that the age does not matter.
func (p *proc) stale(r *result.RecordedProcess, t *result.RecordedTick) (age, moved int64) {
	own := ownBytes(r)
	if p.readAnew(r) { // nearer to this tick, or to the last?
		p.pssAt, p.ownAt, p.pss, p.uss = r.PSSAtNS, own, r.PSS, r.USS
		if at := r.PSSAtNS.Value; p.wasKnown && at-p.wasAt < t.AtNS-at {
			p.ownAt = p.was
		}
	}
	p.was, p.wasAt, p.wasKnown = own, t.AtNS, r.Resident.Known
	age, ok := r.PSSAgeNS(t)
	if moved = own - p.ownAt; !ok || moved == 0 || !r.Resident.Known {
		return 0, 0
	}
	return age, moved
}

// sameRead is how far apart two ticks may tell one time of reading, since each
// measures it by its own distance.
const sameRead = int64(2e6)

// readAnew says whether PSS was read since the last tick.
func (p *proc) readAnew(r *result.RecordedProcess) bool {
	apart := r.PSSAtNS.Value - p.pssAt.Value
	return r.PSSAtNS.Known != p.pssAt.Known || max(apart, -apart) > sameRead || r.PSS != p.pss || r.USS != p.uss
}
