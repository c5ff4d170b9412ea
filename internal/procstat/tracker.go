package procstat

import (
	"slices"
	"time"
)

// Proc is a process, or a thread, over time.
type Proc struct {
	Sample
	Detail Detail
	// Deltas is what the counters grew by since the previous tick; it means
	// nothing unless HasDeltas is set, which it is from the second tick on.
	Deltas    Deltas
	HasDeltas bool
	// Members are the threads of a process, when they were asked for.
	Members []*Proc

	hist      history
	image     uint64
	quiet     bool   // no figure moved since the last tick
	seen      uint64 // number of the last tick that saw it
	inTree    uint64 // number of the last tick at which it was in a selected tree
	line      string // title as one line, made from lineOf
	lineOf    string
	smapsTry  time.Duration // when PSS was last asked for, on the clock of Tick.Mono
	smapsMade bool          // PSS was asked for
	whatIf    whatIfState
}

// CPU returns the share of one CPU used since the previous tick.
func (p *Proc) CPU() (float64, bool) {
	if !p.HasDeltas {
		return 0, false
	}
	return p.Deltas.CPU()
}

// Growth returns how many bytes Resident grew by over the time that is
// returned with it: the last minute, or as long as the process was watched.
func (p *Proc) Growth() (bytes int64, over time.Duration, ok bool) { return p.hist.growth() }

// History appends the resident bytes of about the last minute, oldest first.
func (p *Proc) History(dst []int64) []int64 { return p.hist.append(dst) }

// Exit is a process that was seen on the previous tick and is gone.
type Exit struct {
	*Proc // as it was last seen
}

// Snapshot is one tick with identities. It is valid until the next Update.
type Snapshot struct {
	Tick    *Tick
	Number  uint64
	Elapsed time.Duration // since the previous tick; 0 on the first
	Procs   []*Proc       // in ascending order of PID
	Exits   []Exit
	Started int // processes not seen before; 0 on the first tick
}

// Tracker follows processes over ticks.
type Tracker struct {
	procs   map[int32]*Proc
	threads map[int32]*Proc
	snap    Snapshot
	last    time.Duration
}

// NewTracker returns an empty tracker.
func NewTracker() *Tracker {
	return &Tracker{procs: map[int32]*Proc{}, threads: map[int32]*Proc{}}
}

// Update takes the next tick, which must be later than the one before.
func (t *Tracker) Update(tk *Tick) *Snapshot {
	s := &t.snap
	s.Tick, s.Elapsed, s.Started = tk, 0, 0
	if s.Number++; s.Number > 1 {
		s.Elapsed = tk.Mono - t.last
	}
	t.last = tk.Mono
	s.Procs, s.Exits = s.Procs[:0], s.Exits[:0]
	for i := range tk.Samples {
		p, fresh, replaced := follow(t.procs, tk.Samples[i].PID, &tk.Samples[i], s.Number)
		if replaced != nil {
			s.Exits = append(s.Exits, Exit{replaced})
		}
		if fresh && s.Number > 1 {
			s.Started++
		}
		p.Members = p.Members[:0]
		s.Procs = append(s.Procs, p)
	}
	for pid, p := range t.procs {
		if p.seen != s.Number {
			s.Exits = append(s.Exits, Exit{p})
			delete(t.procs, pid)
		}
	}
	slices.SortFunc(s.Exits, func(a, b Exit) int { return int(a.PID) - int(b.PID) })
	return s
}

// UpdateThreads takes the thread samples of this tick's processes.
func (t *Tracker) UpdateThreads(samples []Sample) {
	for i := range samples {
		p, ok := t.procs[samples[i].PID]
		if !ok || p.seen != t.snap.Number {
			continue
		}
		th, _, _ := follow(t.threads, samples[i].TID, &samples[i], t.snap.Number)
		p.Members = append(p.Members, th)
	}
	for tid, th := range t.threads {
		if th.seen != t.snap.Number {
			delete(t.threads, tid)
		}
	}
}

// follow finds or makes the Proc of a sample under key. A process that had
// the same PID but another start time is returned as replaced.
func follow(m map[int32]*Proc, key int32, s *Sample, number uint64) (p *Proc, fresh bool, replaced *Proc) {
	p = m[key]
	if p != nil && !sameProcess(&p.Sample, s) {
		replaced, p = p, nil
	}
	if p == nil {
		p, fresh = new(Proc), true
		m[key] = p
	}
	p.HasDeltas = false
	if !fresh && p.seen == number-1 && p.Have&s.Have&HasCPU != 0 {
		p.Deltas = s.Counters.Since(p.Counters, s.ReadAt-p.ReadAt)
		p.HasDeltas = p.Deltas.Elapsed > 0
	}
	p.quiet = !fresh && p.Counters == s.Counters && p.Resident == s.Resident && p.Virtual == s.Virtual &&
		p.Shared == s.Shared && p.State == s.State && p.Image == s.Image
	p.Sample = *s
	p.seen = number
	if p.image != s.Image {
		p.image = s.Image
		p.Detail.Have &^= HasArch // another program: look again
		p.Detail.Denied &^= HasArch
		p.forgetWhatIf()
	}
	if s.Have&HasMemory != 0 && s.Own() {
		p.hist.add(s.ReadAt, s.Resident)
	}
	return p, fresh, replaced
}

// sameProcess compares identities. A start time that could not be read tells
// nothing, so only two known ones can differ.
func sameProcess(a, b *Sample) bool {
	return a.Start == b.Start || a.Have&b.Have&HasStat == 0
}

// historyLen points at least historySpan/historyLen apart cover a minute.
const (
	historyLen  = 32
	historySpan = time.Minute
)

// history is a ring of resident sizes.
type history struct {
	at    [historyLen]time.Duration
	bytes [historyLen]int64
	next  uint8
	n     uint8
	lastT time.Duration
	last  int64
}

func (h *history) add(at time.Duration, bytes int64) {
	h.lastT, h.last = at, bytes
	if h.n > 0 && at-h.at[(h.next+historyLen-1)%historyLen] < historySpan/(historyLen-1) {
		return
	}
	h.at[h.next], h.bytes[h.next] = at, bytes
	h.next = (h.next + 1) % historyLen
	h.n = min(h.n+1, historyLen)
}

// growth compares the newest size with the one of a minute ago.
func (h *history) growth() (int64, time.Duration, bool) {
	var bytes int64
	var over time.Duration
	for i := uint8(0); i < h.n; i++ {
		k := (h.next + historyLen - h.n + i) % historyLen
		d := h.lastT - h.at[k]
		if d <= 0 {
			break
		}
		bytes, over = h.last-h.bytes[k], d
		if d <= historySpan+historySpan/historyLen {
			break
		}
		// Older than a minute: serves only when nothing newer is there.
	}
	return bytes, over, over > 0
}

func (h *history) append(dst []int64) []int64 {
	for i := uint8(0); i < h.n; i++ {
		dst = append(dst, h.bytes[(h.next+historyLen-h.n+i)%historyLen])
	}
	if h.n > 0 && h.at[(h.next+historyLen-1)%historyLen] != h.lastT {
		dst = append(dst, h.last)
	}
	return dst
}
