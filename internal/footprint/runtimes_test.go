package footprint

import (
	"encoding/binary"
	"testing"
)

// goHeap writes spans and their records as Go 1.26 lays them out, and the
// heap's list of them into a data segment.
type goHeap struct {
	heap, records, data *memory
	n                   int
}

const recordSize = 160

func newGoHeap(pages, word int) *goHeap {
	base := uint64(0xc000000000)
	if word == 4 {
		base = 0x18400000
	}
	g := &goHeap{heap: newMemory(base, pages*goPage, word), records: newMemory(base+0x10000000, 64<<10, word), data: newMemory(base-0x1000000, 4096, word)}
	const list = 32 << 10 // of pointers to records
	g.data.put(24*word, g.records.base+list, 0, 64)
	return g
}

// add adds a span at a page.
func (g *goHeap) add(page, pages int, class, state byte, noscan bool, limit int) {
	w := g.heap.word
	at := g.n * recordSize
	start := g.heap.base + uint64(page*goPage)
	g.records.put(at+3*w, start, uint64(pages))
	elem := 13 * w
	g.records.b[at+elem-6] = class << 1
	if noscan {
		g.records.b[at+elem-6] |= 1
	}
	g.records.b[at+elem-5] = state
	size := uint64(0)
	if class > 0 {
		size = uint64(goSizes[class-1].size)
	}
	g.records.put(at+elem, size, start+uint64(limit))
	g.records.put(32<<10+g.n*w, g.records.base+uint64(at))
	g.n++
	g.data.put(24*w+w, uint64(g.n))
}

func TestGoSpans(t *testing.T) {
	for _, word := range []int{8, 4} {
		g := newGoHeap(16, word)
		bitmap := goPage / 8 / word
		// Ten pages of {pointer, int}: the bitmap at the end says so.
		for page := range 10 {
			room := goPage - bitmap
			size := 2 * word
			class := byte(size / 8) // 8 is class 1, 16 class 2
			g.add(page, 1, class, spanInUse, false, room/size*size)
			for off := 0; off+size <= room; off += size {
				g.heap.put(page*goPage+off, g.heap.base+uint64(off), uint64(off+1))
				bit := off / word
				g.heap.b[page*goPage+room+bit/8] |= 1 << (bit % 8)
			}
		}
		g.add(10, 4, 0, spanManual, true, 4*goPage) // not stacks of a known size
		g.add(14, 1, 2, 0, true, 0)                 // dead
		sp := spaceOf(g.data, g.heap, g.records)
		spans := findSpans(layout{word}, sp, [][]byte{g.data.b}, peekAll(g.data, g.heap, g.records))
		if spans == nil || len(spans.spans) != 11 {
			t.Fatalf("%d-byte words: %+v", word, spans)
		}
		if s := spans.spans[0]; s.elem != uint32(2*word) || !s.pointers || s.state != spanInUse || s.start != g.heap.base {
			t.Errorf("%d-byte words: first span %+v", word, s)
		}
		from, to := worlds["lp64"], worlds["ilp32"]
		if word == 4 {
			from, to = to, from
		}
		s := scannerFor(from, to, g.data, g.heap, g.records)
		s.spans = spans
		got := total(s, &memory{base: g.heap.base, word: word, b: g.heap.b[:10*goPage]}, kindAnon, 3*goPage)
		about(t, "seen", got.seen, 10*goPage, 0.02)
		want := to.goBlock(2*to.word, true, 0) / from.goBlock(2*from.word, true, 0)
		about(t, "ratio", got.then.mid/got.seen, want, 0.05)
	}
}

// A program whose data holds no list of spans has none.
func TestNoSpans(t *testing.T) {
	m := newMemory(0x500000, 8192, 8)
	for off := 0; off+24 <= len(m.b); off += 24 {
		m.put(off, m.base+uint64(off), 9, 10)
	}
	if s := findSpans(layout{8}, spaceOf(m), [][]byte{m.b}, peekAll(m)); s != nil {
		t.Errorf("%+v", s)
	}
}

// groups fills b with groups of a map: eight control bytes, eight slots.
func groups(m *memory, off, n, slot int, used int, put func(off, i int)) {
	for g := range n {
		at := off + g*(8+8*slot)
		for i := range 8 {
			m.b[at+i] = swissEmpty
			if i < used {
				m.b[at+i] = byte(g*7+i) & 0x7f
				put(at+8+i*slot, g*8+i)
			}
		}
	}
}

func TestSwissGroups(t *testing.T) {
	m := newMemory(0xc000000000, 128*(8+8*24), 8)
	groups(m, 0, 128, 24, 6, func(off, i int) { m.put(off, m.base+uint64(i), 5, m.base+uint64(i*8)) })
	if size := swissGroup(m.b); size != 8+8*24 {
		t.Fatalf("groups of %d bytes", size)
	}
	s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
	if !s.swiss(0, &span{start: m.base, pages: 4, elem: 27264, pointers: true}, m.b) {
		t.Fatal("not recognised")
	}
	got := s.settle()[0]
	// 128 groups of 8+8*12 bytes are 13312, of the class of 13568.
	about(t, "then", got.then.mid, worlds["ilp32"].goBlock(128*104, true, 0), 0.08)
	for _, other := range []func(off int){func(off int) { m.text(off, "textpart") }, func(int) {}, func(off int) { m.put(off, uint64(off)) }} {
		clear(m.b)
		for off := 0; off < len(m.b); off += 8 {
			other(off)
		}
		if size := swissGroup(m.b); size != 0 {
			t.Errorf("groups of %d bytes where there are none", size)
		}
	}
}

// pyMemory is an interpreter's data with the types type, list and str, and
// one pool of blocks of a size.
func pyMemory(word int, minor int) (data, pool *memory) {
	base := uint64(0x7f2000000000)
	if word == 4 {
		base = 0x20000000
	}
	data = newMemory(base, 4096, word)
	for i, typ := range []struct{ basic, item, flags uint64 }{
		{40, 40, pyTypeFlag | pyHaveGC}, {uint64(5 * word), 0, pyHaveGC}, {uint64(7 * word), 0, pyText},
	} {
		at := i * 256
		data.put(at, 1, data.base) // of the type type
		data.put(at+4*word, typ.basic, typ.item)
		data.put(at+21*word, typ.flags)
	}
	size := poolBytes(minor, float64(word))
	pool = newMemory(base+0x100000, size, word)
	return data, pool
}

// header writes a pool's header: all blocks of a size are in use.
func poolHeader(pool *memory, size int) (first, n int) {
	w := pool.word
	first = map[int]int{8: 48, 4: 32}[w]
	n = (len(pool.b) - first) / size
	pool.put32(0, uint32(n))
	pool.put32(4*w+4, uint32(size/(2*w)-1), uint32(first+n*size), uint32(len(pool.b)-size))
	return first, n
}

func TestPythonLists(t *testing.T) {
	data, pool := pyMemory(8, 11)
	first, n := poolHeader(pool, 64)
	for i := range n {
		off := first + i*64
		// the collector's links, then the list: count, type, size, items, allocated
		pool.put(off, pool.base+uint64(first), pool.base+uint64(first), 1, data.base+256, 3, pool.base+64, 4)
	}
	s := scannerFor(worlds["lp64"], worlds["ilp32"], data, pool)
	s.py = newPython(11, s.from, s.to, peekAll(data, pool))
	s.w.hashes = true
	got := total(s, pool, kindAnon, len(pool.b))
	about(t, "seen", got.seen, 16384, 0.01)
	// 8 + 20 bytes are a block of 32 in pools of 4096 with a header of 32.
	about(t, "then", got.then.mid, float64(n)*4096/127, 0.06)
	if got.alloc[allocPython] < 16000 {
		t.Errorf("%v bytes recognised", got.alloc[allocPython])
	}
}

func TestPythonTexts(t *testing.T) {
	for minor, header := range map[int]int{11: 48, 12: 40} {
		data, pool := pyMemory(8, minor)
		const text = "twenty-one characters"
		size := (header + len(text) + 1 + 15) &^ 15
		first, n := poolHeader(pool, size)
		for i := range n {
			off := first + i*size
			pool.put(off, 1, data.base+512, uint64(len(text)), 0x9e3779b97f4a7c15)
			pool.put32(off+32, 1<<2|1<<5|1<<6) // kind 1, compact, ASCII
			pool.text(off+header, text)
		}
		s := scannerFor(worlds["lp64"], worlds["ilp32"], data, pool)
		s.py = newPython(minor, s.from, s.to, peekAll(data, pool))
		got := total(s, pool, kindAnon, len(pool.b))
		want := worlds["ilp32"].pyBlock(float64(header/2+len(text)+1), 4096)
		about(t, "a text's block", got.then.mid/float64(n), want, 0.001)
	}
}

// The table of a dict of 3.11: five entries in use of ten, with unicode keys.
func TestPythonKeys(t *testing.T) {
	b := newMemory(0, 512, 8)
	b.put(0, 1)
	b.b[8], b.b[9], b.b[10] = 4, 4, 1
	b.put(16, 5, 5)
	now, then, ok := (&python{minor: 11, l: layout{8}}).keys(b.b, worlds["ilp32"])
	if !ok || now != 32+16+10*16 || then != 20+16+10*8 {
		t.Errorf("%v -> %v, %v", now, then, ok)
	}
	b.put(16, 5, 6)
	if _, _, ok := (&python{minor: 11, l: layout{8}}).keys(b.b, worlds["ilp32"]); ok {
		t.Error("11 entries in 16 slots are too many")
	}
	// 3.9: a table of eight slots.
	clear(b.b)
	b.put(0, 1, 8, 0x7f2000000000, 2, 3)
	now, then, ok = (&python{minor: 9, l: layout{8}}).keys(b.b, worlds["ilp32"])
	if !ok || now != 40+8+5*24 || then != 20+8+5*12 {
		t.Errorf("3.9: %v -> %v, %v", now, then, ok)
	}
}

func TestPythonVersion(t *testing.T) {
	for name, want := range map[string]int{"/usr/bin/python3.11": 11, "/usr/lib/libpython3.12.so.1.0": 12, "/opt/python3.9": 9, "/usr/bin/python3": -1, "/usr/lib/python3.11/x.so": -1, "/home/python3.11/bin/x": -1} {
		got, ok := pythonVersion([]vma{{name: "/x"}, {name: name}})
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// jeHeap writes records of extents into a block of jemalloc's.
func TestJemalloc(t *testing.T) {
	for version, v := range jeLayouts {
		heap := newMemory(0x7f3000000000, 64<<12, 8)
		meta := newMemory(0x7f3100000000, 8192, 8)
		record := func(i int, page, pages int, slab bool, index, state uint64) {
			bits := index<<v.index | state<<v.state
			if slab {
				bits |= jeSlabBit
			}
			meta.put(i*128, bits, heap.base+uint64(page)<<12, uint64(pages)<<12|uint64(i))
		}
		record(1, 0, 1, true, 2, 0)           // regions of 32
		record(2, 1, 3, true, 3, 0)           // of 48
		record(3, 4, 8, false, 40, 0)         // large
		record(4, 12, 4, false, 0, 1)         // free
		record(5, 0, 64, false, 0, 1)         // out of use: it was split
		record(6, 20, 1, true, 1, 0)          // of 16
		record(7, 21, 1, true, 4, 0)          // of 64
		for off := 0; off < 4096; off += 32 { // {next, key, value} and slack
			heap.put(off, heap.base, heap.base+8, heap.base+16)
		}
		got := findSlabs(layout{8}, spaceOf(heap, meta), [][]byte{meta.b}, 4096)
		if got == nil || len(got.slabs) != 6 {
			t.Fatalf("layout %d: %+v", version, got)
		}
		if s := got.slabs[1]; s.reg != 48 || s.start != heap.base+4096 || s.end != heap.base+4*4096 {
			t.Errorf("layout %d: %+v", version, s)
		}
		s := scannerFor(worlds["lp64"], worlds["ilp32"], heap, meta)
		s.slabs = got
		first := &memory{base: heap.base, word: 8, b: heap.b[:4096]}
		sum := total(s, first, kindAnon, 4096)
		about(t, "12 bytes are a region of 16", sum.then.low, 2048, 0.01)
		about(t, "most likely", sum.then.mid, 2048, 0.12)
	}
}

func FuzzRecognisers(f *testing.F) {
	g := newGoHeap(4, 8)
	g.add(0, 1, 2, spanInUse, false, 8064)
	f.Add(g.records.b[:512], uint8(8))
	f.Add(binary.LittleEndian.AppendUint64(nil, 1), uint8(4))
	f.Fuzz(func(t *testing.T, b []byte, word uint8) {
		from, to := worlds["lp64"], worlds["ilp32"]
		if word%2 == 0 {
			from, to = to, from
		}
		m := &memory{base: 0x10000, word: int(from.word), b: b}
		s := scannerFor(from, to, m)
		s.py = newPython(11, from, to, peekAll(m))
		v := &vma{start: m.base, end: m.base + 1<<20, perms: "rw-p"}
		s.block(0, v, kindAnon, m.base, b)
		s.block(0, v, kindAnon, m.base+uint64(len(b)), b)
		findSpans(s.l, s.sp, [][]byte{b}, peekAll(m))
		findSlabs(s.l, s.sp, [][]byte{b}, 4096)
		s.spans = &spanTable{spans: []span{{start: m.base, pages: 1, elem: 48, state: spanInUse, pointers: true}}}
		s.block(0, v, kindAnon, m.base, b)
		for _, one := range s.settle() {
			if !(one.then.low <= one.then.mid+1e-6 && one.then.mid <= one.then.high+1e-6) {
				t.Errorf("%+v", one.then)
			}
		}
	})
}
