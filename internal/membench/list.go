package membench

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"wordsize/internal/membench/kernel"
)

// list is what a worker that measures latency follows.
type list struct {
	base  unsafe.Pointer
	lines int
	hops  int          // a pass
	at    *kernel.Node // where the last pass ended
}

const (
	// What a pass makes: some 15 µs in the first caches, against the 40 ns of a
	// reading of the clock, and half a millisecond in memory, so that what
	// interrupts a process is in few passes.
	hopsOfShort = 1 << 14
	hopsOfLong  = 1 << 12
	shortList   = 1 << 16 // lines: 4 MiB
	// provenLines is up to how many a list is walked whole before it is timed:
	// 64 MiB. Of a longer one as many are walked.
	provenLines = 1 << 20
)

// ListBytes returns what a worker takes to follow pointers through so many
// bytes: the numbers too, of which its list is made.
func ListBytes(bytes int64) int64 { return mappedFor(bytes) + bytes/kernel.LineBytes*orderBytes }

// mappedFor rounds up to whole huge pages, so that small lists can lie in one.
func mappedFor(bytes int64) int64 { return (bytes + thpBytes - 1) / thpBytes * thpBytes }

// prepareList links the lines and walks them, which warms them too.
func (w *worker) prepareList() error {
	s := &w.spec
	seg := w.chunk.segments[0]
	if len(w.chunk.segments) > 1 || s.Lines > math.MaxUint32 || uint64(s.Lines)*kernel.LineBytes > seg.size {
		return fmt.Errorf("a list of %d lines needs one mapping, and the address space has it in %d pieces only", s.Lines, len(w.chunk.segments))
	}
	w.rec.Mappings = 1
	w.list = &list{base: seg.base, lines: int(s.Lines), hops: hopsOfLong}
	if s.Lines <= shortList {
		w.list.hops = hopsOfShort
	}
	w.rec.BytesPerPass = int64(w.list.hops) * kernel.LineBytes
	t0 := now()
	w.list.at = kernel.LinkLines(seg.base, w.list.lines, make([]uint32, s.Lines), uint64(s.Seed))
	t1 := now()
	want := min(s.Lines, provenLines)
	hops, sum := kernel.Walk(w.list.at, want)
	if hops != want || want == s.Lines && sum != uint32(uint64(want)*uint64(want-1)/2) {
		return fmt.Errorf("the list of %d lines is none: back after %d hops: bad memory, or a bug of this program", s.Lines, hops)
	}
	for i := 0; i < s.Warmup || now()-t1 < s.WarmNS; i++ {
		w.listPass()
	}
	w.rec.FirstTouchNS, w.rec.WarmupNS = t1-t0, now()-t1
	w.readResident()
	return nil
}

// listPass makes the hops of a pass; false when a stop came before.
func (w *worker) listPass() bool {
	if w.stop.Load() {
		return false
	}
	w.list.at = kernel.Chase(w.list.at, w.list.hops)
	return true
}

// verifyList looks at every line.
func (w *worker) verifyList() error {
	t0 := time.Now()
	if bad, ok := kernel.CheckLines(w.list.base, w.list.lines); !ok {
		node := (*kernel.Node)(unsafe.Add(w.list.base, uintptr(bad)*kernel.LineBytes))
		return &Mismatch{Worker: w.spec.Index, Offset: int64(bad) * kernel.LineBytes, Expected: uint32(bad), Found: uint32(node.Value)}
	}
	w.rec.VerifyNS, w.rec.VerifiedBytes = new(int64(time.Since(t0))), new(int64(w.list.lines)*kernel.NodeBytes)
	return nil
}
