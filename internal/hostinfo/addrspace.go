package hostinfo

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// mapper reserves and releases address space. The real one calls mmap(2).
type mapper interface {
	// reserve maps n bytes without access; ok is false when there is no room.
	reserve(n int64) (addr uintptr, ok bool)
	release(addr uintptr, n int64)
}

// region is a piece of reserved address space.
type region struct {
	addr uintptr
	size int64
}

// largestChunk finds the largest single mapping below limit by bisection, in
// bytes, to 1 MiB. One mapping at a time is held.
func largestChunk(m mapper, limit int64) int64 {
	low, high := int64(0), limit/mib+1 // low fits, high does not
	for high-low > 1 {
		mid := low + (high-low)/2
		addr, ok := m.reserve(mid * mib)
		if !ok {
			high = mid
			continue
		}
		m.release(addr, mid*mib)
		low = mid
	}
	return low * mib
}

// totalSpace fills the address space with ever smaller pieces, down to 1 MiB,
// releases them all and returns their sum in bytes. While it holds them,
// nothing else in the process can map a megabyte, so it must not allocate:
// held has room for all pieces before it starts.
func totalSpace(m mapper, limit int64, held []region) int64 {
	held = held[:0]
	var total int64
	for _, size := range []int64{gib, 64 * mib, mib} {
		for total+size <= limit && len(held) < cap(held) {
			addr, ok := m.reserve(size)
			if !ok {
				break
			}
			held = append(held, region{addr, size})
			total += size
		}
	}
	for _, r := range held {
		m.release(r.addr, r.size)
	}
	return total
}

// userSpace returns how many bytes of addresses a 64-bit process has, from its
// own memory map: the stack lies just below the end, which is a power of two
// (2^47 on amd64, 2^48 or 2^39 on arm64, 2^38 on riscv64 with sv39).
func userSpace(maps string) (int64, error) {
	for line := range strings.Lines(maps) {
		f := strings.Fields(line)
		if len(f) < 6 || f[5] != "[stack]" {
			continue
		}
		_, end, ok := strings.Cut(f[0], "-")
		n, err := strconv.ParseUint(end, 16, 64)
		if !ok || err != nil || n == 0 || n > 1<<62 {
			return 0, fmt.Errorf("address space: %s is no address range", clip(f[0]))
		}
		return 1 << bits.Len64(n-1), nil
	}
	return 0, fmt.Errorf("address space: no stack in the memory map")
}
