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

// Check compares every 32-bit word of [p, p+n) with want. When one differs it
// returns false with the offset in bytes of the first such word and what it
// holds. p is aligned to Align, n is a multiple of 4.
func Check(p unsafe.Pointer, n uintptr, want uint32) (offset uintptr, got uint32, ok bool) {
	const unroll = 8
	w := wordOf(want)
	words := unsafe.Slice((*uint)(p), n/wordBytes)
	clean := 0 // words known to be right
	for ; clean+unroll <= len(words); clean += unroll {
		s := words[clean : clean+unroll : clean+unroll]
		if (s[0]^w)|(s[1]^w)|(s[2]^w)|(s[3]^w)|(s[4]^w)|(s[5]^w)|(s[6]^w)|(s[7]^w) != 0 {
			break
		}
	}
	ints := unsafe.Slice((*uint32)(p), n/4)
	for i := clean * int(wordBytes/4); i < len(ints); i++ {
		if ints[i] != want {
			return uintptr(i) * 4, ints[i], false
		}
	}
	return 0, 0, true
}
