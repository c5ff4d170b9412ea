package footprint

import (
	"math"
	"testing"
)

// heapOf builds a heap of glibc's malloc: chunks of the given sizes, filled by
// fill, and the top chunk.
func heapOf(word int, sizes []int, fill func(m *memory, i, off, size int)) *memory {
	total := 0
	for _, s := range sizes {
		total += s
	}
	top := (total + 64<<10) &^ (64<<10 - 1)
	base := uint64(0x7f1000000000)
	if word == 4 {
		base = 0x9000000
	}
	m := newMemory(base, top, word)
	off := 0
	for i, s := range sizes {
		m.put(off+word, uint64(s|chunkPrevInUse))
		fill(m, i, off+2*word, s)
		off += s
	}
	m.put(off+word, uint64(top-off|chunkPrevInUse))
	return m
}

// total scans a memory as one mapping, in blocks, and returns what was seen.
func total(s *scanner, m *memory, k kind, block int) tally {
	v := &vma{start: m.base, end: m.base + uint64(len(m.b)), perms: "rw-p"}
	for off := 0; off < len(m.b); off += block {
		s.block(0, v, k, m.base+uint64(off), m.b[off:min(off+block, len(m.b))])
	}
	return s.settle()[0]
}

func about(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %.4g, want %.4g", what, got, want)
	}
}

// A list of {next, long} takes chunks of 32 bytes on 64 bits, of 16 on 32.
func TestGlibcList(t *testing.T) {
	sizes := make([]int, 20000)
	for i := range sizes {
		sizes[i] = 32
	}
	m := heapOf(8, sizes, func(m *memory, i, off, size int) {
		next := uint64(0)
		if i > 0 {
			next = m.base + uint64(off-32)
		}
		m.put(off, next, uint64(i))
	})
	for _, block := range []int{len(m.b), 256 << 10, 12288} {
		s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
		got := total(s, m, kindHeap, block)
		if got.alloc[allocGlibc] < 0.97*20000*32 {
			t.Errorf("blocks of %d: %v of %d bytes recognised as chunks", block, got.alloc[allocGlibc], 20000*32)
		}
		about(t, "low ratio", got.then.low/got.seen, 0.5, 0.03)
		about(t, "ratio", got.then.mid/got.seen, 0.51, 0.06)
	}
}

// Texts stay as they are, but for malloc's header.
func TestGlibcTexts(t *testing.T) {
	const text = "a text of thirty-six characters here"
	sizes := make([]int, 5000)
	for i := range sizes {
		sizes[i] = 48
	}
	m := heapOf(8, sizes, func(m *memory, _, off, _ int) { m.text(off, text) })
	got := total(scannerFor(worlds["lp64"], worlds["ilp32"], m), m, kindHeap, len(m.b))
	about(t, "37 bytes take a chunk of 48 in both", got.then.mid/got.seen, 1, 0.03)
	if got.parts[partText] < 0.9*5000*48 {
		t.Errorf("text: %v bytes", got.parts[partText])
	}
}

// The other way round: a 32-bit list takes twice as much on 64 bits.
func TestGlibcList32(t *testing.T) {
	sizes := make([]int, 20000)
	for i := range sizes {
		sizes[i] = 16
	}
	m := heapOf(4, sizes, func(m *memory, i, off, _ int) {
		next := uint64(0)
		if i > 0 {
			next = m.base + uint64(off-16)
		}
		m.put(off, next, uint64(i*3))
	})
	s := scannerFor(worlds["ilp32"], worlds["lp64"], m)
	got := total(s, m, kindHeap, len(m.b))
	if got.alloc[allocGlibc] < 0.9*20000*16 {
		t.Fatalf("%v bytes recognised as chunks", got.alloc[allocGlibc])
	}
	about(t, "ratio", got.then.mid/got.seen, 2, 0.05)
}

// Memory that is no heap must not be taken for one.
func TestNoChunks(t *testing.T) {
	m := newMemory(0x7f1000000000, 256<<10, 8)
	x := uint64(1)
	for off := 0; off < len(m.b); off += 8 {
		x = x*6364136223846793005 + 1442695040888963407
		m.put(off, x|1<<55)
	}
	got := total(scannerFor(worlds["lp64"], worlds["ilp32"], m), m, kindAnon, len(m.b))
	if got.alloc[allocGlibc] != 0 {
		t.Errorf("%v bytes of noise taken for chunks", got.alloc[allocGlibc])
	}
	about(t, "noise stays", got.then.mid/got.seen, 1, 0.001)
}

func TestArrays(t *testing.T) {
	for _, tc := range []struct {
		name           string
		words          func(i int) uint64
		low, mid, high float64 // of the size now
		bare           bool
	}{
		{"pointers", func(i int) uint64 { return 0x7f1000000000 + uint64(i*8%4096) }, 0.5, 0.5, 0.5, false},
		{"sparse table of pointers", func(i int) uint64 { return map[bool]uint64{true: 0x7f1000000000 + uint64(i%4096)}[i%3 == 0] }, 0.5, 0.5, 0.5, false},
		{"floats", func(i int) uint64 { return math.Float64bits(float64(i)*0.37 + 0.1) }, 1, 1, 1, false},
		{"small integers", func(i int) uint64 { return uint64(i) + 1 }, 0.5, 0.7, 1, true},
		{"pairs", func(i int) uint64 { return uint64(i+1)<<32 | uint64(i+7) }, 1, 1, 1, false},
		{"string headers", func(i int) uint64 {
			if i%2 == 0 {
				return 0x7f1000000000 + uint64(i%4096)
			}
			return uint64(i%90) + 1
		}, 0.5, 0.51, 0.75, false},
		{"records of pointer and float", func(i int) uint64 {
			if i%2 == 0 {
				return 0x7f1000000000 + uint64(i%4096)
			}
			return math.Float64bits(float64(i) * 1.7)
		}, 0.75, 0.75, 0.75, false},
		{"records of three: pointer, number, float", func(i int) uint64 {
			switch i % 3 {
			case 0:
				return 0x7f1000000000 + uint64(i%4096)
			case 1:
				return uint64(i)
			}
			return math.Float64bits(float64(i) * 1.7)
		}, 2. / 3, 0.67, 0.84, false},
	} {
		m := newMemory(0x7f1000000000, 64<<10, 8)
		for i := range len(m.b) / 8 {
			m.put(i*8, tc.words(i))
		}
		s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
		s.array(0, m.base, m.b)
		got := s.settle()[0]
		n := float64(len(m.b))
		about(t, tc.name+": seen", got.seen, n, 0.001)
		about(t, tc.name+": low", got.then.low/n, tc.low, 0.02)
		about(t, tc.name+": middle", got.then.mid/n, tc.mid, 0.02)
		about(t, tc.name+": high", got.then.high/n, tc.high, 0.02)
		if (got.bareDown+got.bareUp > 0.2*n) != tc.bare {
			t.Errorf("%s: bare integers hang %v of %v bytes", tc.name, got.bareDown+got.bareUp, n)
		}
	}
}

// What the user says of bare integers decides.
func TestInts(t *testing.T) {
	for ints, want := range map[string]float64{"word": 0.5, "fixed": 1} {
		m := newMemory(0x7f1000000000, 64<<10, 8)
		for i := range len(m.b) / 8 {
			m.put(i*8, uint64(i)+1)
		}
		s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
		s.w.ints = ints
		s.array(0, m.base, m.b)
		got := s.settle()[0]
		about(t, ints, got.then.mid/got.seen, want, 0.02)
		if got.bareDown+got.bareUp > 0.02*got.seen {
			t.Errorf("%s: still in doubt", ints)
		}
	}
}

// With compressed pointers the integers stay.
func TestPointersOnly(t *testing.T) {
	m := newMemory(0x7f1000000000, 64<<10, 8)
	for i := range len(m.b) / 16 {
		m.put(i*16, m.base+uint64(i), uint64(i)+1)
	}
	s := scannerFor(worlds["lp64"], worlds["ptr32"], m)
	s.w.ptrOnly = true
	s.array(0, m.base, m.b)
	got := s.settle()[0]
	about(t, "ratio", got.then.mid/got.seen, 0.75, 0.01)
	about(t, "no doubt", got.then.high-got.then.low, 0, 0.01)
}
