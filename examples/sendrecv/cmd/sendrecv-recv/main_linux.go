// Command sendrecv-recv receives a stream from a sendrecv-send and checks it,
// over the kernel's sockets or over a TCP stack in this process.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"wordsize/examples/internal/cli"
	"wordsize/examples/sendrecv/netstack"
	"wordsize/examples/sendrecv/transfer"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("sendrecv-recv", stderr, receive(ctx, args, stdout))
}

func receive(ctx context.Context, args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("sendrecv-recv", flag.ContinueOnError)
	stack := fs.String("stack", "kernel", "kernel or user: whose TCP")
	listen := fs.String("listen", "127.0.0.1:0", "`address`; with --stack user the path of a Unix socket to make")
	size := fs.Int("size", 4096, "bytes of the largest read")
	mtu := fs.Uint("mtu", 1500, "with --stack user: bytes of the largest packet")
	if done, err := cli.Parse(fs, args, stdout); done || err != nil {
		return err
	}
	if *size < 1 || *size > transfer.MaxSize {
		return cli.Usagef("--size %d: want 1 to %d", *size, transfer.MaxSize)
	}
	var conn transfer.Conn
	var err error
	switch *stack {
	case "kernel":
		conn, err = acceptKernel(ctx, *listen, stdout)
	case "user":
		o := netstack.Options{MTU: uint32(min(*mtu, 1<<31))}
		if err := o.Validate(); err != nil {
			return cli.Usagef("%v", err)
		}
		conn, err = netstack.Listen(ctx, *listen, o, func() { fmt.Fprintf(stdout, "listening on %s\n", *listen) })
	default:
		return cli.Usagef("--stack %q: want kernel or user", *stack)
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	before := transfer.CPUTime()
	r, err := transfer.Receive(ctx, conn, *size)
	used := transfer.CPUTime() - before
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "received %d bytes in reads of up to %d, all right, in %.2f s: %.1f MB/s, %.0f %% CPU\n", r.Bytes, *size,
		r.Took.Seconds(), r.MBPerSecond(), 100*used.Seconds()/max(r.Took.Seconds(), 1e-9))
	return nil
}

// acceptKernel takes one connection.
func acceptKernel(ctx context.Context, address string, stdout io.Writer) (transfer.Conn, error) {
	ln, err := cli.Listen("--listen", address)
	if err != nil {
		return nil, err
	}
	defer ln.Close()
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	fmt.Fprintf(stdout, "listening on %s\n", ln.Addr())
	conn, err := ln.AcceptTCP()
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return conn, err
}
