// Package hub holds all connections of a long-polling server in one thread.
// A client asks for what came after the message that it knows, and gets its
// answer when there is something.
package hub

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/examples/comet/event"
	"wordsize/examples/internal/epoll"
)

// Config says what to hold and where events come from.
type Config struct {
	FIFOs   []string      // of the workers, made by MakeFIFO
	History int           // messages kept for clients that were just away
	Timeout time.Duration // after which a poll is answered without a message
	Log     io.Writer
}

// A conn is a connection. Most wait for a message: they have no buffers, only
// the request that waits, which stays as an object with its headers as it does
// in a server that suspends its views.
type conn struct {
	fd       int32
	interest uint32
	after    uint64 // the last message that the client knows
	since    int64  // when it began to wait, in nanoseconds of the hub's clock
	waiting  *http.Request
	last     bool // close after the answer
	buf      *buffers
}

type buffers struct {
	in  []byte // an incomplete request
	out []byte // what the socket did not take yet
}

// A fifo is where one worker's events arrive.
type fifo struct {
	name string
	fd   int
	rest []byte // an incomplete line
}

type hub struct {
	cfg      Config
	poller   *epoll.Poller
	acceptor *epoll.Acceptor
	conns    map[int]*conn
	waiting  int
	fifos    map[int]*fifo
	history  []event.Numbered // oldest first
	count    uint64           // messages so far
	start    time.Time
	buf      []byte

	text        bytes.Reader // of the request that is parsed
	requestText *bufio.Reader
}

// MakeFIFO makes a FIFO that only this user may use; an existing one is taken.
func MakeFIFO(name string) error {
	err := unix.Mkfifo(name, 0o600)
	if errors.Is(err, unix.EEXIST) {
		info, statErr := os.Lstat(name)
		if statErr == nil && info.Mode().Type() == os.ModeNamedPipe {
			return nil
		}
		return fmt.Errorf("%s is there and is no FIFO", name)
	}
	if err != nil {
		return fmt.Errorf("make FIFO %s: %w", name, err)
	}
	return nil
}

// Serve holds connections until ctx ends, which is no error. It closes ln.
// opened is called once all FIFOs are open for reading.
func Serve(ctx context.Context, ln *net.TCPListener, cfg Config, opened func()) error {
	defer ln.Close()
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
	h := &hub{cfg: cfg, poller: poller, acceptor: acceptor, conns: map[int]*conn{}, fifos: map[int]*fifo{},
		start: time.Now(), buf: make([]byte, 64<<10), requestText: bufio.NewReader(nil)}
	defer h.close()
	for _, name := range cfg.FIFOs {
		if err := h.open(name); err != nil {
			return err
		}
	}
	opened()
	defer poller.WakeAtEnd(ctx)()
	return h.run(ctx)
}

func (h *hub) open(name string) error {
	// For reading and writing: it never ends then, whatever the workers do.
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open FIFO %s: %w", name, err)
	}
	h.fifos[fd] = &fifo{name: name, fd: fd}
	return h.poller.Add(fd, epoll.In)
}

func (h *hub) close() {
	for _, c := range h.conns {
		h.drop(c)
	}
	for fd := range h.fifos {
		unix.Close(fd)
	}
}

func (h *hub) now() int64 { return int64(time.Since(h.start)) }

func (h *hub) run(ctx context.Context) error {
	sweep := max(h.cfg.Timeout/8, 10*time.Millisecond)
	next := h.now() + int64(sweep)
	var events []epoll.Event
	for ctx.Err() == nil {
		wait := int(max(next-h.now(), 0)/1e6) + 1
		var err error
		if events, err = h.poller.Wait(events[:0], wait); err != nil {
			return err
		}
		for _, ev := range events {
			switch f := h.fifos[ev.FD]; {
			case f != nil:
				h.events(f)
			case ev.FD == h.acceptor.FD():
				if err := h.acceptor.Accept(h.add); err != nil {
					fmt.Fprintln(h.cfg.Log, err)
				}
			default:
				if c := h.conns[ev.FD]; c != nil {
					h.handle(c, ev.Ready)
				}
			}
		}
		if now := h.now(); now >= next {
			h.expire(now)
			next = now + int64(sweep)
		}
	}
	return nil
}

// events reads a worker's messages and delivers them to everybody.
func (h *hub) events(f *fifo) {
	n, err := unix.Read(f.fd, h.buf)
	if err != nil {
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR) {
			fmt.Fprintf(h.cfg.Log, "read FIFO %s: %v\n", f.name, err)
		}
		return
	}
	lines, rest := cutLines(append(f.rest, h.buf[:n]...))
	if len(rest) > event.MaxBytes {
		fmt.Fprintf(h.cfg.Log, "FIFO %s: dropped %d bytes without an end of line\n", f.name, len(rest))
		rest = nil
	}
	f.rest = append([]byte(nil), rest...)
	fresh := false
	for _, line := range lines {
		m, err := event.Decode(line)
		if err != nil {
			fmt.Fprintf(h.cfg.Log, "FIFO %s: %v\n", f.name, err)
			continue
		}
		h.count++
		h.history = append(h.history, event.Numbered{N: h.count, Message: m})
		fresh = true
	}
	if extra := len(h.history) - h.cfg.History; extra > 0 {
		h.history = append([]event.Numbered(nil), h.history[extra:]...)
	}
	if fresh {
		h.deliver()
	}
}

// deliver answers all that wait. Clients that know the same get the same bytes.
func (h *hub) deliver() {
	answers := map[uint64][]byte{}
	for _, c := range h.conns {
		if c.waiting == nil || c.after >= h.count {
			continue
		}
		answer := answers[c.after]
		if answer == nil {
			answer = h.batch(c.after)
			answers[c.after] = answer
		}
		h.answer(c, answer)
	}
}

// expire answers those that waited for long, since proxies between would end
// their connections.
func (h *hub) expire(now int64) {
	for _, c := range h.conns {
		if c.waiting != nil && now-c.since >= int64(h.cfg.Timeout) {
			h.answer(c, h.batch(c.after))
		}
	}
}
