package procstat

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// What reading smaps_rollup is expected to cost, until it was measured:
// something per call and about 20 ms per GB resident.
const (
	smapsCallCost = 50 * time.Microsecond
	smapsPerByte  = 0.021 // nanoseconds
)

// smapsReader reads PSS beside the ticks, never using more than a share of
// the time: the budget fills a bucket, reads empty it. A single read can not
// be interrupted, and takes 20 ms per GB, so it may overdraw the bucket; then
// nothing is read until the debt is repaid.
type smapsReader struct {
	src    Source
	share  float64       // of real time
	bucket time.Duration // how much unused budget is saved up at most

	queue chan []smapsJob
	idle  chan struct{}
	quit  chan struct{}
	ended sync.WaitGroup

	mu       sync.Mutex
	results  []smapsJob
	panicked any
}

// smapsJob is one process whose PSS is wanted, and then its result.
type smapsJob struct {
	id       Ident
	resident int64
	fresh    bool // never done before
	smaps    Smaps
	out      Outcome
	at       time.Time
}

func startSmapsReader(src Source, share float64, bucket time.Duration) *smapsReader {
	r := &smapsReader{
		src: src, share: share, bucket: bucket,
		queue: make(chan []smapsJob), idle: make(chan struct{}, 1), quit: make(chan struct{}),
	}
	r.ended.Add(1)
	go r.run()
	return r
}

func (r *smapsReader) stop() {
	close(r.quit)
	r.ended.Wait()
}

// run works off queues of jobs, oldest value first, until the budget is used
// up; what is left over waits for the next queue.
func (r *smapsReader) run() {
	defer r.ended.Done()
	defer func() {
		// A panic here would end the program with the terminal as it is:
		// take raises it again where the screen can be restored.
		r.mu.Lock()
		r.panicked = recover()
		r.mu.Unlock()
	}()
	var buf []byte
	perByte := smapsPerByte
	credit, last := r.bucket, time.Now()
	for {
		var jobs []smapsJob
		select {
		case <-r.quit:
			return
		case jobs = <-r.queue:
		}
		credit = min(r.bucket, credit+time.Duration(r.share*float64(time.Since(last))))
		last = time.Now()
		for _, j := range firstSmall(jobs, credit, perByte) {
			if credit <= 0 {
				break
			}
			begin := time.Now()
			buf, j.out = r.src.ReadSmaps(j.id.PID, buf, &j.smaps)
			j.at = time.Now()
			took := j.at.Sub(begin)
			credit -= took
			if j.resident > 64<<20 && took > smapsCallCost {
				perByte += (float64(took-smapsCallCost)/float64(j.resident) - perByte) / 4
			}
			r.mu.Lock()
			r.results = append(r.results, j)
			r.mu.Unlock()
			select {
			case <-r.quit:
				return
			default:
			}
		}
		if cap(buf) > 1<<20 {
			buf = nil
		}
		select {
		case r.idle <- struct{}{}:
		default:
		}
	}
}

// firstSmall moves jobs that were never done and fit into the budget to the
// front, so that one huge process does not leave all the others blank; the
// others keep their order, oldest first, so that it gets its turn.
func firstSmall(jobs []smapsJob, credit time.Duration, perByte float64) []smapsJob {
	var front, rest []smapsJob
	for _, j := range jobs {
		if j.fresh && expect(j.resident, perByte) <= credit {
			front = append(front, j)
		} else {
			rest = append(rest, j)
		}
	}
	return append(front, rest...)
}

// expect returns how long reading the PSS of so many resident bytes may take.
func expect(resident int64, perByte float64) time.Duration {
	return smapsCallCost + time.Duration(float64(resident)*perByte)
}

// take returns the results so far.
func (r *smapsReader) take() []smapsJob {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.panicked != nil {
		panic(r.panicked)
	}
	out := r.results
	r.results = nil
	return out
}

// request hands over jobs and waits until they are done, but not longer than
// limit. A reader that is still busy with the ones before keeps those.
func (r *smapsReader) request(ctx context.Context, jobs []smapsJob, limit time.Duration) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case <-r.idle: // a leftover of a request that was not waited for
	default:
	}
	select {
	case r.queue <- jobs:
	case <-timeout.C:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-r.idle:
	case <-timeout.C:
	case <-ctx.Done():
	}
}

// PSS updates the PSS tier of procs within the budget. It waits for at most
// one tick's budget; a read that takes longer goes on beside, and its result
// comes with a later tick.
func (s *Sampler) PSS(ctx context.Context, procs []*Proc) {
	if s.readRecorded(procs, HasSmaps) || s.cfg.PSSBudget <= 0 {
		return
	}
	budget := time.Duration(s.cfg.PSSBudget * float64(s.cfg.Interval))
	if s.reader == nil {
		s.reader = startSmapsReader(s.src, s.cfg.PSSBudget, budget)
	}
	s.deliver(s.reader.take())
	if jobs := smapsJobs(procs); len(jobs) > 0 {
		s.reader.request(ctx, jobs, budget)
		s.deliver(s.reader.take())
	}
}

// PSSNow reads the PSS of all procs at once, largest first, starting no read
// that is expected to end after limit. It returns how many were not reached.
func (s *Sampler) PSSNow(ctx context.Context, procs []*Proc, limit time.Duration) (missed int) {
	if s.readRecorded(procs, HasSmaps) {
		return 0
	}
	jobs := smapsJobs(procs)
	slices.SortStableFunc(jobs, func(a, b smapsJob) int { return cmp.Compare(b.resident, a.resident) })
	begin := time.Now()
	var buf []byte
	for i := range jobs {
		j := &jobs[i]
		if ctx.Err() != nil || time.Since(begin)+expect(j.resident, smapsPerByte) > limit {
			missed++
			continue
		}
		buf, j.out = s.src.ReadSmaps(j.id.PID, buf, &j.smaps)
		j.at = s.tick.Time // a value of this tick
		s.deliver(jobs[i : i+1])
	}
	return missed
}

// readRecorded takes values from a recording; false when there is none.
func (s *Sampler) readRecorded(procs []*Proc, want Fields) bool {
	if r, ok := s.src.(Recorded); !ok || !r.Recorded() {
		return false
	}
	for _, p := range procs {
		s.src.Read(&p.Sample, want, &p.Detail)
	}
	return true
}

// smapsJobs orders processes with memory by the age of their value, oldest
// first; large ones first among those of equal age.
func smapsJobs(procs []*Proc) []smapsJob {
	procs = slices.DeleteFunc(slices.Clone(procs), func(p *Proc) bool { return !p.Own() || p.TID != 0 })
	slices.SortStableFunc(procs, func(a, b *Proc) int {
		if a.smapsMade != b.smapsMade {
			if b.smapsMade {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.smapsTry, b.smapsTry), cmp.Compare(b.Resident, a.Resident))
	})
	jobs := make([]smapsJob, len(procs))
	for i, p := range procs {
		jobs[i] = smapsJob{id: p.Ident, resident: p.Resident, fresh: !p.smapsMade}
	}
	return jobs
}

// deliver puts results into the details of the processes they are of.
func (s *Sampler) deliver(results []smapsJob) {
	for i := range results {
		r := &results[i]
		p := s.tracker.procs[r.id.PID]
		if p == nil || p.Ident != r.id {
			continue
		}
		p.smapsMade = true
		p.smapsTry = s.tick.Mono + r.at.Sub(s.tick.Time)
		p.Detail.set(HasSmaps, r.out)
		if r.out == Done {
			p.Detail.Smaps = r.smaps
			p.Detail.SmapsAt = p.smapsTry
		}
	}
}
