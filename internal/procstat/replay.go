package procstat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"wordsize/internal/result"
)

// How much of a recording is kept to step back into without reading it again.
const (
	replaySpan = historySpan + 5*time.Second // what a tick's figures rest on
	replayKeep = 200_000                     // processes of all kept ticks together
)

// Replay is a Source that plays a recording back: each Scan yields the next
// tick, and io.EOF behind the last one. It is not for concurrent use, but for
// Inspect and Closing.
type Replay struct {
	open   func() (*result.RecordingReader, error)
	reader *result.RecordingReader
	header result.RecordingHeader
	base   time.Duration // uptime of the host when the recording began

	frames []*replayFrame // the last ticks read, oldest first
	held   int            // processes in them
	next   int64          // number of the tick that Scan yields next
	mu     sync.Mutex     // of now, which Inspect reads meanwhile
	now    *replayFrame
	times  []int64 // AtNS of all ticks read so far, by number less one
	ended  bool    // all have been read
	cut    *result.RecordingCut
	names  map[uint32]string
}

// replayFrame is a copy of one tick.
type replayFrame struct {
	tick  result.RecordedTick
	procs []result.RecordedProcess // in ascending order of PID
}

// NewReplay returns a source over the recording that open opens, anew for
// each time that it is read from its beginning.
func NewReplay(open func() (*result.RecordingReader, error)) (*Replay, error) {
	r := &Replay{open: open, names: map[uint32]string{}}
	if err := r.rewind(); err != nil {
		return nil, err
	}
	r.header = *r.reader.Header()
	if up := r.header.Host.UptimeSeconds; up != nil {
		r.base = time.Duration(*up) * time.Second
	}
	return r, nil
}

// rewind opens the recording and forgets what was read of it but its times.
func (r *Replay) rewind() error {
	reader, err := r.open()
	if err != nil {
		return err
	}
	if r.reader != nil {
		r.reader.Close()
	}
	r.reader, r.frames, r.held, r.next = reader, nil, 0, 1
	return nil
}

// Header is the recording's header.
func (r *Replay) Header() *result.RecordingHeader { return &r.header }

// Tick is the tick that Scan yielded last, nil before the first.
func (r *Replay) Tick() *result.RecordedTick {
	if r.now == nil {
		return nil
	}
	return &r.now.tick
}

// Cut says how the recording is damaged, nil when it is not, or its end has not
// been reached.
func (r *Replay) Cut() *result.RecordingCut { return r.cut }

// Recorded makes Replay a Recorded.
func (r *Replay) Recorded() bool { return true }

// Close closes the recording.
func (r *Replay) Close() error { return r.reader.Close() }

// read takes one tick from the file, io.EOF when there is none.
func (r *Replay) read() error {
	t, err := r.reader.Next()
	if err != nil {
		r.ended, r.cut = true, r.reader.Cut()
		return io.EOF
	}
	f := &replayFrame{tick: *t, procs: make([]result.RecordedProcess, len(t.Processes))}
	f.tick.Exits, f.tick.Left, f.tick.Processes, f.tick.Load = nil, nil, nil, slices.Clone(t.Load)
	for i, p := range t.Processes {
		f.procs[i] = *p
		if p.UID.Known && p.User != "" {
			r.names[uint32(p.UID.Value)] = p.User
		}
	}
	slices.SortStableFunc(f.procs, func(a, b result.RecordedProcess) int { return int(a.PID) - int(b.PID) })
	if int64(len(r.times)) < t.Number {
		r.times = append(r.times, t.AtNS)
	}
	r.frames = append(r.frames, f)
	r.held += len(f.procs) + 1
	for len(r.frames) > 2 && (r.held > replayKeep || f.tick.AtNS-r.frames[0].tick.AtNS > 4*int64(replaySpan)) {
		r.held -= len(r.frames[0].procs) + 1
		r.frames[0] = nil
		r.frames = r.frames[1:]
	}
	return nil
}

// frame returns a tick by its number, reading on or from the beginning.
func (r *Replay) frame(number int64) (*replayFrame, error) {
	if len(r.frames) > 0 && number < r.frames[0].tick.Number {
		next := r.next
		if err := r.rewind(); err != nil {
			return nil, err
		}
		r.next = next
	}
	for len(r.frames) == 0 || r.frames[len(r.frames)-1].tick.Number < number {
		if err := r.read(); err != nil {
			return nil, err
		}
	}
	return r.frames[number-r.frames[0].tick.Number], nil
}

// Measure reads the times of all ticks, with a reader of its own, but for no
// longer than limit: then the length is not known until the end is reached.
func (r *Replay) Measure(limit time.Duration) {
	reader, err := r.open()
	if err != nil {
		return
	}
	defer reader.Close()
	var times []int64
	for begin := time.Now(); time.Since(begin) < limit; {
		t, err := reader.Next()
		if err != nil {
			r.times, r.ended, r.cut = times, true, reader.Cut()
			return
		}
		times = append(times, t.AtNS)
	}
}

// Last returns the number and the time of the last tick that is known so far,
// and whether it is the last of all.
func (r *Replay) Last() (number, atNS int64, all bool) {
	if n := len(r.times); n > 0 {
		return int64(n), r.times[n-1], r.ended
	}
	return 0, 0, r.ended
}

// Find returns the number of the last tick at or before a time, reading on as
// far as needed; the first one when there is none before, 0 when there is none
// at all.
func (r *Replay) Find(ctx context.Context, atNS int64) int64 {
	for !r.ended && (len(r.times) == 0 || r.times[len(r.times)-1] <= atNS) && ctx.Err() == nil {
		if last := int64(len(r.times)); last > 0 {
			if _, err := r.frame(last + 1); err != nil {
				break
			}
		} else if err := r.read(); err != nil {
			break
		}
	}
	if len(r.times) == 0 {
		return 0
	}
	i, found := slices.BinarySearch(r.times, atNS)
	if found {
		return int64(i) + 1
	}
	return int64(max(1, i))
}

// GoTo makes Scan yield the ticks from where the figures of the given one rest
// on: it returns how many Scans it takes to get there, the last of which
// yields it. A Tracker must begin anew, since time goes back.
func (r *Replay) GoTo(number int64) (scans int, err error) {
	f, err := r.frame(max(1, number))
	if err != nil {
		return 0, err
	}
	first := f.tick.Number
	for _, g := range slices.Backward(r.frames) {
		if g.tick.Number <= f.tick.Number && f.tick.AtNS-g.tick.AtNS <= int64(replaySpan) {
			first = min(first, g.tick.Number)
		}
	}
	r.next = first
	return int(f.tick.Number - first + 1), nil
}

// Scan yields the next tick.
func (r *Replay) Scan(ctx context.Context, t *Tick) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := r.frame(r.next)
	if err != nil {
		return err
	}
	r.next++
	r.mu.Lock()
	r.now = f
	r.mu.Unlock()
	at := time.Duration(f.tick.AtNS)
	t.Time, t.Mono, t.Uptime = time.Unix(0, f.tick.TimeUnixNS), at, r.base+at
	t.Seen, t.Unreadable = len(f.procs), int(f.tick.Unreadable.Value)
	t.Vanished, t.Hidden = 0, false
	t.Samples = t.Samples[:0]
	for i := range f.procs {
		t.Samples = append(t.Samples, r.sample(&f.procs[i], at))
	}
	return nil
}

// sample makes the sample that the process was recorded from.
func (r *Replay) sample(p *result.RecordedProcess, at time.Duration) Sample {
	s := Sample{
		Ident: Ident{p.PID, p.Start}, Kernel: p.Kernel, PPID: unknown, Threads: unknown, Comm: string(p.Comm), Image: uint64(p.Execs), ReadAt: at,
		Virtual: p.Virtual.Value, Resident: p.Resident.Value, Shared: p.Shared.Value, UID: uint32(p.UID.Value), Nice: int32(p.Nice.Value),
	}
	has := func(f Fields, known bool) {
		if known {
			s.Have |= f
		}
	}
	has(HasStat, p.State != "")
	has(HasCPU, p.CPUNS().Known)
	has(HasMemory, p.Virtual.Known && p.Resident.Known)
	has(HasShared, p.Shared.Known)
	has(HasUID, p.UID.Known)
	s.Denied = deniedFields(p.Refused) & (HasCPU | HasMemory)
	if p.State != "" {
		s.State = p.State[0]
	}
	if p.PPID.Known {
		s.PPID = int32(p.PPID.Value)
	}
	if p.Threads.Known {
		s.Threads = int32(p.Threads.Value)
	}
	s.Counters.User, s.Counters.System = time.Duration(p.UserNS.Value), time.Duration(p.SystemNS.Value)
	s.ChildUser, s.ChildSystem = time.Duration(p.ChildUserNS.Value), time.Duration(p.ChildSysNS.Value)
	s.Started = r.base + at
	if p.StartedNS.Known {
		s.Started = r.base + time.Duration(p.StartedNS.Value)
	}
	return s
}

// deniedFields is what refused was made from.
func deniedFields(r result.Refused) (f Fields) {
	for _, m := range refusedFields {
		if r&m.name != 0 {
			f |= m.field
		}
	}
	return f
}

// find returns a process of the present tick.
func (f *replayFrame) find(pid int32) *result.RecordedProcess {
	if f == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(f.procs, pid, func(p result.RecordedProcess, pid int32) int { return int(p.PID) - int(pid) })
	if !ok {
		return nil
	}
	return &f.procs[i]
}

// Read reads second-tier fields from the present tick.
func (r *Replay) Read(s *Sample, want Fields, d *Detail) {
	p := r.now.find(s.PID)
	if p == nil || p.Start != s.Start {
		return
	}
	denied := deniedFields(p.Refused)
	take := func(f Fields, known bool, set func()) {
		if want&f == 0 {
			return
		}
		d.Have, d.Denied = d.Have&^f, d.Denied&^f|denied&f
		if known && denied&f == 0 {
			d.Have |= f
			set()
		}
	}
	take(HasTitle, true, func() { d.Title = strings.TrimRight(string(p.Cmdline), "\x00") })
	take(HasStatus, p.Peak.Known || p.Swap.Known || p.HugeTLB.Known, func() {
		d.Status = Status{Peak: p.Peak, Swap: p.Swap, HugeTLB: p.HugeTLB}
	})
	take(HasArch, p.Bits != 0, func() { d.Arch = Arch{p.Bits, p.Machine} })
	take(HasCgroup, p.Cgroup != "", func() { d.Cgroup = string(p.Cgroup) })
	take(HasIO, p.ReadChars.Known, func() {
		d.IO = IO{p.ReadChars.Value, p.WriteChars.Value, p.ReadBytes.Value, p.WriteBytes.Value}
	})
	take(HasWhatIf, p.WhatIfLow.Known && p.WhatIfHigh.Known, func() {
		d.WhatIf = &WhatIf{Bytes: p.WhatIf, Low: p.WhatIfLow.Value, High: p.WhatIfHigh.Value}
		d.WhatIfAt = time.Duration(p.WhatIfAtNS.Value)
	})
	take(HasSmaps, p.PSS.Known && p.USS.Known, func() {
		d.Smaps = Smaps{
			RSS: p.Resident.Value, PSS: p.PSS.Value, PrivateDirty: p.USS.Value, Swap: p.Swap.Value, SwapPSS: p.SwapPSS, PrivateHuge: p.HugeTLB.Value,
		}
		d.SmapsAt = time.Duration(p.PSSAtNS.Value)
	})
}

// Threads yields none: a recording has no threads.
func (r *Replay) Threads(_ *Sample, dst []Sample) []Sample { return dst }

// ReadSmaps yields nothing: PSS comes with Read.
func (r *Replay) ReadSmaps(_ int32, buf []byte, _ *Smaps) ([]byte, Outcome) { return buf, None }

// Inspect tells what was recorded of a process at the present tick.
func (r *Replay) Inspect(pid int32) Inspection {
	in := Inspection{Problems: []string{"from a recording, which has no mappings and no limits"}}
	r.mu.Lock()
	p := r.now.find(pid)
	r.mu.Unlock()
	if p == nil {
		in.Problems = append(in.Problems, "the process is not in this tick")
		return in
	}
	in.Cgroup = string(p.Cgroup)
	size := func(name string, v result.Bytes) {
		if v.Known {
			in.Status = append(in.Status, [2]string{name, fmt.Sprintf("%d kB", v.Value>>10)})
		}
	}
	size("VmSize", p.Virtual)
	size("VmRSS", p.Resident)
	size("VmHWM", p.Peak)
	size("VmSwap", p.Swap)
	size("HugetlbPages", p.HugeTLB)
	size("Pss", p.PSS)
	size("Uss", p.USS)
	size("rchar", p.ReadChars)
	size("wchar", p.WriteChars)
	size("read_bytes", p.ReadBytes)
	size("write_bytes", p.WriteBytes)
	in.Status = append(in.Status, [2]string{"role", p.Role}, [2]string{"execs seen", fmt.Sprint(p.Execs)})
	return in
}

// UserName returns the name that the recording has for a user id.
func (r *Replay) UserName(id uint32) string {
	if name, ok := r.names[id]; ok {
		return name
	}
	return fmt.Sprint(id)
}

// AtEnd says whether an error of a Scan is that of the end.
func AtEnd(err error) bool { return errors.Is(err, io.EOF) }

// TimeOf returns when a tick was taken, false when it has not been read yet or
// is none.
func (r *Replay) TimeOf(number int64) (atNS int64, ok bool) {
	if number < 1 || number > int64(len(r.times)) {
		return 0, false
	}
	return r.times[number-1], true
}
