//go:build unix

package respawn

import (
	"os"
	"syscall"
)

// killed says whether a process died by SIGKILL.
func killed(s *os.ProcessState) bool {
	ws, ok := s.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}
