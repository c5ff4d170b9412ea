//go:build unix

package membench

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process group; that it has ended already is no failure.
func killGroup(leader int) { _ = syscall.Kill(-leader, syscall.SIGKILL) }

// openFileLimit returns RLIMIT_NOFILE as it is in force, 0 when unknown.
func openFileLimit() uint64 {
	var rl syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &rl) != nil {
		return 0
	}
	return uint64(rl.Cur)
}
