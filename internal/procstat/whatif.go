package procstat

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"wordsize/internal/result"
)

// WhatIf is an estimate of what a process would have resident as a build of
// the other word size, in bytes.
type WhatIf struct {
	Bytes     result.Bytes // unknown where the content cannot decide
	Low, High int64
}

// An EstimateFunc estimates one process. It looks at the process's memory, so
// it may take a few tenths of a second; a context that is cancelled ends it
// early. It is called beside the ticks, once at a time.
type EstimateFunc func(ctx context.Context, id Ident) (WhatIf, Outcome)

const (
	// An estimate is kept for whatIfKeep, unless RES has changed by the share
	// of whatIfChange since.
	whatIfKeep   = 30 * time.Second
	whatIfChange = 0.1
	// whatIfSave is for how much time unused budget is saved up, or as long as
	// the interval where that is longer.
	whatIfSave = 5 * time.Second
)

// whatIfState is what a process's estimate is scheduled by.
type whatIfState struct {
	made     bool          // it was asked for
	at       time.Duration // when, on the clock of Tick.Mono
	resident int64         // RES then
	failed   bool          // there was no estimate
}

// due reports whether the process may be looked at (again).
func (w *whatIfState) due(now time.Duration, resident int64) bool {
	if !w.made || now-w.at >= whatIfKeep {
		return true
	}
	change := resident - w.resident
	return !w.failed && float64(max(change, -change)) >= whatIfChange*float64(max(1, w.resident))
}

// whatIfJob is one process whose estimate is wanted, and then its result.
type whatIfJob struct {
	id       Ident
	image    uint64
	resident int64
	whatIf   WhatIf
	out      Outcome
	at       time.Time
}

// whatIfQueue is a list of jobs with the budget that it may use up.
type whatIfQueue struct {
	jobs   []whatIfJob
	share  float64       // of real time
	bucket time.Duration // how much unused budget is saved up at most
}

// whatIfReader makes estimates beside the ticks, never using more than a share
// of the time, as smapsReader does: an estimate may overdraw the bucket, and
// then none is made until the debt is repaid. Unlike PSS, nothing is ever
// waited for.
type whatIfReader struct {
	estimate EstimateFunc
	queue    chan whatIfQueue
	ctx      context.Context
	cancel   context.CancelFunc
	ended    sync.WaitGroup

	mu       sync.Mutex
	busy     bool
	results  []whatIfJob
	panicked any
}

func startWhatIfReader(estimate EstimateFunc) *whatIfReader {
	r := &whatIfReader{estimate: estimate, queue: make(chan whatIfQueue, 1)}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.ended.Add(1)
	go r.run()
	return r
}

func (r *whatIfReader) stop() {
	r.cancel()
	r.ended.Wait()
}

// run works off queues of jobs until the budget is used up; what is left over
// comes with the next queue.
func (r *whatIfReader) run() {
	defer r.ended.Done()
	defer func() { // take raises it again, see smapsReader
		r.mu.Lock()
		r.panicked = recover()
		r.mu.Unlock()
	}()
	begun := false
	var credit time.Duration
	var last time.Time
	for {
		var q whatIfQueue
		select {
		case <-r.ctx.Done():
			return
		case q = <-r.queue:
		}
		if !begun {
			begun, credit, last = true, q.bucket, time.Now()
		}
		credit = min(q.bucket, credit+time.Duration(q.share*float64(time.Since(last))))
		last = time.Now()
		for _, j := range q.jobs {
			if credit <= 0 || r.ctx.Err() != nil {
				break
			}
			begin := time.Now()
			j.whatIf, j.out = r.estimate(r.ctx, j.id)
			j.at = time.Now()
			credit -= j.at.Sub(begin)
			if r.ctx.Err() != nil {
				return // it was cut short: worth nothing
			}
			r.mu.Lock()
			r.results = append(r.results, j)
			r.mu.Unlock()
		}
		r.mu.Lock()
		r.busy = false
		r.mu.Unlock()
	}
}

// take returns the results so far, and whether another queue may be offered.
func (r *whatIfReader) take() (results []whatIfJob, idle bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.panicked != nil {
		panic(r.panicked)
	}
	results, r.results = r.results, nil
	return results, !r.busy
}

// offer hands over a queue; take must have said that it may.
func (r *whatIfReader) offer(q whatIfQueue) {
	r.mu.Lock()
	r.busy = true
	r.mu.Unlock()
	r.queue <- q
}

// WhatIf updates the estimates of procs within the budget. It never waits:
// an estimate comes with the first tick after it was made.
func (s *Sampler) WhatIf(procs []*Proc) {
	if s.readRecorded(procs, HasWhatIf) || s.cfg.Estimate == nil || s.cfg.WhatIfBudget <= 0 {
		return
	}
	if s.whatIf == nil {
		s.whatIf = startWhatIfReader(s.cfg.Estimate)
	}
	results, idle := s.whatIf.take()
	s.deliverWhatIf(results)
	if !idle {
		return
	}
	if jobs := whatIfJobs(procs, s.tick.Mono); len(jobs) > 0 {
		bucket := time.Duration(s.cfg.WhatIfBudget * float64(max(s.cfg.Interval, whatIfSave)))
		s.whatIf.offer(whatIfQueue{jobs: jobs, share: s.cfg.WhatIfBudget, bucket: bucket})
	}
}

// WhatIfNow estimates all procs, largest first, one after the other; it begins
// none after limit. It returns how many were not reached.
func (s *Sampler) WhatIfNow(ctx context.Context, procs []*Proc, limit time.Duration) (missed int) {
	if s.readRecorded(procs, HasWhatIf) || s.cfg.Estimate == nil || s.cfg.WhatIfBudget <= 0 {
		return 0
	}
	jobs := whatIfJobs(procs, s.tick.Mono)
	slices.SortStableFunc(jobs, func(a, b whatIfJob) int { return cmp.Compare(b.resident, a.resident) })
	begin := time.Now()
	for i := range jobs {
		j := &jobs[i]
		if ctx.Err() != nil || time.Since(begin) > limit {
			missed++
			continue
		}
		j.whatIf, j.out = s.cfg.Estimate(ctx, j.id)
		j.at = s.tick.Time // a value of this tick
		s.deliverWhatIf(jobs[i : i+1])
	}
	return missed
}

// whatIfJobs lists the processes that are due, the oldest estimate first and
// large ones first among those of equal age.
func whatIfJobs(procs []*Proc, now time.Duration) []whatIfJob {
	var due []*Proc
	for _, p := range procs {
		if p.Own() && p.TID == 0 && p.whatIf.due(now, p.Resident) {
			due = append(due, p)
		}
	}
	slices.SortStableFunc(due, func(a, b *Proc) int {
		if a.whatIf.made != b.whatIf.made {
			if b.whatIf.made {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.whatIf.at, b.whatIf.at), cmp.Compare(b.Resident, a.Resident))
	})
	jobs := make([]whatIfJob, len(due))
	for i, p := range due {
		jobs[i] = whatIfJob{id: p.Ident, image: p.Image, resident: p.Resident}
	}
	return jobs
}

// deliverWhatIf puts results into the details of the processes they are of.
func (s *Sampler) deliverWhatIf(results []whatIfJob) {
	for i := range results {
		r := &results[i]
		p := s.tracker.procs[r.id.PID]
		if p == nil || p.Ident != r.id || p.Image != r.image {
			continue // gone, or another program by now
		}
		at := s.tick.Mono + r.at.Sub(s.tick.Time)
		p.whatIf = whatIfState{made: true, at: at, resident: r.resident, failed: r.out != Done}
		p.Detail.set(HasWhatIf, r.out)
		if r.out == Done {
			w := r.whatIf
			p.Detail.WhatIf, p.Detail.WhatIfAt = &w, at
		}
	}
}

// forgetWhatIf drops the estimate of a program that the process has left.
func (p *Proc) forgetWhatIf() {
	p.whatIf = whatIfState{}
	p.Detail.Have &^= HasWhatIf
	p.Detail.Denied &^= HasWhatIf
	p.Detail.WhatIf = nil
}

// record makes the record of an estimate of some age.
func (w *WhatIf) record(age time.Duration) *result.WhatIfRES {
	r := &result.WhatIfRES{WhatIfFigures: result.WhatIfFigures{Value: w.Bytes, Low: w.Low, High: w.High}}
	if age > 0 {
		r.AgeNS = result.Some(int64(age))
	}
	return r
}

// CountWhatIf counts processes whose estimates are wanted by how far these
// have come.
func CountWhatIf(c *result.WatchCounts, shown []*Proc) {
	for _, p := range shown {
		switch {
		case !p.Own() || p.TID != 0:
		case p.Detail.Have&HasWhatIf != 0:
			c.WhatIfRead++
		case p.Detail.Denied&HasWhatIf != 0:
			c.WhatIfRefused++
		case !p.whatIf.made:
			c.WhatIfPending++
		}
	}
}

// addWhatIf adds the estimate of one member.
func (s *sum) addWhatIf(p *Proc, now time.Duration) {
	if !p.Own() || p.TID != 0 || p.Have&HasMemory == 0 {
		return
	}
	if s.WhatIf == nil {
		s.WhatIf = new(result.WhatIfSum)
	}
	w := s.WhatIf
	if p.Detail.Have&HasWhatIf == 0 {
		w.Missing++
		if p.Detail.Denied&HasWhatIf != 0 {
			w.Refused++
		}
		return
	}
	e := p.Detail.WhatIf
	if w.WhatIfFigures == nil {
		w.WhatIfFigures = &result.WhatIfFigures{Value: result.Some[int64](0)}
	}
	w.Processes++
	accumulate(&w.RESBytes, p.Resident)
	w.Low += e.Low
	w.High += e.High
	w.Value.Value += e.Bytes.Value
	if !e.Bytes.Known { // nor is the sum then
		w.Value.Known = false
	}
	if age := now - p.Detail.WhatIfAt; age > 0 && int64(age) > w.OldestNS.Value {
		w.OldestNS = result.Some(int64(age))
	}
}
