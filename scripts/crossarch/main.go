// Command crossarch runs the 32-bit and the 64-bit build of memtest with the
// same arguments, interleaved, and prints one verdict. cross-arch.sh builds
// the two and starts it.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Exit statuses.
const (
	exitOK        = 0
	exitFailure   = 1
	exitUsage     = 2
	exitCannotRun = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
		fmt.Fprintln(stdout, usage)
		return exitOK
	}
	o, err := parseOptions(args)
	if err != nil {
		fmt.Fprintf(stderr, "cross-arch: %v\n%s\n", err, usage)
		return exitUsage
	}
	for _, arch := range []string{o.pair.wide, o.pair.narrow} {
		if o.bins[arch] == "" {
			fmt.Fprintf(stderr, "cross-arch: want --bin-%s\n", arch)
			return exitUsage
		}
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		fmt.Fprintf(stderr, "cross-arch: --out: %v\n", err)
		return exitUsage
	}
	for _, arch := range []string{o.pair.wide, o.pair.narrow} {
		if err := cannotRun(o.bins[arch], arch); err != nil {
			return o.giveUp(arch, err, stdout)
		}
	}
	if o.mode != "" {
		return o.runMode(stdout, stderr)
	}
	v, err := o.run(stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "cross-arch: %v\n", err)
		var le *launchError
		var ue usageError
		switch {
		case errors.As(err, &le):
			return le.status()
		case errors.As(err, &ue):
			return exitUsage
		}
		return exitFailure
	}
	fmt.Fprintf(stdout, "Records: %s\n", o.out)
	if o.regressed(v) {
		fmt.Fprintf(stdout, "Gate: %s is significantly slower by more than %g %%.\n", o.pair.narrow, o.failAbove)
		return exitFailure
	}
	return exitOK
}

// giveUp says why one build does not run, and keeps the other's record.
func (o *options) giveUp(arch string, why error, stdout io.Writer) int {
	fmt.Fprintf(stdout, "%v.\n", why)
	if arch == o.pair.narrow {
		file := filepath.Join(o.out, o.pair.wide+".json")
		if err := o.keepWide(file); err != nil {
			fmt.Fprintf(stdout, "The %s build: %v\n", o.pair.wide, err)
		} else {
			fmt.Fprintf(stdout, "The %s build's record is kept: %s\n", o.pair.wide, file)
		}
	}
	fmt.Fprintln(stdout, "To run both in a virtual machine, for counts and footprints rather than speeds: --vm")
	return exitCannotRun
}
