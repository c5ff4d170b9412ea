package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"wordsize/internal/vm/gotest"
	"wordsize/internal/vm/guest"
)

// testHandler turns the output of test binaries, one after the other, into
// results. `go tool test2json` reads the output.
type testHandler struct {
	tool    *tool
	verbose bool
	release string
	all     []*gotest.Package
	notes   []string

	now    int // index of the running job
	in     io.WriteCloser
	cmd    *exec.Cmd
	result chan error
}

// Hello notes the kernel's release.
func (h *testHandler) Hello(g guest.Hello) { h.release = g.Kernel }

// Start begins a package: its output goes through a converter of its own.
func (h *testHandler) Start(job int) {
	h.now, h.notes = job, nil
	h.cmd = exec.Command("go", "tool", "test2json", "-p", h.all[job].Import)
	h.cmd.Env = hostGoEnv(os.Environ())
	h.cmd.Stderr = h.tool.stderr
	h.result = make(chan error, 1)
	in, err := h.cmd.StdinPipe()
	if err != nil {
		h.result <- err
		return
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		h.result <- err
		return
	}
	if err := h.cmd.Start(); err != nil {
		h.result <- err
		return
	}
	h.in = in
	var live io.Writer
	if h.verbose {
		live = h.tool.stdout
	}
	go func() {
		err := h.all[job].Read(out, live)
		if werr := h.cmd.Wait(); err == nil {
			err = werr
		}
		h.result <- err
	}()
}

// Write takes output of the running package; standard output and standard
// error are one stream, as for go test.
func (h *testHandler) Write(b []byte) (int, error) {
	if h.in == nil {
		return len(b), nil
	}
	return h.in.Write(b)
}

// Output takes output of the running package.
func (h *testHandler) Output(_ int, _ bool, b []byte) error {
	_, err := h.Write(b)
	return err
}

// Note passes a word of the guest's init on, and keeps it as the possible
// reason of a failure.
func (h *testHandler) Note(_ int, text string) {
	h.tool.say("%s: %s", h.all[h.now].Import, text)
	h.notes = append(h.notes, text)
}

// Exit ends a package and prints its result.
func (h *testHandler) Exit(job int, e guest.Exit) {
	p := h.all[job]
	note := e.Error
	if e.Signal != 0 && len(h.notes) > 0 {
		note = h.notes[len(h.notes)-1]
	}
	if err := h.drain(); err != nil {
		note = fmt.Sprintf("its output could not be read: %v", err)
		e.Status = max(e.Status, 1)
	}
	p.Finish(e.Status, e.WallTime(), note)
	if !p.OK && !h.verbose {
		fmt.Fprint(h.tool.stdout, p.Failure())
	}
	fmt.Fprintln(h.tool.stdout, p.Line())
}

// drain ends the converter and waits for the last event.
func (h *testHandler) drain() error {
	if h.in != nil {
		h.in.Close()
		h.in = nil
	}
	return <-h.result
}

// abort marks what has not come to an end because the machine failed.
func (h *testHandler) abort(err error) {
	if err == nil {
		return
	}
	for i, p := range h.all {
		switch {
		case p.Done:
		case h.cmd != nil && i == h.now:
			if derr := h.drain(); derr != nil {
				h.tool.say("%v", derr)
			}
			p.Finish(exitMachine, 0, "it was running when the machine ended")
			fmt.Fprint(h.tool.stdout, p.Failure())
			fmt.Fprintln(h.tool.stdout, p.Line())
		default:
			p.NotRun = true
			fmt.Fprintln(h.tool.stdout, p.Line())
		}
	}
}
