package procstat

import (
	"encoding/binary"
	"strconv"
)

// Arch is the word size and machine of the program that a process runs.
type Arch struct {
	Bits    int    // 32 or 64; 0 when unknown
	Machine string // such as "i386" or "x86-64"
}

// String returns the two as one, such as "32 i386"; "" when unknown.
func (a Arch) String() string {
	if a.Bits == 0 {
		return ""
	}
	return strconv.Itoa(a.Bits) + " " + a.Machine
}

// elfHeaderSize is as much of an executable as parseELF looks at.
const elfHeaderSize = 20

// parseELF reads class and machine from the start of an ELF file (elf(5)).
func parseELF(b []byte) (Arch, error) {
	if len(b) < elfHeaderSize || string(b[:4]) != "\x7fELF" {
		return Arch{}, formatError("exe", "ELF magic", b)
	}
	var a Arch
	switch b[4] {
	case 1:
		a.Bits = 32
	case 2:
		a.Bits = 64
	default:
		return Arch{}, formatError("exe", "ELF class", b)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[5] == 2 {
		order = binary.BigEndian
	}
	a.Machine = machineName(a.Bits, order.Uint16(b[18:]), b[5] == 2)
	return a, nil
}

// machineName names e_machine as distributions do. A 32-bit program for
// x86-64 is the x32 ABI.
func machineName(bits int, machine uint16, big bool) string {
	little := func(name string) string {
		if big {
			return name
		}
		return name + "el"
	}
	switch machine {
	case 2, 18:
		return "sparc"
	case 3:
		return "i386"
	case 8:
		return little("mips")
	case 20:
		return "ppc"
	case 21:
		if big {
			return "ppc64"
		}
		return "ppc64le"
	case 22:
		if bits == 64 {
			return "s390x"
		}
		return "s390"
	case 40:
		return "arm"
	case 43:
		return "sparc64"
	case 62:
		if bits == 32 {
			return "x32"
		}
		return "x86-64"
	case 183:
		return "arm64"
	case 243:
		return "riscv"
	case 258:
		return "loongarch"
	}
	return "machine " + strconv.Itoa(int(machine))
}
