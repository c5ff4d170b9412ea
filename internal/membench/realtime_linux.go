package membench

import (
	"time"

	"golang.org/x/sys/unix"
)

// realTime reports whether this thread runs under SCHED_FIFO or SCHED_RR
// (sched(7)), as after chrt -f. The flag that keeps children out of it (chrt
// -R) comes with the policy, and such a thread's own listeners starve first.
func realTime() bool {
	policy, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETSCHEDULER, 0, 0, 0)
	policy &^= unix.SCHED_RESET_ON_FORK
	return errno == 0 && (policy == unix.SCHED_FIFO || policy == unix.SCHED_RR)
}

// letOthersRun gives the CPU away for a moment. A real-time thread keeps it
// from every thread of its own or a lower priority for as long as it likes,
// those that would tell it to stop among them.
func letOthersRun() {
	ts := unix.NsecToTimespec(int64(50 * time.Microsecond))
	unix.Nanosleep(&ts, nil)
}
