// Command memtest measures how fast this host's memory takes sequential
// writes, from one process and from N at once.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"wordsize/internal/membench"
	"wordsize/internal/membench/kernel"
)

// Exit statuses; a signal adds its number to 128.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == membench.WorkerArg {
		os.Exit(membench.WorkerMain(os.Stdin, os.Stdout, os.Exit))
	}
	ctx, stop := untilSignal()
	code := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ sig os.Signal }

func (s signalled) Error() string { return s.sig.String() }

// untilSignal returns a context that the first SIGINT or SIGTERM ends; the
// second has its usual effect, at once.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		if s, ok := <-ch; ok {
			signal.Stop(ch)
			cancel(signalled{s})
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel(nil) }
}

// run is the whole command: args includes the name it was started under. It
// returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(programName(args[0]), stdout, stderr)
	root.SetArgs(shieldNegatives(args[1:]))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "memtest: %s\n", strings.ReplaceAll(err.Error(), negativeShield, ""))
	return exitStatus(ctx, err)
}

func exitStatus(ctx context.Context, err error) int {
	var (
		usage  *usageError
		arg    *membench.ArgError
		fit    *membench.FitError
		choice *kernel.SelectError
		sig    signalled
	)
	switch {
	case errors.Is(err, membench.ErrInterrupted):
		if errors.As(context.Cause(ctx), &sig) {
			if s, ok := sig.sig.(syscall.Signal); ok {
				return 128 + int(s)
			}
		}
		return exitFailure
	case errors.As(err, &usage), errors.As(err, &arg), errors.As(err, &fit), errors.As(err, &choice):
		return exitUsage
	}
	return exitFailure
}

// usageError is a wrong call of the command.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func programName(arg0 string) string { return strings.TrimSuffix(filepath.Base(arg0), ".exe") }

// negativeShield keeps "-1" from being read as a flag, so that the argument
// it was meant for can say what is wrong with it.
const negativeShield = "\x00"

func shieldNegatives(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		isValue := i > 0 && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=")
		if len(a) > 1 && a[0] == '-' && strings.ContainsRune("0123456789.", rune(a[1])) && !isValue {
			a = negativeShield + a
		}
		out[i] = a
	}
	return out
}

func unshield(s string) string { return strings.TrimPrefix(s, negativeShield) }
