package footprint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// procTarget is a process of this host.
type procTarget struct {
	pid     int
	dir     *os.File // its directory in /proc: never another process's
	pagemap *os.File
	mem     *os.File
	start   string
	calls   bool // process_vm_readv works
}

// Open opens a process. proc is where the proc file system is mounted.
func Open(proc string, pid int32) (Target, error) {
	if !littleEndian() {
		return nil, errors.New("memory is read as little-endian words only, and this host is big-endian")
	}
	dir, err := os.Open(filepath.Join(proc, strconv.Itoa(int(pid))))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, ErrGone
		}
		return nil, err
	}
	t := &procTarget{pid: int(pid), dir: dir, calls: true}
	if t.start = t.startTime(); t.start == "" {
		dir.Close()
		return nil, ErrGone
	}
	if t.pagemap, err = t.open("pagemap"); err == nil {
		t.mem, err = t.open("mem")
	}
	if err != nil {
		t.Close()
		return nil, refused(proc, err)
	}
	return t, nil
}

func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// refused explains an error from opening what only some may read.
func refused(proc string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) && (errors.Is(p.Err, unix.EACCES) || errors.Is(p.Err, unix.EPERM)) {
		scope, _ := os.ReadFile(filepath.Join(proc, "sys/kernel/yama/ptrace_scope"))
		return &RefusedError{What: p.Path, Scope: strings.TrimSpace(string(scope)), Err: p.Err}
	}
	if errors.Is(err, unix.ESRCH) || errors.Is(err, fs.ErrNotExist) {
		return ErrGone
	}
	return err
}

// open opens a file below the process's directory, so that it is never the
// file of a process that got the same PID later.
func (t *procTarget) open(name string) (*os.File, error) {
	fd, err := unix.Openat(int(t.dir.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (t *procTarget) File(name string) ([]byte, error) {
	f, err := t.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func (t *procTarget) Program() (ReaderAtCloser, error) { return t.open("exe") }

func (t *procTarget) PageSize() int { return os.Getpagesize() }

// startTime returns field 22 of stat, "" when the process is gone.
func (t *procTarget) startTime() string {
	b, err := t.File("stat")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}

func (t *procTarget) Alive() bool { return t.startTime() == t.start }

func (t *procTarget) Pagemap(dst []uint64, addr uint64) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), len(dst)*8)
	n, err := t.pagemap.ReadAt(raw, int64(addr/uint64(os.Getpagesize())*8))
	if err == io.EOF {
		err = nil
	}
	return n / 8, err
}

// Read uses process_vm_readv, see process_vm_readv(2), and /proc/PID/mem
// where that is refused or the address is too large for it, as in a 32-bit
// build looking at a 64-bit process.
func (t *procTarget) Read(p []byte, addr uint64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if end := addr + uint64(len(p)); t.calls && uint64(uintptr(end)) == end {
		local := []unix.Iovec{{Base: &p[0]}}
		local[0].SetLen(len(p))
		n, err := unix.ProcessVMReadv(t.pid, local, []unix.RemoteIovec{{Base: uintptr(addr), Len: len(p)}}, 0)
		switch {
		case err == nil:
			return n, nil
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
			t.calls = false
		case errors.Is(err, unix.ESRCH):
			return 0, ErrGone
		default:
			return 0, fmt.Errorf("process_vm_readv: %w", err)
		}
	}
	if int64(addr) < 0 {
		return 0, fmt.Errorf("address %#x is out of reach", addr)
	}
	n, err := t.mem.ReadAt(p, int64(addr))
	if err == io.EOF && n == 0 {
		return 0, ErrGone
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

func (t *procTarget) Close() {
	for _, f := range []*os.File{t.dir, t.pagemap, t.mem} {
		if f != nil {
			f.Close()
		}
	}
}
