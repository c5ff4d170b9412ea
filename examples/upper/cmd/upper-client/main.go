// Command upper-client opens many connections to an upper-server, leaves them
// idle, then sends strings and checks every answer.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"wordsize/examples/internal/cli"
	"wordsize/examples/upper/client"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("upper-client", stderr, load(ctx, args, stdout))
}

func load(ctx context.Context, args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("upper-client", flag.ContinueOnError)
	var cfg client.Config
	fs.StringVar(&cfg.Addr, "addr", "", "`address` of the server")
	fs.IntVar(&cfg.Conns, "conns", 64, "connections")
	fs.DurationVar(&cfg.Idle, "idle", 3*time.Second, "how long the connections are idle first")
	fs.DurationVar(&cfg.Busy, "busy", 10*time.Second, "how long strings are sent then")
	fs.DurationVar(&cfg.Pause, "pause", 100*time.Millisecond, "mean pause of a connection between two strings")
	fs.IntVar(&cfg.Max, "max", 9999, "bytes of the longest string")
	fs.Uint64Var(&cfg.Seed, "seed", 1, "of the random lengths, strings and pauses")
	if done, err := cli.Parse(fs, args, stdout); done || err != nil {
		return err
	}
	if cfg.Addr == "" {
		return cli.Usagef("--addr is missing: the server prints its address")
	}
	if err := cfg.Validate(); err != nil {
		return cli.Usagef("%v", err)
	}
	res, err := client.Run(ctx, cfg)
	if res == nil {
		return err
	}
	summarize(stdout, cfg, res)
	switch {
	case err != nil:
		return err
	case res.Wrong > 0 || res.Failed > 0:
		return fmt.Errorf("%d wrong answers, %d connections failed; the first: %w", res.Wrong, res.Failed, res.First)
	case res.Strings == 0:
		return fmt.Errorf("no string was answered within --busy %v", cfg.Busy)
	}
	return nil
}

func summarize(w io.Writer, cfg client.Config, r *client.Result) {
	fmt.Fprintf(w, "%d connections, %d strings of %d bytes in all, %d wrong, in %.1f s: %.0f strings/s, %.1f MB/s\n", cfg.Conns,
		r.Strings, r.Bytes, r.Wrong, r.Busy.Seconds(), float64(r.Strings)/r.Busy.Seconds(), float64(r.Bytes)/r.Busy.Seconds()/1e6)
	if median, ok := r.Percentile(50); ok {
		p99, _ := r.Percentile(99)
		fmt.Fprintf(w, "answer time: median %v, 99 %% within %v\n", median.Round(time.Microsecond), p99.Round(time.Microsecond))
	}
}
