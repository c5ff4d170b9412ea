//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limits of one trial.
const (
	runLimit   = 30 * time.Second // a run takes less than a second by itself
	leaveLimit = 4 * time.Second  // workers see the end of their parent within
)

// marker is an environment variable that every process of a trial inherits.
const marker = "MEMTEST_FAULT_TRIAL="

// trial is one run of memtest with one fault.
type trial struct {
	*session
	dir    string // of the record; also TMPDIR
	id     string
	cmd    *exec.Cmd
	out    bytes.Buffer
	err    bytes.Buffer
	status string // "exit 1" or "killed"
	took   time.Duration
	record map[string]any
	noted  string // what the fault did, for messages and checks
	idle   bool   // the fault came too late, or not at all
}

// inject makes one fault and checks what came of it.
func (s *session) inject(t *tally) {
	dir, err := os.MkdirTemp("", "memtest-fault-")
	if err != nil {
		s.fail(t, nil, err)
		return
	}
	defer os.RemoveAll(dir)
	tr := &trial{session: s, dir: dir, id: marker + filepath.Base(dir)}
	err = tr.run(t.fault)
	t.injected++
	if tr.status != "" {
		t.ends[tr.status]++
	}
	if tr.idle {
		t.idle++
	}
	t.longest = max(t.longest, tr.took)
	if err != nil {
		s.fail(t, tr, err)
	}
}

func (s *session) fail(t *tally, tr *trial, err error) {
	t.failed++
	s.failures++
	fmt.Fprintf(s.stderr, "FAILED %s: %v\n", t.name, err)
	if tr != nil {
		fmt.Fprintf(s.stderr, "  %s, %s\n  stdout: %q\n  stderr: %q\n", tr.status, tr.noted, tr.out.String(), tr.err.String())
	}
}

func (tr *trial) run(f *fault) error {
	args := f.args
	if args == nil {
		args = []string{"2", "0.1", "16"}
	}
	args = append(append([]string{tr.memtest}, args...), "-o", filepath.Join(tr.dir, "r.json"))
	if f.wrap != nil {
		args = f.wrap(tr, args)
	}
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	tr.cmd = exec.CommandContext(ctx, args[0], args[1:]...)
	tr.cmd.Env = append(os.Environ(), tr.id, "TMPDIR="+tr.dir)
	tr.cmd.Stdout, tr.cmd.Stderr = &tr.out, &tr.err
	tr.cmd.WaitDelay = time.Second
	var after func()
	if f.before != nil {
		var err error
		if after, err = f.before(tr); err != nil {
			return fmt.Errorf("cannot inject: %w", err)
		}
	}
	begin := time.Now()
	if err := tr.cmd.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	acted := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(acted)
		if f.act != nil {
			f.act(tr, ended)
		}
	}()
	tr.cmd.Wait() // its status is looked at below
	tr.took = time.Since(begin)
	close(ended)
	<-acted
	tr.status = describe(tr.cmd.ProcessState)
	var err error
	if ctx.Err() != nil {
		err = fmt.Errorf("still running after %v", runLimit)
	}
	err = errors.Join(err, tr.nothingLeft())
	if after != nil {
		after()
	}
	return errors.Join(err, tr.readRecord(), tr.wholeOrNothing(), f.check(tr))
}

func describe(s *os.ProcessState) string {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return "exit " + strconv.Itoa(s.ExitCode())
}

// processes returns the PIDs of this trial's processes but the started one.
func (tr *trial) processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || tr.cmd.Process != nil && pid == tr.cmd.Process.Pid {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && bytes.Contains(env, []byte(tr.id)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// nothingLeft waits for the trial's processes to end.
func (tr *trial) nothingLeft() error {
	var left []int
	for end := time.Now().Add(leaveLimit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = tr.processes(); len(left) == 0 {
			return nil
		}
	}
	for _, pid := range left {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	return fmt.Errorf("%d processes left: %v", len(left), left)
}

// readRecord reads the record wherever it was put, and complains of every
// other file.
func (tr *trial) readRecord() error {
	var stray []string
	err := filepath.WalkDir(tr.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.Base(path)
		rescued := strings.HasPrefix(name, "memtest-") && strings.Contains(tr.err.String(), path)
		if name != "r.json" && !rescued {
			// A killed parent cannot tidy up: its file is empty or whole, and
			// its name says whose it was.
			if tr.status == "killed" && strings.HasPrefix(name, ".r.json.") {
				return nil
			}
			stray = append(stray, name)
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tr.record = map[string]any{}
		if err := json.Unmarshal(b, &tr.record); err != nil {
			return fmt.Errorf("%s is not whole: %w", name, err)
		}
		return nil
	})
	if len(stray) > 0 {
		err = errors.Join(err, fmt.Errorf("files left: %v", stray))
	}
	return err
}

// wholeOrNothing: a run that succeeded has all its figures and a record
// without an error; one that failed has a record that says so, or none.
func (tr *trial) wholeOrNothing() error {
	failed, _ := tr.record["error"].(string)
	interrupted, _ := tr.record["interrupted"].(bool)
	switch {
	case tr.status == "exit 0" && (tr.record == nil || failed != "" || interrupted):
		return fmt.Errorf("exit 0, and the record says error %q, interrupted %v", failed, interrupted)
	case tr.status == "exit 0" && !strings.Contains(tr.out.String(), "aggregate"):
		return errors.New("exit 0 without an aggregate")
	case tr.status != "exit 0" && tr.status != "exit 141" && tr.record != nil && failed == "" && !interrupted && !strings.Contains(tr.err.String(), "the record is in"):
		return errors.New("a record without an error, of a run that failed")
	}
	return nil
}
