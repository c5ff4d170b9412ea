//go:build (386 || amd64) && !purego

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// All of these want n to be a multiple of loopBytes above 0.

//go:noescape
func copySSE2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func copyAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func copyAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func copyNTSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func copyNTAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func copyNTAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func scaleSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func scaleAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func scaleAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func addSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func addAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func addAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadNTSSE2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadNTAVX2(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadNTAVX512(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func rmwSSE2(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func rmwAVX2(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func rmwAVX512(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func sumSSE2(p unsafe.Pointer, n uintptr) uint64

//go:noescape
func sumAVX2(p unsafe.Pointer, n uintptr) uint64

//go:noescape
func sumAVX512(p unsafe.Pointer, n uintptr) uint64

// x86Tiers makes the three tiers of a kernel, by width in bytes, out of one
// that has everything but what differs between them.
func x86Tiers(common Tier, doc64, doc32, doc16 string, set func(t *Tier, width int)) (avx512, avx2, sse2 Tier) {
	tier := func(name, doc string, width int) Tier {
		t := common
		t.Name, t.Doc = name, doc
		set(&t, width)
		return t
	}
	return needs(cpu.X86.HasAVX512F, noAVX512, tier("avx512", doc64, 64)),
		needs(cpu.X86.HasAVX2, noAVX2, tier("avx2", doc32, 32)),
		needs(cpu.X86.HasSSE2, noSSE2, tier("sse2", doc16, 16))
}

// archRead has the widest load first everywhere: it is stores that AMD's
// processors do faster by halves.
func archRead() []Tier {
	avx512, avx2, sse2 := x86Tiers(Tier{}, "VPADDQ, 64 bytes a load", "VPADDQ, 32 bytes a load", "PADDQ, 16 bytes a load", func(t *Tier, width int) {
		t.sum = wholeSum(map[int]sumFunc{64: sumAVX512, 32: sumAVX2, 16: sumSSE2}[width])
	})
	return []Tier{avx512, avx2, sse2}
}

func archRMW() []Tier {
	return widestFirst(x86Tiers(Tier{}, "VPADDD and VMOVAPD, 64 bytes", "VPADDD and VMOVAPD, 32 bytes", "PADDD and MOVAPD, 16 bytes", func(t *Tier, width int) {
		t.fill = wholeRMW(map[int]fillFunc{64: rmwAVX512, 32: rmwAVX2, 16: rmwSSE2}[width])
	}))
}

// x86Stream makes the tiers of a kernel of two or three arrays.
func x86Stream(slow streamFunc, avx512, avx2, sse2 streamFunc, nt bool) []Tier {
	common, store := Tier{WriteAllocate: !nt, weak: nt}, "MOVAPD"
	if nt {
		store = "MOVNTPD"
	}
	return widestFirst(x86Tiers(common, "V"+store+", 64 bytes a store", "V"+store+", 32 bytes a store", store+", 16 bytes a store", func(t *Tier, width int) {
		t.stream = wholeStream(map[int]streamFunc{64: avx512, 32: avx2, 16: sse2}[width], slow)
	}))
}

func archCopy() []Tier   { return x86Stream(copyGo, copyAVX512, copyAVX2, copySSE2, false) }
func archCopyNT() []Tier { return x86Stream(copyGo, copyNTAVX512, copyNTAVX2, copyNTSSE2, true) }
func archScale() []Tier  { return x86Stream(scaleGo, scaleAVX512, scaleAVX2, scaleSSE2, false) }
func archAdd() []Tier    { return x86Stream(addGo, addAVX512, addAVX2, addSSE2, false) }
func archTriad() []Tier  { return x86Stream(triadGo, triadAVX512, triadAVX2, triadSSE2, false) }
func archTriadNT() []Tier {
	return x86Stream(triadGo, triadNTAVX512, triadNTAVX2, triadNTSSE2, true)
}
