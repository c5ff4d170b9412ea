package kernel

import (
	"testing"
	"unsafe"
)

func lines(n int) unsafe.Pointer {
	buf := make([]Node, (n+1)*LineBytes/int(NodeBytes)) // which has pointers, so that the collector sees them
	p := unsafe.Pointer(&buf[0])
	return unsafe.Add(p, -uintptr(p)%LineBytes)
}

// All lines must be in one cycle, in the order that Link gives as many nodes.
func TestLinkLinesMakesOneCycle(t *testing.T) {
	for _, n := range []int{1, 2, 3, 64, 1000, 50_001} {
		p := lines(n)
		first := LinkLines(p, n, make([]uint32, n), 7)
		hops, sum := Walk(first, int64(n)+1)
		if want := uint32(uint64(n) * uint64(n-1) / 2); hops != int64(n) || sum != want {
			t.Errorf("%d lines: back after %d, sum %d; want %d", n, hops, sum, want)
		}
		nodes := cycle(n, 7)
		a, b := first, &nodes[0]
		for range min(n, 100) {
			if a, b = a.Next, b.Next; a.Value != b.Value || uintptr(unsafe.Pointer(a)) != uintptr(p)+uintptr(a.Value)*LineBytes {
				t.Fatalf("%d lines: at %d, want %d", n, a.Value, b.Value)
			}
		}
		if bad, ok := CheckLines(p, n); !ok {
			t.Errorf("%d lines: line %d is called wrong", n, bad)
		}
		lineNode(p, n/2).Value ^= 4
		if bad, ok := CheckLines(p, n); ok || bad != n/2 {
			t.Errorf("%d lines: %d, %v; line %d is wrong", n, bad, ok, n/2)
		}
	}
}
