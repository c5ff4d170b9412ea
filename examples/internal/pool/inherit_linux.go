package pool

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// What a worker inherits, after standard input, output and error.
const (
	listenerFD = 3 + iota
	lifelineFD // ends when the parent does, however it died
	// OwnFD is the first of what a command hands on by itself.
	OwnFD
)

// titleRoom is put into a worker's environment, so that its longest title fits.
const titleRoom = "TITLE_ROOM"

// An Estate is what a parent has for its workers: this program, a listening
// socket, and a lifeline.
type Estate struct {
	self                   string
	socket, lifeline, mine *os.File
}

// NewEstate makes what the workers that listen with ln inherit.
func NewEstate(ln *net.TCPListener) (*Estate, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	e := &Estate{self: self}
	if e.socket, err = blocking(ln); err != nil {
		return nil, err
	}
	if e.lifeline, e.mine, err = os.Pipe(); err != nil {
		e.socket.Close()
		return nil, err
	}
	return e, nil
}

// Close ends all workers that are left.
func (e *Estate) Close() {
	e.socket.Close()
	e.lifeline.Close()
	e.mine.Close()
}

// Command makes a worker's command: this program with these arguments, room for
// a title of so many bytes, and files of its own from OwnFD on.
func (e *Estate) Command(ctx context.Context, room int, args []string, own ...*os.File) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.self, args...)
	cmd.Env = append(os.Environ(), titleRoom+"="+strings.Repeat(".", room))
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = append([]*os.File{e.socket, e.lifeline}, own...)
	return cmd
}

// blocking returns a duplicate of a listening socket for the workers. Whether a
// socket blocks is a property that all duplicates share, and os.File makes a
// non-blocking one block each time that a child is started with it. So it is
// made blocking before os.File sees it; the workers make it non-blocking for
// good.
func blocking(ln *net.TCPListener) (*os.File, error) {
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

// Inherit returns, in a worker, the listening socket that it got, and a context
// that ends when its parent does, however that died.
func Inherit(ctx context.Context) (net.Listener, context.Context, context.CancelFunc, error) {
	socket := os.NewFile(listenerFD, "listening socket")
	defer socket.Close()
	ln, err := net.FileListener(socket)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("listening socket, descriptor %d: %w", listenerFD, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = os.NewFile(lifelineFD, "lifeline").Read(make([]byte, 1))
		cancel()
	}()
	return ln, ctx, cancel, nil
}
