package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// adopt makes this process the parent of its descendants' orphans
// (PR_SET_CHILD_SUBREAPER of prctl(2)).
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	return nil
}

// launch starts the command with our own standard files. A text without #! is
// a script of the shell, as with execvp(3).
func launch(path string, argv, env []string, sys *syscall.SysProcAttr) (pid int32, err error) {
	attr := &syscall.ProcAttr{Env: env, Files: []uintptr{0, 1, 2}, Sys: sys}
	n, err := syscall.ForkExec(path, argv, attr)
	if errors.Is(err, syscall.ENOEXEC) && isText(path) {
		n, err = syscall.ForkExec("/bin/sh", append([]string{"/bin/sh", path}, argv[1:]...), attr)
	}
	switch {
	case err == nil:
		return int32(n), nil
	case errors.Is(err, syscall.ENOENT):
		return 0, &StartError{path, StatusNotFound, errors.New("its interpreter or dynamic loader does not exist")}
	case errors.Is(err, syscall.ENOEXEC):
		return 0, &StartError{path, StatusNotExecutable, fmt.Errorf("%w: is it for another architecture?", err)}
	}
	return 0, &StartError{path, StatusNotExecutable, err}
}

// isText guesses whether a file is a script, from its start.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(f, head) // a short one is one
	return bytes.IndexByte(head[:n], 0) < 0
}

// reap waits for the command and for orphans until there is neither, and tells
// of each. What a zombie has left is read before it is let go.
func reap(tell func(*waited)) error {
	for {
		pid, err := nextZombie()
		switch {
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return fmt.Errorf("wait for children: %w", err)
		}
		w := &waited{pid: pid}
		w.stat, _ = procstat.ReadStat(pid) // what may not be read stays unknown
		w.io, _ = procstat.ReadIO(pid)
		if w.status, err = collectChild(pid, w); err != nil {
			return fmt.Errorf("wait for process %d: %w", pid, err)
		}
		tell(w)
	}
}

// nextZombie waits until a child has ended, and leaves it as it is.
func nextZombie() (int32, error) {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		// si_pid follows three ints, aligned as a pointer is (sigaction(2)).
		at := 3 * unsafe.Sizeof(int32(0))
		if unsafe.Sizeof(uintptr(0)) == 8 {
			at = 16
		}
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&info)), unsafe.Sizeof(info))
		return int32(binary.NativeEndian.Uint32(raw[at:])), nil
	}
}

// collectChild lets a zombie go.
func collectChild(pid int32, w *waited) (status int32, err error) {
	var ws unix.WaitStatus
	var ru unix.Rusage
	for {
		_, err = unix.Wait4(int(pid), &ws, unix.WALL, &ru)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return 0, err
	}
	w.rusage = rusage(&ru)
	return int32(ws), nil
}

// rusage is getrusage(2)'s as a record; ru_maxrss is in KiB on Linux.
func rusage(ru *unix.Rusage) *result.Rusage {
	return &result.Rusage{
		UserNS: ru.Utime.Nano(), SystemNS: ru.Stime.Nano(), MaxRSS: int64(ru.Maxrss) * 1024,
		Minor: int64(ru.Minflt), Major: int64(ru.Majflt), BlocksIn: int64(ru.Inblock), BlocksOut: int64(ru.Oublock),
		Voluntary: int64(ru.Nvcsw), Involuntary: int64(ru.Nivcsw),
	}
}
