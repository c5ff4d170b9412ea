package record

import (
	"context"

	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// PSS of a few processes is read on every tick, as far as the budget goes. That
// of more is asked for once a second, since asking costs too.
const (
	pssFew   = 8
	pssEvery = time.Second - 50*time.Millisecond // ticks do not come to the ms
)

// hostEvery is how often the host's memory and load are read.
const hostEvery = 10 * time.Second

// take takes a tick and writes it; the last one takes what is known of ends
// that are not complete.
func (r *recorder) take(ctx context.Context, last bool) {
	if r.writer == nil {
		return
	}
	begin := time.Now()
	r.events.drain()
	snap, named, err := r.sampler.Next(ctx, r.watch)
	if err != nil {
		r.cfg.Warn("cannot list processes: " + err.Error())
		return
	}
	r.sampled = r.ledger.observe(snap, begin.Sub(r.started), named, r.follow, r.sampled[:0])
	r.details(ctx, snap)
	r.events.drain()
	t := &r.tick
	at := int64(snap.Tick.Time.Sub(r.started))
	t.IntervalNS = result.Bytes{}
	if t.Number++; t.Number > 1 {
		t.IntervalNS = result.Some(at - t.AtNS)
	}
	t.AtNS, t.TimeUnixNS = at, snap.Tick.Time.UnixNano()
	t.Seen = result.Some(int64(snap.Tick.Seen))
	t.Processes = t.Processes[:0]
	unreadable := int64(0)
	for _, s := range r.sampled {
		t.Processes = append(t.Processes, r.states.record(snap, s, at))
		if s.proc.Denied != 0 {
			unreadable++
		}
		r.out.NeverSeen = false
	}
	t.Unreadable = result.Some(unreadable)
	t.Exits = r.ledger.collect(last)
	r.states.forget(snap)
	r.host()
	t.TookNS = result.Some(int64(time.Since(begin)))
	t.SelfCPUNS, t.SelfRSSBytes = r.cost.read(begin)
	if err := r.writer.Tick(t); err != nil {
		r.failed(err)
	}
	t.Skipped = 0
}

// details reads the second tier of the recorded processes: I/O on every tick,
// the rest when it may have changed.
func (r *recorder) details(ctx context.Context, snap *procstat.Snapshot) {
	r.procs = r.procs[:0]
	for _, s := range r.sampled {
		if want := r.states.wants(snap, s.proc); want != 0 {
			r.sampler.Fill([]*procstat.Proc{s.proc}, want)
			r.ledger.detailed(s.proc)
		}
		r.procs = append(r.procs, s.proc)
	}
	if now := snap.Tick.Mono; len(r.procs) <= pssFew || now-r.pssAt >= pssEvery || snap.Number == 1 {
		r.pssAt = now
		r.sampler.PSS(ctx, r.procs)
	}
	r.sampler.WhatIf(r.procs)
}

// host reads memory and load of the host from time to time.
func (r *recorder) host() {
	t := &r.tick
	if t.Available.Known && t.AtNS-r.hostAt < int64(hostEvery) {
		return
	}
	r.hostAt = t.AtNS
	if m, err := r.cfg.FS.MemInfo(); err == nil {
		t.Available, t.SwapFree = opt(m.AvailableBytes), opt(m.SwapFreeBytes)
	}
	t.Load = loadAverages(r.cfg.FS.Proc)
}

func opt(p *int64) result.Bytes {
	if p == nil {
		return result.Bytes{}
	}
	return result.Some(*p)
}

// state is what is kept of a recorded process between ticks.
type state struct {
	rec      result.RecordedProcess
	image    uint64
	statusAt time.Duration // when status was last read, on the clock of Tick.Mono
	deniedAt time.Duration // when the second tier was last refused
	titleAt  time.Duration // when the title was last read
	resident int64         // at statusAt
	smapsAt  time.Duration // when PSS was read, on the clock of Tick.Mono
	whatIfAt time.Duration // when the estimate was made, on that clock
	whatIf   result.Bytes  // and on that of the recording
	seen     uint64        // number of the last tick
	ticks    int           // of this process so far
}

// states turns samples into records.
type states struct {
	all   map[procstat.Ident]*state
	pids  map[int32]bool // that a tick has sampled, whether recorded or not
	users *procstat.Users
	count int64 // processes recorded so far
}

func newStates() *states {
	return &states{all: map[procstat.Ident]*state{}, pids: map[int32]bool{}, users: procstat.LoadUsers("/etc/passwd")}
}

// known reports whether a tick has sampled the PID.
func (st *states) known(pid int32) bool { return st.pids[pid] }

// of returns the state of a process, making it when new.
func (st *states) of(p *procstat.Proc) *state {
	s := st.all[p.Ident]
	if s == nil {
		s = &state{image: p.Image}
		st.all[p.Ident] = s
		st.count++
	}
	return s
}

// How often the slower files are read: memory lines of status where memory
// moved and where it did not, titles, and what was refused.
const (
	statusBusy  = 2*time.Second - 50*time.Millisecond
	statusQuiet = 5 * time.Second
	retryDenied = 30 * time.Second
	titleEvery  = time.Second - 50*time.Millisecond // ticks do not come to the ms
)

// wants returns the second-tier fields to read of a process on this tick.
func (st *states) wants(snap *procstat.Snapshot, p *procstat.Proc) procstat.Fields {
	s, now := st.of(p), snap.Tick.Mono
	first := s.seen == 0
	want := procstat.HasIO
	d := &p.Detail
	if now-s.titleAt >= titleEvery || p.Image != s.image || p.Comm != string(s.rec.Comm) || s.ticks < 2 {
		want |= procstat.HasTitle
		s.titleAt = now
	}
	if (d.Have|d.Denied)&procstat.HasArch == 0 {
		want |= procstat.HasArch
	}
	if (d.Have|d.Denied)&procstat.HasCgroup == 0 {
		want |= procstat.HasCgroup
	}
	since := now - s.statusAt
	if first || since >= statusQuiet || since >= statusBusy && p.Resident != s.resident {
		want |= procstat.HasStatus
		s.statusAt, s.resident = now, p.Resident
	}
	if refused := d.Denied & want; refused != 0 {
		if now-s.deniedAt < retryDenied {
			want &^= refused
		} else {
			s.deniedAt = now
		}
	}
	return want
}

// forget drops what is no longer there.
func (st *states) forget(snap *procstat.Snapshot) {
	for _, p := range snap.Procs {
		st.pids[p.PID] = true
	}
	for id, s := range st.all {
		if s.seen != snap.Number {
			delete(st.all, id)
		}
	}
	if len(st.pids) > 2*snap.Tick.Seen+1000 { // PIDs of processes that are long gone
		clear(st.pids)
	}
}

// record brings the record of a process up to date. at is the time of the tick
// on the clock of the recording.
func (st *states) record(snap *procstat.Snapshot, in sampled, at int64) *result.RecordedProcess {
	p := in.proc
	s := st.of(p)
	s.seen = snap.Number
	s.ticks++
	r := &s.rec
	pssAt := r.PSSAtNS
	*r = result.RecordedProcess{
		ID: r.ID, PID: p.PID, Start: p.Start, Role: in.role, Kernel: p.Kernel, Execs: r.Execs, StartedNS: r.StartedNS,
		Comm: result.RawText(p.Comm), Program: result.RawText(p.Program()), Cmdline: result.RawText(p.Detail.Title),
		Cgroup: result.RawText(p.Detail.Cgroup), Refused: p.Refused(), User: r.User, UID: r.UID,
	}
	if s.image != p.Image && s.image != 0 && p.Image != 0 {
		r.Execs++
	}
	s.image = p.Image
	st.recordStat(snap, p, r, at)
	recordMemory(p, r)
	recordDetail(snap, p, s, pssAt, at)
	return r
}

func (st *states) recordStat(snap *procstat.Snapshot, p *procstat.Proc, r *result.RecordedProcess, at int64) {
	if p.Have&procstat.HasStat != 0 {
		r.PPID, r.State = result.Some(int64(p.PPID)), string(rune(p.State))
		r.Nice, r.Threads = result.Some(int64(p.Nice)), result.Some(int64(p.Threads))
		if !r.StartedNS.Known && snap.Tick.Uptime > 0 {
			r.StartedNS = result.Some(at - int64(snap.Tick.Uptime-p.Started))
		}
	}
	if p.Have&procstat.HasUID != 0 {
		if uid := result.Some(int64(p.UID)); uid != r.UID || r.User == "" {
			r.UID, r.User = uid, st.users.Name(p.UID)
		}
	}
	if p.Have&procstat.HasCPU != 0 {
		r.UserNS, r.SystemNS = result.Some(int64(p.Counters.User)), result.Some(int64(p.Counters.System))
		if childTimes {
			r.ChildUserNS, r.ChildSysNS = result.Some(int64(p.ChildUser)), result.Some(int64(p.ChildSystem))
		}
	}
}

func recordMemory(p *procstat.Proc, r *result.RecordedProcess) {
	if !p.Own() || p.Have&procstat.HasMemory == 0 {
		return
	}
	r.Virtual, r.Resident = result.Some(p.Virtual), result.Some(p.Resident)
	if p.Have&procstat.HasShared != 0 {
		r.Shared = result.Some(p.Shared)
	}
}

// recordDetail records the second tier; pssAt is when PSS was read as of the tick
// before.
func recordDetail(snap *procstat.Snapshot, p *procstat.Proc, s *state, pssAt result.Bytes, at int64) {
	d, r := &p.Detail, &s.rec
	if d.Have&procstat.HasArch != 0 {
		r.Bits, r.Machine = d.Arch.Bits, d.Arch.Machine
	}
	if d.Have&procstat.HasIO != 0 {
		r.ReadChars, r.WriteChars = result.Some(d.IO.ReadChars), result.Some(d.IO.WriteChars)
		r.ReadBytes, r.WriteBytes = result.Some(d.IO.ReadBytes), result.Some(d.IO.WriteBytes)
	}
	if !p.Own() {
		return
	}
	if d.Have&procstat.HasStatus != 0 {
		r.Peak, r.Swap, r.HugeTLB = d.Status.Peak, d.Status.Swap, d.Status.HugeTLB
		if r.Peak.Known && r.Resident.Known { // it was read a little earlier or later
			r.Peak.Value = max(r.Peak.Value, r.Resident.Value)
		}
	}
	if d.Have&procstat.HasWhatIf != 0 {
		s.recordWhatIf(d, snap.Tick.Mono, at)
	}
	if d.Have&procstat.HasSmaps != 0 {
		m := &d.Smaps
		r.PSS, r.USS, r.SwapPSS = result.Some(m.PSS), result.Some(m.USS()), m.SwapPSS
		if !r.HugeTLB.Known {
			r.HugeTLB = result.Some(m.PrivateHuge + m.SharedHuge)
		}
		r.PSSAtNS = pssAt
		if d.SmapsAt != s.smapsAt || !pssAt.Known {
			s.smapsAt = d.SmapsAt
			r.PSSAtNS = result.Some(at - int64(max(0, snap.Tick.Mono-d.SmapsAt)))
		}
	}
}
