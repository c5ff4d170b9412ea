//go:build unix

package respawn

import (
	"os"
	"syscall"
)

// Killed says whether a process died by SIGKILL, as the kernel's OOM killer
// does it.
func Killed(s *os.ProcessState) bool {
	ws, ok := s.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}
