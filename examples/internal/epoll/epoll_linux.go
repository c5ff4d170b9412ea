// Package epoll is the thin layer over epoll(7) and accept(2) that the
// examples' event loops share. It is Linux only, as the examples are.
package epoll

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Interests and conditions of a descriptor, see epoll_ctl(2).
const (
	In  = unix.EPOLLIN
	Out = unix.EPOLLOUT
	// Gone is reported whether asked for or not: an error, or both directions shut down.
	Gone = unix.EPOLLERR | unix.EPOLLHUP
)

// A Poller waits for many descriptors. Only Wake may be called from other
// goroutines than the loop's.
type Poller struct {
	fd, wake int
	woken    atomic.Bool
	events   []unix.EpollEvent
}

// An Event is a descriptor and the conditions that it is in.
type Event struct {
	FD    int
	Ready uint32
}

// New makes a poller without descriptors.
func New() (*Poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	p := &Poller{fd: fd, wake: wake, events: make([]unix.EpollEvent, 256)}
	if err := p.Add(wake, In); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Close gives the poller's own descriptors back, not those that were added.
func (p *Poller) Close() {
	unix.Close(p.wake)
	unix.Close(p.fd)
}

// Add starts watching a descriptor.
func (p *Poller) Add(fd int, interest uint32) error {
	return p.control(unix.EPOLL_CTL_ADD, fd, interest)
}

// Change watches a descriptor for something else than before.
func (p *Poller) Change(fd int, interest uint32) error {
	return p.control(unix.EPOLL_CTL_MOD, fd, interest)
}

// Remove stops watching a descriptor. Closing it does the same, unless a
// duplicate of it is open.
func (p *Poller) Remove(fd int) error {
	return p.control(unix.EPOLL_CTL_DEL, fd, 0)
}

func (p *Poller) control(op, fd int, interest uint32) error {
	ev := unix.EpollEvent{Events: interest, Fd: int32(fd)}
	if err := unix.EpollCtl(p.fd, op, fd, &ev); err != nil {
		return fmt.Errorf("epoll_ctl on descriptor %d: %w", fd, err)
	}
	return nil
}

// Wake makes the present or the next Wait return, from any goroutine.
func (p *Poller) Wake() {
	if p.woken.CompareAndSwap(false, true) {
		// It can only fail with EAGAIN at 2^64-2 wakes, and is readable then.
		_, _ = unix.Write(p.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

// WakeAtEnd wakes when ctx ends. What it returns undoes that, and has to be
// called before Close.
func (p *Poller) WakeAtEnd(ctx context.Context) (undo func()) {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { p.Wake(); close(woken) })
	return func() {
		if !stop() {
			<-woken
		}
	}
}

// Wait appends to events what is ready, at least one descriptor unless woken
// or after timeout (milliseconds, -1: none).
func (p *Poller) Wait(events []Event, timeout int) ([]Event, error) {
	n, err := unix.EpollWait(p.fd, p.events, timeout)
	if errors.Is(err, unix.EINTR) {
		return events, nil
	}
	if err != nil {
		return events, fmt.Errorf("epoll_wait: %w", err)
	}
	for _, ev := range p.events[:n] {
		if int(ev.Fd) == p.wake {
			var buf [8]byte
			_, _ = unix.Read(p.wake, buf[:])
			p.woken.Store(false)
			continue
		}
		events = append(events, Event{FD: int(ev.Fd), Ready: ev.Events})
	}
	return events, nil
}

// An Acceptor takes connections from a listening socket within a loop.
type Acceptor struct {
	fd     int
	poller *Poller
	paused bool
}

// NewAcceptor watches a duplicate of the listener's socket, which stays open
// until Close. The duplicate shares the non-blocking mode with the original.
func NewAcceptor(p *Poller, ln *net.TCPListener) (*Acceptor, error) {
	file, err := ln.File()
	if err != nil {
		return nil, fmt.Errorf("listening socket: %w", err)
	}
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate the listening socket: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil { // file.Fd() had made it blocking
		unix.Close(fd)
		return nil, fmt.Errorf("listening socket: %w", err)
	}
	if err := p.Add(fd, In); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &Acceptor{fd: fd, poller: p}, nil
}

// FD is the descriptor that Wait reports.
func (a *Acceptor) FD() int { return a.fd }

// Accept hands each waiting connection to add, non-blocking. Out of
// descriptors it stops listening until Resume, since a level-triggered loop
// would turn without end; err says so once.
func (a *Acceptor) Accept(add func(fd int) error) error {
	for {
		fd, _, err := unix.Accept4(a.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch {
		case err == nil:
			if err := add(fd); err != nil {
				unix.Close(fd)
				return err
			}
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
		case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOBUFS), errors.Is(err, unix.ENOMEM):
			if perr := a.poller.Remove(a.fd); perr != nil {
				return perr
			}
			a.paused = true
			return fmt.Errorf("accept: %w (new connections wait until one is closed; ulimit -n is the limit)", err)
		default:
			return fmt.Errorf("accept: %w", err)
		}
	}
}

// Resume listens again after a connection was closed, if Accept had stopped.
func (a *Acceptor) Resume() error {
	if !a.paused {
		return nil
	}
	a.paused = false
	return a.poller.Add(a.fd, In)
}

// Close stops listening on this duplicate.
func (a *Acceptor) Close() { unix.Close(a.fd) }
