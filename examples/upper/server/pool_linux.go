package server

import (
	"bytes"
	"sync"
)

// A job is the lines that one connection has sent, then their answers. Each
// connection has at most one, which keeps its answers in order.
type job struct {
	c       *conn
	in      []byte
	eof     bool   // in ends the input
	out     []byte // set by the worker, as are the next two
	rest    []byte // the beginning of a line
	tooLong bool
}

// A pool of workers computes answers beside the loop.
type pool struct {
	mu    sync.Mutex
	some  *sync.Cond
	todo  []*job
	ended bool
	done  []*job
	wake  func()
	wg    sync.WaitGroup
}

func newPool(workers int, wake func()) *pool {
	p := &pool{wake: wake}
	p.some = sync.NewCond(&p.mu)
	for range workers {
		p.wg.Go(p.work)
	}
	return p
}

func (p *pool) work() {
	for {
		p.mu.Lock()
		for len(p.todo) == 0 && !p.ended {
			p.some.Wait()
		}
		if p.ended {
			p.mu.Unlock()
			return
		}
		j := p.todo[0]
		p.todo[0] = nil
		p.todo = p.todo[1:]
		p.mu.Unlock()

		out, rest, ok := appendAnswers(nil, j.in, j.eof)
		j.out, j.rest, j.tooLong = out, rest, !ok

		p.mu.Lock()
		p.done = append(p.done, j)
		p.mu.Unlock()
		p.wake()
	}
}

func (p *pool) put(j *job) {
	p.mu.Lock()
	p.todo = append(p.todo, j)
	p.mu.Unlock()
	p.some.Signal()
}

// take returns the jobs that are done.
func (p *pool) take() []*job {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := p.done
	p.done = nil
	return done
}

func (p *pool) close() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.some.Broadcast()
	p.wg.Wait()
}

// submit hands what was read to a worker, or keeps it if it ends no line yet.
func (l *loop) submit(c *conn, data []byte) {
	if !c.eof && bytes.IndexByte(data, '\n') < 0 {
		if len(data) > MaxLine {
			l.drop(c)
			return
		}
		c.keep(data)
		return
	}
	j := &job{c: c, eof: c.eof, in: c.in}
	if len(c.in) == 0 {
		j.in = append([]byte(nil), data...) // data is the loop's buffer
	}
	c.in = nil
	c.busy = true
	l.pool.put(j)
}

// finish sends the answers of a job.
func (l *loop) finish(j *job) {
	c := j.c
	if c.closed {
		return
	}
	c.busy = false
	if j.tooLong {
		l.drop(c)
		return
	}
	c.keep(j.rest)
	l.write(c, j.out)
}
