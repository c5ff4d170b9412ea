package record

import (
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// sampled is one process of a tick.
type sampled struct {
	proc *procstat.Proc
	role string
}

// observe takes a tick: named are the processes that the flags name, follow
// says of which the children are recorded too. It appends all that are
// recorded, in ascending order of PID, to dst.
func (l *ledger) observe(snap *procstat.Snapshot, scanAt time.Duration, named []*procstat.Proc, follow func(pid int32) bool, dst []sampled) []sampled {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scanAt = scanAt
	l.number++
	for _, p := range named {
		if p.PID != l.self {
			l.watch(&p.Sample, follow(p.PID))
		}
	}
	names := make(map[int32]bool, len(named))
	for _, p := range named {
		names[p.PID] = true
	}
	for again := true; again; { // parents may have higher PIDs than their children
		again = false
		for _, p := range snap.Procs {
			again = l.place(p) || again
		}
	}
	for _, p := range snap.Procs {
		r := l.current(p.PID)
		if r == nil || r.role == "" {
			continue
		}
		l.note(r, p)
		if r.role == result.RoleWatched && !r.follow && !names[p.PID] {
			delete(l.lives, p.PID) // its title no longer matches
			continue
		}
		r.ticked = true
		dst = append(dst, sampled{p, r.role})
	}
	return dst
}

// place finds out whether a process of a tick belongs to the recorded, by its
// parent; it reports whether that was news.
func (l *ledger) place(p *procstat.Proc) bool {
	if p.Have&procstat.HasStat == 0 || p.PID == l.self {
		return false
	}
	known := l.current(p.PID)
	if known != nil && known.start != 0 && known.start != p.Start {
		l.close(known) // the PID is another's now
		known = nil
	}
	if known != nil {
		known.start = p.Start
		return false
	}
	if old := l.lives[p.PID]; old != nil && (old.start == 0 || old.start == p.Start) {
		return false // its end is known already
	}
	if l.events && (p.State == 'Z' || p.State == 'X') {
		return false // its end was told of, and only its parent has not waited for it
	}
	parent := l.current(p.PPID)
	if parent == nil || !parent.follow || parent.start > p.Start {
		return false
	}
	l.add(&life{pid: p.PID, start: p.Start, ppid: p.PPID, role: childRole(parent), follow: true, whole: parent.whole})
	return true
}

// note keeps what a tick saw, for the time when the process has ended.
func (l *ledger) note(r *life, p *procstat.Proc) {
	r.tick = l.number
	if p.Have&procstat.HasStat == 0 {
		return
	}
	r.ppid = p.PPID
	r.comm = p.Comm
	r.threads = max(r.threads, p.Threads)
	if p.Have&procstat.HasUID != 0 {
		r.uid = result.Some(int64(p.UID))
	}
	if p.Have&procstat.HasCPU != 0 {
		r.own, r.children = p.Counters, p.ChildUser+p.ChildSystem
	}
	if p.Image != r.image && p.Image != 0 {
		if r.image != 0 {
			r.peak = 0
		}
		r.image = p.Image
	}
	if p.Own() && p.Have&procstat.HasMemory != 0 {
		r.peak = max(r.peak, p.Resident)
	}
}

// detailed keeps what the second tier of a tick told.
func (l *ledger) detailed(p *procstat.Proc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.current(p.PID)
	if r == nil {
		return
	}
	if p.Detail.Have&procstat.HasIO != 0 {
		r.io, r.hasIO = p.Detail.IO, true
	}
	if p.Own() && p.Detail.Have&procstat.HasStatus != 0 && p.Detail.Status.Peak.Known {
		r.peak = max(r.peak, p.Detail.Status.Peak.Value)
	}
}
