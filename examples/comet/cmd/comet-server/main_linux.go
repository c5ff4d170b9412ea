// Command comet-server is a chat server by long polling: this process holds
// all connections, its worker processes take what is said and hand it over
// through FIFOs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"wordsize/examples/comet/hub"
	"wordsize/examples/comet/worker"
	"wordsize/examples/internal/cli"
	"wordsize/examples/internal/pool"
	"wordsize/examples/internal/proctitle"
)

var title = func(string) {}

func main() {
	title = proctitle.Setter("comet-server")
	cli.Main(run)
}

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("comet-server", stderr, serve(ctx, args, stdout, stderr))
}

type options struct {
	listen, say, dir string
	workers          int
	history          int
	timeout, grace   time.Duration
	worker           int
}

func parse(args []string, stdout io.Writer) (o options, done bool, err error) {
	fs := flag.NewFlagSet("comet-server", flag.ContinueOnError)
	fs.StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` for polls; port 0 takes a free one")
	fs.StringVar(&o.say, "listen-say", "127.0.0.1:0", "`address` where the workers take messages")
	fs.StringVar(&o.dir, "dir", "", "`folder` for the FIFOs (default a temporary one)")
	fs.IntVar(&o.workers, "workers", 2, "worker processes")
	fs.IntVar(&o.history, "history", 100, "messages kept for clients that were just away")
	fs.DurationVar(&o.timeout, "timeout", 60*time.Second, "after which a poll is answered without a message")
	fs.DurationVar(&o.grace, "grace", 5*time.Second, "how long workers may take to end")
	fs.IntVar(&o.worker, "worker", -1, "internal: be worker `N` of a hub")
	if done, err = cli.Parse(fs, args, stdout); done || err != nil {
		return o, done, err
	}
	switch {
	case o.workers < 1 || o.workers > 1024:
		err = cli.Usagef("--workers %d: want 1 to 1024", o.workers)
	case o.history < 1:
		err = cli.Usagef("--history %d: want at least 1", o.history)
	case o.timeout <= 0 || o.grace <= 0:
		err = cli.Usagef("--timeout and --grace: want more than 0")
	case o.worker >= 0 && o.dir == "":
		err = cli.Usagef("--worker is for the hub's own use")
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
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "comet-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	return parent(ctx, o, stdout, stderr)
}

func fifoName(dir string, worker int) string {
	return filepath.Join(dir, fmt.Sprintf("worker-%d.fifo", worker))
}

// parent holds the connections and keeps the workers running.
func parent(outer context.Context, o options, stdout, stderr io.Writer) error {
	polls, err := cli.Listen("--listen", o.listen)
	if err != nil {
		return err
	}
	defer polls.Close()
	says, err := cli.Listen("--listen-say", o.say)
	if err != nil {
		return err
	}
	defer says.Close()
	var fifos []string
	for i := range o.workers {
		name := fifoName(o.dir, i)
		if err := hub.MakeFIFO(name); err != nil {
			return err
		}
		defer os.Remove(name)
		fifos = append(fifos, name)
	}
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	opened, workersEnded := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(workersEnded)
		select {
		case <-opened:
			fmt.Fprintf(stdout, "polls on %s, messages on %s\n", polls.Addr(), says.Addr())
			cancel(runWorkers(ctx, o, says, stderr))
		case <-ctx.Done():
		}
	}()
	err = hub.Serve(ctx, polls, hub.Config{FIFOs: fifos, History: o.history, Timeout: o.timeout, Log: stderr}, func() { close(opened) })
	cancel(err)
	<-workersEnded
	if err == nil && outer.Err() == nil {
		err = context.Cause(ctx) // why there are no workers
	}
	return err
}

func runWorkers(ctx context.Context, o options, says *net.TCPListener, stderr io.Writer) error {
	estate, err := pool.NewEstate(says)
	if err != nil {
		return err
	}
	defer estate.Close()
	return pool.Run(ctx, pool.Config{Workers: o.workers, Grace: o.grace, Log: stderr,
		Command: func(ctx context.Context, i int) *exec.Cmd {
			return estate.Command(ctx, 100, []string{fmt.Sprintf("--worker=%d", i), "--dir", o.dir})
		}})
}

// work is the whole life of a worker.
func work(ctx context.Context, o options) error {
	title(fmt.Sprintf("comet-worker %d", o.worker))
	ln, ctx, cancel, err := pool.Inherit(ctx)
	if err != nil {
		return fmt.Errorf("worker %d: %w", o.worker, err)
	}
	defer cancel()
	fifo, err := os.OpenFile(fifoName(o.dir, o.worker), os.O_WRONLY, 0) // the hub has it open: this does not wait
	if err != nil {
		return fmt.Errorf("worker %d: %w", o.worker, err)
	}
	defer fifo.Close()
	return worker.Serve(ctx, ln, fifo)
}
