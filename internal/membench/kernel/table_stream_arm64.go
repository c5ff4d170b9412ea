//go:build arm64 && !purego

package kernel

import "unsafe"

// All of these want n to be a multiple of loopBytes above 0.

//go:noescape
func copySTP(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func copySTNP(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func scaleSTP(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func addSTP(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadSTP(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func triadSTNP(a, b, c unsafe.Pointer, n uintptr, s float64)

//go:noescape
func rmwSTP(p unsafe.Pointer, n uintptr, pattern uint32)

//go:noescape
func sumLDP(p unsafe.Pointer, n uintptr) uint64

func archRead() []Tier {
	return []Tier{{Name: "ldp", Doc: "LDP of two Q registers, 32 bytes a load", sum: wholeSum(sumLDP)}}
}

func archRMW() []Tier {
	return []Tier{{Name: "stp", Doc: "LDP and STP of two Q registers, 32 bytes", fill: wholeRMW(rmwSTP)}}
}

func stpStream(fast, slow streamFunc) []Tier {
	return []Tier{{Name: "stp", Doc: "STP of two Q registers, 32 bytes a store", WriteAllocate: true, stream: wholeStream(fast, slow)}}
}

func stnpStream(fast, slow streamFunc) []Tier {
	return []Tier{{Name: "stnp", Doc: "STNP of two Q registers, 32 bytes a store", weak: true, stream: wholeStream(fast, slow)}}
}

func archCopy() []Tier    { return stpStream(copySTP, copyGo) }
func archCopyNT() []Tier  { return stnpStream(copySTNP, copyGo) }
func archScale() []Tier   { return stpStream(scaleSTP, scaleGo) }
func archAdd() []Tier     { return stpStream(addSTP, addGo) }
func archTriad() []Tier   { return stpStream(triadSTP, triadGo) }
func archTriadNT() []Tier { return stnpStream(triadSTNP, triadGo) }
