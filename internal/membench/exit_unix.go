//go:build unix

package membench

import (
	"os"
	"syscall"
)

// killedBySIGKILL says whether the process died by the signal that the
// kernel's OOM killer uses.
func killedBySIGKILL(s *os.ProcessState) bool {
	ws, ok := s.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGKILL
}
