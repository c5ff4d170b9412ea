// Command vmtool does the work of the shell scripts in scripts/vm: it boots
// virtual machines, runs test binaries in them, prepares kernels, and runs
// commands with arm binaries handled by qemu's user mode. docs/vm.md describes
// the scripts.
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

	"wordsize/internal/vm/machine"
)

// Exit statuses of the runner itself.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitTimeLimit   = 124 // as timeout(1)
	exitMachine     = 125
	exitInterrupted = 130 // 128 + SIGINT
	exitPipe        = 141 // 128 + SIGPIPE
)

// tool is the surroundings of a subcommand.
type tool struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	bin            string // folder of this binary and of the init binaries
	cache          string // WORDSIZE_VM_CACHE, set by the scripts
	root           string // the repository, VM_ROOT, set by the scripts
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	// a reader that has had enough (| head) gives an error to write, not a death
	// that would leave temporary files behind
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "vm:", err)
		os.Exit(exitFailure)
	}
	t := &tool{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, bin: filepath.Dir(exe),
		cache: os.Getenv("WORDSIZE_VM_CACHE"), root: os.Getenv("VM_ROOT")}
	code := t.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run is the whole command.
func (t *tool) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		return t.fail(errUsage("no subcommand given; use the scripts in scripts/vm"))
	}
	sub := map[string]func(context.Context, []string) int{
		"run":            t.runMachine,
		"go-exec":        t.goExec,
		"test":           t.test,
		"collect":        t.collect,
		"user-arm":       t.userArm,
		userArmInside:    t.userArmChild,
		"prepare-kernel": t.prepareKernel,
	}[args[0]]
	if sub == nil {
		return t.fail(errUsage(fmt.Sprintf("unknown subcommand %q; use the scripts in scripts/vm", args[0])))
	}
	return sub(ctx, args[1:])
}

// errUsage is a wrong argument that package machine knows nothing about.
type errUsage string

func (e errUsage) Error() string { return string(e) }

// say prints one line of the runner's own.
func (t *tool) say(format string, args ...any) {
	fmt.Fprintf(t.stderr, "vm: "+format+"\n", args...)
}

// fail prints an error and returns the exit status that belongs to it.
func (t *tool) fail(err error) int {
	var u errUsage
	var m *machine.Error
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case machine.IsUsage(err) || errors.As(err, &u):
		t.say("%v", oneLine(err))
		return exitUsage
	case errors.As(err, &m):
		if m.Console != "" {
			t.say("the end of the machine's console:")
			for line := range strings.Lines(m.Console) {
				fmt.Fprintln(t.stderr, "  | "+strings.TrimRight(line, "\n"))
			}
		}
		t.say("machine failed: %s", oneLine(err))
		if errors.Is(err, machine.ErrTimeLimit) {
			return exitTimeLimit
		}
		return exitMachine
	case errors.Is(err, machine.ErrTimeLimit):
		t.say("%v: the machine was stopped", err)
		return exitTimeLimit
	case errors.Is(err, context.Canceled):
		t.say("interrupted: the machine was stopped")
		return exitInterrupted
	case errors.Is(err, machine.ErrNoKernel):
		t.say("%s", oneLine(err))
		return exitMachine
	}
	t.say("%s", oneLine(err))
	return exitMachine
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// prepareKernel UNPACKED BUSYBOX OUT fills the cache's folder of a kernel.
func (t *tool) prepareKernel(_ context.Context, args []string) int {
	if len(args) != 3 {
		return t.fail(errUsage("prepare-kernel UNPACKED BUSYBOX OUT"))
	}
	release, err := machine.PrepareKernel(args[0], args[1], args[2])
	if err != nil {
		t.say("%v", err)
		return exitFailure
	}
	fmt.Fprintln(t.stdout, release)
	return 0
}
