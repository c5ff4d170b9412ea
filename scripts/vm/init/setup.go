//go:build linux

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"wordsize/internal/vm/guest"
)

// basics are mounted before anything else.
var basics = []struct {
	src, dst, typ string
	flags         uintptr
	data          string
}{
	{"proc", "/proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, ""},
	{"sysfs", "/sys", "sysfs", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, ""},
	{"devtmpfs", "/dev", "devtmpfs", unix.MS_NOSUID, "mode=0755"},
	{"devpts", "/dev/pts", "devpts", unix.MS_NOSUID | unix.MS_NOEXEC, "mode=0620,gid=5,ptmxmode=0666"},
	{"shm", "/dev/shm", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
	{"tmp", "/tmp", "tmpfs", unix.MS_NOSUID | unix.MS_NODEV, "mode=1777"},
	{"cgroup2", "/sys/fs/cgroup", "cgroup2", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, ""},
}

func mountBasics() error {
	if err := os.Chmod("/", 0o755); err != nil { // the kernel makes it writable for all
		return err
	}
	for _, b := range basics {
		if !strings.HasPrefix(b.dst, "/sys/") {
			if err := os.MkdirAll(b.dst, 0o755); err != nil {
				return err
			}
		}
		if err := unix.Mount(b.src, b.dst, b.typ, b.flags, b.data); err != nil {
			return fmt.Errorf("mount %s: %w", b.dst, err)
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0",
		"stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(target, "/dev/"+name); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

func loadModule(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := unix.InitModule(b, ""); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("load module %s: %w", filepath.Base(name), err)
	}
	return nil
}

// seedRandom gives the kernel the host's random bytes and credits them, since
// an emulated CPU without RDRAND lets the first getrandom(2) wait for a second
// or more (random(4), RNDADDENTROPY). A failure costs time only.
func seedRandom(seed []byte) {
	if len(seed) == 0 {
		return
	}
	f, err := os.OpenFile("/dev/urandom", os.O_WRONLY, 0)
	if err != nil {
		console("random seed: %v", err)
		return
	}
	defer f.Close()
	// struct rand_pool_info: entropy count in bits, size in bytes, data
	b := binary.NativeEndian.AppendUint32(nil, uint32(len(seed)*8))
	b = binary.NativeEndian.AppendUint32(b, uint32(len(seed)))
	b = append(b, seed...)
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.RNDADDENTROPY, uintptr(unsafe.Pointer(&b[0]))); e != 0 {
		console("random seed: %v", e)
	}
}

// openPort waits for the virtio-serial port of the given name and opens it.
func openPort(name string, limit time.Duration) (*os.File, error) {
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		names, err := filepath.Glob("/sys/class/virtio-ports/*/name")
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil || strings.TrimSpace(string(b)) != name {
				continue
			}
			dev := "/dev/" + filepath.Base(filepath.Dir(n))
			fd, err := unix.Open(dev, unix.O_RDWR|unix.O_CLOEXEC, 0)
			if err == nil {
				return os.NewFile(uintptr(fd), dev), nil
			}
			if time.Now().After(end) {
				return nil, fmt.Errorf("open %s: %w", dev, err)
			}
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("no virtio port named %q after %v", name, limit)
		}
	}
}

// mountShare mounts the n-th shared folder. A 9p server of qemu takes messages
// of up to msize bytes; cache=loose lets the guest's page cache serve files
// that nobody else changes, cache=mmap is what writable files need to be
// mapped by programs.
func mountShare(m guest.Mount, n int) error {
	const common = "trans=virtio,version=9p2000.L,msize=512000,"
	if err := os.MkdirAll(m.Path, 0o755); err != nil {
		return err
	}
	switch m.Mode {
	case guest.ReadWrite:
		return named("mount", unix.Mount(m.Tag, m.Path, "9p", 0, common+"cache=mmap"))
	case guest.ReadOnly:
		return named("mount", unix.Mount(m.Tag, m.Path, "9p", unix.MS_RDONLY, common+"cache=loose"))
	case guest.CopyOnWrite:
	default:
		return fmt.Errorf("unknown mode %q", m.Mode)
	}
	base := fmt.Sprintf("/vm/cow/%d", n)
	lower, mem := base+"/lower", base+"/mem"
	for _, d := range []string{lower, mem} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(m.Tag, lower, "9p", unix.MS_RDONLY, common+"cache=loose"); err != nil {
		return named("mount", err)
	}
	if err := unix.Mount("cow", mem, "tmpfs", 0, "mode=0755"); err != nil {
		return named("memory for the overlay", err)
	}
	for _, d := range []string{mem + "/upper", mem + "/work"} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	opts := "lowerdir=" + lower + ",upperdir=" + mem + "/upper,workdir=" + mem + "/work"
	return named("overlay", unix.Mount("cow", m.Path, "overlay", 0, opts))
}

func named(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// loopbackUp makes 127.0.0.1 usable (netdevice(7)).
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	ifr.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr)
}
