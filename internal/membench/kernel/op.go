package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

const (
	// MaxArrays is the most arrays that a kernel has.
	MaxArrays = 3
	// ArrayStep is what the size of an array is rounded down to, in bytes,
	// where a kernel has several: they all begin at a page.
	ArrayStep = 4096
)

// op is what a kernel does with its arrays a, b and c.
type op int

const (
	opFill  op = iota // a = pattern
	opSum             // sum += a
	opRMW             // a += pattern
	opCopy            // a = b
	opScale           // a = s*b
	opAdd             // a = b + c
	opTriad           // a = b + s*c
)

// accesses says how many arrays an op has, and how many it reads and writes
// in a pass: bytes are counted as STREAM does, each once for each.
var accesses = map[op]struct{ arrays, reads, writes int }{
	opFill: {1, 0, 1}, opSum: {1, 1, 0}, opRMW: {1, 1, 1},
	opCopy: {2, 1, 1}, opScale: {2, 1, 1}, opAdd: {3, 2, 1}, opTriad: {3, 2, 1},
}

// Arrays returns how many arrays of the same size the kernel works on. The
// first is the one that is written, where one is.
func (k Kernel) Arrays() int { return accesses[k.op].arrays }

// ArrayBytes returns the size of each array when so many bytes of memory are
// divided among them: an equal share, rounded down to ArrayStep where there
// are several.
func (k Kernel) ArrayBytes(memory int64) int64 {
	n := int64(k.Arrays())
	if n == 1 {
		return memory
	}
	return memory / n &^ (ArrayStep - 1)
}

// BytesMoved returns how many bytes one pass counts for: every byte read and
// every byte written once, as STREAM counts. Write-allocate traffic does not
// count. array is the size of each array.
func (k Kernel) BytesMoved(array int64) int64 {
	a := accesses[k.op]
	return int64(a.reads+a.writes) * array
}

// BusBytes returns BytesMoved and, where the tier's stores make the caches
// read each line before, the bytes of that. ok is false when nobody can tell.
func (v Variant) BusBytes(array int64) (bytes int64, ok bool) {
	bytes = v.Kernel.BytesMoved(array)
	if v.Tier.WriteAllocate {
		bytes += int64(accesses[v.Kernel.op].writes) * array
	}
	return bytes, !v.Tier.unknownStores
}

// Words is what each 64-bit word of each array holds: memory is uniform
// within an array between passes.
type Words [MaxArrays]uint64

// Twice returns a 64-bit word of which both halves are w.
func Twice(w uint32) uint64 { return uint64(w)<<32 | uint64(w) }

// floating says whether the op calculates with float64.
func (o op) floating() bool { return o >= opScale }

// First returns what the first touch should write to each 32-bit word of an
// array, made of a pattern. Where the kernel calculates, the word is such
// that two of them are a float64 from 1 up to 2: no NaN and no denormal comes
// up, which some processors are slow with.
func (k Kernel) First(array int, pattern uint32) uint32 {
	pattern += uint32(array) * 0x9e3779b9
	if k.op.floating() {
		const exponentOf1, mantissa = 0x3ff00000, 1<<20 - 1
		return exponentOf1 | pattern&mantissa
	}
	return pattern
}

// Scalar returns the s of a pass with a pattern: a whole number from 2 to 9.
// STREAM's is always 3; one that changes shows whether a pass was made.
func Scalar(pattern uint32) float64 { return float64(2 + pattern%8) }

// After returns what the arrays hold after a pass with a pattern, given what
// they held before.
func (k Kernel) After(held Words, pattern uint32) Words {
	number := math.Float64frombits
	switch k.op {
	case opFill:
		held[0] = Twice(k.Stored(pattern))
	case opRMW:
		held[0] = uint64(uint32(held[0]>>32)+pattern)<<32 | uint64(uint32(held[0])+pattern)
	case opCopy:
		held[0] = held[1]
	case opScale:
		held[0] = math.Float64bits(Scalar(pattern) * number(held[1]))
	case opAdd:
		held[0] = math.Float64bits(number(held[1]) + number(held[2]))
	case opTriad:
		product := Scalar(pattern) * number(held[2])
		held[0] = math.Float64bits(number(held[1]) + float64(product))
	}
	return held
}

// Sums says whether Run returns a sum: the kernel only reads.
func (k Kernel) Sums() bool { return k.op == opSum }

// Operands are one call's memory: N bytes at each pointer that the kernel has
// an array for.
type Operands struct {
	P       [MaxArrays]unsafe.Pointer
	N       uintptr
	Pattern uint32
}

// Run runs the variant over the operands. A kernel that sums returns the sum,
// modulo 2^64, of the 64-bit words; others return 0. It panics when the
// contract is broken, as Fill does.
func (v Variant) Run(o *Operands) uint64 {
	k := v.Kernel
	if k.op == opFill {
		v.Fill(o.P[0], o.N, o.Pattern)
		return 0
	}
	for _, p := range o.P[:k.Arrays()] {
		if p == nil || uintptr(p)%Align != 0 || o.N%8 != 0 || o.N > MaxCall {
			panic(fmt.Sprintf("kernel: Run(%v, %d): want %d-byte alignment, a multiple of 8 bytes, at most %d", o.P, o.N, Align, MaxCall))
		}
	}
	switch k.op {
	case opSum:
		return v.Tier.sum(o.P[0], o.N)
	case opRMW:
		v.Tier.fill(o.P[0], o.N, o.Pattern)
	default:
		c := o.P[1]
		if k.Arrays() == MaxArrays {
			c = o.P[2]
		}
		v.Tier.stream(o.P[0], o.P[1], c, o.N, Scalar(o.Pattern))
	}
	return 0
}

// SumOf returns what Run must return for n bytes of an array whose 64-bit
// words are all w.
func SumOf(w uint64, n uint64) uint64 { return w * (n / 8) }
