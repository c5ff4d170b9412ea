package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

// LineBytes is the distance of the nodes that LinkLines makes: a cache line of
// most processors, and none of those that have longer ones puts more than two
// nodes into one.
const LineBytes = 64

// LinkLines makes one cycle through lines nodes from p on, one in each
// LineBytes, as Link does. order is room for as many numbers. It returns the
// first node.
func LinkLines(p unsafe.Pointer, lines int, order []uint32, seed uint64) *Node {
	if lines < 1 || len(order) < lines || uint64(lines) > math.MaxUint32 || uintptr(p)%LineBytes != 0 {
		panic(fmt.Sprintf("kernel: LinkLines: %d lines at %p with room for %d numbers", lines, p, len(order)))
	}
	order = order[:lines]
	permute(order, seed)
	for i, next := range order {
		*lineNode(p, i) = Node{Next: lineNode(p, int(next)), Value: i}
	}
	return lineNode(p, 0)
}

// CheckLines returns the first node whose value is not what LinkLines gave it;
// ok is true when there is none.
func CheckLines(p unsafe.Pointer, lines int) (bad int, ok bool) {
	for i := range lines {
		if lineNode(p, i).Value != i {
			return i, false
		}
	}
	return 0, true
}

func lineNode(p unsafe.Pointer, i int) *Node {
	return (*Node)(unsafe.Add(p, uintptr(i)*LineBytes))
}
