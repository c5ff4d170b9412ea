// Command prefork-server serves pages from worker processes that share one
// listening socket, each with its own cache of pages. A worker's title is the
// page that it serves.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"wordsize/examples/internal/cli"
	"wordsize/examples/internal/pool"
	"wordsize/examples/internal/proctitle"
	"wordsize/examples/prefork/worker"
)

// title changes this process' title; main sets it before anything reads the
// arguments.
var title = func(string) {}

func main() {
	title = proctitle.Setter("prefork-server")
	cli.Main(run)
}

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("prefork-server", stderr, serve(ctx, args, stdout, stderr))
}

// readyFD takes a byte when the worker can serve.
const readyFD = pool.OwnFD

type options struct {
	listen             string
	workers            int
	pages              uint
	cache, warm, procs int
	grace              time.Duration
	worker             int
}

func parse(args []string, stdout io.Writer) (o options, done bool, err error) {
	fs := flag.NewFlagSet("prefork-server", flag.ContinueOnError)
	fs.StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` to listen on; port 0 takes a free one")
	fs.IntVar(&o.workers, "workers", 10, "worker processes")
	fs.UintVar(&o.pages, "pages", 20000, "pages of the site")
	fs.IntVar(&o.cache, "cache", 20000, "pages that a worker holds")
	fs.IntVar(&o.warm, "warm", 20000, "pages that a worker loads when it starts")
	fs.IntVar(&o.procs, "procs", 1, "threads of a worker that may run Go code at once")
	fs.DurationVar(&o.grace, "grace", 5*time.Second, "how long workers may take to end")
	fs.IntVar(&o.worker, "worker", -1, "internal: be worker `N` of a parent")
	if done, err = cli.Parse(fs, args, stdout); done || err != nil {
		return o, done, err
	}
	switch {
	case o.workers < 1 || o.workers > 4096:
		err = cli.Usagef("--workers %d: want 1 to 4096", o.workers)
	case o.pages < 1 || uint64(o.pages) > 1<<32-1:
		err = cli.Usagef("--pages %d: want 1 to 2^32-1", o.pages)
	case o.cache < 0 || o.warm < 0:
		err = cli.Usagef("--cache and --warm cannot be negative")
	case o.procs < 1:
		err = cli.Usagef("--procs %d: want at least 1", o.procs)
	case o.grace <= 0:
		err = cli.Usagef("--grace %v: want more than 0", o.grace)
	}
	return o, false, err
}

func serve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, done, err := parse(args, stdout)
	switch {
	case done || err != nil:
		return err
	case o.worker >= 0:
		return work(ctx, o)
	}
	return parent(ctx, o, args, stdout, stderr)
}

// parent listens and keeps the workers running; it serves nothing itself.
func parent(ctx context.Context, o options, args []string, stdout, stderr io.Writer) error {
	ln, err := cli.Listen("--listen", o.listen)
	if err != nil {
		return err
	}
	defer ln.Close()
	estate, err := pool.NewEstate(ln)
	if err != nil {
		return err
	}
	defer estate.Close()
	ready, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	defer tell.Close()
	fmt.Fprintf(stdout, "listening on %s\nparent is process %d\n", ln.Addr(), os.Getpid())
	go announce(ready, o.workers, stdout)
	return pool.Run(ctx, pool.Config{Workers: o.workers, Grace: o.grace, Log: stderr,
		Command: func(ctx context.Context, i int) *exec.Cmd {
			return estate.Command(ctx, 200, append([]string{fmt.Sprintf("--worker=%d", i)}, args...), tell)
		}})
}

// announce prints a line when all workers can serve for the first time.
func announce(ready io.Reader, workers int, stdout io.Writer) {
	if _, err := io.CopyN(io.Discard, ready, int64(workers)); err == nil {
		fmt.Fprintf(stdout, "ready: %d workers\n", workers)
	}
	_, _ = io.Copy(io.Discard, ready) // of those that are started later
}

// work is the whole life of a worker.
func work(ctx context.Context, o options) error {
	runtime.GOMAXPROCS(o.procs)
	ln, ctx, cancel, err := pool.Inherit(ctx)
	if err != nil {
		return fmt.Errorf("worker %d: %w", o.worker, err)
	}
	defer cancel()
	return worker.Serve(ctx, ln, worker.Config{Pages: uint32(o.pages), Cache: o.cache, Warm: o.warm, Title: title,
		Ready: func() {
			ready := os.NewFile(readyFD, "ready")
			_, _ = ready.Write([]byte{1})
			ready.Close()
		}})
}
