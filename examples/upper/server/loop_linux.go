package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/sys/unix"

	"wordsize/examples/internal/epoll"
)

// maxUnsent is how many bytes of answers may wait for a slow reader before
// nothing more is read from it.
const maxUnsent = 64 << 10

// A conn is a connection of an event loop. An idle one holds no buffer.
type conn struct {
	fd       int
	interest uint32
	in       []byte // the beginning of a line
	out      []byte // answers that the socket did not take yet
	eof      bool   // the other side sends no more
	busy     bool   // with a worker of the pool
	closed   bool
}

// A loop serves all connections from one goroutine.
type loop struct {
	poller   *epoll.Poller
	acceptor *epoll.Acceptor
	conns    map[int]*conn
	buf      []byte // for reading
	scratch  []byte // for answers
	pool     *pool  // nil: answers are computed in the loop
	log      io.Writer
}

func serveLoop(ctx context.Context, ln *net.TCPListener, cfg Config) error {
	poller, err := epoll.New()
	if err != nil {
		return err
	}
	defer poller.Close()
	acceptor, err := epoll.NewAcceptor(poller, ln)
	if err != nil {
		return err
	}
	defer acceptor.Close()
	l := &loop{poller: poller, acceptor: acceptor, conns: map[int]*conn{}, buf: make([]byte, 64<<10), log: cfg.Log}
	if cfg.Strategy == Pool {
		l.pool = newPool(cfg.Workers, poller.Wake)
		defer l.pool.close()
	}
	defer func() {
		for _, c := range l.conns {
			l.drop(c)
		}
	}()
	defer poller.WakeAtEnd(ctx)()
	return l.run(ctx)
}

func (l *loop) run(ctx context.Context) error {
	var events []epoll.Event
	for ctx.Err() == nil {
		var err error
		if events, err = l.poller.Wait(events[:0], -1); err != nil {
			return err
		}
		if l.pool != nil {
			for _, j := range l.pool.take() {
				l.finish(j)
			}
		}
		for _, ev := range events {
			if ev.FD == l.acceptor.FD() {
				if err := l.acceptor.Accept(l.add); err != nil {
					fmt.Fprintln(l.log, err)
				}
			} else if c := l.conns[ev.FD]; c != nil {
				l.handle(c, ev.Ready)
			}
		}
	}
	return nil
}

func (l *loop) add(fd int) error {
	if err := l.poller.Add(fd, epoll.In); err != nil {
		return err
	}
	l.conns[fd] = &conn{fd: fd, interest: epoll.In}
	return nil
}

func (l *loop) drop(c *conn) {
	c.closed = true
	delete(l.conns, c.fd)
	unix.Close(c.fd)
	if err := l.acceptor.Resume(); err != nil {
		fmt.Fprintln(l.log, err)
	}
}

// handle does what a connection is ready for.
func (l *loop) handle(c *conn, ready uint32) {
	switch {
	case ready&epoll.Gone != 0 && (c.busy || len(c.out) > 0 || ready&epoll.In == 0):
		l.drop(c) // nobody is left to take an answer
	case ready&epoll.Out != 0 && len(c.out) > 0:
		l.write(c, nil)
	case ready&epoll.In != 0 && !c.busy:
		l.read(c)
	default: // a worker has it: look again when it is done
		l.settle(c)
	}
}

func (l *loop) read(c *conn) {
	n, err := unix.Read(c.fd, l.buf)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return
	case err != nil:
		l.drop(c)
		return
	}
	c.eof = n == 0
	data := l.buf[:n]
	if len(c.in) > 0 {
		c.in = append(c.in, data...)
		data = c.in
	}
	if l.pool != nil {
		l.submit(c, data)
		return
	}
	out, rest, ok := appendAnswers(l.scratch[:0], data, c.eof)
	l.scratch = out
	if !ok {
		l.drop(c)
		return
	}
	c.keep(rest)
	l.write(c, out)
}

// keep stores the beginning of a line, and holds no buffer for an empty one.
func (c *conn) keep(rest []byte) {
	if len(rest) == 0 {
		c.in = nil
		return
	}
	c.in = append(c.in[:0], rest...) // rest may be a part of in: copy moves it down
}

// write sends answers, after those that wait already, and keeps what the
// socket does not take.
func (l *loop) write(c *conn, answers []byte) {
	out, kept := answers, len(c.out) > 0
	if kept {
		c.out = append(c.out, answers...)
		out = c.out
	}
	for len(out) > 0 {
		n, err := unix.Write(c.fd, out)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EAGAIN) {
			break
		}
		if err != nil {
			l.drop(c)
			return
		}
		out = out[n:]
	}
	switch {
	case len(out) == 0:
		c.out = nil
	case kept:
		c.out = out
	default:
		c.out = append([]byte(nil), out...)
	}
	if c.eof && len(c.out) == 0 && !c.busy {
		l.drop(c)
		return
	}
	l.settle(c)
}

// settle watches a connection for what is possible with it now.
func (l *loop) settle(c *conn) {
	var want uint32
	if len(c.out) > 0 {
		want |= epoll.Out
	}
	if !c.eof && !c.busy && len(c.out) <= maxUnsent {
		want |= epoll.In
	}
	if want == c.interest {
		return
	}
	if err := l.poller.Change(c.fd, want); err != nil {
		fmt.Fprintln(l.log, err)
		l.drop(c)
		return
	}
	c.interest = want
}
