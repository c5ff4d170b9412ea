// Package netstack is TCP over gVisor's network stack, in this process, and a
// Unix socket that carries its IP packets to another process with such a stack.
// The kernel sees only packets copied from one process to the other, as it
// would with a pair of TAP devices, but this needs no privileges.
package netstack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/fdbased"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

// The two ends of the link. They exist in the two processes only.
var (
	receiverIP = tcpip.AddrFrom4([4]byte{192, 0, 2, 1})
	senderIP   = tcpip.AddrFrom4([4]byte{192, 0, 2, 2})
)

const (
	nic  = 1
	port = 7
)

// Options are properties of the link and of TCP.
type Options struct {
	MTU     uint32 // bytes of the largest IP packet
	NoDelay bool   // send small writes at once
	Write   int    // bytes of a write, 0 if unknown
}

// MTU bounds: RFC 791's smallest, and the largest IP packet.
const (
	MinMTU = 576
	MaxMTU = 65535
)

// Validate says what is wrong with options.
func (o Options) Validate() error {
	if o.MTU < MinMTU || o.MTU > MaxMTU {
		return fmt.Errorf("an MTU of %d: want %d to %d", o.MTU, MinMTU, MaxMTU)
	}
	return nil
}

// A Conn is a TCP connection of a stack, which it owns.
type Conn struct {
	*gonet.TCPConn
	host *host
	done chan struct{} // closed by Close
}

// Close ends the connection. It first waits a moment until the other process
// has gone, which may need an answer of this stack.
func (c *Conn) Close() error {
	defer close(c.done)
	select {
	case <-c.host.gone:
	case <-time.After(c.host.linger):
	}
	return errors.Join(c.TCPConn.Close(), c.host.close())
}

// A host is a stack with one link.
type host struct {
	stack  *stack.Stack
	fd     int
	gone   chan struct{} // closed when the other end of the link is
	linger time.Duration
}

// newHost makes a stack over one end of a Unix socket of type SOCK_SEQPACKET.
func newHost(link *net.UnixConn, ip tcpip.Address, o Options) (*host, error) {
	fd, err := takeSocket(link)
	if err != nil {
		return nil, err
	}
	h := &host{fd: fd, gone: make(chan struct{})}
	h.stack = stack.New(stack.Options{
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol},
	})
	if err := h.configure(ip, o); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// takeSocket returns a descriptor of the connection's socket, which it closes.
func takeSocket(link *net.UnixConn) (int, error) {
	defer link.Close()
	file, err := link.File()
	if err != nil {
		return -1, fmt.Errorf("link: %w", err)
	}
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("link: %w", err)
	}
	// A packet that finds the buffer full is lost, so it should hold what TCP
	// may have on its way. Without privileges the kernel grants less.
	const buffer = 8 << 20
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, buffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, buffer)
	}
	return fd, nil
}

func (h *host) configure(ip tcpip.Address, o Options) error {
	link, err := fdbased.New(&fdbased.Options{
		FDs:                []int{h.fd},
		MTU:                o.MTU,
		PacketDispatchMode: fdbased.Readv, // recvmmsg(2) would not tell the end of the link
		ClosedFunc:         func(tcpip.Error) { close(h.gone) },
	})
	if err != nil {
		return fmt.Errorf("link: %w", err)
	}
	granted, err := unix.GetsockoptInt(h.fd, unix.SOL_SOCKET, unix.SO_SNDBUF)
	if err != nil {
		return fmt.Errorf("link: %w", err)
	}
	inFlight := max(o.inFlight(min(granted, receiveBuffer)), tcp.MinBufferSize)
	delay := tcpip.TCPDelayEnabled(!o.NoDelay)
	sack := tcpip.TCPSACKEnabled(true)
	send := tcpip.TCPSendBufferSizeRangeOption{Min: tcp.MinBufferSize, Default: inFlight, Max: inFlight}
	receive := tcpip.TCPReceiveBufferSizeRangeOption{Min: tcp.MinBufferSize, Default: receiveBuffer, Max: receiveBuffer}
	for _, option := range []tcpip.SettableTransportProtocolOption{&delay, &sack, &send, &receive} {
		if err := h.stack.SetTransportProtocolOption(tcp.ProtocolNumber, option); err != nil {
			return fmt.Errorf("stack: %T: %s", option, err)
		}
	}
	if err := h.stack.CreateNIC(nic, link); err != nil {
		return fmt.Errorf("stack: %s", err)
	}
	address := tcpip.ProtocolAddress{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: ip.WithPrefix()}
	if err := h.stack.AddProtocolAddress(nic, address, stack.AddressProperties{}); err != nil {
		return fmt.Errorf("stack: address: %s", err)
	}
	h.stack.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: nic}})
	return nil
}

// receiveBuffer is the memory for segments that were not read yet, in bytes.
const receiveBuffer = 4 << 20

// headers are bytes of an IP packet that are no payload: IPv4's 20, TCP's 20
// and 12 of its options.
const headers = 52

// inFlight is how many bytes of payload may be on their way when their segments
// may take memory bytes, in the link's buffer and in the receiver's. Each takes
// far more than its payload, which the window that a receiver offers does not
// take into account; what does not fit is dropped, and the stack needs seconds
// to send the segments of a whole window again.
func (o Options) inFlight(memory int) int {
	payload := int(o.MTU) - headers
	if o.NoDelay && o.Write > 0 {
		segments := (o.Write + payload - 1) / payload
		payload = max(o.Write/segments, 1)
	}
	return int(int64(memory) * int64(payload) / int64(2*payload+1024))
}

func (h *host) close() error {
	h.stack.Destroy()
	// Ends the goroutine that reads, before the descriptor becomes another's.
	err := unix.Shutdown(h.fd, unix.SHUT_RDWR)
	select {
	case <-h.gone:
	case <-time.After(time.Second):
	}
	return errors.Join(err, unix.Close(h.fd))
}

// watch ends what waits for the connection when the other process has gone:
// TCP itself would wait for hours. It returns when done is closed, too.
func (h *host) watch(done <-chan struct{}, end func()) {
	select {
	case <-h.gone:
		end()
	case <-done:
	}
}

// errGone is why nothing more can come over a link.
var errGone = errors.New("the other process has gone")

// isGone returns errGone if it is so.
func (h *host) isGone() error {
	select {
	case <-h.gone:
		return errGone
	default:
		return nil
	}
}

// newConn takes a connection of a host.
func newConn(conn *gonet.TCPConn, h *host) *Conn {
	c := &Conn{TCPConn: conn, host: h, done: make(chan struct{})}
	go h.watch(c.done, func() { _ = conn.SetDeadline(time.Now()) })
	return c
}

// Listen waits at a path for the other process and then for its connection.
// ready is called when the path is there.
func Listen(ctx context.Context, path string, o Options, ready func()) (*Conn, error) {
	ln, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	defer ln.Close()
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	ready()
	link, err := ln.AcceptUnix()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("accept the link: %w", err), ctx.Err())
	}
	h, err := newHost(link, receiverIP, o)
	if err != nil {
		return nil, err
	}
	h.linger = 5 * time.Second
	conn, err := h.accept(ctx)
	if err != nil {
		return nil, errors.Join(err, ctx.Err(), h.close())
	}
	return newConn(conn, h), nil
}

// accept tells the other end of the link that this one listens, and waits for
// its connection.
func (h *host) accept(ctx context.Context) (*gonet.TCPConn, error) {
	ln, err := gonet.ListenTCP(h.stack, tcpip.FullAddress{NIC: nic, Addr: receiverIP, Port: port}, ipv4.ProtocolNumber)
	if err != nil {
		return nil, err
	}
	defer ln.Close()
	defer context.AfterFunc(ctx, ln.Shutdown)()
	done := make(chan struct{})
	defer close(done)
	go h.watch(done, ln.Shutdown)
	if _, err := unix.Write(h.fd, []byte{0}); errors.Is(err, unix.EPIPE) {
		return nil, errGone
	} else if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	conn, err := ln.Accept()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("accept: %w", err), h.isGone())
	}
	return conn.(*gonet.TCPConn), nil
}

// Dial connects to the process that listens at a path, first the link and then
// a connection over it.
func Dial(ctx context.Context, path string, o Options) (*Conn, error) {
	link, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// The one packet that is not IP says that the other stack listens: before
	// that, it would refuse a connection.
	stop := context.AfterFunc(ctx, func() { _ = link.SetReadDeadline(time.Now()) })
	_, err = link.Read(make([]byte, 1))
	stop()
	if err != nil {
		link.Close()
		return nil, errors.Join(fmt.Errorf("wait for the receiver: %w", err), ctx.Err())
	}
	h, err := newHost(link, senderIP, o)
	if err != nil {
		return nil, err
	}
	conn, err := gonet.DialContextTCP(ctx, h.stack, tcpip.FullAddress{NIC: nic, Addr: receiverIP, Port: port}, ipv4.ProtocolNumber)
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return newConn(conn, h), nil
}
