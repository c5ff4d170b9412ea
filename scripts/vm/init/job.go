//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/wire"
)

// outputGrace is how long output is still read after the command has ended
// while a process that it left behind keeps it open.
const outputGrace = 3 * time.Second

// runJob runs one command to its end and reports it. An error means that the
// host can no longer be reached.
func runJob(w *wire.Writer, n int, j guest.Job) error {
	if err := w.Write(wire.Frame{Type: wire.Start, Job: n}); err != nil {
		return err
	}
	start := time.Now()
	exit, wrote := runOnce(w, n, j)
	if exit.Signal == int(unix.SIGTRAP) && wrote == 0 {
		// About one boot in several hundred loses its first program this way
		// (unexplained; seen under software emulation only). A command that
		// has written nothing can be run again without harm to its output.
		note(w, n, "the command died by SIGTRAP before any output: running it once more")
		logKernel()
		start = time.Now()
		exit, _ = runOnce(w, n, j)
		exit.Retried = true
	}
	exit.Wall = time.Since(start).Milliseconds()
	if exit.Signal != 0 {
		note(w, n, deathNote(exit))
	}
	return sendJSON(w, wire.Exit, n, exit)
}

func note(w *wire.Writer, n int, text string) {
	console("%s", text)
	if err := w.Write(wire.Frame{Type: wire.Note, Job: n, Data: []byte(text)}); err != nil {
		console("%v", err)
	}
}

func deathNote(e guest.Exit) string {
	s := fmt.Sprintf("the command was killed by signal %d (%s)", e.Signal, unix.SignalName(syscall.Signal(e.Signal)))
	if line := lastKernelLine("Out of memory: Killed process"); line != "" && e.Signal == int(unix.SIGKILL) {
		s += "; the kernel says: " + line
	}
	return s
}

// runOnce starts the command, passes its output on, reaps whatever ends
// meanwhile, and then kills what the command left behind. It returns the exit
// and the number of bytes written.
func runOnce(w *wire.Writer, n int, j guest.Job) (guest.Exit, int64) {
	fail := func(status int, err error) (guest.Exit, int64) {
		return guest.Exit{Status: status, Error: err.Error()}, 0
	}
	argv0, err := lookPath(j.Argv[0], j.Env, j.Dir)
	if err != nil {
		return fail(127, err)
	}
	if _, err := os.Stat(j.Dir); err != nil {
		return fail(126, fmt.Errorf("working directory in the guest: %w", err))
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return fail(126, err)
	}
	defer null.Close()
	var written atomic.Int64
	outW, outDone, err := pump(w.Stream(wire.Stdout, n), &written)
	if err != nil {
		return fail(126, err)
	}
	defer outW.Close()
	errW, errDone, err := pump(w.Stream(wire.Stderr, n), &written)
	if err != nil {
		return fail(126, err)
	}
	defer errW.Close()
	pid, _, err := syscall.StartProcess(argv0, j.Argv, &syscall.ProcAttr{
		Dir: j.Dir, Env: j.Env,
		Files: []uintptr{null.Fd(), outW.Fd(), errW.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		status := 126
		if errors.Is(err, os.ErrNotExist) {
			status = 127
			err = fmt.Errorf("%w (for a file that is there: its interpreter or dynamic loader is missing)", err)
		}
		return fail(status, fmt.Errorf("%s: %w", argv0, err))
	}
	outW.Close()
	errW.Close()
	exit := reap(pid)
	deadline := time.After(outputGrace)
	for _, done := range []<-chan struct{}{outDone, errDone} {
		select {
		case <-done:
		case <-deadline:
			note(w, n, "processes that the command left behind still held its output open; ending them")
		}
	}
	killRest()
	<-outDone
	<-errDone
	return exit, written.Load()
}

// pump returns the writing end of a pipe whose bytes go to dst. The returned
// channel is closed at the end of the stream.
func pump(dst io.Writer, count *atomic.Int64) (*os.File, <-chan struct{}, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.Close()
		b := make([]byte, 32<<10)
		for {
			n, err := r.Read(b)
			count.Add(int64(n))
			if n > 0 {
				if _, werr := dst.Write(b[:n]); werr != nil {
					console("%v", werr)
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return w, done, nil
}

// reap waits for the process, and on the way for every orphan that became a
// child of this first process.
func reap(pid int) guest.Exit {
	for {
		var ws unix.WaitStatus
		var ru unix.Rusage
		got, err := unix.Wait4(-1, &ws, 0, &ru)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return guest.Exit{Status: 126, Error: fmt.Sprintf("wait for the command: %v", err)}
		case got == pid && ws.Signaled():
			return guest.Exit{Status: 128 + int(ws.Signal()), Signal: int(ws.Signal()), MaxRSS: int64(ru.Maxrss)}
		case got == pid && ws.Exited():
			return guest.Exit{Status: ws.ExitStatus(), MaxRSS: int64(ru.Maxrss)}
		}
	}
}

// killRest ends all processes but this one, so that the next job starts alone.
func killRest() {
	if err := unix.Kill(-1, unix.SIGKILL); err != nil {
		return // there is none
	}
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// lookPath finds a command as execvp(3) does, with the PATH of its own
// environment.
func lookPath(name string, env []string, dir string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var list string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			list = v
		}
	}
	for _, d := range filepath.SplitList(list) {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		p := filepath.Join(d, name)
		if st, err := os.Stat(p); err == nil && !st.IsDir() && st.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("%s: no such command in the guest (PATH=%s)", name, list)
}

// kernelLog returns the kernel's messages (syslog(2), SYSLOG_ACTION_READ_ALL).
func kernelLog() string {
	b := make([]byte, 1<<18)
	n, err := unix.Klogctl(unix.SYSLOG_ACTION_READ_ALL, b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}

// lastKernelLine returns the last message that holds the text, or "".
func lastKernelLine(text string) string {
	var found string
	for line := range strings.Lines(kernelLog()) {
		if strings.Contains(line, text) {
			found = strings.TrimSpace(line)
		}
	}
	return found
}

// logKernel copies the end of the kernel's messages to the console.
func logKernel() {
	s := kernelLog()
	console("kernel log:\n%s", s[max(0, len(s)-3000):])
}
