//go:build !unix

package main

// ownCPU is not known; the tick's own sample of this process serves.
func ownCPU() (int64, bool) { return 0, false }
