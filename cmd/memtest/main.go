// Command memtest measures how fast this host's memory is written, read and
// copied by one process and by N at once, and what its results say when they
// are compared.
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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wordsize/internal/membench"
	"wordsize/internal/membench/kernel"
)

// Exit statuses; a signal adds its number to 128.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2

	exitBrokenPipe = 128 + 13 // SIGPIPE's number
)

func main() {
	if status, ok := asWorker(os.Args); ok {
		os.Exit(status)
	}
	ctx, stop := untilSignal()
	code := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ sig os.Signal }

func (s signalled) Error() string { return s.sig.String() }

// untilSignal returns a context that the first SIGINT, SIGTERM or SIGHUP ends;
// the second has its usual effect, at once. A reader of standard output that
// goes away shows as an error of the write, so that a record is saved still.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signal.Ignore(syscall.SIGPIPE)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
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
	root.SetArgs(shieldNegatives(root, args[1:]))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if status := exitStatus(ctx, err); status != exitBrokenPipe {
		fmt.Fprintf(stderr, "memtest: %s\n", strings.ReplaceAll(err.Error(), negativeShield, ""))
		return status
	}
	return exitBrokenPipe // as if SIGPIPE had ended it: without a word
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
	case errors.Is(err, syscall.EPIPE):
		return exitBrokenPipe
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

func shieldNegatives(root *cobra.Command, args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if len(a) > 1 && a[0] == '-' && strings.ContainsRune("0123456789.", rune(a[1])) && (i == 0 || !takesValue(root, args[i-1])) {
			a = negativeShield + a
		}
		out[i] = a
	}
	return out
}

// takesValue says whether an argument is a flag, of the command or of one of
// its subcommands, whose value is the next argument.
func takesValue(root *cobra.Command, arg string) bool {
	for _, c := range append(root.Commands(), root) {
		var f *pflag.Flag
		switch name, isLong := strings.CutPrefix(arg, "--"); {
		case isLong:
			f = c.Flags().Lookup(name)
		case len(arg) == 2 && arg[0] == '-':
			f = c.Flags().ShorthandLookup(arg[1:])
		}
		if f != nil && f.NoOptDefVal == "" {
			return true
		}
	}
	return false
}

func unshield(s string) string { return strings.TrimPrefix(s, negativeShield) }
