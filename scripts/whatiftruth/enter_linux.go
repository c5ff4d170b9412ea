package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// enterCommand is this program's subcommand that changes into a root folder
// and becomes the program there. It runs in a mount namespace of its own.
const enterCommand = "enter-root"

// enterArgs builds its arguments: the root, the host's folder that is to be
// seen as /corpus, the user to become (-1: stay), and the command.
func enterArgs(root, corpus string, user int, command []string) []string {
	return append([]string{enterCommand, root, corpus, strconv.Itoa(user)}, command...)
}

// namespaces are those of a program that runs in a root folder. Without root
// it gets a user namespace too, in which its user keeps his number.
func namespaces() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if uid := os.Getuid(); uid != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT}
	}
	return a
}

// enter is the subcommand; it returns only when it fails.
func enter(args []string, stderr io.Writer) int {
	if len(args) < 4 {
		fmt.Fprintf(stderr, "%s: want ROOT CORPUS USER COMMAND\n", enterCommand)
		return exitUsage
	}
	err := become(args[0], args[1], args[2], args[3:])
	fmt.Fprintf(stderr, "%s: %s: %v\n", enterCommand, args[0], err)
	return exitFailure
}

// become changes into the root and executes the command: it returns only an
// error.
func become(root, corpus, user string, command []string) error {
	uid, err := strconv.Atoi(user)
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts: %w", err)
	}
	for from, to := range map[string]string{"/dev": "dev", "/proc": "proc", corpus: "corpus"} {
		if err := unix.Mount(from, filepath.Join(root, to), "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("bind %s: %w", from, err)
		}
	}
	if err := unix.Chroot(root); err != nil {
		return fmt.Errorf("chroot: %w", err)
	}
	if err := os.Chdir("/tmp"); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return err
	}
	if uid >= 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(uid), syscall.Setuid(uid)); err != nil {
			return fmt.Errorf("user %d: %w", uid, err)
		}
		// changing the user cleared it
		if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %w", command[0], syscall.Exec(command[0], command, os.Environ()))
}
