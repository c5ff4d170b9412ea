package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"
)

// Node is the least that linked data can be made of: a native pointer and a
// native int, 8 bytes in 32-bit builds and 16 in 64-bit ones.
type Node struct {
	Next  *Node
	Value int
}

// NodeBytes is the size of a Node in this build.
const NodeBytes = int64(unsafe.Sizeof(Node{}))

const (
	// MaxHops is the most that one call of Chase may be asked for: the Go
	// scheduler may be unable to interrupt it, where preemption is off.
	MaxHops = 1 << 20
	// chaseUnroll is how many hops stand in a row.
	chaseUnroll = 16
)

// Chase follows so many pointers from p and returns the node where it ends.
// Each load's address comes out of the load before, so that nothing but their
// latency counts: the compiler's loop is as fast as one in assembly. On amd64
// and 386 a hop is one load and nothing else. hops is at most MaxHops.
func Chase(p *Node, hops int) *Node {
	if hops > MaxHops {
		panic(fmt.Sprintf("kernel: Chase: %d hops, want at most %d", hops, MaxHops))
	}
	for ; hops >= chaseUnroll; hops -= chaseUnroll {
		p = p.Next.Next.Next.Next
		p = p.Next.Next.Next.Next
		p = p.Next.Next.Next.Next
		p = p.Next.Next.Next.Next
	}
	for ; hops > 0; hops-- {
		p = p.Next
	}
	return p
}

// Link makes one cycle through all nodes, in an order that no prefetcher can
// guess: a random cyclic permutation (Sattolo, Information Processing Letters
// 22, 1986), the same in every build for the same seed and number of nodes.
// Node i's value is i, cut to an int. order is room for as many numbers; there
// are at least one node and at most 2^32 - 1.
func Link(nodes []Node, order []uint32, seed uint64) {
	n := len(nodes)
	if n == 0 || len(order) < n || uint64(n) > math.MaxUint32 {
		panic(fmt.Sprintf("kernel: Link: %d nodes with room for %d numbers", n, len(order)))
	}
	order = order[:n]
	permute(order, seed)
	for i := range nodes {
		nodes[i] = Node{Next: &nodes[order[i]], Value: i}
	}
}

// permute fills order with a random cyclic permutation.
func permute(order []uint32, seed uint64) {
	for i := range order {
		order[i] = uint32(i)
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(order))))
	for i := len(order) - 1; i > 0; i-- {
		j := r.Uint32N(uint32(i))
		order[i], order[j] = order[j], order[i]
	}
}

// Walk follows pointers from the first node until it is back, or has made
// most hops, and returns how many it made and the sum of the values met, as
// 32 bits of it.
func Walk(first *Node, most int64) (hops int64, sum uint32) {
	p := first
	for hops < most {
		sum += uint32(p.Value)
		p = p.Next
		hops++
		if p == first {
			break
		}
	}
	return hops, sum
}
