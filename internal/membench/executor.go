package membench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"wordsize/internal/respawn"
)

// An Executor starts workers.
type Executor interface {
	// start starts worker number index; it is named so in errors.
	start(index int) (conn, error)
}

// A conn is the parent's end of a worker.
type conn interface {
	send(command) error
	// messages ends (is closed) when the worker has ended or fallen silent
	// for good; exit then says how.
	messages() <-chan message
	// pid is of the process that was started: the runner's, if there is one.
	pid() int
	// close asks the worker to end, makes it end if it won't, and waits.
	close() exit
}

// exit is how a worker ended.
type exit struct {
	ok     bool
	how    string // such as "signal: killed" or "exit status 1"
	killed bool   // by SIGKILL
	stderr string // the end of what it wrote there
}

// Processes is the executor that starts real processes: this program anew.
type Processes struct {
	Argv []string // the command of a worker, a runner's words first
	// Stderr is where a runner's words go; the workers' own are kept for the
	// error message. Nil drops them.
	Stderr io.Writer
	runner bool
}

// NewProcesses returns an executor that starts this very program, behind the
// runner's words if there are any.
func NewProcesses(runner []string, stderr io.Writer) (*Processes, error) {
	self, err := respawn.Path(len(runner) > 0)
	if err != nil {
		return nil, err
	}
	p := &Processes{Argv: append(append([]string(nil), runner...), self, WorkerArg)}
	if len(runner) > 0 {
		p.Stderr, p.runner = stderr, true
		if _, err := exec.LookPath(runner[0]); err != nil {
			return nil, &ArgError{"--runner", strings.Join(runner, " "), "a command that can be started: " + err.Error()}
		}
	}
	return p, nil
}

// workerEnv keeps the Go runtime out of the way: no collection, no signals
// for preemption (the loops ask for stops themselves), and one processor for
// the loop with another for the thread that listens.
var workerEnv = []string{"GOGC=off", "GOMAXPROCS=2", "GODEBUG=asyncpreemptoff=1"}

func (p *Processes) start(index int) (conn, error) {
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	if path, err := os.Executable(); err == nil && !p.runner {
		cmd.Args[0] = path // what ps shows, rather than an entry in /proc
	}
	cmd.Env = append(os.Environ(), workerEnv...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// A pipe of our own: os/exec's is closed by Wait, whoever still reads.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &process{cmd: cmd, in: in, behindRunner: p.runner, msgs: make(chan message, 8), done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = theirs, &c.stderr
	c.stderr.tee = p.Stderr
	if p.runner {
		ownGroup(cmd) // so that what a runner forks can be ended with it
	}
	cmd.WaitDelay = linger
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		out.Close()
		return nil, startError(index, err)
	}
	go c.listen(out)
	return c, nil
}

// startError adds advice where a limit of ours may be the reason.
func startError(index int, err error) error {
	err = fmt.Errorf("start worker %d: %w", index, err)
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("%w: the limit of open files (ulimit -n) is too low for so many workers", err)
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("%w: the limit of processes (ulimit -u, the cgroup's pids.max) is too low for so many workers", err)
	}
	return err
}

type process struct {
	cmd          *exec.Cmd
	in           io.WriteCloser
	behindRunner bool
	msgs         chan message
	stderr       tail

	done  chan struct{} // closed when it has been waited for
	ended exit
}

// linger is how long a process that has ended is heard out: something that it
// forked may hold its standard output or error open for ever.
const linger = time.Second

// listen passes messages on until standard output ends, or the process has,
// and records how.
func (c *process) listen(out *os.File) {
	defer out.Close()
	read, waited := make(chan error, 1), make(chan error, 1)
	go func() { read <- readMessages(out, func(m message) { c.msgs <- m }) }()
	go func() { waited <- c.cmd.Wait() }()
	var readErr, waitErr error
	select {
	case readErr = <-read:
		if readErr != nil {
			c.kill()
		}
		waitErr = <-waited
	case waitErr = <-waited:
		patience := time.AfterFunc(linger, func() { out.Close() })
		if readErr = <-read; errors.Is(readErr, os.ErrClosed) {
			readErr = nil
		}
		patience.Stop()
	}
	c.ended = exit{ok: waitErr == nil, how: "exit status 0", stderr: c.stderr.String()}
	if s := c.cmd.ProcessState; s != nil {
		const shellSaysKilled = 128 + 9
		c.ended.how = s.String()
		c.ended.killed = respawn.Killed(s) || s.ExitCode() == shellSaysKilled
	}
	if readErr != nil {
		c.ended.how = readErr.Error()
	}
	close(c.done)
	close(c.msgs)
}

// kill ends the process, and what it forked when it is a runner.
func (c *process) kill() {
	if c.behindRunner {
		killGroup(c.cmd.Process.Pid)
	}
	c.cmd.Process.Kill()
}

func (c *process) send(cmd command) error {
	b, err := json.Marshal(cmd)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(b, '\n'))
	return err
}

func (c *process) messages() <-chan message { return c.msgs }
func (c *process) pid() int                 { return c.cmd.Process.Pid }

// grace is how long a worker whose standard input has ended may take to end.
const grace = 2 * time.Second

func (c *process) close() exit {
	c.in.Close()
	patience := time.AfterFunc(grace, c.kill)
	defer patience.Stop()
	for range c.msgs { // until it has been waited for
	}
	<-c.done
	return c.ended
}

// tail keeps the last bytes written to it, and passes all on to tee.
type tail struct {
	mu  sync.Mutex
	buf []byte
	tee io.Writer
}

const tailBytes = 2048

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if extra := len(t.buf) - tailBytes; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	if t.tee != nil {
		t.tee.Write(b) // the worker must not fail for our terminal
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.buf))
}
