// Command upper-server answers each line in upper case, by a goroutine for
// each connection, an event loop, or an event loop with workers.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"wordsize/examples/internal/cli"
	"wordsize/examples/upper/server"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("upper-server", stderr, serve(ctx, args, stdout, stderr))
}

// serve prints the address it listens on as its first line.
func serve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("upper-server", flag.ContinueOnError)
	listen := fs.String("listen", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	strategy := fs.String("strategy", string(server.Thread), "thread, loop or pool")
	workers := fs.Int("workers", 4, "workers of the pool")
	if done, err := cli.Parse(fs, args, stdout); done || err != nil {
		return err
	}
	cfg := server.Config{Strategy: server.Strategy(*strategy), Workers: *workers, Log: stderr}
	if err := cfg.Validate(); err != nil {
		return cli.Usagef("%v", err)
	}
	ln, err := cli.Listen("--listen", *listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on %s\n", ln.Addr())
	return server.Serve(ctx, ln, cfg)
}
