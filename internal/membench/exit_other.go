//go:build !unix

package membench

import "os/exec"

func ownGroup(*exec.Cmd) {}

func killGroup(int) {}

func openFileLimit() uint64 { return 0 }
