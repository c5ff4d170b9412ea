package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const binfmtDir = "/proc/sys/fs/binfmt_misc"

// userArm is scripts/vm/user-arm.sh: it runs a command in a user and mount
// namespace of its own, in which arm and arm64 binaries are handed to qemu.
// User and group numbers stay what they are, and the host's own table of
// binary formats is not touched (Linux 6.7 gave each user namespace its own).
func (t *tool) userArm(ctx context.Context, args []string) int {
	if len(args) == 0 {
		return t.fail(errUsage("user-arm.sh CMD [ARG...]: for example user-arm.sh env GOARCH=arm go test ./..."))
	}
	rules, err := armRules()
	if err != nil {
		t.say("%v", err)
		return exitMachine
	}
	attr := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS}
	if err := setIDMaps(attr); err != nil {
		t.say("%v", err)
		return exitMachine
	}
	who := fmt.Sprintf("%d %d", os.Geteuid(), os.Getegid())
	return t.inNamespace(ctx, attr, "/proc/self/exe", append([]string{"vmtool", userArmInside, who, strings.Join(rules, "\n")}, args...))
}

// inNamespace runs a program with new namespaces and returns its exit status.
func (t *tool) inNamespace(ctx context.Context, attr *syscall.SysProcAttr, path string, argv []string) int {
	attr.Pdeathsig = unix.SIGKILL
	runtime.LockOSThread() // the parent-death signal is about this thread
	cmd := &exec.Cmd{Path: path, Args: argv, Env: emulated(os.Environ()),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: attr}
	if err := cmd.Start(); err != nil {
		t.say("no user namespace for qemu's user mode: %v (see kernel.unprivileged_userns_clone, user.max_user_namespaces)", err)
		return exitMachine
	}
	// Ctrl-C reaches the command by itself; a signal to this process alone is
	// passed on as SIGTERM
	context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	err := cmd.Wait()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.say("%v", err)
		return exitMachine
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

// emulated adds what a test asks to find out that it runs under qemu's user
// mode.
func emulated(env []string) []string { return append(env, "WORDSIZE_EMULATED=qemu-user") }

// armRules returns a registration for each format that this machine does not
// run by itself.
func armRules() ([]string, error) {
	var rules []string
	for _, f := range armFormats {
		if f.goarch == runtime.GOARCH {
			continue
		}
		p, err := firstProgram(f.programs)
		if err != nil {
			return nil, err
		}
		rules = append(rules, f.rule(p))
	}
	return rules, nil
}

func firstProgram(names []string) (string, error) {
	for _, n := range names {
		if p, err := exec.LookPath(n); err == nil {
			return filepath.Abs(p)
		}
	}
	return "", fmt.Errorf("%s is missing: install the Debian package qemu-user", names[0])
}

// setIDMaps maps every user and group to itself. Another user than root becomes
// root for now, because only root may register formats, and gets its own
// number back in userArmChild.
func setIDMaps(attr *syscall.SysProcAttr) error {
	if os.Geteuid() != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
		return nil
	}
	var err error
	if attr.UidMappings, err = identity("/proc/self/uid_map"); err != nil {
		return err
	}
	attr.GidMappings, err = identity("/proc/self/gid_map")
	attr.GidMappingsEnableSetgroups = true
	return err
}

// identity reads a map (user_namespaces(7): first here, first outside, count)
// and returns one that maps each of the numbers here to itself.
func identity(name string) ([]syscall.SysProcIDMap, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var maps []syscall.SysProcIDMap
	for s := bufio.NewScanner(f); s.Scan(); {
		var first, outside, count int64
		if _, err := fmt.Sscan(s.Text(), &first, &outside, &count); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, s.Text(), err)
		}
		count = min(count, math.MaxInt32*2+1, int64(math.MaxInt)) // int has 32 bits in some builds
		maps = append(maps, syscall.SysProcIDMap{ContainerID: int(first), HostID: int(first), Size: int(count)})
	}
	return maps, nil
}

// userArmChild "UID GID" RULES CMD... runs inside of the namespaces.
func (t *tool) userArmChild(ctx context.Context, args []string) int {
	var uid, gid int
	if len(args) < 3 {
		return t.fail(errUsage(userArmInside + " is started by user-arm.sh"))
	}
	if _, err := fmt.Sscan(args[0], &uid, &gid); err != nil {
		return t.fail(errUsage(fmt.Sprintf("%s: user and group %q: %v", userArmInside, args[0], err)))
	}
	if err := registerFormats(strings.Split(args[1], "\n")); err != nil {
		t.say("%v", err)
		return exitMachine
	}
	argv := args[2:]
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.say("%v", err)
		return 127
	}
	if uid != 0 {
		// binary formats are looked up in the parents of a namespace, too
		return t.inNamespace(ctx, &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: 0, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: 0, Size: 1}},
		}, path, argv)
	}
	err = syscall.Exec(path, argv, os.Environ())
	t.say("%s: %v", path, err)
	return 126
}

func registerFormats(rules []string) error {
	err := unix.Mount("binfmt_misc", binfmtDir, "binfmt_misc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL):
		return fmt.Errorf("this kernel has no table of binary formats per user namespace (Linux 6.7 has): %w", err)
	case errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOENT):
		return fmt.Errorf("this kernel has no binfmt_misc: %w; try modprobe binfmt_misc", err)
	case err != nil:
		return fmt.Errorf("mount binfmt_misc: %w", err)
	}
	for _, r := range rules {
		if err := os.WriteFile(binfmtDir+"/register", []byte(r), 0); err != nil {
			return fmt.Errorf("register a binary format: %w", err)
		}
	}
	return nil
}
