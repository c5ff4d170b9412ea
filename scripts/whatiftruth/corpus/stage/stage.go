// Package stage is how a program of the corpus says that it has reached the
// state in which it is to be measured, and how it stays there.
package stage

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// Settle collects garbage and hands free memory back to the system, so that
// the phase of the collector does not decide what is resident.
func Settle() { debug.FreeOSMemory() }

// Ready prints READY and returns when standard input ends. What is passed
// stays reachable until then.
func Ready(keep ...any) {
	fmt.Println("READY")
	_, _ = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(keep)
}
