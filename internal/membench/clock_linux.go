package membench

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// clockName is the clock of all timestamps: one for the whole system, so that
// processes can be lined up.
const (
	clockName     = "CLOCK_MONOTONIC"
	clockIsShared = true // another reading means another host or time namespace
)

// clockBase pairs a reading of Go's clock with CLOCK_MONOTONIC at the same
// moment. Both are the same clock, but only Go's is read without a system
// call, which matters when a pass takes microseconds.
var clockBase = sync.OnceValues(func() (time.Time, int64) {
	var base time.Time
	var ns int64
	best := time.Hour
	for range 20 {
		before := time.Now()
		raw := rawMonotonic()
		gap := time.Since(before)
		if gap < best {
			best, base, ns = gap, before.Add(gap/2), raw
		}
	}
	return base, ns
})

func rawMonotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic("membench: CLOCK_MONOTONIC: " + err.Error()) // cannot fail on Linux
	}
	return ts.Nano()
}

// now returns nanoseconds on CLOCK_MONOTONIC.
func now() int64 {
	base, ns := clockBase()
	return ns + int64(time.Since(base))
}

// sleepUntil blocks the calling thread, not just its goroutine, until the
// time has come.
func sleepUntil(ns int64) {
	ts := unix.NsecToTimespec(ns)
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil) == unix.EINTR {
	}
}
