package kernel

import (
	"fmt"
	"strings"
	"unsafe"
)

const (
	// Align is the alignment in bytes that every fill function wants of its
	// pointer: one cache line, and the widest vector.
	Align = 64
	// Block is the step in bytes in which callers should walk their memory.
	Block = 4 << 20
	// MaxCall is the most bytes of an array that one call may be asked for.
	MaxCall = 16 << 20
)

// A fillFunc stores pattern to each 32-bit word of [p, p+n); see the
// package's contract.
type fillFunc func(p unsafe.Pointer, n uintptr, pattern uint32)

// Tier is one implementation of a kernel.
type Tier struct {
	Name string
	Doc  string // the instruction that stores or loads, and how many bytes
	// WriteAllocate: ordinary stores, for which most caches first read the
	// line, so that the memory bus carries about twice the bytes counted.
	WriteAllocate bool

	// One of these is set, as the kernel's op wants.
	fill   fillFunc
	sum    sumFunc
	stream streamFunc

	weak bool // weakly ordered stores, which a fence must follow
	// unknownStores: what the stores do to the caches is another's choice.
	unknownStores bool
	// unusable says why this tier cannot run here; empty when it can.
	unusable string
}

// Unusable says why the tier cannot run on this CPU, operating system and
// build; it is empty when it can.
func (t Tier) Unusable() string { return t.unusable }

// Kernel is one way to use memory, in one or more tiers, best first.
type Kernel struct {
	Name  string
	Doc   string
	Tiers []Tier
	// Zero: the kernel stores zeros, whatever the pattern.
	Zero bool
	op   op
}

// Stored returns what each 32-bit word holds after a fill with pattern.
func (k Kernel) Stored(pattern uint32) uint32 {
	if k.Zero {
		return 0
	}
	return pattern
}

// Best returns the best tier that is usable here. Every kernel with a plain
// Go tier has one; others may have none.
func (k Kernel) Best() (Tier, bool) {
	for _, t := range k.Tiers {
		if t.unusable == "" {
			return t, true
		}
	}
	return Tier{}, false
}

// Variant is a kernel with the tier that was chosen.
type Variant struct {
	Kernel Kernel
	Tier   Tier
}

// String returns "kernel/tier".
func (v Variant) String() string { return v.Kernel.Name + "/" + v.Tier.Name }

// Fill runs the variant, of a kernel that only writes, over [p, p+n). It
// panics when the contract is broken, for a misaligned vector store or a
// boundless call must not go unnoticed.
func (v Variant) Fill(p unsafe.Pointer, n uintptr, pattern uint32) {
	if uintptr(p)%Align != 0 || n%4 != 0 || n > MaxCall {
		panic(fmt.Sprintf("kernel: Fill(%p, %d): want %d-byte alignment, a multiple of 4 bytes, at most %d", p, n, Align, MaxCall))
	}
	v.Tier.fill(p, n, pattern)
}

// Fence waits until all stores of earlier fills are done. Weakly ordered ones
// (non-temporal, CLZERO) may be on their way still when Fill returns; a timed
// pass ends with a fence, or part of its work would be counted as the next
// one's. Waiting after every block instead cost up to 7 %.
func (v Variant) Fence() {
	if v.Tier.weak {
		fence()
	}
}

// Default is the kernel that memtest uses unless told otherwise.
const Default = "write"

// Select finds a variant by "NAME" (its best tier here) or "NAME/TIER". The
// error is a *SelectError.
func Select(spec string) (Variant, error) {
	name, tier, wantTier := strings.Cut(spec, "/")
	for _, k := range Table() {
		if k.Name != name {
			continue
		}
		if !wantTier {
			if t, ok := k.Best(); ok {
				return Variant{k, t}, nil
			}
			return Variant{}, &SelectError{spec, "cannot run here: " + k.Tiers[0].unusable}
		}
		for _, t := range k.Tiers {
			switch {
			case t.Name != tier:
			case t.unusable != "":
				return Variant{}, &SelectError{spec, "cannot run here: " + t.unusable}
			default:
				return Variant{k, t}, nil
			}
		}
		return Variant{}, &SelectError{spec, "no such tier; " + name + " has " + tierNames(k)}
	}
	return Variant{}, &SelectError{spec, "no such kernel; there are " + kernelNames()}
}

// SelectError says why a kernel specification cannot be used.
type SelectError struct {
	Spec   string
	Reason string
}

func (e *SelectError) Error() string { return fmt.Sprintf("%q: %s", e.Spec, e.Reason) }

func tierNames(k Kernel) string {
	names := make([]string, len(k.Tiers))
	for i, t := range k.Tiers {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

func kernelNames() string {
	table := Table()
	names := make([]string, len(table))
	for i, k := range table {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}
