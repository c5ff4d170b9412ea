package kernel

import "unsafe"

const wordBytes = unsafe.Sizeof(uint(0))

// fillGo is the reference that every other tier is checked against. The
// compiler turns it into one 32-bit store an iteration.
func fillGo(p unsafe.Pointer, n uintptr, pattern uint32) {
	words := unsafe.Slice((*uint32)(p), n/4)
	for i := range words {
		words[i] = pattern
	}
}

// fillWordGo stores words of the build's own size.
func fillWordGo(p unsafe.Pointer, n uintptr, pattern uint32) {
	whole := n / wordBytes
	words := unsafe.Slice((*uint)(p), whole)
	w := wordOf(pattern)
	for i := range words {
		words[i] = w
	}
	fillGo(unsafe.Add(p, whole*wordBytes), n-whole*wordBytes, pattern)
}

func zeroGo(p unsafe.Pointer, n uintptr, _ uint32) {
	clear(unsafe.Slice((*uint32)(p), n/4))
}

// wordOf repeats a pattern to the width of the build's word.
func wordOf(pattern uint32) uint {
	w := uint64(pattern)
	return uint(w<<32 | w)
}

// A Difference is a 32-bit word that does not hold what it should.
type Difference struct {
	Offset          uintptr // in bytes
	Expected, Found uint32
}

// CheckWords compares every 64-bit word of [p, p+n) with want. When one
// differs it returns false with the first half of one that does. p is aligned
// to Align, n is a multiple of 4.
func CheckWords(p unsafe.Pointer, n uintptr, want uint64) (Difference, bool) {
	const unroll = 8
	// In words of the build: 64-bit ones are slow on 386. The halves stand in
	// memory as a 64-bit store leaves them.
	halves := *(*[2]uint32)(unsafe.Pointer(&want))
	var w [2]uint
	if wordBytes == 8 {
		w = [2]uint{uint(want), uint(want)}
	} else {
		w = [2]uint{uint(halves[0]), uint(halves[1])}
	}
	words := unsafe.Slice((*uint)(p), n/wordBytes)
	clean := 0 // words known to be right
	for ; clean+unroll <= len(words); clean += unroll {
		s := words[clean : clean+unroll : clean+unroll]
		if (s[0]^w[0])|(s[1]^w[1])|(s[2]^w[0])|(s[3]^w[1])|(s[4]^w[0])|(s[5]^w[1])|(s[6]^w[0])|(s[7]^w[1]) != 0 {
			break
		}
	}
	ints := unsafe.Slice((*uint32)(p), n/4)
	for i := clean * int(wordBytes/4); i < len(ints); i++ {
		if ints[i] != halves[i%2] {
			return Difference{uintptr(i) * 4, halves[i%2], ints[i]}, false
		}
	}
	return Difference{}, true
}
