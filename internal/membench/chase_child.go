package membench

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/respawn"
	"wordsize/internal/result"
)

const (
	chaseRounds  = 5         // of each length
	chaseRoundNS = 5_000_000 // least time of a round
	chaseHops    = 1 << 16   // between two readings of the clock
	provenNodes  = 1 << 20   // up to here a list is walked whole before it is timed
)

// ChaseMain is the whole life of a process that follows pointers; it returns
// the exit status.
func ChaseMain(in io.Reader, out io.Writer, exit func(int)) int {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	return respawn.Serve(in, out, exit, chase)
}

// chase measures every length, in one mapping that is as large as the largest
// needs.
func chase(t chaseTask) (*result.ChaseLaunch, error) {
	volunteerForOOM()
	l := &result.ChaseLaunch{PID: os.Getpid()}
	if t.CPU != nil {
		if err := pinThread(*t.CPU); err != nil {
			return nil, fmt.Errorf("pin to CPU %d: %w", *t.CPU, err)
		}
		l.PinnedCPU = t.CPU
	}
	most := int64(0)
	for _, n := range t.Nodes {
		if n < 1 || n > math.MaxUint32 || n > math.MaxInt/kernel.NodeBytes {
			return nil, fmt.Errorf("a list of %d nodes cannot be made by this build", n)
		}
		most = max(most, n)
	}
	if most == 0 {
		return nil, fmt.Errorf("no lengths")
	}
	w := worker{}
	var err error
	if w.chunk, err = mapChunk((most*kernel.NodeBytes+chunkStep-1)/chunkStep*chunkStep, t.Pages, t.HugeBytes); err != nil {
		return nil, err
	}
	if n := len(w.chunk.segments); n > 1 {
		return nil, fmt.Errorf("a list of %d nodes needs one mapping, and the address space has it in %d pieces only", most, n)
	}
	if err := w.chunk.bind(t.NUMA, bindStep(t.Pages, t.HugeBytes)); err != nil {
		return nil, err
	}
	nodes := unsafe.Slice((*kernel.Node)(w.chunk.segments[0].base), int(most))
	order := make([]uint32, most)
	for _, n := range t.Nodes {
		s, err := chaseOne(nodes[:n], order, l)
		if err != nil {
			return nil, err
		}
		l.Samples = append(l.Samples, s)
	}
	w.readResident()
	l.HugeBytes = w.rec.ChunkHuge
	l.NUMA = w.chunk.locate(t.NUMA)
	return l, nil
}

// chaseOne links the nodes, proves the list as far as that is cheap, and
// times it.
func chaseOne(nodes []kernel.Node, order []uint32, l *result.ChaseLaunch) (result.ChaseSample, error) {
	n := int64(len(nodes))
	kernel.Link(nodes, order, chaseSeed)
	want := min(n, provenNodes)
	if hops, sum := kernel.Walk(&nodes[0], want); hops != want || n <= provenNodes && sum != uint32(uint64(n)*uint64(n-1)/2) {
		return result.ChaseSample{}, fmt.Errorf("the list of %d nodes is none: back after %d hops: bad memory, or a bug of this program", n, hops)
	}
	s := result.ChaseSample{Nodes: n}
	p := &nodes[0]
	before, counted := threadUsage()
	begun := now()
	for range chaseRounds {
		var ns float64
		p, ns = chaseRound(p)
		s.Rounds = append(s.Rounds, ns)
	}
	l.WallNS += now() - begun
	if after, ok := threadUsage(); ok && counted {
		if l.CPUNS == nil {
			l.CPUNS = new(int64)
		}
		*l.CPUNS += after.cpuNS - before.cpuNS
	}
	if p == nil { // it never is; but the compiler cannot know, and keeps the loop
		return s, fmt.Errorf("a pointer was lost")
	}
	return s, nil
}

// chaseRound follows pointers for a moment; it returns where it ended, and
// nanoseconds a hop.
func chaseRound(p *kernel.Node) (*kernel.Node, float64) {
	hops := int64(0)
	for start := now(); ; {
		p = kernel.Chase(p, chaseHops)
		hops += chaseHops
		if ns := now() - start; ns >= chaseRoundNS {
			return p, float64(ns) / float64(hops)
		}
	}
}
