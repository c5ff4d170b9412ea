package pool

import (
	"context"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Socket returns a duplicate of a listening socket for the workers. Whether a
// socket blocks is a property that all duplicates share, and os.File makes a
// non-blocking one block each time that a child is started with it. So it is
// made blocking before os.File sees it; the workers make it non-blocking for
// good.
func Socket(ln *net.TCPListener) (*os.File, error) {
	file, err := ln.File()
	if err != nil {
		return nil, fmt.Errorf("listening socket: %w", err)
	}
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("listening socket: %w", err)
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("listening socket: %w", err)
	}
	return os.NewFile(uintptr(fd), "listening socket"), nil
}

// Inherited returns the listening socket that a worker got as descriptor fd.
func Inherited(fd uintptr) (net.Listener, error) {
	socket := os.NewFile(fd, "listening socket")
	defer socket.Close()
	ln, err := net.FileListener(socket)
	if err != nil {
		return nil, fmt.Errorf("listening socket, descriptor %d: %w", fd, err)
	}
	return ln, nil
}

// UntilEnd returns a context that ends when all that hold the other end of the
// pipe that is descriptor fd are gone: a worker's parent, however it died.
func UntilEnd(ctx context.Context, fd uintptr) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = os.NewFile(fd, "lifeline").Read(make([]byte, 1))
		cancel()
	}()
	return ctx, cancel
}
