package main

import (
	"runtime"
	"testing"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
)

// skipEmulated leaves out a test of real processes where a user-mode emulator
// runs them: to the kernel they are the emulator, of another word size, and
// not every system call is emulated.
func skipEmulated(t *testing.T) {
	t.Helper()
	host := hostinfo.Read(t.Context(), hostinfo.DefaultFS())
	if by := membench.UserModeEmulation(&host, runtime.GOARCH); by != "" {
		t.Skipf("%s runs this process: the kernel knows the emulator alone", by)
	}
}
