package procstat

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// preadRaw reads from offset 0 without telling Go's scheduler. That is a
// third of the call's cost, and is safe for stat and statm only: the kernel
// answers them in microseconds and without taking a lock that another process
// may hold for long. The offset is 0, so that it does not matter how an
// architecture splits it over registers.
func preadRaw(fd int, b []byte) (int, unix.Errno) {
	n, _, err := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

// preadBlocking is preadRaw for files whose reading may block.
func preadBlocking(fd int, b []byte) (int, unix.Errno) {
	for {
		n, _, err := unix.Syscall6(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
		if err == unix.EINTR {
			continue
		}
		if err != 0 {
			return 0, err
		}
		return int(n), 0
	}
}

// openat opens a path that ends in a NUL, for reading.
func openat(dir int, path []byte) (int, unix.Errno) {
	for {
		fd, _, err := unix.Syscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(unsafe.SliceData(path))),
			unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_LARGEFILE, 0, 0, 0)
		if err == unix.EINTR {
			continue
		}
		if err != 0 {
			return -1, err
		}
		return int(fd), 0
	}
}

// statxUID asks for the owner of a path that ends in a NUL.
func statxUID(dir int, path []byte, st *unix.Statx_t) unix.Errno {
	_, _, err := unix.Syscall6(unix.SYS_STATX, uintptr(dir), uintptr(unsafe.Pointer(unsafe.SliceData(path))),
		unix.AT_NO_AUTOMOUNT, unix.STATX_UID, uintptr(unsafe.Pointer(st)), 0)
	return err
}

// appendPIDs appends the numeric names in a buffer of struct linux_dirent64:
// inode (8 bytes), offset (8), record length (2), type (1), name and NUL.
func appendPIDs(pids []int32, b []byte) []int32 {
	const lenAt, nameAt = 16, 19
	for len(b) > nameAt {
		reclen := int(binary.NativeEndian.Uint16(b[lenAt:]))
		if reclen <= nameAt || reclen > len(b) {
			break
		}
		if pid, ok := parsePID(b[nameAt:reclen]); ok {
			pids = append(pids, pid)
		}
		b = b[reclen:]
	}
	return pids
}

// parsePID reads a PID that ends in a NUL.
func parsePID(name []byte) (int32, bool) {
	var v int32
	for i, c := range name {
		if c == 0 {
			return v, i > 0 && v > 0
		}
		if c < '0' || c > '9' || i > 9 || v > 1<<31/10-1 {
			return 0, false
		}
		v = v*10 + int32(c-'0')
	}
	return 0, false
}
