//go:build unix && !linux

package record

import (
	"os"
	"runtime"
	"syscall"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// selfCPU returns the CPU time of this process in ns.
func selfCPU() result.Bytes {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return result.Bytes{}
	}
	return result.Some(r.Utime.Nano() + r.Stime.Nano())
}

// waitStatus returns the status as wait(2) has it.
func waitStatus(s *os.ProcessState) int32 {
	ws, _ := s.Sys().(syscall.WaitStatus)
	return int32(ws)
}

// usageOf returns what getrusage(2) told; only macOS counts ru_maxrss in bytes.
func usageOf(s *os.ProcessState) *result.Rusage {
	r, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return nil
	}
	unit := int64(1024)
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	return &result.Rusage{
		UserNS: r.Utime.Nano(), SystemNS: r.Stime.Nano(), MaxRSS: int64(r.Maxrss) * unit, Minor: int64(r.Minflt), Major: int64(r.Majflt),
		BlocksIn: int64(r.Inblock), BlocksOut: int64(r.Oublock), Voluntary: int64(r.Nvcsw), Involuntary: int64(r.Nivcsw),
	}
}

// ownTimes: what a process used is known with its children's alone.
func ownTimes(*os.ProcessState) *procstat.Sample { return nil }
