//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// nice is nice(1), which Debian's busybox lacks: nice [-n N] CMD [ARG...], with
// N added to the niceness, 10 by default. It returns only on failure.
func nice(args []string) int {
	add := 10
	if len(args) > 0 && strings.HasPrefix(args[0], "-n") {
		value := strings.TrimPrefix(args[0], "-n")
		if args = args[1:]; value == "" && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			fmt.Fprintf(os.Stderr, "nice: invalid adjustment %q\n", value)
			return 125
		}
		add = n
	}
	// a thread's niceness is its own (sched(7)); the one that calls exec goes on
	runtime.LockOSThread()
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	now := 20 - raw // the system call returns 20 less the niceness
	if len(args) == 0 {
		fmt.Println(now)
		return 0
	}
	if err == nil {
		err = unix.Setpriority(unix.PRIO_PROCESS, 0, now+add)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nice:", err)
		return 125
	}
	path, err := lookPath(args[0], os.Environ(), ".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "nice:", err)
		return 127
	}
	fmt.Fprintln(os.Stderr, "nice:", syscall.Exec(path, args, os.Environ()))
	return 126
}
