package usage

import (
	"errors"
	"io"
	"math"
	"time"

	"wordsize/internal/result"
)

// Options say how to sum up.
type Options struct {
	By     By
	Of     func(*Of) bool // which processes count; nil for all
	Course bool           // keep what is needed to draw it
}

// Of is what is known of a process, alive or ended, to choose it by.
type Of struct {
	Role, Program string
}

// leastWindow is the least time over which a highest rate is taken: CPU time
// comes in steps of 10 ms on Linux, so that less would be noise.
const leastWindow = time.Second

// Usage is what was used during one recording.
type Usage struct {
	Recording result.UsedRecording
	Header    *result.RecordingHeader
	End       *result.RecordingEnd // nil when it is cut off
	Cut       *result.RecordingCut
	Course    *result.Course // when asked for

	opt    Options
	total  *group
	groups map[string]*group
	procs  map[int64]*proc
	byPID  map[int32]*proc
	grid   *grid
	course *course
	window int64
	number int64
	at     int64 // of the last tick
	facts  facts
	users  map[int64]string
}

// facts are what the warnings rest on.
type facts struct {
	skipped, late        int64
	doubt                map[int64]bool // processes whose PSS was below what is private
	unreadable           int64
	loadMax              float64
	selfCPU, took, tookN int64
	selfKnown            bool
	selfPeak             result.Bytes
	intervals            dist
}

// Read sums up a recording from where its reader stands to its end.
func Read(rr *result.RecordingReader, file string, opt Options) *Usage {
	h := rr.Header()
	window := max(int64(leastWindow), h.IntervalNS)
	u := &Usage{
		Header: h, opt: opt, groups: map[string]*group{}, procs: map[int64]*proc{}, byPID: map[int32]*proc{},
		grid: newGrid(h.IntervalNS), window: window, total: newGroup("TOTAL", window, 0),
	}
	u.facts.doubt = map[int64]bool{}
	u.users = map[int64]string{}
	u.course = newCourse()
	u.Recording = result.UsedRecording{
		File: file, Labels: h.Labels, Command: h.Command, Started: h.Started, IntervalNS: h.IntervalNS, PSSBudget: h.PSS,
		Exits: h.Exits.Method, Tool: h.Tool, Host: h.Host, Watched: h.Watch != nil,
	}
	for {
		t, err := rr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		u.tick(t)
	}
	u.End, u.Cut = rr.End(), rr.Cut()
	u.finish()
	return u
}

// tick takes one tick.
func (u *Usage) tick(t *result.RecordedTick) {
	dt := t.AtNS - u.at
	if u.number == 0 {
		u.total.meter.marks[0].at = min(0, t.AtNS)
		dt = 0
	}
	u.number = t.Number
	for u.widen(t.AtNS) {
	}
	for _, e := range t.Exits {
		u.exit(e)
	}
	for _, p := range t.Processes {
		u.process(t, p)
	}
	u.forget(t)
	for _, g := range u.groups {
		g.close(t.AtNS, dt)
	}
	u.total.close(t.AtNS, dt)
	u.draw(t, &u.total.before)
	u.at = t.AtNS
	u.note(t)
}

// wants says whether a process counts.
func (u *Usage) wants(role, program string) bool {
	return u.opt.Of == nil || u.opt.Of(&Of{role, program})
}

// groupOf finds or makes a group.
func (u *Usage) groupOf(name string, from int64) *group {
	g := u.groups[name]
	if g == nil {
		g = newGroup(name, u.window, from)
		u.groups[name] = g
	}
	return g
}

// process takes one process of a tick.
func (u *Usage) process(t *result.RecordedTick, r *result.RecordedProcess) {
	program := programOf(r.Program, r.Comm)
	if !u.wants(r.Role, program) {
		return
	}
	p := u.procs[r.ID]
	began := t.AtNS
	if p == nil {
		if r.StartedNS.Known {
			began = min(began, max(0, r.StartedNS.Value))
		}
		p = &proc{pid: r.PID, from: began}
		u.procs[r.ID] = p
		u.byPID[r.PID] = p
		if old := r.StartedNS.Known && r.StartedNS.Value < 0 || !r.StartedNS.Known && t.Number == 1; old {
			p.baseline(r)
		}
		u.total.started++
		u.total.live(began, t.AtNS)
		if t.Number > 1 || r.StartedNS.Value >= 0 && r.StartedNS.Known {
			u.event(began, true, true, r.PID, program)
		}
		if r.UID.Known && r.User != "" {
			u.users[r.UID.Value] = r.User
		}
	}
	p.seen, p.program, p.ppid = t.Number, program, r.PPID.Value
	g := u.groupOf(u.key(r), began)
	fresh := p.group == nil
	if g != p.group { // new, or it executed another program
		p.group = g
		g.started++
		g.live(began, t.AtNS)
	} else {
		fresh = false
	}
	peak := max(p.peak, r.Peak.Value, r.Resident.Value)
	p.count(r, g, u.total)
	age, moved := p.stale(r, t)
	scale := p.whatIfScale(r)
	for _, x := range [2]*group{g, u.total} {
		x.sample(r, age, moved, peak)
		if u.Header.WhatIf > 0 {
			x.now.whatIf.add(r, scale)
		}
		x.peakOf(r.PID, peak)
		if !fresh && p.peak > 0 {
			x.grown += peak - p.peak
		}
	}
	p.peak = peak
	if r.PSS.Known && r.USS.Known && r.PSS.Value+4096 < r.USS.Value {
		u.facts.doubt[r.ID] = true
	}
	u.follow(t, p, r, moved)
}

// exit takes the end of a process.
func (u *Usage) exit(e *result.RecordedExit) {
	if p := u.procs[e.ID]; e.ID != 0 {
		if p == nil {
			return // does not count
		}
		p.gone = true
		io := p.end(e, p.group, u.total)
		u.event(e.AtNS, false, true, e.PID, p.program)
		u.handUp(e.PPID, p.ppid, io)
		for _, g := range [2]*group{p.group, u.total} {
			g.live(g.from, e.AtNS)
		}
		return
	}
	program := programOf(e.Program, e.Comm)
	if !u.wants(e.Role, program) {
		return
	}
	from := u.at
	if e.AgeNS.Known {
		from = max(0, e.AtNS-e.AgeNS.Value)
	}
	g := u.groupOf(u.exitKey(e), from)
	u.event(from, true, false, e.PID, program)
	u.event(e.AtNS, false, false, e.PID, program)
	var io [4]int64
	for _, x := range [2]*group{g, u.total} {
		x.started++
		x.unseen++
		x.live(from, e.AtNS)
		if e.UserNS.Known || e.SystemNS.Known {
			x.user += e.UserNS.Value
			x.system += e.SystemNS.Value
			x.meter.add(cpuNS, e.UserNS.Value+e.SystemNS.Value)
		} else {
			x.cpuLow++
		}
		for i, v := range exitIO(e) {
			if v.Known {
				x.meter.add(readChars+i, v.Value)
				io[i] = v.Value
			}
		}
		x.ended(e, e.Peak.Value)
		if e.Peak.Value > 0 {
			x.unseenNow = append(x.unseenNow, span{from, e.AtNS, e.Peak.Value})
		}
	}
	u.handUp(e.PPID, 0, io)
}

// handUp notes what a parent's counters will hold of an ended child.
func (u *Usage) handUp(ppid result.Bytes, seen int64, io [4]int64) {
	id := seen
	if ppid.Known {
		id = ppid.Value
	}
	if id <= 0 || id > math.MaxInt32 {
		return
	}
	if parent := u.byPID[int32(id)]; parent != nil && !parent.gone {
		for i := range io {
			parent.ioKids[i] += io[i]
		}
	}
}

// forget drops the processes that this tick no longer has.
func (u *Usage) forget(t *result.RecordedTick) {
	for id, p := range u.procs {
		if p.seen == t.Number {
			continue
		}
		u.judgeProcess(p)
		u.course.ended(p)
		delete(u.procs, id)
		if u.byPID[p.pid] == p {
			delete(u.byPID, p.pid)
		}
	}
}

// note collects what warnings rest on.
func (u *Usage) note(t *result.RecordedTick) {
	f := &u.facts
	f.skipped += t.Skipped
	f.unreadable = max(f.unreadable, t.Unreadable.Value)
	if len(t.Load) > 0 {
		f.loadMax = max(f.loadMax, t.Load[0])
	}
	if t.SelfCPUNS.Known {
		f.selfCPU += t.SelfCPUNS.Value
		f.selfKnown = true
	}
	if t.TookNS.Known {
		f.took += t.TookNS.Value
		f.tookN++
	}
	if t.SelfRSSBytes.Known {
		f.selfPeak = result.Some(max(f.selfPeak.Value, t.SelfRSSBytes.Value))
	}
	if t.IntervalNS.Known {
		f.intervals.touch(float64(t.IntervalNS.Value))
		if t.IntervalNS.Value > u.Header.IntervalNS*3/2 {
			f.late++
		}
	}
}
