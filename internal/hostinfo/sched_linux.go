package hostinfo

import (
	"math/bits"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AllowedCPUs returns the CPUs that the calling thread may run on, ascending,
// from sched_getaffinity(2). Masks of hosts with more than 1024 possible CPUs
// are read whole. Should the call fail, it is CPU 0 to runtime.NumCPU()-1.
func AllowedCPUs() []int {
	// The kernel refuses a buffer that is shorter than its own mask.
	for words := 1024 / wordBits; words*wordBits <= 2*(maxCPU+1); words *= 2 {
		mask := make([]uintptr, words)
		n, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETAFFINITY, 0,
			uintptr(words)*unsafe.Sizeof(mask[0]), uintptr(unsafe.Pointer(&mask[0])))
		if errno == unix.EINVAL {
			continue
		}
		if cpus := maskCPUs(mask); errno == 0 && n > 0 && len(cpus) > 0 {
			return cpus
		}
		break
	}
	return firstCPUs(runtime.NumCPU())
}

// wordBits is the width of one word of a CPU mask: an unsigned long.
const wordBits = bits.UintSize

// maskCPUs lists the bits that are set in a CPU mask.
func maskCPUs(mask []uintptr) []int {
	var cpus []int
	for i, word := range mask {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, i*wordBits+bits.TrailingZeros(uint(word)))
		}
	}
	return cpus
}

// unameMachine returns the machine name of uname(2), which follows the
// process's personality.
func unameMachine() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Machine[:])
}
