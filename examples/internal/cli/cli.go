// Package cli is what the commands of the examples share: exit statuses,
// flags, and a main function around a run function that tests can call.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses, as those of the commands that the examples are measured with.
const (
	OK          = 0
	Failure     = 1
	Usage       = 2
	Interrupted = 130
)

// A UsageError is what the user can put right on the command line.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Main runs a command as this process: SIGINT, SIGTERM and SIGHUP end its
// context, a second one kills.
func Main(run func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Parse reads the flags of a command, which takes no other arguments. done
// means that only help was asked for, which is on stdout then.
func Parse(fs *flag.FlagSet, args []string, stdout io.Writer) (done bool, err error) {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "Usage: %s [flags]\n", fs.Name())
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return true, nil
	case err != nil:
		return false, Usagef("%v (-h lists the flags)", err)
	case fs.NArg() > 0:
		return false, Usagef("unexpected argument %q (-h lists the flags)", fs.Arg(0))
	}
	return false, nil
}

// Listen listens on the address that a flag gave; what is no address is a
// UsageError that names the flag.
func Listen(flag, address string) (*net.TCPListener, error) {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, Usagef("%s: %v", flag, err)
	}
	return net.ListenTCP("tcp", addr)
}

// Exit reports err under the command's name and returns the exit status.
func Exit(name string, stderr io.Writer, err error) int {
	if err == nil {
		return OK
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	var usage *UsageError
	switch {
	case errors.As(err, &usage):
		return Usage
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	return Failure
}
