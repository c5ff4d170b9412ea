package hostinfo

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// AddressSpace returns how much one process of this build can map here, in
// bytes: the largest single mapping, and the sum of all that fit. What the Go
// runtime has reserved for itself is not in it, RLIMIT_AS is respected.
//
// A 32-bit build finds out by trying, with mappings that no memory stands
// behind, in about a millisecond. For that long nothing else in the process
// can map memory: call it before other goroutines are busy. A 64-bit build,
// which could not fill its space, answers from the layout of its memory map.
func AddressSpace() (largest, total int64, err error) {
	if BuildBits() == 64 {
		return addressSpace64()
	}
	return addressSpace32()
}

func addressSpace64() (largest, total int64, err error) {
	maps, err := readFile("/proc/self/maps")
	if err != nil {
		return 0, 0, fmt.Errorf("address space: %w", err)
	}
	space, err := userSpace(string(maps))
	if err != nil {
		return 0, 0, err
	}
	if limit := DefaultFS().addressLimit(); limit != nil {
		space = min(space, max(*limit-mappedBytes(), 0))
	}
	return space, space, nil
}

// mappedBytes is what counts against RLIMIT_AS: the size of the process in
// bytes, first field of /proc/self/statm in pages; 0 when unknown.
func mappedBytes() int64 {
	first, _, _ := strings.Cut(readText("/proc/self/statm"), " ")
	n, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// addressSpace32 probes. The collector is held off, so that the runtime has no
// reason to map anything while the space is full.
func addressSpace32() (largest, total int64, err error) {
	const limit = 1 << 32
	held := make([]region, 0, limit/mib)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	m := anonymous{}
	largest = largestChunk(m, limit-mib)
	if largest == 0 {
		return 0, 0, fmt.Errorf("address space: not even 1 MiB can be mapped: %w", unix.ENOMEM)
	}
	return largest, totalSpace(m, limit, held), nil
}

// anonymous maps private memory without access, which is neither backed nor
// counted as committed. Sizes go to the kernel as they are: from 2 GiB on they
// fit into no []byte of a 32-bit build.
type anonymous struct{}

func (anonymous) reserve(n int64) (uintptr, bool) {
	if uint64(n) > uint64(^uintptr(0)) {
		return 0, false
	}
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	return uintptr(p), err == nil
}

func (anonymous) release(addr uintptr, n int64) {
	// By number: a pointer to memory that is gone must not stay around for
	// the collector. The call fails only for addresses that are no page's.
	unix.Syscall(unix.SYS_MUNMAP, addr, uintptr(n), 0)
}
