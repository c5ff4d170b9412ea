//go:build !linux

package membench

import "time"

// clockName: the wall clock serves where no system-wide monotonic clock can
// be had without cgo; a step of it during a run shows in the timestamps.
const (
	clockName     = "wall"
	clockIsShared = false // each process extrapolates from its own start
)

var clockBase = time.Now()

// now returns nanoseconds since the Unix epoch, running monotonically within
// this process.
func now() int64 { return clockBase.UnixNano() + int64(time.Since(clockBase)) }

func sleepUntil(ns int64) { time.Sleep(time.Duration(ns - now())) }
