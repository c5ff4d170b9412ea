package membench

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// usage is what the kernel counted for the calling thread.
type usage struct{ minor, major, preempted, cpuNS int64 }

func threadUsage() (usage, bool) {
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &ru) != nil {
		return usage{}, false
	}
	return usage{int64(ru.Minflt), int64(ru.Majflt), int64(ru.Nivcsw), ru.Utime.Nano() + ru.Stime.Nano()}, true
}

// currentCPU returns the CPU that the calling thread runs on, nil when the
// kernel doesn't say.
func currentCPU() *int {
	var cpu uint32
	_, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	if errno != 0 {
		return nil
	}
	c := int(cpu)
	return &c
}

// pinThread binds the calling thread to one CPU.
func pinThread(cpu int) error {
	// An own mask, since unix.CPUSet ends at CPU 1023.
	const bits = 8 * unsafe.Sizeof(uintptr(0))
	mask := make([]uintptr, uintptr(cpu)/bits+1)
	mask[uintptr(cpu)/bits] = 1 << (uintptr(cpu) % bits)
	_, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETAFFINITY, 0, uintptr(len(mask))*unsafe.Sizeof(mask[0]), uintptr(unsafe.Pointer(&mask[0])))
	if errno != 0 {
		return os.NewSyscallError("sched_setaffinity", errno)
	}
	return nil
}

// volunteerForOOM makes the kernel take this process first when memory runs
// out (proc_pid_oom_score_adj(5)). It returns the value now in force.
func volunteerForOOM() *int {
	const first = 1000
	if os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(first)), 0) != nil {
		return nil
	}
	v := first
	return &v
}
