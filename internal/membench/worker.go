package membench

import (
	"errors"
	"fmt"
	"io"
	"math"
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

	c := &crew{out: &lockedWriter{w: out}, exit: exit, beforeVerify: beforeVerify}
	first := c.newWorker()
	if err := first.send(message{Kind: msgHello, Protocol: protocolVersion, PID: os.Getpid(), NowNS: now()}); err != nil {
		return 1
	}
	go c.obey(in)
	if !first.live() {
		return 1
	}
	c.others.Wait()
	if c.failed.Load() {
		return 1
	}
	return 0
}

type worker struct {
	out          io.Writer
	beforeVerify func(*chunk)

	setup    chan spec
	start    chan int64
	stop     atomic.Bool // ask before every block
	stopped  chan struct{}
	stopOnce sync.Once

	spec    spec
	loop    kernel.Variant // what is timed
	plain   kernel.Variant // what touches
	chunk   *chunk
	layout  *layout
	stamps  *stamps
	rec     result.Worker
	pass    int64        // the last one that was begun; 0 is the first touch
	done    int64        // bytes of each array that it did: all, unless a stop cut it
	held    kernel.Words // what the arrays hold after it
	before  kernel.Words // and held before it
	badPass int64        // the first pass whose sum was wrong; 0 is none
	badSum  [2]uint64    // what it should have been, and what it was
	list    *list        // instead of a loop: pointers to follow
}

func (w *worker) send(m message) error {
	m.Thread = w.thread()
	return writeMessage(w.out, m)
}

// live is run with its failure told to the parent; it says whether there was
// none.
func (w *worker) live() bool {
	err := w.run()
	if err == nil {
		return true
	}
	m := message{Kind: msgError, Error: err.Error()}
	errors.As(err, &m.Mismatch)
	errors.As(err, &m.SumMismatch)
	w.send(m) // a parent that is gone needs no message
	return false
}

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
	if w.loop, err = kernel.Select(s.Kernel); err != nil {
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
	if err := w.chunk.bind(s.NUMA, bindStep(s.Pages, s.HugeBytes)); err != nil {
		return err
	}
	w.stamps = newStamps()
	if s.Lines > 0 {
		return w.prepareList()
	}
	w.layout = w.chunk.divide(w.loop.Kernel)
	w.rec.Mappings = len(w.chunk.segments)
	w.rec.BytesPerPass = w.loop.Kernel.BytesMoved(w.layout.bytes) * w.batch()

	before, counted := threadUsage()
	t0 := now()
	w.touch()
	t1 := now()
	if after, ok := threadUsage(); ok && counted {
		faults := after.minor - before.minor + after.major - before.major
		w.rec.TouchFaults = &faults
	}
	for i := 0; i < s.Warmup || now()-t1 < s.WarmNS; i++ {
		w.onePass()
	}
	w.rec.FirstTouchNS, w.rec.WarmupNS = t1-t0, now()-t1
	if s.TimeCall {
		w.timeCall()
	}
	w.readResident()
	w.rec.Placement = w.readPlacement()
	w.rec.NUMA = w.chunk.locate(s.NUMA)
	return nil
}

// touch writes every page for the first time, with ordinary stores whatever
// the kernel: so that "zero" has something to clear and "read" to add up.
func (w *worker) touch() {
	k, pat := w.loop.Kernel, pattern(w.spec.Seed, w.spec.Index, 0)
	w.layout.touch(func(array int, p unsafe.Pointer, n uintptr) { w.plain.Fill(p, n, k.First(array, pat)) })
	for a := range k.Arrays() {
		w.held[a] = kernel.Twice(k.First(a, pat))
	}
	w.before = w.held
}

// onePass goes over all of the arrays once; false when a stop cut it. A stop
// that comes during the last block doesn't cut: the pass is complete.
func (w *worker) onePass() bool {
	if w.list != nil {
		return w.listPass()
	}
	w.pass++
	loop := w.loop
	o := kernel.Operands{Pattern: pattern(w.spec.Seed, w.spec.Index, w.pass)}
	w.before, w.held = w.held, loop.Kernel.After(w.held, o.Pattern)
	var sum uint64
	w.done = w.layout.bytes
	whole := w.layout.blocks(&o, func(offset int64) bool {
		if w.stop.Load() {
			w.done = offset
			return false
		}
		sum += w.runBlock(&o)
		return true
	})
	loop.Fence()
	if loop.Kernel.Sums() && w.badPass == 0 {
		if want := kernel.SumOf(w.held[0], uint64(w.done)*uint64(w.batch())); sum != want {
			w.badPass, w.badSum = w.pass, [2]uint64{want, sum}
		}
	}
	return whole
}

// runBlock runs the loop over one block, as often as makes a pass.
func (w *worker) runBlock(o *kernel.Operands) uint64 {
	switch s := &w.spec; {
	case s.Batch > 1:
		return w.loop.Loop(o, s.Batch)
	case s.Delay > 0:
		return w.runWithDelay(o)
	}
	return w.loop.Run(o)
}

// pieceBytes is what a worker with a delay moves at once.
const pieceBytes = 4096

// runWithDelay runs the loop piece by piece with pauses, so that it takes only
// a part of the bandwidth.
func (w *worker) runWithDelay(o *kernel.Operands) (sum uint64) {
	part := *o
	for off := uintptr(0); off < o.N; off += pieceBytes {
		for i := range w.layout.arrays {
			part.P[i] = unsafe.Add(o.P[i], off)
		}
		part.N = min(o.N-off, pieceBytes)
		sum += w.loop.Run(&part)
		idle(w.spec.Delay)
	}
	return sum
}

// idled keeps the compiler from leaving idle's loop out.
var idled atomic.Uint32

// idle takes about a nanosecond a turn, for each needs the one before: a
// multiplication and an addition.
func idle(turns int) {
	x := uint32(turns)
	for range turns {
		x = x*1664525 + 1013904223
	}
	if x == 0 {
		idled.Store(x)
	}
}

func (w *worker) batch() int64 { return int64(max(1, w.spec.Batch)) }

// timeCall records what a call of the loop costs that has nothing to do.
func (w *worker) timeCall() {
	const calls, rounds = 2000, 5
	var o kernel.Operands
	o.P[0] = w.chunk.segments[0].base
	best := int64(math.MaxInt64)
	for range rounds {
		start := now()
		w.loop.Loop(&o, calls)
		best = min(best, now()-start)
	}
	w.rec.CallNS = new(float64(best) / calls)
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
	if w.list == nil && w.done < w.layout.bytes {
		r.PartialBytes = w.loop.Kernel.BytesMoved(w.done)
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

// verify compares the arrays with what the last passes leave in them. Of a
// kernel that reads, the sums are compared too: the loop adds once more, for
// what it is to find may have come after its last pass.
func (w *worker) verify() error {
	if w.beforeVerify != nil {
		w.beforeVerify(w.chunk)
	}
	t0 := time.Now()
	if w.list != nil {
		return w.verifyList()
	}
	w.spec.Delay = 0
	if w.loop.Kernel.Sums() && w.badPass == 0 {
		w.stop.Store(false)
		w.onePass()
		w.stop.Store(true)
	}
	// A wrong word tells more than a wrong sum.
	if bad := w.layout.check(w.done, w.held, w.before); bad != nil {
		bad.Worker = w.spec.Index
		return bad
	}
	if w.badPass > 0 {
		return &SumMismatch{Worker: w.spec.Index, Pass: w.badPass, Expected: w.badSum[0], Found: w.badSum[1]}
	}
	w.rec.VerifyNS, w.rec.VerifiedBytes = new(int64(time.Since(t0))), new(int64(w.layout.arrays)*w.layout.bytes)
	return nil
}
