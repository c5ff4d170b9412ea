package footprint

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"wordsize/internal/result"
)

// prepareProcess makes the kernel take this process first when memory runs
// out (proc_pid_oom_score_adj(5)), and give it no transparent huge pages
// (PR_SET_THP_DISABLE(2const)): with them a structure's last bytes cost 2 MiB
// or nothing. It says whether the kernel agreed to the latter.
func prepareProcess() bool {
	const first = 1000
	// A kernel that refuses costs nothing but the protection.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(strconv.Itoa(first)), 0)
	return unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0) == nil
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
