package main

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// restore is how the terminal gets back to what it was before the live
// screen, nil when there is none.
var restore atomic.Pointer[func()]

// guardTerminal remembers the state of the terminal for restoreTerminal; the
// function that it returns forgets it.
func guardTerminal(in io.Reader, out io.Writer) (forget func()) {
	f, ok := in.(*os.File)
	if !ok {
		return func() {}
	}
	fd := int(f.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	back := func() {
		_ = term.Restore(fd, state) // the process ends: there is nobody to tell
		written := make(chan struct{})
		go func() {
			// No mouse reports, no bracketed paste, cursor shown, main screen.
			_, _ = io.WriteString(out, "\x1b[?1002l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[?1049l")
			close(written)
		}()
		select {
		case <-written:
		case <-time.After(100 * time.Millisecond): // nobody reads
		}
	}
	restore.Store(&back)
	return func() { restore.Store(nil) }
}

// restoreTerminal leaves the live screen by force.
func restoreTerminal() {
	if back := restore.Load(); back != nil {
		(*back)()
	}
}
