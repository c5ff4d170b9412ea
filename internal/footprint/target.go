package footprint

import (
	"errors"
	"io"
)

// Target is a process whose memory is looked at. It is never stopped.
type Target interface {
	// File returns the content of a file of its directory in /proc.
	File(name string) ([]byte, error)
	// Program opens the executable.
	Program() (ReaderAtCloser, error)
	// Pagemap fills dst with the pagemap entries of the pages from addr on and
	// returns how many there are.
	Pagemap(dst []uint64, addr uint64) (int, error)
	// Read copies its memory from addr on. It returns fewer bytes where pages
	// went away.
	Read(p []byte, addr uint64) (int, error)
	// Alive reports whether the process is still the one that it was.
	Alive() bool
	PageSize() int
	Close()
}

// ReaderAtCloser is an open file.
type ReaderAtCloser interface {
	io.ReaderAt
	io.Closer
}

// ErrUnsupported says that another system's memory cannot be looked at here.
var ErrUnsupported = errors.New("looking into another process's memory is supported on Linux only")

// ErrGone says that a process ended before anything of it was read.
var ErrGone = errors.New("there is no such process, it has just ended, or it is a kernel thread")

// A RefusedError says what reading a process's memory takes.
type RefusedError struct {
	What  string // the file or call that was refused
	Scope string // ptrace_scope's value, "" where there is none
	Err   error
}

// Error says why and what is needed.
func (e *RefusedError) Error() string {
	s := "may not read its memory (" + e.What + ": " + e.Err.Error() + "): be the process's user or root, or have CAP_SYS_PTRACE"
	switch e.Scope {
	case "":
		s += "; this kernel has no ptrace_scope"
	case "0":
		s += "; kernel.yama.ptrace_scope is 0 (one's own processes are allowed)"
	case "1":
		s += "; kernel.yama.ptrace_scope is 1 (only descendants, unless CAP_SYS_PTRACE)"
	case "2":
		s += "; kernel.yama.ptrace_scope is 2 (CAP_SYS_PTRACE is a must)"
	default:
		s += "; kernel.yama.ptrace_scope is " + e.Scope + " (nobody may, until the next boot)"
	}
	return s
}

func (e *RefusedError) Unwrap() error { return e.Err }
