package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"wordsize/internal/vm/gotest"
	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/machine"
)

const testUsage = `Usage: scripts/vm/test-386.sh [OPTION...] [GO TEST FLAG...] [PACKAGE...]

Builds the test binaries of all packages (./... by default) for GOARCH=386 and
runs them all in one boot of a virtual machine. Results are printed as go test
does, with the number of tests, skipped ones with their reasons, and a summary.

  --kernel, --mem, --smp, --cpu, --accel, --timeout, --append, --console: as run.sh
  --goarch 386|amd64   build for (386)
  --beside-native      runs the suite on this host as well and lists every test
                       whose result differs

Flags of go test, such as -v, -run and -short, come after the options.
Exit status: 0 all passed, 1 a test failed, 2 wrong arguments, 124 time limit,
125 the machine itself failed.
`

// testOptions is what the command line of test-386.sh says.
type testOptions struct {
	config  machine.Config
	goarch  string
	native  bool
	verbose bool
	goArgs  []string // for go test
}

// parseTest reads the arguments: options of our own come first and have two
// dashes, the rest is go test's.
func parseTest(args []string, getenv func(string) string) (testOptions, error) {
	c, err := machine.DefaultConfig(getenv)
	if err != nil {
		return testOptions{}, err
	}
	o := testOptions{config: c, goarch: "386"}
	fs := flag.NewFlagSet("test-386.sh", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	machine.MachineFlags(fs, &o.config)
	fs.StringVar(&o.goarch, "goarch", o.goarch, "")
	fs.BoolVar(&o.native, "beside-native", false, "")
	n := ownArgs(args, fs)
	if err := fs.Parse(args[:n]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, err
		}
		return o, errUsage(strings.Replace(err.Error(), "flag provided but not defined: -", "unknown option --", 1))
	}
	if !slices.Contains(o.config.Kernel.Runs, o.goarch) {
		return o, errUsage(fmt.Sprintf("--goarch %s: the %s kernel runs %s", o.goarch, o.config.Kernel.Name, strings.Join(o.config.Kernel.Runs, " and ")))
	}
	rest := args[n:]
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	hasPackage := false
	for _, a := range rest {
		name, value, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		dash := strings.HasPrefix(a, "-")
		switch {
		case dash && (name == "json" || name == "exec" || name == "c" || name == "fuzz"):
			return o, errUsage(fmt.Sprintf("%s: not with this script; use go test -exec scripts/vm/go-exec", a))
		case dash && name == "v":
			o.verbose = value != "false"
		case !dash && (a == "." || strings.HasPrefix(a, "./") || strings.Contains(a, "...")):
			hasPackage = true
		}
	}
	o.goArgs = append([]string{"-count=1"}, rest...)
	if !hasPackage {
		o.goArgs = append(o.goArgs, "./...")
	}
	return o, nil
}

// ownArgs returns how many of the arguments are options with two dashes.
func ownArgs(args []string, fs *flag.FlagSet) int {
	n := 0
	for n < len(args) && (strings.HasPrefix(args[n], "--") && args[n] != "--" || args[n] == "-h") {
		name, _, hasValue := strings.Cut(args[n][2:], "=")
		f := fs.Lookup(name)
		n++
		if f == nil || hasValue {
			continue
		}
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !ok || !b.IsBoolFlag() {
			n++
		}
	}
	return min(n, len(args))
}

// test is scripts/vm/test-386.sh.
func (t *tool) test(ctx context.Context, args []string) int {
	o, err := parseTest(args, t.getenv)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(t.stdout, testUsage)
		return 0
	}
	if err != nil {
		return t.fail(err)
	}
	dir, err := os.MkdirTemp("", "wordsize-vm-test-")
	if err != nil {
		return t.fail(err)
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	jobs, broken, err := t.build(ctx, filepath.Join(dir, o.goarch), o.goarch, o.goArgs)
	if err != nil {
		return t.fail(err)
	}
	built := time.Since(began)
	if len(jobs) == 0 {
		t.say("no package has tests")
		return exitFailure
	}
	all, release, times, err := t.testInGuest(ctx, o, dir, jobs)
	fmt.Fprint(t.stdout, gotest.Summary(all, broken))
	fmt.Fprintf(t.stdout, "linux/%s on kernel %s, emulated: built in %.1f s, booted in %.1f s, machine %.1f s, all %.1f s\n",
		o.goarch, release, built.Seconds(), times.Boot.Seconds(), times.Total.Seconds(), time.Since(began).Seconds())
	if err != nil {
		return t.fail(err)
	}
	ok := gotest.OK(all, broken)
	if o.native {
		same, err := t.testBeside(ctx, o, dir, all)
		if err != nil {
			return t.fail(err)
		}
		ok = ok && same
	}
	if !ok {
		return exitFailure
	}
	return 0
}

// build lets go test build everything, with collect in place of a run. It
// prints what go test says beyond that, and returns how many packages failed.
func (t *tool) build(ctx context.Context, dir, goarch string, goArgs []string) (jobs []gotest.Job, broken int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, 0, err
	}
	self := filepath.Join(t.bin, "vmtool")
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-exec", fmt.Sprintf("'%s' collect '%s'", self, dir)}, goArgs...)...)
	cmd.Env = append(hostGoEnv(os.Environ()), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS="+t.getenv("GOFLAGS"))
	cmd.Stderr = t.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, fmt.Errorf("go test: %w", err)
	}
	s := bufio.NewScanner(out)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		line := s.Text()
		if strings.HasPrefix(line, "ok  \t") || line == "PASS" {
			continue
		}
		if strings.HasPrefix(line, "FAIL\t") {
			broken++
		}
		fmt.Fprintln(t.stdout, line)
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	if err != nil && broken == 0 {
		return nil, 0, errUsage(fmt.Sprintf("go test could not build the tests: %v", err))
	}
	jobs, err = gotest.Collected(dir)
	return jobs, broken, err
}

// testInGuest runs the jobs in one machine.
func (t *tool) testInGuest(ctx context.Context, o testOptions, dir string, jobs []gotest.Job) ([]*gotest.Package, string, machine.Times, error) {
	root, err := gotest.ModuleRoot(jobs[0].Dir)
	if err != nil {
		return nil, "", machine.Times{}, err
	}
	c := o.config
	c.Shares = []machine.Share{
		{Host: root, Guest: root, Mode: guest.CopyOnWrite},
		{Host: dir, Guest: dir, Mode: guest.ReadOnly},
	}
	h := &testHandler{tool: t, verbose: o.verbose}
	for _, j := range jobs {
		h.all = append(h.all, gotest.NewPackage(j.Import))
		c.Jobs = append(c.Jobs, guest.Job{
			Argv: append([]string{j.Binary}, gotest.GuestArgs(j.Args, true)...),
			Env:  t.testEnv(j.Dir),
			Dir:  j.Dir,
		})
	}
	times, err := t.boot(ctx, &c, h)
	h.abort(err)
	return h.all, h.release, times, err
}

// testBeside runs the same packages on this host, prints the totals and every
// test whose result differs. It reports whether the host's run passed.
func (t *tool) testBeside(ctx context.Context, o testOptions, dir string, inGuest []*gotest.Package) (bool, error) {
	host := runtime.GOARCH
	jobs, broken, err := t.build(ctx, filepath.Join(dir, "native"), host, o.goArgs)
	if err != nil {
		return false, err
	}
	h := &testHandler{tool: t, verbose: o.verbose}
	for i, j := range jobs {
		h.all = append(h.all, gotest.NewPackage(j.Import))
		h.Start(i)
		cmd := exec.CommandContext(ctx, j.Binary, gotest.GuestArgs(j.Args, true)...)
		cmd.Dir = j.Dir
		cmd.Env = append(os.Environ(), "PWD="+j.Dir)
		cmd.Stdout, cmd.Stderr = h, h
		began := time.Now()
		err := cmd.Run()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			h.abort(err)
			return false, err
		}
		e := guest.Exit{Status: cmd.ProcessState.ExitCode(), Wall: time.Since(began).Milliseconds()}
		h.Exit(i, e)
	}
	fmt.Fprint(t.stdout, gotest.Summary(h.all, broken))
	fmt.Fprintf(t.stdout, "linux/%s on this host\n", host)
	diff := gotest.Compare("linux/"+o.goarch, inGuest, "linux/"+host, h.all)
	for _, d := range diff {
		fmt.Fprintln(t.stdout, "differs: "+d)
	}
	fmt.Fprintf(t.stdout, "%d tests differ between linux/%s and linux/%s\n", len(diff), o.goarch, host)
	return gotest.OK(h.all, broken), nil
}
