//go:build unix

package main

import "syscall"

// ownCPU returns the CPU time of this process in nanoseconds.
func ownCPU() (int64, bool) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, false
	}
	return r.Utime.Nano() + r.Stime.Nano(), true
}
