//go:build !unix

package membench

import (
	"os"
	"os/exec"
)

func killedBySIGKILL(*os.ProcessState) bool { return false }

func ownGroup(*exec.Cmd) {}

func killGroup(int) {}

func openFileLimit() uint64 { return 0 }
