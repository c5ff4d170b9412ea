// Package respawn starts this very program anew to answer one question, in a
// process whose memory nothing else has touched. The question and the answer
// are one JSON value each, on standard input and output. Standard input stays
// open until the answer is there: a child whose parent is gone sees it end,
// and ends too.
package respawn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// A Child is how a program starts itself.
type Child struct {
	Arg string   // the only argument, by which main tells what to do
	Env []string // on top of this process' environment
}

// reply is what a child writes to standard output.
type reply struct {
	Answer json.RawMessage `json:"answer,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// linger is how long after its answer a child may take to end.
const linger = 2 * time.Second

// Ask starts a child, asks it, and decodes its answer. A child that doesn't
// answer is a *Error; when ctx is done it is killed, and ctx's cause returned.
func (c Child) Ask(ctx context.Context, question, answer any) error {
	b, err := json.Marshal(question)
	if err != nil {
		return err
	}
	self, err := Path(false)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, c.Arg)
	if path, err := os.Executable(); err == nil {
		cmd.Args[0] = path // what ps shows, rather than an entry in /proc
	}
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.WaitDelay = linger
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out := &firstLine{done: func() { in.Close() }}
	said := &head{full: func() { cmd.Process.Kill() }}
	cmd.Stdout, cmd.Stderr = out, said
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start anew: %w", err)
	}
	in.Write(append(b, '\n')) // a child that is gone shows below
	waitErr := cmd.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var r reply
	if !out.complete || json.Unmarshal(out.buf, &r) != nil {
		e := newError(cmd.ProcessState, waitErr, string(said.buf))
		if len(said.buf) == headBytes {
			e.How, e.Killed = "it failed", false // it was us who killed it
		}
		return e
	}
	if r.Error != "" {
		return &Error{How: r.Error}
	}
	return json.Unmarshal(r.Answer, answer)
}

// Exit statuses of a child.
const (
	exitFailed = 1
	exitOrphan = 3 // its parent is gone
)

// Serve is a child's whole life: it reads a question from in, writes what f
// answers to out, and returns the exit status. When in ends before that,
// exit is called at once. f runs on the goroutine that calls Serve.
func Serve[Q, A any](in io.Reader, out io.Writer, exit func(int), f func(Q) (A, error)) int {
	// Signals to the process group are for the parent to deal with, whose
	// end is the child's.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	dec := json.NewDecoder(in)
	var q Q
	if err := dec.Decode(&q); err != nil {
		return exitOrphan
	}
	answered := make(chan struct{})
	go func() {
		io.Copy(io.Discard, in)
		select {
		case <-answered:
		default:
			exit(exitOrphan)
		}
	}()
	var r reply
	a, err := f(q)
	if err == nil {
		r.Answer, err = json.Marshal(a)
	}
	status := 0
	if err != nil {
		r, status = reply{Error: err.Error()}, exitFailed
	}
	b, err := json.Marshal(r)
	if err != nil {
		return exitFailed
	}
	close(answered)
	if _, err := out.Write(append(b, '\n')); err != nil {
		return exitFailed
	}
	return status
}

// Error says how a child that was asked failed.
type Error struct {
	How         string // "signal: killed", or the child's own words
	Killed      bool   // by SIGKILL, as the kernel's OOM killer does
	OutOfMemory bool   // its runtime got no more memory, or address space
	Stderr      string // the start of what it wrote there
}

func (e *Error) Error() string {
	s := e.How
	if e.Killed {
		s += ": perhaps by the kernel's OOM killer"
	}
	if line, _, _ := strings.Cut(e.Stderr, "\n"); line != "" {
		s += "; it said: " + line
	}
	return s
}

func newError(state *os.ProcessState, err error, stderr string) *Error {
	e := &Error{How: "ended without an answer", Stderr: strings.TrimSpace(stderr)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		e.How = state.String()
		e.Killed = Killed(state)
	case err != nil:
		e.How = err.Error()
	}
	// What the Go runtime says when the system gives it nothing more.
	for _, words := range []string{"out of memory", "cannot allocate memory", "cannot reserve arena", "cannot map pages in arena", "len out of range"} {
		e.OutOfMemory = e.OutOfMemory || strings.Contains(stderr, words)
	}
	return e
}

// firstLine keeps what is written up to the first end of a line, and says
// when that has come.
type firstLine struct {
	buf      []byte
	complete bool
	done     func()
}

func (f *firstLine) Write(b []byte) (int, error) {
	if f.complete {
		return len(b), nil
	}
	line, _, found := strings.Cut(string(b), "\n")
	f.buf = append(f.buf, line...)
	if found {
		f.complete = true
		f.done()
	}
	return len(b), nil
}

// head keeps the start of what is written to it, and calls full when there is
// more: a runtime that dies says why first and then prints every goroutine, of
// which there may be millions.
type head struct {
	buf  []byte
	full func()
}

const headBytes = 2048

func (h *head) Write(b []byte) (int, error) {
	h.buf = append(h.buf, b[:min(len(b), headBytes-len(h.buf))]...)
	if len(h.buf) == headBytes {
		h.full()
	}
	return len(b), nil
}
