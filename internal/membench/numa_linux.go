package membench

import (
	"fmt"
	"math/bits"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"wordsize/internal/result"
)

// Policies of mbind(2), from linux/mempolicy.h.
const (
	mpolBind       = 2
	mpolInterleave = 3
)

// bind makes the pages of a chunk, none of which has been touched, come from
// the nodes of a binding; nil does nothing. Sizes are rounded up to pages of
// so many bytes.
func (c *chunk) bind(b *binding, page int64) error {
	if b == nil {
		return nil
	}
	for _, s := range c.segments {
		size := (s.size + uint64(page) - 1) / uint64(page) * uint64(page)
		if err := mbind(s.base, size, b); err != nil {
			return fmt.Errorf("--numa: %w", err)
		}
	}
	return nil
}

// bindStep returns the size that mbind's lengths must be multiples of.
func bindStep(pages Pages, hugeBytes int64) int64 {
	if pages == PagesHugeTLB && hugeBytes > 0 {
		return hugeBytes
	}
	return int64(os.Getpagesize())
}

func mbind(p unsafe.Pointer, size uint64, b *binding) error {
	policy := uintptr(mpolBind)
	if b.Policy == result.NUMAInterleave {
		policy = mpolInterleave
	}
	var mask []uintptr // unsigned longs
	for _, n := range b.Nodes {
		for len(mask) <= n/bits.UintSize {
			mask = append(mask, 0)
		}
		mask[n/bits.UintSize] |= 1 << (n % bits.UintSize)
	}
	// The kernel takes one bit less than it is told of (mbind(2), BUGS).
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, uintptr(p), uintptr(size), policy,
		uintptr(unsafe.Pointer(&mask[0])), uintptr(len(mask)*bits.UintSize+1), 0)
	if errno != 0 {
		return os.NewSyscallError("mbind", errno)
	}
	return nil
}

// probeBinding tries a binding on a page that nobody touches; nil tries
// nothing.
func probeBinding(b *binding) error {
	if b == nil {
		return nil
	}
	page := uint64(os.Getpagesize())
	p, err := mapPlain(page, 0)
	if err != nil {
		return err
	}
	defer unmapSegment(segment{p, page})
	return mbind(p, page, b)
}

// mostSampled bounds the pages that move_pages is asked about: enough for
// parts of a thousandth, and a few milliseconds.
const mostSampled = 4096

// locate asks the kernel on which nodes the pages of a chunk lie.
func (c *chunk) locate(b *binding) *result.NUMAPlacement {
	p := &result.NUMAPlacement{CPUNode: currentNode(), Found: []result.NodePages{}}
	if b != nil {
		p.Policy, p.Asked = b.Policy, b.Nodes
	}
	page := uint64(os.Getpagesize())
	for _, s := range c.segments {
		share := max(1, int64(float64(mostSampled)*(float64(s.size)/float64(c.bytes))))
		var addrs []uintptr
		for _, at := range sampleSteps(int64((s.size+page-1)/page), share) {
			addrs = append(addrs, uintptr(s.base)+uintptr(at)*uintptr(page))
		}
		if err := askNodes(p, addrs); err != nil {
			p.Error = refusal(err)
			return p
		}
	}
	return p
}

// askedAtOnce is how many pages a call is about. Some 64-bit kernels (seen with
// 6.1) go wrong behind the 16th page that a 32-bit process asks about:
// do_pages_stat in mm/migrate.c steps over the pointers it has read as if they
// were 64 bits wide.
const askedAtOnce = 16 + (mostSampled-16)*(bits.UintSize/64)

// askNodes adds what move_pages(2), told of no nodes to move to, says of pages.
func askNodes(p *result.NUMAPlacement, addrs []uintptr) error {
	for batch := range slices.Chunk(addrs, askedAtOnce) {
		if err := askBatch(p, batch); err != nil {
			return err
		}
	}
	return nil
}

func askBatch(p *result.NUMAPlacement, addrs []uintptr) error {
	status := make([]int32, len(addrs))
	_, _, errno := unix.Syscall6(unix.SYS_MOVE_PAGES, 0, uintptr(len(addrs)), uintptr(unsafe.Pointer(&addrs[0])),
		0, uintptr(unsafe.Pointer(&status[0])), 0)
	if errno != 0 {
		return os.NewSyscallError("move_pages", errno)
	}
	p.Sampled += int64(len(addrs))
	for _, s := range status {
		if s < 0 { // an errno: nothing there
			p.Missing++
		} else {
			p.Add(int(s), 1)
		}
	}
	return nil
}

// currentNode returns the node of the CPU that the calling thread runs on, nil
// when the kernel doesn't say (getcpu(2)).
func currentNode() *int {
	var node uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, 0, uintptr(unsafe.Pointer(&node)), 0); errno != 0 {
		return nil
	}
	return new(int(node))
}
