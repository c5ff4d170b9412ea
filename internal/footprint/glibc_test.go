package footprint

import "testing"

// What a request of unknown size for data takes lies between the smallest and
// the largest that got such a chunk.
func TestLooseChunks(t *testing.T) {
	for _, size := range []int{48, 96} {
		x := uint64(1)
		got := glibcOf(4000, size, func(m *memory, i, off int) {
			n := size - 23 + i%16 // all requests that have a chunk of this size
			for k := range n {
				x = x*6364136223846793005 + 1442695040888963407
				m.b[off+k] = byte(x>>56) | 0x80
			}
		})
		want := 0.0
		for k := range 16 {
			want += worlds["ilp32"].glibcChunk(float64(size-23+k)) / 16
		}
		about(t, "chunk", perChunk(got, size), want, 0.02)
		if got.then.low >= got.then.mid || got.then.high < got.then.mid {
			t.Errorf("size %d: %+v", size, got.then)
		}
	}
}

// An address may be six printable characters.
func TestAddressIsNoText(t *testing.T) {
	const addr = 0x556130302e40 // "@.00aU"
	m := newMemory(addr&^0xfff, 4096, 8)
	s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
	node := &memory{word: 8, b: make([]byte, 24)}
	node.put(0, addr, 77)
	if textLength(node.b) == 0 {
		t.Fatal("the address does not look like a text: nothing is tested")
	}
	if !s.startsPointer(node.b) {
		t.Error("an address is taken for a text")
	}
	node.put(0, addr+0x10000)
	if s.startsPointer(node.b) {
		t.Error("a text is taken for an address")
	}
	// A list of {next, number} is no text, whatever its addresses look like.
	got := glibcOf(2000, 32, func(m *memory, i, off int) { m.put(off, m.base+uint64(off), uint64(i)) })
	about(t, "text", got.parts[partText], 0, 1)
}

// sparseHeap is a heap of small texts with a free chunk of a size in the middle.
func sparseHeap(free int) *memory {
	sizes := append(repeated(20000, 48), free)
	sizes = append(sizes, repeated(20000, 48)...)
	return heapOf(8, sizes, func(m *memory, i, off, size int) {
		switch i {
		case 20000: // in use or free: the chunk behind it says so
			for k := off; k < off+size-16; k += 8 {
				m.put(k, uint64(k)|1<<62)
			}
		case 20001:
			m.put(off-16, uint64(free), 48)
			fallthrough
		default:
			m.text(off, "a text of thirty-six characters here")
		}
	})
}

// The other build may have given a large buffer back to the system.
func TestFreeChunk(t *testing.T) {
	const text = 40000 * 48
	for _, tc := range []struct {
		free     int
		low, mid float64 // of the free chunk, what is taken to remain
	}{
		{64 << 10, -1, -1}, // below the threshold: like the others, and not counted
		{256 << 10, 0, 1},
		{2 << 20, 0, 0.5},
	} {
		for _, block := range []int{1 << 26, 256 << 10} {
			m := sparseHeap(tc.free)
			s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
			s.peek = peekAll(m)
			v := &vma{start: m.base, end: m.base + uint64(len(m.b)), perms: "rw-p"}
			// The second half of the blocks first: what the chunk is becomes known late.
			for _, odd := range []int{1, 0} {
				for i, off := 0, 0; off < len(m.b); i, off = i+1, off+block {
					if i%2 == odd {
						s.block(0, v, kindHeap, m.base+uint64(off), m.b[off:min(off+block, len(m.b))])
					}
				}
			}
			got := s.settle()[0]
			if tc.low < 0 {
				if got.parts[partOver] > 0.02*text || got.parts[partData] > 0.02*text {
					t.Errorf("%d free in blocks of %d: counted", tc.free, block)
				}
				continue
			}
			free := float64(tc.free)
			about(t, "low", got.then.low, text+free*tc.low, 0.08)
			about(t, "mid", got.then.mid, text+free*tc.mid, 0.08)
			about(t, "high", got.then.high, text+free, 0.08)
		}
	}
}
