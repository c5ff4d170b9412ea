package membench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// A phase is one set of workers that run at the same time.
type phase struct {
	name     string
	cfg      *Config
	cpus     []*int // for each worker; nil: not pinned
	passes   int64  // 0: as many as fill cfg.MinTime
	hold     bool
	executor Executor
	fs       hostinfo.FS
	huge     int64
	observe  func(Progress)
	shape    func(i int, s *spec) // where set, changes what worker i is to do

	startNS  int64  // when the first worker was about to be started
	conns    []conn // one a worker, or one for all when they are threads
	events   chan event
	quit     chan struct{} // closed when nobody listens to events any more
	workers  []result.Worker
	oom      hostinfo.Counters // before anything was started
	counts   []int64           // passes made, by worker
	finished []bool            // results received, by worker
}

// An event is a worker's message, or the end of its process when m is nil.
type event struct {
	conn   int
	worker int
	m      *message
}

// Progress tells how far a run is.
type Progress struct {
	Launch, Launches int  // from 0
	AtMost           bool // there may be fewer launches
	Kernel           string
	Phase            string
	Stage            Stage
	Processes        int
	Passes           int64         // of the slowest worker
	Of               int64         // 0 when only the time is known
	Elapsed          time.Duration // since the start of the timed passes
	MinTime          time.Duration
}

// Stage is what a phase is about.
type Stage string

const (
	StageTouch  Stage = "touching memory"
	StageTimed  Stage = "timed passes"
	StageVerify Stage = "verifying"
)

// helloTimeout bounds the time from a worker's start to its first word; only
// a runner that never starts it needs so long.
var helloTimeout = 30 * time.Second

// blameDelay is how long a worker's end may come before the signal to us that
// explains it.
const blameDelay = 100 * time.Millisecond

// startLead is how far ahead the common start is set, so that each worker
// has read of it by then.
func startLead(workers int) time.Duration {
	return 3*time.Millisecond + time.Duration(workers)*300*time.Microsecond
}

func (p *phase) run(ctx context.Context) (*result.Phase, error) {
	p.events, p.quit = make(chan event), make(chan struct{})
	p.counts, p.finished = make([]int64, len(p.cpus)), make([]bool, len(p.cpus))
	p.startNS = now()
	p.oom = p.fs.Counters()
	defer p.end()
	zonesBefore := p.zones()
	if err := p.startAll(ctx); err != nil {
		return nil, err
	}
	p.tell(StageTouch, 0)
	if err := p.collect(ctx, msgReady, nil); err != nil {
		return nil, err
	}
	zonesTouched := p.zones()
	before := p.fs.Counters()
	at := now() + int64(startLead(len(p.conns)))
	if err := p.broadcast(command{Op: "go", StartNS: at}); err != nil {
		return nil, err
	}
	p.tell(StageTimed, 0)
	if err := p.collect(ctx, msgDone, func() { p.tell(StageTimed, time.Duration(now()-at)) }); err != nil {
		return nil, err
	}
	disturbed := p.fs.Counters().Sub(before)
	zonesAfter := p.zones()
	if err := p.broadcast(command{Op: "stop"}); err != nil {
		return nil, err
	}
	p.tell(StageVerify, time.Duration(now()-at))
	if err := p.collect(ctx, msgResult, nil); err != nil {
		return nil, err
	}
	ph, err := p.record(disturbed)
	if err == nil && zonesBefore != nil && zonesTouched != nil && zonesAfter != nil {
		ph.Zones = &result.PhaseZones{Before: *zonesBefore, Touched: *zonesTouched, After: *zonesAfter}
	}
	return ph, err
}

// zones reads HIGHMEM and LOWMEM; nil on kernels that have no HIGHMEM.
func (p *phase) zones() *result.Zones {
	m, err := p.fs.MemInfo()
	if err != nil || m.HighTotalBytes == nil || m.HighFreeBytes == nil || m.LowTotalBytes == nil || m.LowFreeBytes == nil || *m.HighTotalBytes == 0 {
		return nil
	}
	return &result.Zones{HighTotalBytes: *m.HighTotalBytes, HighFreeBytes: *m.HighFreeBytes, LowTotalBytes: *m.LowTotalBytes, LowFreeBytes: *m.LowFreeBytes}
}

// startAll starts the workers, waits for their hellos, and sets them up.
func (p *phase) startAll(ctx context.Context) error {
	starts := len(p.cpus)
	if p.cfg.Threads {
		starts = 1
	}
	for i := range starts {
		c, err := p.executor.start(i)
		if err != nil {
			return err
		}
		p.conns = append(p.conns, c)
		go p.forward(i, c)
	}
	hello, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	if err := p.collect(hello, msgHello, nil); err != nil {
		if ctx.Err() == nil && hello.Err() != nil {
			return fmt.Errorf("a worker did not answer within %v: does the runner start the command that follows it, and pass standard input and output on?", helloTimeout)
		}
		return err
	}
	for i := range p.cpus {
		s := p.spec(i)
		c := p.connOf(i)
		if err := p.conns[c].send(command{Op: "setup", Spec: &s}); err != nil {
			return p.failed(i, p.conns[c].close(), nil)
		}
	}
	return nil
}

// connOf returns which connection a worker's messages come by.
func (p *phase) connOf(worker int) int { return min(worker, len(p.conns)-1) }

// forward passes a process' messages on as events, its end as the last.
func (p *phase) forward(i int, c conn) {
	say := func(m *message) {
		worker := i
		if m != nil {
			worker += m.Thread
		}
		select {
		case p.events <- event{i, worker, m}:
		case <-p.quit:
		}
	}
	for m := range c.messages() {
		say(&m)
	}
	say(nil)
}

func (p *phase) spec(i int) spec {
	threads := 0
	if p.cfg.Threads {
		threads = len(p.cpus)
	}
	s := spec{
		Threads: threads,
		Index:   i, ChunkBytes: p.cfg.ChunkBytes, Kernel: p.cfg.Kernel.String(), CPU: p.cpus[i],
		Pages: p.cfg.Pages, HugeBytes: p.huge, NUMA: p.cfg.binding(p.cpus[i]), Warmup: p.cfg.Warmup, Seed: p.cfg.Seed,
		Passes: p.passes, MinTimeNS: int64(p.cfg.MinTime), Hold: p.hold, Verify: p.cfg.Verify,
		Progress: p.cfg.Progress,
	}
	if p.shape != nil {
		p.shape(i, &s)
	}
	return s
}

// collect waits until every worker has sent a message of one kind. each is
// called after every progress.
func (p *phase) collect(ctx context.Context, kind string, each func()) error {
	waiting := len(p.cpus)
	if kind == msgHello { // which comes once from a process
		waiting = len(p.conns)
	}
	for waiting > 0 {
		var e event
		select {
		case <-ctx.Done():
			return ErrInterrupted
		case e = <-p.events:
		}
		switch m := e.m; {
		case m != nil && e.worker >= len(p.cpus):
			return fmt.Errorf("a message of worker %d, of %d: %q", e.worker, len(p.cpus), m.Kind)
		case m == nil && p.allFinished(e.conn):
		case m == nil:
			// A signal to the whole process group reaches the worker, too:
			// then it isn't to blame.
			select {
			case <-ctx.Done():
				return ErrInterrupted
			case <-time.After(blameDelay):
			}
			return p.failed(e.worker, p.conns[e.conn].close(), nil)
		case m.Kind == msgError:
			return p.failed(e.worker, exit{}, m)
		case m.Kind == msgProgress:
			p.counts[e.worker] = m.Passes
			if each != nil {
				each()
			}
		case m.Kind != kind:
			return fmt.Errorf("worker %d: message %q out of order, waiting for %q", e.worker, m.Kind, kind)
		case m.Kind == msgHello && m.Protocol != protocolVersion:
			return fmt.Errorf("worker %d speaks protocol %d, this program %d: was the program replaced meanwhile? start it again", e.worker, m.Protocol, protocolVersion)
		case m.Kind == msgHello && clockIsShared && (m.NowNS < p.startNS || m.NowNS > now()):
			return fmt.Errorf("worker %d: its %s is not this host's: a runner must start it on the same host and in the same time namespace", e.worker, clockName)
		default:
			if m.Kind == msgResult && m.Worker != nil {
				p.workers = append(p.workers, *m.Worker)
				p.finished[e.worker] = true // its end is no surprise now
			}
			if m.Kind == msgDone {
				p.counts[e.worker] = m.Passes
			}
			waiting--
		}
	}
	return nil
}

// allFinished says whether the results of all workers of a process are here.
func (p *phase) allFinished(conn int) bool {
	for i, done := range p.finished {
		if p.connOf(i) == conn && !done {
			return false
		}
	}
	return true
}

func (p *phase) broadcast(c command) error {
	for i, w := range p.conns {
		if err := w.send(c); err != nil {
			return p.failed(i, w.close(), nil)
		}
	}
	return nil
}

// failed makes the error of a worker that ended or complained.
func (p *phase) failed(i int, x exit, m *message) error {
	switch {
	case m != nil && m.Mismatch != nil:
		return m.Mismatch
	case m != nil && m.SumMismatch != nil:
		return m.SumMismatch
	}
	e := &WorkerError{Worker: i, PID: p.conns[p.connOf(i)].pid(), Phase: p.name, How: x.how, Stderr: x.stderr}
	switch {
	case m != nil:
		e.How = m.Error
	case x.ok:
		e.How = "it ended before its time"
	case x.killed:
		e.OOM = oomVerdict(p.fs.Counters().Sub(p.oom))
	}
	return e
}

// oomVerdict prefers the own cgroup's counter; the system's may have risen
// for somebody else's process, but then memory was short all the same.
func oomVerdict(d hostinfo.Counters) OOMVerdict {
	if d.CgroupOOMKills == nil && d.OOMKills == nil {
		return OOMUnknown
	}
	for _, n := range []*uint64{d.CgroupOOMKills, d.OOMKills} {
		if n != nil && *n > 0 {
			return OOMLikely
		}
	}
	return OOMNo
}

// end makes all workers end and waits until they have.
func (p *phase) end() {
	close(p.quit)
	var all sync.WaitGroup
	for _, c := range p.conns {
		all.Go(func() { c.close() })
	}
	all.Wait()
}

func (p *phase) tell(s Stage, elapsed time.Duration) {
	if p.observe == nil {
		return
	}
	slowest := p.counts[0]
	for _, n := range p.counts {
		slowest = min(slowest, n)
	}
	p.observe(Progress{Phase: p.name, Stage: s, Processes: len(p.cpus), Passes: slowest, Of: p.passes, Elapsed: elapsed, MinTime: p.cfg.MinTime})
}
