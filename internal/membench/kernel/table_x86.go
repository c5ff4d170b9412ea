//go:build (386 || amd64) && !purego

package kernel

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fence waits until weakly ordered stores are done.
func fence()

// Assembly says whether this build has loops in assembly.
const Assembly = true

//go:noescape
func fillSSE2(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillAVX2(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillAVX512(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillMOVNTI(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillNTSSE2(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillNTAVX2(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillNTAVX512(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillInt(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillWord(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func zeroSTOSB(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func zeroSTOSD(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func zeroCLZERO(p unsafe.Pointer, n uintptr, pattern uint32)

// cpuid runs the CPUID instruction.
//
//go:noescape
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

const (
	noSSE2   = "this CPU has no SSE2"
	noAVX2   = "this CPU or operating system has no AVX2"
	noAVX512 = "this CPU or operating system has no AVX-512F"
	noCLZERO = "this CPU has no CLZERO (AMD since Zen)"
)

func archWrite() []Tier {
	return widestFirst(
		needs(cpu.X86.HasAVX512F, noAVX512, Tier{Name: "avx512", Doc: "VMOVDQA64, 64 bytes a store", WriteAllocate: true, fill: fillAVX512}),
		needs(cpu.X86.HasAVX2, noAVX2, Tier{Name: "avx2", Doc: "VMOVDQA, 32 bytes a store", WriteAllocate: true, fill: fillAVX2}),
		needs(cpu.X86.HasSSE2, noSSE2, Tier{Name: "sse2", Doc: "MOVDQA, 16 bytes a store", WriteAllocate: true, fill: fillSSE2}),
	)
}

// widestFirst returns the tiers in order of preference: the widest store
// first, but AVX2 before AVX-512 on AMD's processors, where 32-byte stores
// came out 2 to 7 % faster in every run (Zen 5).
func widestFirst(avx512, avx2 Tier, narrower ...Tier) []Tier {
	wide := []Tier{avx512, avx2}
	if vendor() == "AuthenticAMD" {
		wide = []Tier{avx2, avx512}
	}
	return append(wide, narrower...)
}

// vendor returns the processor's vendor string: CPUID leaf 0, in the order
// EBX, EDX, ECX.
func vendor() string {
	_, b, c, d := cpuid(0, 0)
	var s []byte
	for _, r := range []uint32{b, d, c} {
		s = binary.LittleEndian.AppendUint32(s, r)
	}
	return string(s)
}

func archWriteNT() []Tier {
	return widestFirst(
		needs(cpu.X86.HasAVX512F, noAVX512, Tier{Name: "avx512", Doc: "VMOVNTDQ, 64 bytes a store", weak: true, fill: fillNTAVX512}),
		needs(cpu.X86.HasAVX2, noAVX2, Tier{Name: "avx2", Doc: "VMOVNTDQ, 32 bytes a store", weak: true, fill: fillNTAVX2}),
		needs(cpu.X86.HasSSE2, noSSE2, Tier{Name: "sse2", Doc: "MOVNTDQ, 16 bytes a store", weak: true, fill: fillNTSSE2}),
		needs(cpu.X86.HasSSE2, noSSE2, Tier{Name: "movnti", Doc: "MOVNTI, 4 bytes a store", weak: true, fill: fillMOVNTI}),
	)
}

func archWriteInt() []Tier {
	return []Tier{{Name: "mov", Doc: "MOV, 4 bytes a store", WriteAllocate: true, fill: fillInt}}
}

func archWriteWord() []Tier {
	doc := "MOV, 4 bytes a store"
	if wordBytes == 8 {
		doc = "MOV, 8 bytes a store"
	}
	return []Tier{{Name: "mov", Doc: doc, WriteAllocate: true, fill: fillWord}}
}

func archZero() []Tier {
	return []Tier{
		needs(hasCLZERO(), noCLZERO, Tier{Name: "clzero", Doc: "CLZERO, a 64-byte line an instruction, not write-allocating", weak: true, fill: zeroCLZERO}),
		{Name: "stosb", Doc: "REP STOSB, microcoded", fill: zeroSTOSB},
		{Name: "stosd", Doc: "REP STOSD, microcoded", fill: zeroSTOSD},
	}
}

// hasCLZERO reads CPUID leaf 8000_0008h, EBX bit 0 (AMD64 Architecture
// Programmer's Manual, volume 3, appendix E). The bit is reserved, and zero,
// on other vendors' processors.
func hasCLZERO() bool {
	const maxLeaf, leaf, bit = 0x80000000, 0x80000008, 1
	if top, _, _, _ := cpuid(maxLeaf, 0); top < leaf {
		return false
	}
	_, ebx, _, _ := cpuid(leaf, 0)
	return ebx&bit != 0
}
