package kernel

import "fmt"

// Repeats says whether the kernel can run several times over the same memory
// in one call of Loop: it has one array, and what that holds does not depend
// on how often.
func (k Kernel) Repeats() bool { return k.op == opFill || k.op == opSum }

// Loop is Run so many times over the same operands, with the contract checked
// once: over a few KiB a pass takes no longer than such checks do. All of it is
// bounded by MaxCall. Of a kernel that sums it returns the sum of all sums.
func (v Variant) Loop(o *Operands, times int) uint64 {
	if !v.Kernel.Repeats() || times < 1 || o.N > 0 && uintptr(times) > MaxCall/o.N || times > MaxCall {
		panic(fmt.Sprintf("kernel: Loop(%s, %d bytes, %d times): want a kernel that repeats, at most %d bytes in all", v, o.N, times, MaxCall))
	}
	sum := v.Run(o) // which checks the rest
	if v.Kernel.op == opSum {
		f := v.Tier.sum
		for range times - 1 {
			sum += f(o.P[0], o.N)
		}
		return sum
	}
	f := v.Tier.fill
	for range times - 1 {
		f(o.P[0], o.N, o.Pattern)
	}
	return sum
}
