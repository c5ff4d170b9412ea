package footprint

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// slab is an extent of jemalloc's: a run of pages that holds regions of one
// size, or a single large allocation.
type slab struct {
	start, end uint64
	reg        uint32 // bytes of a region; 0 for a large allocation
	free       bool   // kept for later
}

// slabTable are the extents in the order of their addresses.
type slabTable struct{ slabs []slab }

func (t *slabTable) from(a uint64) int {
	return sort.Search(len(t.slabs), func(i int) bool { return t.slabs[i].end > a })
}

// covers reports whether an extent is in a stretch of memory.
func (t *slabTable) covers(lo, hi uint64) bool {
	i := t.from(lo)
	return i < len(t.slabs) && t.slabs[i].start < hi
}

// jeSize returns the size class of an index: 8, then multiples of 16 up to
// 128, then four to a doubling.
func jeSize(index int) uint64 {
	switch {
	case index == 0:
		return 8
	case index <= 8:
		return uint64(index) * 16
	}
	group, step := (index-9)/4, (index-9)%4
	base := uint64(128) << group
	return base + uint64(step+1)*base/4
}

// An extent's record starts with its bits, its address, and its size in pages
// (with a serial number in the bits below): edata_s in
// include/jemalloc/internal/edata.h of 5.3, extent_s in extent_structs.h of
// 5.0 to 5.2. The layouts of the bits differ.
var jeLayouts = [...]struct{ state, stateBits, index uint }{
	{17, 3, 20}, // 5.3
	{16, 2, 18}, // 5.0 to 5.2
}

const jeSlabBit = 1 << 12

// jeRecord reads one record; ok is false for what is none.
func jeRecord(l layout, sp *space, b []byte, version int, page uint64) (s slab, slabbed, ok bool) {
	bits := uint64(0)
	off := 8 // e_bits has 64 bits in all builds
	for i := 0; i < 8; i++ {
		bits |= uint64(b[i]) << (8 * i)
	}
	addr, size := l.load(b, off), l.load(b, off+l.word)
	start := addr &^ (page - 1)
	size &^= page - 1
	if size == 0 || size > 1<<40 || start == 0 || !sp.mapped(start) || !sp.mapped(start+size-1) || bits&0xfff >= 0xfff {
		return s, false, false
	}
	v := jeLayouts[version]
	s = slab{start: start, end: start + size, free: bits>>v.state&(1<<v.stateBits-1) != 0}
	if bits&jeSlabBit == 0 {
		return s, false, true
	}
	reg := jeSize(int(bits >> v.index & 0xff))
	if addr != start || reg == 0 || reg > 16<<10 || size%reg != 0 || size/reg > 512 {
		return s, true, false
	}
	s.reg = uint32(reg)
	return s, true, true
}

// findSlabs looks for the records of extents in jemalloc's own memory: blocks
// of at least 2 MiB that start with their size and a link to the next one
// (base_block_s in base_structs.h). blocks are what could be read of them.
func findSlabs(l layout, sp *space, blocks [][]byte, page uint64) *slabTable {
	var best *slabTable
	most := 0
	for v := range jeLayouts {
		t := &slabTable{}
		good := 0
		for _, b := range blocks {
			for off := 0; off+64 <= len(b); off += 64 {
				s, slabbed, ok := jeRecord(l, sp, b[off:], v, page)
				if !ok {
					if slabbed {
						good--
					}
					continue
				}
				if slabbed {
					good++
				}
				t.slabs = append(t.slabs, s)
			}
		}
		if good > most {
			best, most = t, good
		}
	}
	if best != nil {
		best.tidy()
	}
	return best
}

// tidy sorts the extents and resolves overlaps: records out of use are still
// there. What is in use goes before what is free, and the smaller before the
// larger, which it was split off.
func (t *slabTable) tidy() {
	rank := func(s *slab) int {
		switch {
		case s.free:
			return 2
		case s.reg == 0:
			return 1
		}
		return 0
	}
	slices.SortFunc(t.slabs, func(a, b slab) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.end-a.start, b.end-b.start))
	})
	var kept slabTable
	byStart := make([]slab, 0, len(t.slabs))
	for pass := range 3 {
		// Each rank is put beside the ranks before it.
		var add []slab
		for _, s := range t.slabs {
			if rank(&s) == pass && !kept.covers(s.start, s.end) {
				add = append(add, s)
			}
		}
		slices.SortStableFunc(add, func(a, b slab) int { return cmp.Compare(a.start, b.start) })
		last := uint64(0)
		for _, s := range add {
			if s.start >= last {
				byStart = append(byStart, s)
				last = s.end
			}
		}
		slices.SortFunc(byStart, func(a, b slab) int { return cmp.Compare(a.start, b.start) })
		kept.slabs = slices.Clone(byStart)
	}
	t.slabs = kept.slabs
}

// jeBlock counts the regions in a block.
func (s *scanner) jeBlock(ri int, addr uint64, b []byte) {
	end := addr + uint64(len(b))
	for i := s.slabs.from(addr); i < len(s.slabs.slabs); i++ {
		sl := &s.slabs.slabs[i]
		if sl.start >= end {
			return
		}
		lo, hi := max(sl.start, addr), min(sl.end, end)
		part := b[lo-addr : hi-addr]
		switch {
		case sl.free: // its share is that of the others
		case sl.reg == 0 || sl.reg > smallChunk:
			s.labelled(ri, lo, part, allocJemalloc)
		default:
			reg := uint64(sl.reg)
			for off := (reg - (lo-sl.start)%reg) % reg; off+reg <= uint64(len(part)); off += reg {
				s.jeRegion(ri, lo+off, part[off:off+reg])
			}
		}
	}
}

// jeRegion counts the region at addr.
func (s *scanner) jeRegion(ri int, addr uint64, b []byte) {
	key := shapeKey{alloc: allocJemalloc, size: uint32(len(b))}
	if n := textLength(b); n > 3 && !s.startsPointer(b) {
		key.typ = typeText
		s.shapes.of(key, 0).pack(ri, float64(len(b)), exactly(float64(len(b))), partText)
		return
	}
	s.words = s.sp.classify(s.l, b, addr, s.words)
	blank := true
	for _, c := range s.words {
		blank = blank && c == classZero
	}
	if blank {
		return
	}
	key.mask = pointerMask(s.words)
	s.shapes.of(key, len(s.words)).count(ri, s.words)
}

// jemalloc finds jemalloc's extents: from the pointers in its data segment to
// the blocks that it keeps its records in.
func (a *analysis) jemalloc() {
	lib := slices.IndexFunc(a.maps, func(m vma) bool { return strings.Contains(m.name, "jemalloc") })
	if lib < 0 {
		lib = 0 // perhaps a part of the program itself
	}
	const blockAlign = 2 << 20
	page := uint64(a.t.PageSize())
	l := a.scan.l
	seen := map[uint64]bool{}
	var queue []uint64
	try := func(p uint64) {
		if base := p &^ (blockAlign - 1); p >= blockAlign && a.scan.sp.mapped(p) && !seen[base] && a.scan.sp.mapped(base) {
			seen[base] = true
			queue = append(queue, base)
		}
	}
	for _, b := range a.dataSegments(lib) {
		for off := 0; off+l.word <= len(b) && len(seen) < 256; off += l.word {
			try(l.load(b, off))
		}
	}
	var blocks [][]byte
	left := uint64(maxSegments)
	head := make([]byte, page)
	for len(queue) > 0 && left > 0 {
		base := queue[0]
		queue = queue[1:]
		if !a.peek(head, base) {
			continue
		}
		size, next := l.load(head, 0), l.load(head, l.word)
		if size == 0 || size%blockAlign != 0 || size > 1<<36 || next%blockAlign != 0 {
			continue
		}
		if next != 0 {
			try(next)
		}
		// The first block holds the record of the allocator of such blocks, which
		// points to the newest of them.
		for off := 0; off+l.word <= len(head); off += l.word {
			if p := l.load(head, off); p%blockAlign == 0 {
				try(p)
			}
		}
		if m := a.mapping(base); m != nil {
			blocks = append(blocks, a.present(m, base, min(base+size, m.end), &left)...)
		}
	}
	if len(blocks) > 0 {
		a.scan.slabs = findSlabs(l, a.scan.sp, blocks, page)
	}
}
