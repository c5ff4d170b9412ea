package hub

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/sys/unix"

	"wordsize/examples/internal/epoll"
)

// maxRequest is the longest request head in bytes.
const maxRequest = 8 << 10

var headEnd = []byte("\r\n\r\n")

func (h *hub) add(fd int) error {
	if err := h.poller.Add(fd, epoll.In); err != nil {
		return err
	}
	h.conns[fd] = &conn{fd: int32(fd), interest: epoll.In}
	return nil
}

func (h *hub) drop(c *conn) {
	if c.waiting != nil {
		c.waiting = nil
		h.waiting--
	}
	delete(h.conns, int(c.fd))
	unix.Close(int(c.fd))
	if err := h.acceptor.Resume(); err != nil {
		fmt.Fprintln(h.cfg.Log, err)
	}
}

func (h *hub) handle(c *conn, ready uint32) {
	switch {
	case ready&epoll.Gone != 0:
		h.drop(c)
	case ready&epoll.Out != 0:
		h.send(c, nil)
	case ready&epoll.In != 0:
		h.read(c)
	}
}

// read takes a request, or finds that the client has gone.
func (h *hub) read(c *conn) {
	n, err := unix.Read(int(c.fd), h.buf)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return
	case err != nil, n == 0:
		h.drop(c)
		return
	}
	data := h.buf[:n]
	if c.buf != nil {
		data = append(c.buf.in, data...)
	}
	h.requests(c, data)
}

// requests takes what data holds: while a request waits for its answer, the
// next one waits too.
func (h *hub) requests(c *conn, data []byte) {
	if c.buf != nil {
		c.buf.in = nil // data has it
	}
	for len(data) > 0 && c.waiting == nil && !c.last && (c.buf == nil || len(c.buf.out) == 0) {
		end := bytes.Index(data, headEnd)
		if end < 0 {
			break
		}
		head := data[:end+len(headEnd)]
		data = data[len(head):]
		if h.request(c, head); h.conns[int(c.fd)] != c {
			return // dropped
		}
	}
	if len(data) > maxRequest {
		h.drop(c)
		return
	}
	c.keep(data)
}

// keep stores an incomplete request, and no buffer where there is nothing.
func (c *conn) keep(in []byte) {
	if len(in) > 0 {
		if c.buf == nil {
			c.buf = &buffers{}
		}
		c.buf.in = append([]byte(nil), in...) // in may be the hub's buffer
		return
	}
	if c.buf != nil {
		if c.buf.in = nil; len(c.buf.out) == 0 {
			c.buf = nil
		}
	}
}

// request answers one request, or lets it wait for a message.
func (h *hub) request(c *conn, head []byte) {
	r, problem := h.parse(head)
	if problem == nil {
		c.last = r.Close
		if r.URL.Path == "/stats" {
			h.answer(c, h.stats())
			return
		}
		var after uint64
		if after, problem = parseAfter(r); problem == nil {
			h.poll(c, r, after)
			return
		}
	}
	c.last = true
	h.answer(c, response(problem.status, "text/plain", []byte(problem.text+"\n")))
}

func (h *hub) poll(c *conn, r *http.Request, after uint64) {
	if after < h.count {
		h.answer(c, h.batch(after))
		return
	}
	c.after = h.count // a greater number is from before a restart of the hub
	c.since = h.now()
	c.waiting = r
	h.waiting++
}

// answer sends a whole response to a connection that may have waited for it.
func (h *hub) answer(c *conn, response []byte) {
	if c.waiting != nil {
		c.waiting = nil
		h.waiting--
	}
	h.send(c, response)
}

// send writes what is left over from before, and then data.
func (h *hub) send(c *conn, data []byte) {
	kept := c.buf != nil && len(c.buf.out) > 0
	if kept {
		c.buf.out = append(c.buf.out, data...)
		data = c.buf.out
	}
	for len(data) > 0 {
		n, err := unix.Write(int(c.fd), data)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.EAGAIN) {
			break
		}
		if err != nil {
			h.drop(c)
			return
		}
		data = data[n:]
	}
	switch {
	case len(data) > 0 && kept:
		c.buf.out = data
	case len(data) > 0:
		if c.buf == nil {
			c.buf = &buffers{}
		}
		c.buf.out = append([]byte(nil), data...)
	case c.last:
		h.drop(c)
		return
	default:
		h.sent(c)
		if h.conns[int(c.fd)] != c {
			return
		}
	}
	h.settle(c)
}

// sent goes on with a request that came while the answer was on its way.
func (h *hub) sent(c *conn) {
	if c.buf == nil {
		return
	}
	if c.buf.out = nil; len(c.buf.in) == 0 {
		c.buf = nil
		return
	}
	h.requests(c, c.buf.in)
}

// settle watches a connection for what is possible with it now.
func (h *hub) settle(c *conn) {
	want := uint32(epoll.In)
	if c.buf != nil && len(c.buf.out) > 0 {
		want = epoll.Out
	}
	if want == c.interest {
		return
	}
	if err := h.poller.Change(int(c.fd), want); err != nil {
		fmt.Fprintln(h.cfg.Log, err)
		h.drop(c)
		return
	}
	c.interest = want
}
