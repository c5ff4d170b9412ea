package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wordsize/internal/vm/gotest"
	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/machine"
)

// goExec is scripts/vm/go-exec: it runs one test binary in a machine of its
// own, in the same folder as on the host.
func (t *tool) goExec(ctx context.Context, args []string) int {
	c, err := machine.DefaultConfig(t.getenv)
	if err != nil {
		return t.fail(err)
	}
	if len(args) == 0 {
		return t.fail(errUsage("go-exec BINARY [ARG...]: use it as go test -exec scripts/vm/go-exec"))
	}
	cwd, err := os.Getwd()
	if err != nil {
		return t.fail(err)
	}
	bin, err := filepath.Abs(args[0])
	if err != nil {
		return t.fail(err)
	}
	root, err := gotest.ModuleRoot(cwd)
	if err != nil {
		root = cwd // a binary run by hand outside of a module
	}
	c.Shares = testShares(root, filepath.Dir(bin), gotest.OutputDirs(args[1:]))
	c.Jobs = []guest.Job{{
		Argv: append([]string{bin}, gotest.GuestArgs(args[1:], false)...),
		Env:  t.testEnv(cwd),
		Dir:  cwd,
	}}
	return t.single(ctx, c, t.getenv("VM_VERBOSE") != "")
}

// testShares shows the module at the host's own path, writable in the guest's
// memory only, and, writable for real, where the Go tool expects results: the
// folder of the binary and those of profiles.
func testShares(root, binDir string, outputs []string) []machine.Share {
	shares := []machine.Share{{Host: root, Guest: root, Mode: guest.CopyOnWrite}}
	if !within(binDir, root) {
		outputs = append([]string{binDir}, outputs...)
	}
	for _, d := range outputs {
		s := machine.Share{Host: d, Guest: d, Mode: guest.ReadWrite}
		if !slices.Contains(shares, s) && d != root {
			shares = append(shares, s)
		}
	}
	return shares
}

// within reports whether dir is root or below it.
func within(dir, root string) bool {
	return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
}

// testEnv is the environment of a test in the guest.
func (t *tool) testEnv(dir string) []string {
	env := append(slices.Clone(machine.DefaultEnv), gotest.Env(os.Environ(), t.getenv("VM_PASSENV"))...)
	return append(env, "PWD="+dir)
}

// collect DIR BINARY [ARG...] is what test hands to go test -exec.
func (t *tool) collect(_ context.Context, args []string) int {
	cwd, err := os.Getwd()
	if err == nil && len(args) > 0 {
		err = gotest.Collect(args[0], cwd, args[1:])
	}
	if err != nil {
		t.say("collect: %v", err)
		return exitFailure
	}
	return 0
}
