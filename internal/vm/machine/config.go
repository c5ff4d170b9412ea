// Package machine boots a Debian kernel under qemu-system, with an init of our
// own as its only program, runs commands in it and hands back their output and
// exit status. It knows two kernels: Debian's 32-bit PAE kernel and its 64-bit
// one; both run 386 binaries.
package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wordsize/internal/vm/guest"
)

// Kernel is one of the two kernels.
type Kernel struct {
	Name    string   // as --kernel takes it, and the flavour in Debian's names
	GOARCH  string   // of the guest's own init, and the default for commands
	Runs    []string // GOARCH of the binaries that it runs, the default first
	DebArch string   // Debian's architecture
	NUMA    bool     // it is built with CONFIG_NUMA
}

// Kernels are the kernels that a machine can boot, the default first.
var Kernels = []Kernel{
	{Name: "686-pae", GOARCH: "386", Runs: []string{"386"}, DebArch: "i386"},
	{Name: "amd64", GOARCH: "amd64", Runs: []string{"amd64", "386"}, DebArch: "amd64", NUMA: true},
}

// FindKernel returns the kernel of a name.
func FindKernel(name string) (Kernel, error) {
	var names []string
	for _, k := range Kernels {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kernel{}, usagef("unknown kernel %q: take one of %s", name, strings.Join(names, ", "))
}

// Config describes one machine and what it runs.
type Config struct {
	Kernel  Kernel
	Cache   string // folder that scripts/vm/setup.sh fills
	Init    string // path of the init binary for the kernel's GOARCH
	MemMiB  int64
	SMP     int
	NUMA    int // NUMA nodes; 0: the machine has no NUMA
	CPU     string
	Accel   string // tcg, kvm or auto
	Timeout time.Duration
	Append  string // more kernel parameters
	Console string // file for the kernel's messages, or ""
	Files   []File
	Shares  []Share
	Jobs    []guest.Job
}

// File is a file or folder of the host that is packed into the guest.
type File struct{ Host, Guest string }

// Share is a folder of the host that the guest sees, live.
type Share struct {
	Host, Guest string
	Mode        guest.Mode
}

// Defaults of a machine.
const (
	DefaultMemMiB  = 6144
	DefaultSMP     = 2
	DefaultCPU     = "Nehalem"
	DefaultTimeout = 10 * time.Minute
	DefaultAccel   = "tcg"
	maxSMP         = 64
	minMemMiB      = 128
)

// UsageError is a wrong argument; commands exit with status 2.
type UsageError struct{ msg string }

func (e *UsageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// IsUsage reports whether err is about a wrong argument.
func IsUsage(err error) bool {
	var u *UsageError
	return errors.As(err, &u)
}

// check refuses figures that qemu would refuse less clearly.
func (c *Config) check() error {
	switch {
	case c.MemMiB < minMemMiB || c.MemMiB > 1<<20:
		return usagef("--mem %d: give the guest's memory in MiB, %d to 1048576", c.MemMiB, minMemMiB)
	case c.SMP < 1 || c.SMP > maxSMP:
		return usagef("--smp %d: give the number of virtual CPUs, 1 to %d", c.SMP, maxSMP)
	case c.NUMA != 0 && (c.NUMA < 2 || c.NUMA > maxNodes):
		return usagef("--numa %d: give the number of NUMA nodes, 2 to %d", c.NUMA, maxNodes)
	case c.NUMA != 0 && !c.Kernel.NUMA:
		return usagef("--numa: Debian's %s kernel is built without NUMA: take --kernel amd64 (with --goarch 386 for a 386 build)", c.Kernel.Name)
	case c.NUMA != 0 && c.MemMiB < int64(c.NUMA)*minMemMiB:
		return usagef("--numa %d: %d nodes need --mem %d at least", c.NUMA, c.NUMA, c.NUMA*minMemMiB)
	case c.Timeout <= 0:
		return usagef("--timeout %v: give a positive time such as 90s or 10m", c.Timeout)
	case !slices.Contains([]string{"tcg", "kvm", "auto"}, c.Accel):
		return usagef("--accel %q: take tcg, kvm or auto", c.Accel)
	case c.CPU == "" || strings.ContainsAny(c.CPU, " \t\n"):
		return usagef("--cpu %q: give a CPU model of qemu such as %s or max", c.CPU, DefaultCPU)
	}
	return nil
}

// ParseFile reads the argument of --file: F or F:GUESTPATH. A guest path is
// absolute, so that a colon inside of F does not matter.
func ParseFile(s string) (File, error) {
	f := File{Host: s}
	if _, err := os.Stat(s); err != nil {
		if i := strings.LastIndex(s, ":/"); i > 0 {
			f.Host, f.Guest = s[:i], s[i+1:]
		}
	}
	if _, err := os.Stat(f.Host); err != nil {
		return File{}, usagef("--file %s: %v", s, err)
	}
	if f.Guest == "" {
		abs, err := filepath.Abs(f.Host)
		if err != nil {
			return File{}, usagef("--file %s: %v", s, err)
		}
		f.Guest = guest.WorkDir + "/" + filepath.Base(abs)
	}
	return f, nil
}

// ParseShare reads the argument of --share: HOSTDIR[:GUESTDIR[:MODE]].
func ParseShare(s string) (Share, error) {
	host, rest, _ := strings.Cut(s, ":")
	dir, mode, hasMode := strings.Cut(rest, ":")
	sh := Share{Host: host, Guest: dir, Mode: guest.Mode(mode)}
	if !hasMode {
		sh.Mode = guest.ReadOnly
	}
	if sh.Mode != guest.ReadOnly && sh.Mode != guest.ReadWrite && sh.Mode != guest.CopyOnWrite {
		return Share{}, usagef("--share %s: the mode is ro, rw or cow, not %q", s, mode)
	}
	abs, err := filepath.Abs(host)
	if err != nil || host == "" {
		return Share{}, usagef("--share %s: no folder given", s)
	}
	sh.Host = abs
	if st, err := os.Stat(abs); err != nil {
		return Share{}, usagef("--share %s: %v", s, err)
	} else if !st.IsDir() {
		return Share{}, usagef("--share %s: %s is no folder; --file packs single files", s, host)
	}
	if sh.Guest == "" {
		sh.Guest = abs
	}
	if !strings.HasPrefix(sh.Guest, "/") {
		return Share{}, usagef("--share %s: the guest's folder must be an absolute path", s)
	}
	return sh, nil
}
