package structures

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"wordsize/internal/respawn"
	"wordsize/internal/result"
)

// ChildArg is the program's only argument when it is started to build one
// structure.
const ChildArg = "__footprint"

// Task is what a child builds.
type Task struct {
	Structure string `json:"structure"`
	Elements  int64  `json:"elements"` // of each copy
	Copies    int64  `json:"copies"`
}

// child is how the program starts itself: with one processor, so that only
// one cache of free memory stands between the runtime's figure and the
// kernel's, and without what the environment may say of the collector.
var child = respawn.Child{Arg: ChildArg, Env: []string{"GOMAXPROCS=1", "GOGC=50", "GOMEMLIMIT=off", "GODEBUG="}}

// ChildMain is a child's whole life; it returns the exit status.
func ChildMain(in io.Reader, out io.Writer, exit func(int)) int {
	return respawn.Serve(in, out, exit, measure)
}

// measure builds what the task says and returns what that took.
func measure(t Task) (*result.FootprintSample, error) {
	s, err := find(t.Structure)
	if err != nil {
		return nil, err
	}
	if t.Elements < 1 || t.Copies < 1 || t.Elements > math.MaxInt/t.Copies {
		return nil, fmt.Errorf("%d x %d elements: more than an int of this build counts", t.Copies, t.Elements)
	}
	var sample result.FootprintSample
	sample.HugeOff = prepareProcess()
	kept := make([]any, t.Copies)
	// What the runtime makes at its first allocation of a kind, or at the
	// first reading of a figure, is not the structure's.
	kept[0] = s.build(int(min(t.Elements, 1000)))
	kept[0] = nil
	settle()
	read(&sample)

	settle()
	before := read(&sample)
	for i := range kept {
		kept[i] = s.build(int(t.Elements))
	}
	settle()
	after := read(&sample)
	runtime.KeepAlive(kept)

	sample.HeapBytes = after.heap - before.heap
	if before.resident != nil && after.resident != nil {
		sample.ResidentBytes = new(*after.resident - *before.resident)
	}
	sample.SwappedBytes = after.swapped
	sample.PeakBytes = peakResident()
	return &sample, nil
}

// settle collects what is garbage and gives free memory back to the system,
// twice: what a finalizer or a pool held is free after the second time.
func settle() {
	runtime.GC()
	debug.FreeOSMemory()
}

// reading is the state of the process' memory, in bytes.
type reading struct {
	heap     int64  // live objects and goroutine stacks, as Go counts them
	resident *int64 // private memory in RAM, as the kernel counts it
	swapped  *int64
}

var samples = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}

// read takes a reading; of how it was got it takes note in the sample.
func read(sample *result.FootprintSample) reading {
	metrics.Read(samples)
	r := reading{heap: int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())}
	m, source := residentMemory()
	r.resident, r.swapped = m.resident, m.swapped
	sample.Source = source
	return r
}
