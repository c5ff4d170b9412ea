package record

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// life is what is known of one process, from whoever told.
type life struct {
	pid    int32
	start  uint64 // 0 until something told that knows it
	ppid   int32  // last known
	role   string // "" of the recorder itself
	follow bool   // its children belong too
	comm   string
	uid    result.Bytes

	born     time.Duration // when it was learned of
	whole    bool          // since its start, so that sums over its threads are complete
	ticked   bool          // a tick saw it
	tick     uint64        // the last that did
	threads  int32         // most that a tick saw
	image    uint64        // changes with the program that it executes
	peak     int64         // highest VmHWM or RES that was read of that program, bytes
	own      procstat.Counters
	children time.Duration // CPU time of those that it waited for
	io       procstat.IO   // at the last tick; with HasIO
	hasIO    bool

	sum taskStats // of the threads that ended
	fin *final    // what ptrace saw last
	// The end of the first thread, which is not that of the process when others
	// go on.
	leader *ending
	end    *ending
}

// ending is what is known of the end of a process.
type ending struct {
	at     time.Duration
	told   bool  // by an event, so that status is known
	status int32 // as wait(2) has it
	stats  bool  // the sums are those of all threads
	wait   *waited
	age    int // ticks since it was learned of
}

// waited is what waiting for a child gave.
type waited struct {
	pid    int32
	status int32
	rusage *result.Rusage // nil where the system has none
	// Of the zombie; absent where it could not be read.
	stat *procstat.Sample
	io   *procstat.IO // with the children that it waited for
}

// final is what ptrace saw of a process just before the end of a thread.
type final struct {
	peak int64 // VmHWM; 0 when it could not be read
	stat *procstat.Sample
}

// ledger holds the processes that are recorded and decides which are. It is for
// concurrent use.
type ledger struct {
	mu     sync.Mutex
	self   int32 // the recorder, the parent of the command and of orphans
	now    func() time.Duration
	events bool // all forks and ends are told of
	stats  bool // and what they used
	lives  map[int32]*life
	ended  []*life // still here, or replaced in lives by a newer process of the PID

	scanAt time.Duration // when the last scan began
	number uint64        // of the last tick
	exits  int64         // records given out
	unseen int64         // of these, of processes that no tick saw
	lost   int64         // times that events were lost
	off    bool          // nothing is recorded any more

	waitedCPU time.Duration // rusage of all that were waited for: with their descendants
	toldCPU   time.Duration // own CPU time of all ends of descendants
	floor     int64         // the recorder's own peak when it started the command
}

func newLedger(self int32, now func() time.Duration) *ledger {
	l := &ledger{self: self, now: now, lives: map[int32]*life{}}
	l.lives[self] = &life{pid: self, follow: true, whole: true}
	return l
}

// add starts a life, ending the one that had its PID.
func (l *ledger) add(n *life) *life {
	if old := l.lives[n.pid]; old != nil {
		l.close(old)
	}
	n.born = l.now()
	l.lives[n.pid] = n
	return n
}

// close notes an end, of whatever kind it turns out to be.
func (l *ledger) close(p *life) *ending {
	if p.end == nil {
		p.end = &ending{at: l.now()}
		l.ended = append(l.ended, p)
	}
	return p.end
}

// current returns the life of a PID that is not known to have ended.
func (l *ledger) current(pid int32) *life {
	if p := l.lives[pid]; p != nil && p.end == nil {
		return p
	}
	return nil
}

// childRole is the role of a process by its parent's: the recorder's one child
// of its own making is the command, and started names it.
func childRole(parent *life) string {
	if parent.role == result.RoleWatched {
		return result.RoleWatched
	}
	return result.RoleChild
}

// started adds the command.
func (l *ledger) started(pid int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.current(pid); p != nil { // an event was quicker
		p.role = result.RoleCommand
		return
	}
	l.add(&life{pid: pid, ppid: l.self, role: result.RoleCommand, follow: true, whole: true})
}

// fork takes an event of the given time.
func (l *ledger) fork(parent, child int32, at time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.lives[parent] // its end may be known already, from elsewhere
	if l.off || p == nil || !p.follow {
		if old := l.current(child); old != nil { // the PID is another's now
			l.close(old)
		}
		return false
	}
	if c := l.current(child); c != nil && at-c.born < time.Second && c.ppid == parent {
		c.born = min(c.born, at)
		return true // a tick was quicker
	}
	l.add(&life{pid: child, ppid: parent, role: childRole(p), follow: true, whole: true, comm: p.comm, uid: p.uid}).born = at
	return true
}

// has reports whether a PID is among the recorded.
func (l *ledger) has(pid int32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.current(pid)
	return p != nil && p.role != ""
}

// named notes what a process is called, and its peak so far; a process that has
// just executed another program has none.
func (l *ledger) named(pid int32, comm string, uid result.Bytes, peak int64, executed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.current(pid); p != nil {
		if p.comm = comm; uid.Known {
			p.uid = uid
		}
		if p.peak = max(p.peak, peak); executed {
			p.peak, p.image = 0, 0
		}
	}
}

// exit takes an event of the given time: the end of a process.
func (l *ledger) exit(pid, parent, status int32, at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.lives[pid]
	if l.off || p == nil || p.role == "" {
		return
	}
	if parent != 0 {
		p.ppid = parent
	}
	if p.threads > 1 && p.end == nil { // its other threads may go on
		p.leader = &ending{at: at, told: true, status: status}
		return
	}
	e := l.close(p)
	e.told, e.status, e.at = true, status, at
}

// ptraced notes what was read just before the end of a thread; the last of
// these is the end of the process.
func (l *ledger) ptraced(pid int32, f *final) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.current(pid); p != nil && p.role != "" {
		if f.stat == nil && p.fin != nil {
			f.stat = p.fin.stat
		}
		p.peak = max(p.peak, f.peak)
		p.fin = f
	}
}

// task takes what the kernel tells of the end of a thread.
func (l *ledger) task(s *taskStats) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.lives[s.tgid]
	if l.off || p == nil || p.role == "" || p.end != nil && p.end.stats {
		return
	}
	t := &p.sum
	user, sys := s.cpu()
	t.user += user
	t.sys += sys
	t.minor += s.minor
	t.major += s.major
	t.rchar += s.rchar
	t.wchar += s.wchar
	t.readBytes += s.readBytes
	t.writeBytes += s.writeBytes
	t.peak = max(t.peak, s.peak)
	if s.pid == s.tgid {
		t.status = s.status
		p.comm = s.comm
	}
	p.uid = result.Some(int64(s.uid))
	if !s.last {
		return
	}
	t.elapsed = s.elapsed
	p.ppid = s.ppid
	e := l.close(p)
	e.stats, e.told, e.status = true, true, t.status
}

// waitedFor takes the end of a child of the recorder.
func (l *ledger) waitedFor(w *waited) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.off {
		return
	}
	p := l.lives[w.pid]
	if p != nil && p.end != nil && p.end.wait != nil {
		p = nil
	}
	if p == nil { // an orphan that came and went between two ticks
		p = l.add(&life{pid: w.pid, ppid: l.self, role: result.RoleChild})
	}
	p.ppid = l.self
	if w.stat != nil && p.start == 0 {
		p.start = w.stat.Start
	}
	if w.stat != nil {
		p.comm = cmp.Or(w.stat.Comm, p.comm)
	}
	e := l.close(p)
	e.wait, e.told, e.status = w, true, w.status
	if w.rusage != nil {
		l.waitedCPU += time.Duration(w.rusage.UserNS + w.rusage.SystemNS)
	}
}

// watch adds a process that the flags name.
func (l *ledger) watch(s *procstat.Sample, follow bool) {
	if p := l.current(s.PID); p == nil {
		l.add(&life{pid: s.PID, start: s.Start, role: result.RoleWatched, follow: follow})
	}
}

// running returns the descendants that are alive.
func (l *ledger) running() (all []result.StillRunning) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.lives {
		if p.end == nil && (p.role == result.RoleCommand || p.role == result.RoleChild) {
			all = append(all, result.StillRunning{PID: p.pid, Comm: result.RawText(p.comm)})
		}
	}
	slices.SortFunc(all, func(a, b result.StillRunning) int { return cmp.Compare(a.PID, b.PID) })
	return all
}

// fresh returns the living that no tick has seen.
func (l *ledger) fresh() (pids []int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.lives {
		if p.end == nil && p.role != "" && p.tick == 0 {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// young returns the living descendants that were learned of within the given
// time.
func (l *ledger) young(within time.Duration) (pids []int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, p := range l.lives {
		if p.end == nil && now-p.born < within && (p.role == result.RoleCommand || p.role == result.RoleChild) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// ownChild reports whether the recorder is the parent of a process, as far as
// is known.
func (l *ledger) ownChild(pid int32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.lives[pid]
	return p == nil || p.ppid == l.self
}

// lastStat returns what ptrace read of a process at its end, nil for nothing.
func (l *ledger) lastStat(pid int32) *procstat.Sample {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.lives[pid]; p != nil && p.fin != nil {
		return p.fin.stat
	}
	return nil
}

// stop makes the ledger take nothing any more.
func (l *ledger) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.off = true
}
