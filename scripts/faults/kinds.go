//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// fault is one kind of fault.
type fault struct {
	name, what string
	args       []string                             // N T MB and flags, when not the usual ones
	possible   func() error                         // nil: everywhere
	wrap       func(*trial, []string) []string      // changes the command line
	before     func(*trial) (after func(), e error) // prepares, before the start
	act        func(tr *trial, ended <-chan struct{})
	check      func(*trial) error
}

var faults = []*fault{
	{name: "kill-worker", what: "SIGKILL of a worker", act: signalWorker(syscall.SIGKILL), check: killedWorker},
	{name: "segv-worker", what: "SIGSEGV of a worker", act: signalWorker(syscall.SIGSEGV), check: deadWorker},
	{name: "stop-worker", what: "SIGSTOP of a worker for up to 0.5 s", act: stop(true), check: succeeds},
	{name: "kill-parent", what: "SIGKILL of the parent", act: signalParent(syscall.SIGKILL), check: ends("killed")},
	{name: "stop-parent", what: "SIGSTOP of the parent for up to 0.5 s", act: stop(false), check: succeeds},
	{name: "int-parent", what: "SIGINT of the parent", act: signalParent(syscall.SIGINT), check: ends("exit 130", "interrupt")},
	{name: "term-parent", what: "SIGTERM of the parent", act: signalParent(syscall.SIGTERM), check: ends("exit 143", "terminated")},
	{name: "corrupt", what: "memory of a worker changed under it", args: []string{"1", "0.1", "256"}, act: corrupt, check: foundCorruption},
	{name: "oom", what: "OOM killer (a cgroup's memory limit)", args: []string{"2", "0.1", "96", "--force"}, possible: cgroups, before: memoryLimit, check: killedByOOM},
	{name: "full-disk", what: "full disk under -o", possible: root, before: tmpfs("size=4k"), check: rescued},
	{name: "read-only", what: "read-only folder under -o", possible: root, before: tmpfs("ro"), check: refused("read-only")},
	{name: "no-memory", what: "mmap fails (ulimit -v)", args: []string{"2", "0.1", "3000", "--force"}, wrap: shell("ulimit -v 2000000"), check: outOfMemory},
	{name: "no-descriptors", what: "no descriptors (ulimit -n 20)", wrap: shell("ulimit -n 20"), check: refused("open files")},
	{name: "closed-stdout", what: "closed standard output (| head -1)", before: closedPipe, check: brokenPipe},
}

// somewhen waits for a random part of an undisturbed run, false when the run
// has ended before.
func (tr *trial) somewhen(ended <-chan struct{}) bool {
	const undisturbed = 450 * time.Millisecond
	select {
	case <-ended:
		tr.idle, tr.noted = true, "too late"
		return false
	case <-time.After(time.Duration(tr.rnd.Int64N(int64(undisturbed)))):
		return true
	}
}

// worker returns a worker's PID, of several a random one, 0 when there is none
// before the run ends.
func (tr *trial) worker(ended <-chan struct{}) int {
	for {
		if pids := tr.processes(); len(pids) > 0 {
			return pids[tr.rnd.IntN(len(pids))]
		}
		select {
		case <-ended:
			tr.idle, tr.noted = true, "no worker was there"
			return 0
		case <-time.After(time.Millisecond):
		}
	}
}

func signalWorker(sig syscall.Signal) func(*trial, <-chan struct{}) {
	return func(tr *trial, ended <-chan struct{}) {
		if !tr.somewhen(ended) {
			return
		}
		if pid := tr.worker(ended); pid != 0 {
			tr.noted = fmt.Sprintf("%v to worker %d", sig, pid)
			syscall.Kill(pid, sig)
		}
	}
}

func signalParent(sig syscall.Signal) func(*trial, <-chan struct{}) {
	return func(tr *trial, ended <-chan struct{}) {
		if tr.somewhen(ended) {
			tr.noted = fmt.Sprintf("%v to the parent", sig)
			tr.cmd.Process.Signal(sig)
		}
	}
}

// stop stops a worker or the parent for a while.
func stop(worker bool) func(*trial, <-chan struct{}) {
	return func(tr *trial, ended <-chan struct{}) {
		if !tr.somewhen(ended) {
			return
		}
		pid := tr.cmd.Process.Pid
		if worker {
			if pid = tr.worker(ended); pid == 0 {
				return
			}
		}
		pause := time.Duration(tr.rnd.Int64N(int64(500 * time.Millisecond)))
		tr.noted = fmt.Sprintf("%d stopped for %v", pid, pause)
		syscall.Kill(pid, syscall.SIGSTOP)
		time.Sleep(pause)
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

func succeeds(tr *trial) error { return want(tr, "exit 0") }

// want compares the status.
func want(tr *trial, statuses ...string) error {
	if !slices.Contains(statuses, tr.status) {
		return fmt.Errorf("%s, want %s", tr.status, strings.Join(statuses, " or "))
	}
	return nil
}

// says checks that the message holds one of the words.
func says(tr *trial, words ...string) error {
	for _, w := range words {
		if strings.Contains(tr.err.String(), w) {
			return nil
		}
	}
	return fmt.Errorf("the message says nothing of %s", strings.Join(words, " or "))
}

// ends accepts a run that the signal ended, and one that was over before the
// signal had its effect.
func ends(statuses ...string) func(*trial) error {
	return func(tr *trial) error {
		if tr.status == "exit 0" {
			tr.idle = true
			return nil
		}
		return want(tr, statuses...)
	}
}

// deadWorker: an exit status of 1 and a message that names the worker, unless
// the worker had done its part.
func deadWorker(tr *trial) error {
	if tr.status == "exit 0" {
		tr.idle = true
		return nil
	}
	return errors.Join(want(tr, "exit 1"), says(tr, "worker "))
}

func killedWorker(tr *trial) error {
	if tr.status == "exit 0" {
		tr.idle = true
		return nil
	}
	return errors.Join(deadWorker(tr), says(tr, "killed"))
}

func killedByOOM(tr *trial) error {
	return errors.Join(want(tr, "exit 1"), says(tr, "OOM killer"))
}

func refused(word string) func(*trial) error {
	return func(tr *trial) error {
		if tr.out.Len() > 0 {
			return errors.New("it measured although its record could not be kept")
		}
		return errors.Join(want(tr, "exit 1", "exit 2"), says(tr, word))
	}
}

func outOfMemory(tr *trial) error {
	return errors.Join(want(tr, "exit 1", "exit 2"), says(tr, "memory", "address space"))
}

// rescued: the figures are printed, the record is elsewhere, and both said.
func rescued(tr *trial) error {
	if tr.record == nil {
		return errors.New("the record is lost")
	}
	if !strings.Contains(tr.out.String(), "aggregate") {
		return errors.New("the figures are not printed")
	}
	return errors.Join(want(tr, "exit 1"), says(tr, "no space left"))
}

// brokenPipe: what was asked for by -o is kept all the same.
func brokenPipe(tr *trial) error {
	if tr.record == nil {
		return errors.New("no record")
	}
	if failed, _ := tr.record["error"].(string); failed != "" {
		return fmt.Errorf("the record says %q", failed)
	}
	return want(tr, "exit 141")
}

func root() error {
	if os.Geteuid() != 0 {
		return errors.New("it takes root to mount a file system")
	}
	return nil
}

func shell(limit string) func(*trial, []string) []string {
	return func(_ *trial, args []string) []string {
		return append([]string{"sh", "-c", limit + `; exec "$@"`, "sh"}, args...)
	}
}

// tmpfs mounts a small file system where the record is to go.
func tmpfs(option string) func(*trial) (func(), error) {
	return func(tr *trial) (func(), error) {
		disk := filepath.Join(tr.dir, "disk")
		if err := os.Mkdir(disk, 0o700); err != nil {
			return nil, err
		}
		var flags uintptr
		data := option
		if option == "ro" {
			flags, data = syscall.MS_RDONLY, ""
		}
		if err := syscall.Mount("tmpfs", disk, "tmpfs", flags, data); err != nil {
			return nil, err
		}
		i := slices.Index(tr.cmd.Args, "-o")
		tr.cmd.Args[i+1] = filepath.Join(disk, "r.json")
		return func() {
			if left, _ := os.ReadDir(disk); len(left) > 0 {
				fmt.Fprintf(&tr.err, "left on the disk: %v\n", left)
				os.WriteFile(filepath.Join(tr.dir, "left-on-disk"), nil, 0o600)
			}
			syscall.Unmount(disk, 0)
		}, nil
	}
}

// closedPipe gives the run a standard output whose reader goes after a line.
func closedPipe(tr *trial) (func(), error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	tr.cmd.Stdout = w
	go func() {
		io.ReadFull(r, make([]byte, 1+tr.rnd.IntN(40)))
		r.Close()
	}()
	return func() { w.Close() }, nil
}
