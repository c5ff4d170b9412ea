package membench

import (
	"errors"
	"fmt"
	"strings"
)

// ErrInterrupted is the cause when a run was stopped from outside.
var ErrInterrupted = errors.New("interrupted")

// WorkerError says that a worker ended before its time, or failed.
type WorkerError struct {
	Worker int // index
	PID    int
	Phase  string
	How    string // "signal: killed", "exit status 1", or the worker's own words
	OOM    OOMVerdict
	Stderr string // the end of its standard error
}

// OOMVerdict is what the kernel's counters say of a worker that was killed.
type OOMVerdict int

const (
	OOMNotAsked OOMVerdict = iota // it was not killed
	OOMUnknown                    // no counter can be read
	OOMNo                         // no process was killed for memory meanwhile
	OOMLikely                     // some process was
)

func (e *WorkerError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "worker %d (pid %d) failed in phase %q: %s", e.Worker, e.PID, e.Phase, e.How)
	switch e.OOM {
	case OOMLikely:
		b.WriteString("; the kernel's OOM killer is the likely cause: it killed a process meanwhile")
	case OOMNo:
		b.WriteString("; not by the kernel's OOM killer, which killed nothing meanwhile")
	case OOMUnknown:
		b.WriteString("; whether by the kernel's OOM killer is unknown: its counters cannot be read here")
	}
	if e.Stderr != "" {
		b.WriteString("; it said: " + lastLine(e.Stderr))
	}
	return b.String()
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// NoRateError says that a phase gave no figure: a worker made no pass, or its
// passes took no time that the clock can tell.
type NoRateError struct {
	Phase  string
	Passes int64 // the fewest that a worker made
}

func (e *NoRateError) Error() string {
	return fmt.Sprintf("phase %q gives no figure: %d passes, too short to time; take a larger MB or T", e.Phase, e.Passes)
}
