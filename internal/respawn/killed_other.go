//go:build !unix

package respawn

import "os"

// Killed says whether a process died by SIGKILL: never, where there is none.
func Killed(*os.ProcessState) bool { return false }
