package record

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// childTimes: the system tells the CPU time of waited-for children.
const childTimes = true

// clockTick is the step of CPU times in /proc, the same on all architectures.
const clockTick = int64(time.Second / 100)

func columns() []result.RecordingColumn {
	return result.RecordingColumns(clockTick, int64(os.Getpagesize()))
}

// selfCPU returns the CPU time of this process in ns.
func selfCPU() result.Bytes {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return result.Bytes{}
	}
	return result.Some(r.Utime.Nano() + r.Stime.Nano())
}

// selfRSS returns the resident size of this process in bytes.
func selfRSS() result.Bytes {
	if s, err := procstat.ReadMemory(int32(os.Getpid())); err == nil {
		return result.Some(s.Resident)
	}
	return result.Bytes{}
}

// selfPeak returns the highest resident size of this process in bytes.
func selfPeak() result.Bytes {
	_, _, st, err := procstat.ReadStatus(int32(os.Getpid()))
	if err != nil {
		return result.Bytes{}
	}
	return st.Peak
}

// bootID tells one boot of a host from another.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// monotonic reads CLOCK_MONOTONIC.
func monotonic() result.Bytes {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return result.Bytes{}
	}
	return result.Some(ts.Nano())
}
