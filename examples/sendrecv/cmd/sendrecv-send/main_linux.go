// Command sendrecv-send sends a stream to a sendrecv-recv in writes of one
// size, over the kernel's sockets or over a TCP stack in this process.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"time"

	"wordsize/examples/internal/cli"
	"wordsize/examples/sendrecv/netstack"
	"wordsize/examples/sendrecv/transfer"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("sendrecv-send", stderr, send(ctx, args, stdout))
}

func send(ctx context.Context, args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("sendrecv-send", flag.ContinueOnError)
	stack := fs.String("stack", "kernel", "kernel or user: whose TCP")
	addr := fs.String("addr", "", "`address` that the receiver prints")
	size := fs.Int("size", 4096, "bytes of a write")
	d := fs.Duration("for", 5*time.Second, "how long to send")
	mtu := fs.Uint("mtu", 1500, "with --stack user: bytes of the largest packet")
	noDelay := fs.Bool("nodelay", false, "send small writes at once (TCP_NODELAY)")
	if done, err := cli.Parse(fs, args, stdout); done || err != nil {
		return err
	}
	switch {
	case *addr == "":
		return cli.Usagef("--addr is missing: the receiver prints its address")
	case *size < 1 || *size > transfer.MaxSize:
		return cli.Usagef("--size %d: want 1 to %d", *size, transfer.MaxSize)
	case *d <= 0:
		return cli.Usagef("--for %v: want more than 0", *d)
	}
	var conn transfer.Conn
	var err error
	switch *stack {
	case "kernel":
		conn, err = dialKernel(ctx, *addr, *noDelay)
	case "user":
		o := netstack.Options{MTU: uint32(min(*mtu, 1<<31)), NoDelay: *noDelay, Write: *size}
		if err := o.Validate(); err != nil {
			return cli.Usagef("%v", err)
		}
		conn, err = netstack.Dial(ctx, *addr, o)
	default:
		return cli.Usagef("--stack %q: want kernel or user", *stack)
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	before := transfer.CPUTime()
	r, err := transfer.Send(ctx, conn, *size, *d)
	used := transfer.CPUTime() - before
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "sent %d bytes in writes of %d, all confirmed, in %.2f s: %.1f MB/s, %.0f %% CPU\n", r.Bytes, *size,
		r.Took.Seconds(), r.MBPerSecond(), 100*used.Seconds()/r.Took.Seconds())
	return nil
}

func dialKernel(ctx context.Context, addr string, noDelay bool) (transfer.Conn, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	c, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	conn := c.(*net.TCPConn)
	return conn, conn.SetNoDelay(noDelay)
}
