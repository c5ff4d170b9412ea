package structures

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"wordsize/internal/result"
)

// refuseHuge makes the kernel give no transparent huge pages to this process
// and to those that it starts (PR_SET_THP_DISABLE(2const)): with them a
// structure's last bytes cost 2 MiB or nothing. It must be the parent who
// does so: the runtime's first pages are there before a program's first line,
// and what is free in a huge one of these would be the structure's for
// nothing.
var refuseHuge = sync.OnceFunc(func() {
	// Where the kernel refuses, the child sees it.
	_ = unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0)
})

// prepareProcess makes the kernel take this process first when memory runs
// out (proc_pid_oom_score_adj(5)). It says whether the process was started
// without transparent huge pages.
func prepareProcess() bool {
	const first = 1000
	// A kernel that refuses costs nothing but the protection.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(first)), 0)
	off, err := unix.PrctlRetInt(unix.PR_GET_THP_DISABLE, 0, 0, 0, 0)
	return err == nil && off != 0
}

// residentMemory reads this process' private memory, and from which file.
func residentMemory() (memory, string) {
	if b, err := os.ReadFile("/proc/self/smaps_rollup"); err == nil {
		if m := parseRollup(b); m.resident != nil {
			return m, result.SourceRollup
		}
	}
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if m := parseStatm(b, int64(os.Getpagesize())); m.resident != nil {
			return m, result.SourceStatm
		}
	}
	return memory{}, ""
}

// peakResident returns the most that was ever resident in bytes, files
// included; nil when unknown.
func peakResident() *int64 {
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &ru) != nil {
		return nil
	}
	return new(int64(ru.Maxrss) << 10) // getrusage(2): in kilobytes
}
