//go:build arm64 && !purego

package kernel

import "unsafe"

// fence waits until weakly ordered stores are done.
func fence()

// Assembly says whether this build has loops in assembly.
const Assembly = true

//go:noescape
func fillSTP(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillSTNP(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillInt(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func fillWord(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func zeroDCZVA(p unsafe.Pointer, n uintptr, pattern uint32)

// dczid reads DCZID_EL0.
//
//go:noescape
func dczid() uint64

func archWrite() []Tier {
	return []Tier{{Name: "stp", Doc: "STP of two Q registers, 32 bytes a store", WriteAllocate: true, fill: fillSTP}}
}

func archWriteNT() []Tier {
	return []Tier{{Name: "stnp", Doc: "STNP of two Q registers, 32 bytes a store", weak: true, fill: fillSTNP}}
}

func archWriteInt() []Tier {
	return []Tier{{Name: "str", Doc: "STR, 4 bytes a store", WriteAllocate: true, fill: fillInt}}
}

func archWriteWord() []Tier {
	return []Tier{{Name: "str", Doc: "STR, 8 bytes a store", WriteAllocate: true, fill: fillWord}}
}

func archZero() []Tier {
	return []Tier{needs(hasDCZVA(), "DC ZVA is prohibited here, or zeroes another size than 64 bytes",
		Tier{Name: "dczva", Doc: "DC ZVA, a 64-byte line an instruction", fill: zeroDCZVA})}
}

// hasDCZVA: bits 3:0 of DCZID_EL0 are log2 of the zeroed block in 4-byte
// words, bit 4 prohibits the instruction (Arm Architecture Reference Manual,
// DCZID_EL0). Only blocks of 64 bytes suit this package's alignment.
func hasDCZVA() bool { return dczid()&0x1f == 4 }
