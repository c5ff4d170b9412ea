// Command prefork-client asks a prefork-server for random pages and checks
// each of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"wordsize/examples/internal/cli"
	"wordsize/examples/prefork/client"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("prefork-client", stderr, load(ctx, args, stdout))
}

func load(ctx context.Context, args []string, stdout io.Writer) error {
	fs := flag.NewFlagSet("prefork-client", flag.ContinueOnError)
	var cfg client.Config
	fs.StringVar(&cfg.Addr, "addr", "", "`address` of the server")
	fs.IntVar(&cfg.Requests, "requests", 2000, "pages to ask for")
	fs.IntVar(&cfg.Concurrency, "concurrency", 8, "requests at a time")
	pages := fs.Uint("pages", 20000, "pages of the site")
	fs.Uint64Var(&cfg.Seed, "seed", 1, "of the random pages")
	if done, err := cli.Parse(fs, args, stdout); done || err != nil {
		return err
	}
	cfg.Pages = uint32(min(*pages, 1<<32-1))
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
	fmt.Fprintf(stdout, "%d pages right, %d wrong, %d failed, from %d workers, in %.1f s: %.0f pages/s\n", res.Right, res.Wrong,
		res.Failed, len(res.Workers), res.Took.Seconds(), float64(res.Right)/res.Took.Seconds())
	if err == nil && res.Wrong+res.Failed > 0 {
		err = fmt.Errorf("%d pages were wrong or failed; the first: %w", res.Wrong+res.Failed, res.First)
	}
	return err
}
