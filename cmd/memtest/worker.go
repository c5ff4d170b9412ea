package main

import (
	"os"

	"wordsize/internal/footprint/structures"
	"wordsize/internal/membench"
)

// asWorker does the work of a process that this program has started anew, and
// returns its exit status; ok is false when this is no such process.
func asWorker(args []string) (status int, ok bool) {
	if len(args) != 2 {
		return 0, false
	}
	switch args[1] {
	case membench.WorkerArg:
		return membench.WorkerMain(os.Stdin, os.Stdout, os.Exit), true
	case membench.ChaseArg:
		return membench.ChaseMain(os.Stdin, os.Stdout, os.Exit), true
	case structures.ChildArg:
		return structures.ChildMain(os.Stdin, os.Stdout, os.Exit), true
	}
	return 0, false
}
