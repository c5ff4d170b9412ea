package kernel

import "unsafe"

// A sumFunc returns the sum, modulo 2^64, of the 64-bit words of [p, p+n),
// taken in the machine's byte order.
type sumFunc func(p unsafe.Pointer, n uintptr) uint64

// A streamFunc stores to the n bytes at a what its kernel makes of the arrays
// b and c, of n bytes too, and the scalar s. Kernels that need no c or no s
// do not look at them.
type streamFunc func(a, b, c unsafe.Pointer, n uintptr, s float64)

// loopBytes is what the assembly takes in one iteration or several: the rest
// of a block is done in plain Go.
const loopBytes = 256

func doubles(p unsafe.Pointer, n uintptr) []float64 { return unsafe.Slice((*float64)(p), n/8) }

// The plain Go loops are the reference that every other tier is checked
// against.

func copyGo(a, b, _ unsafe.Pointer, n uintptr, _ float64) {
	to := unsafe.Slice((*uint64)(a), n/8) // bits, so that every one of them arrives
	from := unsafe.Slice((*uint64)(b), n/8)[:len(to)]
	for i := range to {
		to[i] = from[i]
	}
}

func scaleGo(a, b, _ unsafe.Pointer, n uintptr, s float64) {
	to := doubles(a, n)
	from := doubles(b, n)[:len(to)]
	for i := range to {
		to[i] = s * from[i]
	}
}

func addGo(a, b, c unsafe.Pointer, n uintptr, _ float64) {
	to := doubles(a, n)
	x, y := doubles(b, n)[:len(to)], doubles(c, n)[:len(to)]
	for i := range to {
		to[i] = x[i] + y[i]
	}
}

func triadGo(a, b, c unsafe.Pointer, n uintptr, s float64) {
	to := doubles(a, n)
	x, y := doubles(b, n)[:len(to)], doubles(c, n)[:len(to)]
	for i := range to {
		// The conversion forbids a fused multiplication: all tiers round alike.
		to[i] = x[i] + float64(s*y[i])
	}
}

// memmoveGo is the runtime's own memmove.
func memmoveGo(a, b, _ unsafe.Pointer, n uintptr, _ float64) {
	copy(unsafe.Slice((*byte)(a), n), unsafe.Slice((*byte)(b), n))
}

func rmwGo(p unsafe.Pointer, n uintptr, pattern uint32) {
	words := unsafe.Slice((*uint32)(p), n/4)
	for i := range words {
		words[i] += pattern
	}
}

func sumGo(p unsafe.Pointer, n uintptr) uint64 {
	var sum uint64
	for _, w := range unsafe.Slice((*uint64)(p), n/8) {
		sum += w
	}
	return sum
}

// wholeStream lets the assembly do whole iterations and Go the rest.
func wholeStream(fast, slow streamFunc) streamFunc {
	return func(a, b, c unsafe.Pointer, n uintptr, s float64) {
		whole := n &^ (loopBytes - 1)
		if whole > 0 {
			fast(a, b, c, whole, s)
		}
		if rest := n - whole; rest > 0 {
			slow(unsafe.Add(a, whole), unsafe.Add(b, whole), unsafe.Add(c, whole), rest, s)
		}
	}
}

func wholeRMW(fast fillFunc) fillFunc {
	return func(p unsafe.Pointer, n uintptr, pattern uint32) {
		whole := n &^ (loopBytes - 1)
		if whole > 0 {
			fast(p, whole, pattern)
		}
		rmwGo(unsafe.Add(p, whole), n-whole, pattern)
	}
}

func wholeSum(fast sumFunc) sumFunc {
	return func(p unsafe.Pointer, n uintptr) uint64 {
		whole := n &^ (loopBytes - 1)
		var sum uint64
		if whole > 0 {
			sum = fast(p, whole)
		}
		return sum + sumGo(unsafe.Add(p, whole), n-whole)
	}
}
