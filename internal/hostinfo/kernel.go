package hostinfo

import (
	"strings"
)

// kernelSigns are what a kernel shows of its word size. No single sign is
// enough: `uname -m` says i686 to a process with a 32-bit personality on a
// 64-bit kernel, and kallsyms or meminfo may be missing in a container.
type kernelSigns struct {
	build        int    // word size of this build when it runs on that very kernel, else 0
	machine      string // utsname machine, "" when unknown
	vmallocTotal *int64 // bytes, from meminfo
	highmem      bool   // meminfo has HighTotal
	symbolDigits int    // hex digits of an address in /proc/kallsyms, 0 when unknown
}

// bits returns the kernel's word size, 32 or 64; ok is false when no sign
// tells. The signs, strongest first:
//   - a 64-bit program runs: only a 64-bit kernel does that;
//   - kallsyms prints addresses at the kernel's own width, 8 or 16 digits,
//     also when kptr_restrict turns them into zeros;
//   - HighTotal exists only with CONFIG_HIGHMEM, and thus on 32 bits;
//   - VmallocTotal above 4 GiB does not fit into a 32-bit address space;
//   - the machine name: x86_64, aarch64 and so on are never claimed by a
//     32-bit kernel. A 32-bit name proves nothing by itself and is believed
//     only if VmallocTotal is there and fits.
func (s kernelSigns) bits() (bits int, ok bool) {
	small := s.vmallocTotal != nil && *s.vmallocTotal <= 1<<32
	switch {
	case s.build == 64:
		return 64, true
	case s.symbolDigits == 16:
		return 64, true
	case s.symbolDigits == 8:
		return 32, true
	case s.highmem:
		return 32, true
	case s.vmallocTotal != nil && !small:
		return 64, true
	case machine64[s.machine]:
		return 64, true
	case s.machine != "" && small:
		return 32, true
	}
	return 0, false
}

// machine64 are the utsname machine names of 64-bit kernels.
var machine64 = map[string]bool{
	"x86_64": true, "amd64": true, "aarch64": true, "aarch64_be": true, "arm64": true,
	"ppc64": true, "ppc64le": true, "riscv64": true, "s390x": true, "mips64": true,
	"loongarch64": true, "sparc64": true, "parisc64": true, "alpha": true, "ia64": true,
}

// ownMachine undoes what a 32-bit personality (setarch, personality(2)) makes
// of the machine name of a 64-bit kernel.
func ownMachine(machine string, bits int) string {
	if bits != 64 || machine64[machine] {
		return machine
	}
	switch machine {
	case "i386", "i486", "i586", "i686":
		return "x86_64"
	case "armv8l":
		return "aarch64"
	case "armv8b":
		return "aarch64_be"
	case "ppc":
		return "ppc64"
	case "ppcle":
		return "ppc64le"
	case "s390":
		return "s390x"
	case "mips":
		return "mips64"
	case "sparc":
		return "sparc64"
	case "parisc":
		return "parisc64"
	}
	return machine
}

// machine returns the kernel's machine name. /proc/sys/kernel/arch (Linux
// 6.1) does not follow the personality; uname, used before, does.
func (fs FS) machine() string {
	if m := readText(fs.proc("sys/kernel/arch")); m != "" {
		return m
	}
	if fs.live() {
		return unameMachine()
	}
	return ""
}

// kernelBits collects the signs of the word size from the tree.
func (fs FS) kernelBits(machine string, m memInfo) (bits int, ok bool) {
	s := kernelSigns{
		machine:      machine,
		vmallocTotal: m.vmallocTotal,
		highmem:      m.memory.HighTotalBytes != nil,
	}
	if fs.live() {
		s.build = BuildBits()
	}
	// One line is enough, and all of it would be ten megabytes.
	if b, err := readHead(fs.proc("kallsyms"), 64); err == nil {
		s.symbolDigits = hexDigits(string(b))
	}
	return s.bits()
}

// hexDigits counts the hexadecimal digits up to the first space; 0 when
// something else stands there.
func hexDigits(s string) int {
	word, _, ok := strings.Cut(s, " ")
	if !ok || strings.Trim(word, "0123456789abcdef") != "" {
		return 0
	}
	return len(word)
}
