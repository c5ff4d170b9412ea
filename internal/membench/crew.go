package membench

import (
	"encoding/json"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// A crew is the workers of one process: one, unless they are threads.
type crew struct {
	out          io.Writer
	exit         func(int)
	beforeVerify func(*chunk)

	workers []*worker      // of obey's goroutine, once that runs
	others  sync.WaitGroup // all but the first
	failed  atomic.Bool    // one of the others did
}

func (c *crew) newWorker() *worker {
	w := &worker{out: c.out, beforeVerify: c.beforeVerify, setup: make(chan spec, 1), start: make(chan int64, 1), stopped: make(chan struct{})}
	c.workers = append(c.workers, w)
	return w
}

// exitOrphan is the exit status of a worker whose parent is gone.
const exitOrphan = 3

// obey carries out the parent's commands, and ends the process when the
// parent is gone, whatever the other threads do.
func (c *crew) obey(in io.Reader) {
	dec := json.NewDecoder(in)
	for setups := 0; ; {
		var cmd command
		if err := dec.Decode(&cmd); err != nil {
			c.exit(exitOrphan)
			return
		}
		switch {
		case cmd.Op == "setup" && cmd.Spec != nil:
			c.assign(*cmd.Spec, setups)
			setups++
		case cmd.Op == "go":
			for _, w := range c.workers {
				w.start <- cmd.StartNS
			}
		case cmd.Op == "stop":
			for _, w := range c.workers {
				w.stopOnce.Do(func() { w.stop.Store(true); close(w.stopped) })
			}
		}
	}
}

// assign gives a spec to the first worker, or to a new one with a thread of
// its own.
func (c *crew) assign(s spec, setups int) {
	if setups > 0 {
		w := c.newWorker()
		c.others.Go(func() {
			// Never unlocked: the thread may be bound to a CPU.
			runtime.LockOSThread()
			if !w.live() {
				c.failed.Store(true)
			}
		})
	} else if s.Threads > 1 {
		runtime.GOMAXPROCS(s.Threads + 1) // one more for the thread that listens
	}
	c.workers[len(c.workers)-1].setup <- s
}

// thread returns the worker's number among those of its process.
func (w *worker) thread() int {
	if w.spec.Threads > 0 {
		return w.spec.Index
	}
	return 0
}

// lockedWriter lets several threads write whole messages.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
