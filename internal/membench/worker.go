package membench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// WorkerArg is the program's only argument when it is started as a worker.
const WorkerArg = "__worker"

// WorkerMain is a worker's whole life: it obeys the commands on in, answers
// on out, and returns the exit status: 0 when it has sent its result. When in
// ends before that, the parent is gone, and exit is called at once.
func WorkerMain(in io.Reader, out io.Writer, exit func(int)) int {
	return workerMain(in, out, exit, nil)
}

// workerMain is WorkerMain with a hook for tests, called on the chunk before
// it is verified.
func workerMain(in io.Reader, out io.Writer, exit func(int), beforeVerify func(*chunk)) int {
	// The thread that writes is pinned and must stay this one; nothing is
	// worth collecting; signals to the process group are for the parent to
	// deal with, whose end is the worker's.
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)

	w := &worker{out: out, exit: exit, beforeVerify: beforeVerify, setup: make(chan spec, 1), start: make(chan int64, 1), stopped: make(chan struct{})}
	if err := w.send(message{Kind: msgHello, Protocol: protocolVersion, PID: os.Getpid(), NowNS: now()}); err != nil {
		return 1
	}
	go w.obey(in)
	if err := w.run(); err != nil {
		m := message{Kind: msgError, Error: err.Error()}
		errors.As(err, &m.Mismatch)
		w.send(m) // a parent that is gone needs no message
		return 1
	}
	return 0
}

type worker struct {
	out          io.Writer
	exit         func(int)
	beforeVerify func(*chunk)

	setup    chan spec
	start    chan int64
	stop     atomic.Bool // ask before every block
	stopped  chan struct{}
	stopOnce sync.Once

	spec    spec
	fill    kernel.Variant // what is timed
	plain   kernel.Variant // what touches
	chunk   *chunk
	stamps  *stamps
	rec     result.Worker
	pass    int64 // the last one that was begun; 0 is the first touch
	written int64 // bytes of it that were written: all, unless a stop cut it
}

// exitOrphan is the exit status of a worker whose parent is gone.
const exitOrphan = 3

// obey carries out the parent's commands, and ends the process when the
// parent is gone, whatever the other thread does.
func (w *worker) obey(in io.Reader) {
	dec := json.NewDecoder(in)
	for {
		var c command
		if err := dec.Decode(&c); err != nil {
			w.exit(exitOrphan)
			return
		}
		switch {
		case c.Op == "setup" && c.Spec != nil:
			w.setup <- *c.Spec
		case c.Op == "go":
			w.start <- c.StartNS
		case c.Op == "stop":
			w.stopOnce.Do(func() { w.stop.Store(true); close(w.stopped) })
		}
	}
}

func (w *worker) send(m message) error { return writeMessage(w.out, m) }

func (w *worker) run() error {
	w.spec = <-w.setup
	if err := w.prepare(); err != nil {
		return err
	}
	if err := w.send(message{Kind: msgReady}); err != nil {
		return err
	}
	waitUntil(<-w.start)
	if err := w.timed(); err != nil {
		return err
	}
	<-w.stopped
	if w.spec.Verify {
		if err := w.verify(); err != nil {
			return err
		}
	}
	return w.send(message{Kind: msgResult, Worker: &w.rec})
}

// spinNS is how long before the start a worker ceases to sleep: more than
// the kernel's timer slack (50 µs) and a wake-up.
const spinNS = 300_000

func waitUntil(ns int64) {
	if ns-spinNS > now() {
		sleepUntil(ns - spinNS)
	}
	for now() < ns {
	}
}

// prepare pins the thread, maps, touches and warms the chunk.
func (w *worker) prepare() error {
	s := &w.spec
	w.rec = result.Worker{Index: s.Index, PID: os.Getpid(), OOMScoreAdj: volunteerForOOM()}
	var err error
	if w.fill, err = kernel.Select(s.Kernel); err != nil {
		return err
	}
	if w.plain, err = kernel.Select(kernel.Default); err != nil {
		return err
	}
	if s.CPU != nil {
		if err := pinThread(*s.CPU); err != nil {
			return fmt.Errorf("pin to CPU %d: %w", *s.CPU, err)
		}
		w.rec.PinnedCPU = s.CPU
	}
	if w.chunk, err = mapChunk(s.ChunkBytes, s.Pages, s.HugeBytes); err != nil {
		return err
	}
	w.stamps = newStamps()
	w.rec.Mappings = len(w.chunk.segments)
	w.rec.BytesPerPass = w.fill.Kernel.BytesMoved(s.ChunkBytes)

	before, counted := threadUsage()
	t0 := now()
	w.touch()
	t1 := now()
	if after, ok := threadUsage(); ok && counted {
		faults := after.minor - before.minor + after.major - before.major
		w.rec.TouchFaults = &faults
	}
	for range s.Warmup {
		w.onePass()
	}
	w.rec.FirstTouchNS, w.rec.WarmupNS = t1-t0, now()-t1
	w.readResident()
	w.rec.Placement = w.readPlacement()
	return nil
}

// touch writes every page for the first time, with ordinary stores whatever
// the kernel: so that "zero" has something to clear.
func (w *worker) touch() {
	first := pattern(w.spec.Seed, w.spec.Index, 0)
	w.chunk.blocks(func(p unsafe.Pointer, n uintptr, _ int64) bool {
		w.plain.Fill(p, n, first)
		return true
	})
}

// onePass writes the whole chunk once; false when a stop cut it. A stop that
// comes during the last block doesn't cut: the pass is complete.
func (w *worker) onePass() bool {
	w.pass++
	pat := pattern(w.spec.Seed, w.spec.Index, w.pass)
	fill := w.fill
	whole := w.chunk.blocks(func(p unsafe.Pointer, n uintptr, offset int64) bool {
		if w.stop.Load() {
			w.written = offset
			return false
		}
		fill.Fill(p, n, pat)
		return true
	})
	fill.Fence()
	if whole {
		w.written = w.chunk.bytes
	}
	return whole
}

// progressNS is the least time between two progress messages.
const progressNS = 250_000_000

// timed makes the counted passes and, if the load is held, those after them.
// Only the clock is read between passes.
func (w *worker) timed() error {
	s, r, st := &w.spec, &w.rec, w.stamps
	r.StartCPU = currentCPU()
	before, counted := threadUsage()
	r.StartNS = now()
	end := r.StartNS
	lastProgress := end
	for !(s.Passes > 0 && st.passes >= s.Passes || s.Passes == 0 && st.passes > 0 && end-r.StartNS >= s.MinTimeNS) {
		w.onePass()
		end = now()
		st.add(end)
		if s.Progress && end-lastProgress > progressNS {
			lastProgress = end
			if err := w.send(message{Kind: msgProgress, Passes: st.passes}); err != nil {
				return err
			}
		}
	}
	r.EndNS, r.StopNS, r.Passes = end, end, st.passes
	if after, ok := threadUsage(); ok && counted {
		r.MinorFaults, r.MajorFaults = new(after.minor-before.minor), new(after.major-before.major)
		r.Preemptions, r.CPUNS = new(after.preempted-before.preempted), new(after.cpuNS-before.cpuNS)
	}
	r.EndCPU = currentCPU()
	if err := w.send(message{Kind: msgDone, Passes: st.passes}); err != nil {
		return err
	}
	if s.Hold {
		w.hold()
	}
	r.PassEndNS, r.PassStride = st.ns, st.stride
	if w.written < w.chunk.bytes {
		r.PartialBytes = w.written
	}
	return nil
}

// hold keeps the load up until the stop, so that workers that are still
// counting aren't flattered.
func (w *worker) hold() {
	yields := realTime()
	for w.onePass() {
		w.stamps.add(now())
		if yields {
			letOthersRun()
		}
	}
	w.rec.StopNS = now()
	w.rec.HeldPasses = w.stamps.passes - w.rec.Passes
}

// verify compares the whole chunk with the last patterns written.
func (w *worker) verify() error {
	if w.beforeVerify != nil {
		w.beforeVerify(w.chunk)
	}
	t0 := time.Now()
	if bad := w.chunk.check(w.written, w.stored(w.pass), w.stored(w.pass-1)); bad != nil {
		bad.Worker = w.spec.Index
		return bad
	}
	w.rec.VerifyNS, w.rec.VerifiedBytes = new(int64(time.Since(t0))), new(w.chunk.bytes)
	return nil
}

// stored returns what a pass leaves in memory.
func (w *worker) stored(pass int64) uint32 {
	pat := pattern(w.spec.Seed, w.spec.Index, pass)
	if pass == 0 {
		return pat
	}
	return w.fill.Kernel.Stored(pat)
}
