package record

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// realTime are the signals from SIGRTMIN, as the C library counts, to SIGRTMAX
// (signal(7)).
func realTime() (all []os.Signal) {
	for n := 34; n <= 64; n++ {
		all = append(all, syscall.Signal(n))
	}
	return all
}

// foregroundGroup returns the process group that a terminal sends signals to.
func foregroundGroup(tty int) (int, error) {
	group, err := unix.IoctlGetUint32(tty, unix.TIOCGPGRP)
	return int(group), err
}
