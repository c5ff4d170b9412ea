//go:build unix && !linux

package record

import (
	"os"

	"golang.org/x/sys/unix"
)

// realTime signals are not passed on here.
func realTime() []os.Signal { return nil }

// foregroundGroup returns the process group that a terminal sends signals to.
func foregroundGroup(tty int) (int, error) {
	return unix.IoctlGetInt(tty, unix.TIOCGPGRP)
}
