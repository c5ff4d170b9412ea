package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// recorder is one recording under way.
type recorder struct {
	cfg     *Config
	started time.Time
	mono    result.Bytes // the same on CLOCK_MONOTONIC
	ledger  *ledger
	events  *events
	src     procstat.Source
	sampler *procstat.Sampler
	watch   *procstat.Selection
	follow  func(int32) bool
	writer  *result.RecordingWriter
	header  result.RecordingHeader
	states  *states

	tick    result.RecordedTick
	sampled []sampled
	procs   []*procstat.Proc
	cost    selfCost
	hostAt  int64 // when the host was last read, on the clock of the recording
	forks   int64 // of the whole host at the start, -1 when unknown
	skipped int64
	pssAt   time.Duration // when PSS was last asked for, on the clock of Tick.Mono
	listed  time.Time     // when all processes were last listed, for no reason
	lastPID string        // as of the last listing
	out     Outcome
}

// nobody selects no process.
var nobody = procstat.Selection{PIDs: []int32{-1}}

// Run records until the command, or the time, is over. The error is of what
// must be right before anything starts; everything else is in the outcome.
func Run(ctx context.Context, cfg *Config) (*Outcome, error) {
	r := &recorder{cfg: cfg, started: time.Now(), mono: monotonic(), watch: &nobody, follow: func(int32) bool { return false }, forks: -1}
	r.ledger = newLedger(int32(os.Getpid()), func() time.Duration { return time.Since(r.started) })
	r.out.NeverSeen = true
	defer r.close()
	if err := r.open(); err != nil {
		return nil, err
	}
	ended, err := r.begin(ctx)
	if err != nil {
		r.out.StartErr = err
		return &r.out, nil
	}
	r.loop(ctx, ended)
	return &r.out, nil
}

// open prepares all that can fail before the command starts.
func (r *recorder) open() error {
	src, err := procstat.Open("")
	if err != nil {
		return err
	}
	r.src = src
	if w := r.cfg.Watch; w != nil {
		r.watch = w
		// The descendants of a tree are followed between ticks too, unless other
		// flags pick among them.
		if len(w.Trees) > 0 && len(w.Patterns)+len(w.PIDs)+len(w.UIDs) == 0 && w.Cgroup == "" {
			r.follow = func(pid int32) bool { return true }
		}
	}
	r.states = newStates()
	focused := procstat.WithFocus(src, r.focus())
	r.sampler = procstat.NewSampler(focused, procstat.Config{
		Interval: max(pssEvery, r.cfg.Interval), PSSBudget: r.cfg.PSSBudget, Estimate: r.cfg.Estimate, WhatIfBudget: r.cfg.WhatIfBudget,
	})
	if len(r.cfg.Command) > 0 {
		if err := adopt(); err != nil {
			return err
		}
	}
	var method result.ExitsMethod
	r.events, method, err = openEvents(r.cfg.Exits, r.ledger, r.mono.Value)
	if err != nil {
		return fmt.Errorf("--exits %s: %w", r.cfg.Exits, err)
	}
	c := r.cfg
	r.header = result.RecordingHeader{
		Tool: c.Tool, Host: c.Host, Labels: c.Labels, Started: r.started, IntervalNS: int64(c.Interval),
		Watch: c.WatchedBy, PSS: c.PSSBudget, Exits: method, Columns: columns(), Boot: bootID(), MonoNS: r.mono,
	}
	if c.Estimate != nil {
		r.header.WhatIf, r.header.Columns = c.WhatIfBudget, result.WithWhatIf(r.header.Columns)
	}
	for _, a := range c.Command {
		r.header.Command = append(r.header.Command, result.RawText(a))
	}
	return nil
}

// close ends what open and begin started.
func (r *recorder) close() {
	if r.sampler != nil {
		r.sampler.Close()
	}
	if r.events != nil {
		r.events.close()
	}
	if r.src != nil {
		r.src.Close()
	}
}

// lookAgain is how often processes that are not recorded are looked at, and all
// are listed where forks are told of.
const lookAgain = time.Second

// focus leaves processes out of ticks that are not recorded.
func (r *recorder) focus() *procstat.Focus {
	every := uint64(max(1, lookAgain/r.cfg.Interval))
	f := &procstat.Focus{Skip: func(pid int32) bool {
		return (uint64(pid)+uint64(r.tick.Number))%every != 0 && r.states.known(pid) && !r.ledger.has(pid)
	}}
	f.Known = func() ([]int32, bool) {
		if !r.ledger.events {
			if last := lastPID(r.cfg.FS.Proc); last == "" || last != r.lastPID {
				r.lastPID = last // something was started
				return nil, false
			}
		}
		if time.Since(r.listed) < lookAgain {
			return r.ledger.fresh(), true
		}
		r.listed = time.Now()
		return nil, false
	}
	return f
}

// begin starts the command and the writer. The channel yields when the command
// has ended, and again when all descendants have.
func (r *recorder) begin(ctx context.Context) (<-chan endOf, error) {
	r.forks = hostForks(r.cfg.FS.Proc)
	if err := r.events.listen(); err != nil {
		return nil, err
	}
	ended := make(chan endOf, 2)
	if len(r.cfg.Command) > 0 {
		signals := holdSignals()
		if r.cfg.TookSignals != nil {
			r.cfg.TookSignals()
		}
		pid, err := r.start(ended)
		if err != nil {
			return nil, err
		}
		r.header.PID = pid
		go passOn(signals, pid)
	}
	w, err := result.NewRecordingWriter(r.cfg.Out, &r.header)
	r.writer = w
	if err != nil {
		r.failed(err)
	}
	return ended, nil
}

// endOf is the end of the command, or of all descendants.
type endOf struct {
	all    bool
	status int32 // of the command, as wait(2) has it
	err    error
}

// failed ends the writing of the recording; the command goes on.
func (r *recorder) failed(err error) {
	r.out.WriteErr = err
	r.writer = nil
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the message names the file
	}
	msg := fmt.Sprintf("cannot write the recording: %v; it ends after %.1f s", err, time.Since(r.started).Seconds())
	if len(r.cfg.Command) > 0 {
		msg += ", the command goes on"
	}
	r.cfg.Warn(msg)
	r.rest()
}

// rest ends listening and keeping books: what happens from now on is not
// recorded.
func (r *recorder) rest() {
	r.ledger.stop()
	r.events.close()
}

// loop takes ticks until something ends the recording, and waits for the
// command in any case.
func (r *recorder) loop(ctx context.Context, ended <-chan endOf) {
	w := waiter{r: r, ended: ended, running: len(r.cfg.Command) > 0, peeks: newPeeks(r.started, r.cfg)}
	if r.cfg.For > 0 {
		timer := time.NewTimer(r.cfg.For)
		defer timer.Stop()
		w.over = timer.C
	}
	r.take(ctx, false)
	reason := ""
	for next := r.started; reason == ""; {
		var skipped int64
		next, skipped = nextTick(next, r.cfg.Interval)
		if reason = w.until(next); reason != "" {
			break
		}
		r.tick.Skipped = skipped
		r.skipped += skipped
		r.take(ctx, false)
		if r.nobodyLeft() {
			reason = result.EndWatched
		}
	}
	r.finish(ctx, reason, w.end, w.running)
	if w.running { // its time was over: only its status matters now
		r.rest()
		w.end = <-ended
	}
	r.out.Status = exitStatus(w.end.status)
}

// waiter waits for the next tick or for a reason to end.
type waiter struct {
	r       *recorder
	ended   <-chan endOf
	over    <-chan time.Time
	peeks   peeks
	running bool  // the command
	end     endOf // of the command, when it is not
}

// until returns "" at the time of the next tick, else why to end.
func (w *waiter) until(next time.Time) (reason string) {
	for {
		at := w.peeks.before(next)
		if w.r.out.WriteErr != nil {
			if !w.running {
				return result.EndFailure
			}
			at = time.Now().Add(24 * time.Hour) // there is nothing to take ticks for
		}
		if pace := w.r.events.pace(); pace > 0 && time.Until(at) > pace {
			at = time.Now().Add(pace)
		}
		timer := time.NewTimer(time.Until(at))
		select {
		case <-timer.C:
			if !time.Now().Before(next) && w.r.out.WriteErr == nil {
				return ""
			}
			w.r.events.drain()
			w.peeks.take(w.r.ledger)
		case e := <-w.ended:
			if w.running = false; e.status != 0 || !e.all {
				w.end = e
			}
			if !w.r.cfg.WaitAll || e.all || e.err != nil {
				reason = result.EndCommand
			}
		case <-w.over:
			reason = result.EndDuration
		case <-w.r.cfg.Stop:
			reason = result.EndSignal
		}
		timer.Stop()
		if reason != "" {
			return reason
		}
	}
}

// nextTick keeps the schedule, and leaves out ticks whose time is over.
func nextTick(last time.Time, every time.Duration) (next time.Time, skipped int64) {
	next = last.Add(every)
	if late := time.Since(next); late > 0 {
		skipped = int64(late/every) + 1
		next = next.Add(time.Duration(skipped) * every)
	}
	return next, skipped
}

// nobodyLeft reports whether all processes that were named by their PIDs have
// ended; for patterns others may come.
func (r *recorder) nobodyLeft() bool {
	w := r.cfg.Watch
	return len(r.cfg.Command) == 0 && w != nil && len(w.PIDs)+len(w.Trees) > 0 && len(r.sampled) == 0
}

// finish takes the last tick and writes the end.
func (r *recorder) finish(ctx context.Context, reason string, end endOf, running bool) {
	r.take(ctx, true)
	now := time.Now()
	e := &r.out.End
	*e = result.RecordingEnd{
		AtNS: int64(now.Sub(r.started)), TimeUnixNS: now.UnixNano(), Reason: reason, Skipped: r.skipped,
		Processes: r.states.count, Running: r.ledger.running(), SelfCPUNS: selfCPU(), SelfPeakBytes: selfPeak(),
	}
	if len(r.cfg.Command) > 0 && !running {
		e.Code, e.Signal, _ = decodeStatus(end.status)
		e.Status = exitStatus(end.status)
	}
	if end.err != nil {
		e.Error = end.err.Error()
	}
	r.account(e)
	if r.writer != nil {
		if err := r.writer.End(e); err != nil {
			r.failed(err)
		}
	}
}

// account says what is certain about descendants that no tick saw.
func (r *recorder) account(e *result.RecordingEnd) {
	l := r.ledger
	if cpu, ok := l.missedCPU(); ok {
		e.MissedCPUNS = result.Some(int64(cpu))
	}
	l.mu.Lock()
	e.Exits, e.Unseen, e.EventsLost = l.exits, l.unseen, l.lost
	told := l.exits
	for _, p := range l.lives {
		if p.role == result.RoleCommand || p.role == result.RoleChild {
			told++
		}
	}
	l.mu.Unlock()
	e.Complete = r.header.Exits.Complete && e.EventsLost == 0
	if e.Complete {
		e.MissedAtMost = result.Some[int64](0)
	} else if now := hostForks(r.cfg.FS.Proc); now >= 0 && r.forks >= 0 && len(r.cfg.Command) > 0 {
		e.MissedAtMost = result.Some(max(0, now-r.forks-told))
	}
}

// exitStatus is what a shell makes of a wait status.
func exitStatus(status int32) int {
	if sig := status & 0x7f; sig != 0 {
		return 128 + int(sig)
	}
	return int(status >> 8 & 0xff)
}
