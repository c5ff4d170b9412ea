package membench

// pattern returns what a worker's words hold after a pass: never 0, and never
// the same for two passes in a row or for two workers in the same pass. Pass
// 0 is the first touch.
func pattern(seed uint32, worker int, pass int64) uint32 {
	// A bijective mix (the finalizer of MurmurHash3, constants public domain)
	// of a counter: two counters never give the same pattern.
	x := seed + uint32(worker)*0x9e3779b9 + uint32(pass)
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	x ^= x >> 16
	if x == 0 {
		return 0x9e3779b9
	}
	return x
}
