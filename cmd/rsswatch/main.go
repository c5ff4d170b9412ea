// Command rsswatch shows what pools of processes hold in memory, like top but
// right about shared memory.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals...)
	releaseSignals = func() { signal.Stop(signals) }
	go func() {
		<-signals
		signal.Stop(signals) // a second one kills
		cancel()
		// A write to a pipe or terminal that nobody reads never returns.
		time.Sleep(time.Second)
		restoreTerminal()
		os.Exit(exitInterrupted)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// releaseSignals leaves the signals that end a run to whoever calls it.
var releaseSignals = func() {}

// run is the whole command but for the process around it.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := newCommand(stdin, stdout)
	cmd.SetArgs(args)
	cmd.SetIn(stdin)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	var usage *usageError
	var status *statusError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &status):
		if status.err != nil {
			fmt.Fprintf(stderr, "rsswatch: %v\n", status.err)
		}
		return status.code
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "rsswatch: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "rsswatch: %v\n", err)
	return exitFailure
}

// errInterrupted ends a run that a signal ended.
var errInterrupted = errors.New("interrupted")

// statusError ends with an exit status of its own, that of a command that was
// run, and says why when there is anything to say.
type statusError struct {
	code int
	err  error
}

func (e *statusError) Error() string { return fmt.Sprintf("exit status %d", e.code) }
func (e *statusError) Unwrap() error { return e.err }

// usageError is what the user can put right on the command line.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
