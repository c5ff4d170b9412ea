//go:build !linux

package hostinfo

import "runtime"

// AllowedCPUs returns CPU 0 to runtime.NumCPU()-1: only on Linux is the
// affinity mask read.
func AllowedCPUs() []int { return firstCPUs(runtime.NumCPU()) }

// unameMachine is used on Linux only.
func unameMachine() string { return "" }
