package membench

import (
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapChunk maps memory of the wanted kind. The error is a *MapError, or says
// that the kernel refused the kind of pages.
func mapChunk(bytes int64, pages Pages, hugeBytes int64) (*chunk, error) {
	mapOne := func(size uint64) (unsafe.Pointer, error) { return mapPlain(size, 0) }
	switch {
	case pages == PagesTHP:
		mapOne = mapForTHP
	case pages == PagesHugeTLB && hugeBytes > 0:
		mapOne = func(size uint64) (unsafe.Pointer, error) {
			// The tail of the last huge page is mapped but not used.
			rounded := (size + uint64(hugeBytes) - 1) / uint64(hugeBytes) * uint64(hugeBytes)
			return mapPlain(rounded, unix.MAP_HUGETLB)
		}
	case pages == PagesHugeTLB:
		return nil, fmt.Errorf("--pages hugetlb: this kernel has no huge pages")
	}
	// Where addresses are scarce, some must stay for the Go runtime.
	const scarce = math.MaxUint == math.MaxUint32
	if scarce {
		if p, err := mapPlain(addressMargin, 0); err == nil {
			defer unmapSegment(segment{p, addressMargin})
		}
	}
	c, err := mapPieces(bytes, mapOne, unmapSegment)
	if err != nil {
		return nil, err
	}
	return c, c.advise(pages)
}

func (c *chunk) advise(pages Pages) error {
	advice := 0
	switch pages {
	case Pages4K:
		advice = unix.MADV_NOHUGEPAGE
	case PagesTHP:
		advice = unix.MADV_HUGEPAGE
	default:
		return nil
	}
	for _, s := range c.segments {
		// By number: the wrapper wants a slice, whose length is an int.
		_, _, errno := unix.Syscall(unix.SYS_MADVISE, uintptr(s.base), uintptr(s.size), uintptr(advice))
		if errno == unix.EINVAL && pages == Pages4K {
			return nil // a kernel without huge pages has nothing to switch off
		}
		if errno != 0 {
			return fmt.Errorf("--pages %s: madvise: %w", pages, errno)
		}
	}
	return nil
}

func mapPlain(size uint64, flags int) (unsafe.Pointer, error) {
	if size > math.MaxUint || uint64(uintptr(size)) != size {
		return nil, unix.ENOMEM // more than there are addresses
	}
	return unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|flags)
}

// mapForTHP returns a mapping whose start is aligned to a huge page.
func mapForTHP(size uint64) (unsafe.Pointer, error) {
	p, err := mapPlain(size+thpBytes, 0)
	if err != nil {
		return mapPlain(size, 0) // short of addresses: unaligned is better than nothing
	}
	head := uint64(-uintptr(p) % thpBytes)
	if head > 0 {
		unmapSegment(segment{p, head})
	}
	if tail := thpBytes - head; tail > 0 {
		unmapSegment(segment{unsafe.Add(p, head+size), tail})
	}
	return unsafe.Add(p, head), nil
}

func unmapSegment(s segment) {
	// It can only fail for an argument that isn't a mapping; the process is
	// about to end in every case where this is called on a whole chunk.
	_ = unix.MunmapPtr(s.base, uintptr(s.size))
}
