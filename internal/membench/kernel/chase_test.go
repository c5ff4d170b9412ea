package kernel

import "testing"

func cycle(n int, seed uint64) []Node {
	nodes := make([]Node, n)
	Link(nodes, make([]uint32, n), seed)
	return nodes
}

// All nodes must be in one cycle: of a shorter one, only a part of the memory
// would be measured.
func TestLinkMakesOneCycle(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 255, 4096, 100_003} {
		for seed := range uint64(5) {
			nodes := cycle(n, seed)
			hops, sum := Walk(&nodes[0], int64(n)+1)
			if want := uint32(uint64(n) * uint64(n-1) / 2); hops != int64(n) || sum != want {
				t.Errorf("%d nodes, seed %d: back after %d, sum %d; want %d", n, seed, hops, sum, want)
			}
		}
	}
}

func TestChaseAgreesWithSingleSteps(t *testing.T) {
	nodes := cycle(1009, 7)
	for _, hops := range []int{0, 1, 15, 16, 17, 31, 32, 1008, 1009, 1010, 100_000} {
		want := &nodes[3]
		for range hops {
			want = want.Next
		}
		if got := Chase(&nodes[3], hops); got != want {
			t.Errorf("%d hops: at %d, want %d", hops, got.Value, want.Value)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a boundless call went unnoticed")
		}
	}()
	Chase(&nodes[0], MaxHops+1)
}

// Neither a prefetcher's stride nor the next line: hops are far, and no
// distance is frequent.
func TestLinkIsRandom(t *testing.T) {
	const n = 1 << 14
	nodes := cycle(n, 1)
	seen := make(map[int]int)
	near := 0
	for i := range nodes {
		d := nodes[i].Next.Value - i
		if seen[d]++; seen[d] > 20 {
			t.Fatalf("a hop of %d nodes is made %d times", d, seen[d])
		}
		if d > -8 && d < 8 {
			near++
		}
	}
	if near > n/200 {
		t.Errorf("%d of %d hops stay within a cache line or two", near, n)
	}
	same := cycle(n, 1)
	other := cycle(n, 2)
	equal := 0
	for i := range nodes {
		if nodes[i].Next.Value != same[i].Next.Value {
			t.Fatal("the same seed gives another cycle")
		}
		if nodes[i].Next.Value == other[i].Next.Value {
			equal++
		}
	}
	if equal > n/100 {
		t.Errorf("another seed gives the same hop in %d of %d nodes", equal, n)
	}
}
