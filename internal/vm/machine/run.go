package machine

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"wordsize/internal/vm/guest"
)

// Handler is told what happens in the machine, in order, from one goroutine.
type Handler interface {
	Hello(h guest.Hello)
	Start(job int)
	Output(job int, stderr bool, b []byte) error
	Note(job int, text string)
	Exit(job int, e guest.Exit)
}

// ErrTimeLimit means that the machine was stopped at its time limit.
var ErrTimeLimit = errors.New("time limit reached")

// Error means that the machine itself failed, not a command in it.
type Error struct {
	Reason  string // one line
	Console string // the end of what the kernel said
	Err     error  // the cause, or nil
	// Early means that no command had been started, and that qemu had nothing
	// to complain about: a second try does no harm and may succeed. A host so
	// loaded that a virtual CPU stands still for half a minute breaks a boot.
	Early bool
}

func (e *Error) Error() string { return e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Times says where the time went.
type Times struct {
	Boot  time.Duration // from qemu's start to init's first word
	Total time.Duration // until qemu has ended
}

// tail keeps the end of a stream; safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	b   []byte
	max int
}

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if len(t.b) > 2*t.max {
		t.b = append(t.b[:0], t.b[len(t.b)-t.max:]...)
	}
	return len(b), nil
}

// String returns what was kept, with the console's carriage returns removed.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ReplaceAll(string(t.b[max(0, len(t.b)-t.max):]), "\r", "")
}

// explain finds the one reason why a machine ended without a result: what init
// said, what the kernel said, what qemu said, in this order.
func explain(console, qemuSays, qemuStatus string, hello bool) string {
	if _, rest, ok := strings.Cut(console, guest.FailMark); ok {
		line, _, _ := strings.Cut(rest, "\n")
		return "the guest's init could not go on: " + strings.TrimSpace(line)
	}
	for line := range strings.Lines(console) {
		if i := strings.Index(line, "Kernel panic"); i >= 0 {
			return "the guest's kernel gave up: " + strings.TrimSpace(line[i:])
		}
	}
	if says := strings.TrimSpace(qemuSays); says != "" {
		lines := strings.Split(says, "\n")
		return "qemu ended (" + qemuStatus + "): " + strings.TrimPrefix(lines[len(lines)-1], Qemu+": ")
	}
	if !hello {
		return fmt.Sprintf("the machine ended (%s) before its init was up", qemuStatus)
	}
	return fmt.Sprintf("the machine ended (%s) before its command did", qemuStatus)
}

// lastLines returns the last n lines of s.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
