package membench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
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
}

// NewProcesses returns an executor that starts this very program, behind the
// runner's words if there are any.
func NewProcesses(runner []string, stderr io.Writer) (*Processes, error) {
	self, err := selfPath(len(runner) > 0)
	if err != nil {
		return nil, err
	}
	p := &Processes{Argv: append(append([]string(nil), runner...), self, WorkerArg)}
	if len(runner) > 0 {
		p.Stderr = stderr
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
	cmd.Env = append(os.Environ(), workerEnv...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := &process{cmd: cmd, in: in, msgs: make(chan message, 8), done: make(chan struct{})}
	cmd.Stderr = &c.stderr
	c.stderr.tee = p.Stderr
	// A grandchild that keeps our standard error open must not keep us.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start worker %d: %w", index, err)
	}
	go c.listen(out)
	return c, nil
}

type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	msgs   chan message
	stderr tail

	done    chan struct{} // closed when it has been waited for
	ended   exit
	readErr error
}

// listen passes messages on until standard output ends, then waits for the
// process.
func (c *process) listen(out io.Reader) {
	c.readErr = readMessages(out, func(m message) { c.msgs <- m })
	if c.readErr != nil {
		c.cmd.Process.Kill()
	}
	err := c.cmd.Wait()
	c.ended = exit{ok: err == nil, how: "exit status 0", stderr: c.stderr.String()}
	if c.cmd.ProcessState != nil {
		c.ended.how = c.cmd.ProcessState.String()
		c.ended.killed = killedBySIGKILL(c.cmd.ProcessState)
	}
	if c.readErr != nil {
		c.ended.how = c.readErr.Error()
	}
	close(c.done)
	close(c.msgs)
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
	patience := time.AfterFunc(grace, func() { c.cmd.Process.Kill() })
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
