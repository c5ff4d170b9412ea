// Package kernel holds the loops that memtest times: one table, one contract.
//
// # Contract
//
// A fill function gets a pointer p aligned to Align (64) bytes, a length n in
// bytes that is a multiple of 4 and at most MaxCall, and a 32-bit pattern. It
// stores the pattern, in the machine's byte order, to every aligned 32-bit
// word of [p, p+n), and touches nothing outside of it. The kernel "zero"
// stores zeros whatever the pattern.
//
// The other kernels work on one, two or three arrays a, b and c: n bytes at
// pointers aligned likewise, n a multiple of 8. "read" returns the sum, modulo
// 2^64, of a's 64-bit words; "rmw" adds the pattern to a's 32-bit words; the
// rest store to a what STREAM's kernels do, in float64: b, s*b, b+c or b+s*c,
// without fused operations, so that all tiers round alike. Kernel.After tells
// what memory holds afterwards.
//
// Weakly ordered stores need Fence before they can be said to be done. Every
// kernel and tier leaves the same memory as the plain Go loop; the tests
// compare them.
//
// Work per call is bounded by MaxCall since the Go scheduler cannot interrupt
// assembly: callers walk their memory in steps of Block.
//
// A tier is one implementation of a kernel for one instruction-set level. On
// 386 and amd64 the loops are made from the same macros (fill_x86.h and
// stream_x86.h), so that both builds run the same instructions; write-word
// alone differs, by intent.
//
// Building with the tag purego leaves the assembly out.
package kernel
