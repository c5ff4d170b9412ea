// Command comet-client parks connections at a comet-server and checks that
// messages reach all of them.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"wordsize/examples/comet/client"
	"wordsize/examples/internal/cli"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Exit("comet-client", stderr, chat(ctx, args, stdin, stdout))
}

type options struct {
	client.Config
	hold     time.Duration
	messages int
	text     string
	control  bool
}

func parse(args []string, stdout io.Writer) (o options, done bool, err error) {
	fs := flag.NewFlagSet("comet-client", flag.ContinueOnError)
	fs.StringVar(&o.Hub, "hub", "", "`address` for polls, which the server prints")
	fs.StringVar(&o.Config.Say, "say", "", "`address` for messages, which the server prints")
	fs.IntVar(&o.Conns, "conns", 100, "connections to park")
	fs.IntVar(&o.PerSource, "per-source", 5000, "connections from one address of 127.0.0.0/8")
	fs.DurationVar(&o.Timeout, "timeout", 30*time.Second, "for each step: all parked, all reached")
	fs.DurationVar(&o.hold, "hold", 2*time.Second, "how long all wait before the first message")
	fs.IntVar(&o.messages, "messages", 1, "messages to send to all, one after the other")
	fs.StringVar(&o.text, "text", "hello, all", "what they say, followed by their number")
	fs.BoolVar(&o.control, "control", false, "instead read lines from standard input: \"say TEXT\"; end at its end")
	if done, err = cli.Parse(fs, args, stdout); done || err != nil {
		return o, done, err
	}
	switch {
	case o.Hub == "" || o.Config.Say == "":
		err = cli.Usagef("--hub and --say are needed: the server prints both addresses")
	case o.messages < 0 || o.hold < 0:
		err = cli.Usagef("--messages and --hold cannot be negative")
	default:
		if problem := o.Validate(); problem != nil {
			err = cli.Usagef("%v", problem)
		}
	}
	return o, false, err
}

func chat(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	o, done, err := parse(args, stdout)
	if done || err != nil {
		return err
	}
	start := time.Now()
	crowd, err := client.Park(ctx, o.Config)
	if err != nil {
		return err
	}
	defer crowd.Close()
	fmt.Fprintf(stdout, "parked %d connections in %.0f ms\n", o.Conns, ms(time.Since(start)))
	if o.control {
		return obey(ctx, crowd, o, stdin, stdout)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(o.hold):
	}
	for i := range o.messages {
		if err := say(ctx, crowd, o, fmt.Sprintf("%s %d", o.text, i+1), stdout); err != nil {
			return err
		}
	}
	return crowd.AllWait(ctx)
}

// obey follows the lines of standard input.
func obey(ctx context.Context, crowd *client.Crowd, o options, stdin io.Reader, stdout io.Writer) error {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stdin); s.Scan(); {
			lines <- s.Text()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			if !ok {
				return crowd.AllWait(ctx)
			}
			text, ok := strings.CutPrefix(line, "say ")
			if !ok || text == "" {
				return cli.Usagef("line %q: want \"say TEXT\"", line)
			}
			if err := say(ctx, crowd, o, text, stdout); err != nil {
				return err
			}
		}
	}
}

func say(ctx context.Context, crowd *client.Crowd, o options, text string, stdout io.Writer) error {
	d, err := crowd.Say(ctx, text)
	fmt.Fprintf(stdout, "reached %d of %d, the first in %.2f ms, the last in %.2f ms\n", d.Reached, o.Conns, ms(d.First), ms(d.Last))
	return err
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
