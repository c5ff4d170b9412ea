package footprint

import (
	"cmp"
	"slices"
	"sort"
)

// span is one span of Go's heap; see mspan in runtime/mheap.go.
type span struct {
	start    uint64
	pages    uint32 // of 8 KiB
	elem     uint32 // bytes of an object; for stacks the size of a stack
	state    uint8
	pointers bool // its objects may hold pointers
}

func (s *span) end() uint64 { return s.start + uint64(s.pages)*goPage }

// States of a span (runtime/mheap.go: mSpanState).
const (
	spanInUse  = 1
	spanManual = 2 // stacks and the collector's own buffers
)

// spanTable are the spans in use in the order of their addresses.
type spanTable struct {
	spans []span
	// marks is how many bytes the collector keeps for its marks in a span of
	// small objects with pointers (since Go 1.26 on most systems).
	marks float64
}

// covers reports whether a span is in or above a stretch of memory.
func (t *spanTable) covers(lo, hi uint64) bool {
	i := t.from(lo)
	return i < len(t.spans) && t.spans[i].start < hi
}

// from returns the index of the first span that ends above an address.
func (t *spanTable) from(a uint64) int {
	return sort.Search(len(t.spans), func(i int) bool { return t.spans[i].end() > a })
}

// maxSpans bounds the memory for spans: 24 bytes each.
const maxSpans = 1 << 20

// A peeker reads small pieces of a process's memory, but only where they are
// in memory: reading anything else would change the process.
type peeker func(p []byte, addr uint64) bool

// findSpans looks for the heap's list of all spans among the words of data
// segments: a slice (pointer, length, capacity) of pointers to what look like
// spans. No symbols are needed for that, so stripped programs will do.
func findSpans(l layout, sp *space, segments [][]byte, peek peeker) *spanTable {
	for _, b := range segments {
		for off := 0; off+3*l.word <= len(b); off += l.word {
			at, n, c := l.load(b, off), l.load(b, off+l.word), l.load(b, off+2*l.word)
			if n < 8 || n > c || c > maxSpans || at%uint64(l.word) != 0 || !sp.mapped(at) {
				continue
			}
			if t := readSpans(l, sp, at, int(n), peek); t != nil {
				return t
			}
		}
	}
	return nil
}

// spanBytes is as much of a span's record as is looked at.
const spanBytes = 160

// readSpans reads the spans that a list of n pointers is of, nil when it is
// not such a list.
func readSpans(l layout, sp *space, at uint64, n int, peek peeker) *spanTable {
	list := make([]byte, 8*l.word)
	if !peek(list, at) {
		return nil
	}
	rec := make([]byte, spanBytes)
	good := 0
	for i := range 8 {
		if a := l.load(list, i*l.word); sp.mapped(a) && peek(rec, a) && spanLike(l, sp, rec) {
			good++
		}
	}
	if good < 6 {
		return nil
	}
	where := make([]uint64, 0, n)
	list = make([]byte, 4096)
	per := len(list) / l.word
	for i := 0; i < n; i += per {
		k := min(per, n-i)
		if !peek(list[:k*l.word], at+uint64(i*l.word)) {
			continue
		}
		for j := range k {
			where = append(where, l.load(list, j*l.word))
		}
	}
	slices.Sort(where)
	return collectSpans(l, sp, where, peek)
}

// spanLike reports whether a record starts as a span's does.
func spanLike(l layout, sp *space, rec []byte) bool {
	start, pages := l.load(rec, 3*l.word), l.load(rec, 4*l.word)
	return start%goPage == 0 && start != 0 && pages > 0 && pages < 1<<24 && sp.mapped(start)
}

// collectSpans reads the records of spans. Records lie close together, so
// they are read in stretches.
func collectSpans(l layout, sp *space, where []uint64, peek peeker) *spanTable {
	t := &spanTable{}
	elem := 0 // offset of elemsize, which differs from version to version
	buf := make([]byte, 16<<10)
	for i := 0; i < len(where); {
		j := i + 1
		for j < len(where) && where[j]+spanBytes-where[i] <= uint64(len(buf)) {
			j++
		}
		size := int(where[j-1] + spanBytes - where[i])
		whole := peek(buf[:size], where[i])
		for k := i; k < j; k++ {
			rec := buf[where[k]-where[i]:][:spanBytes]
			if !whole && !peek(rec, where[k]) || !spanLike(l, sp, rec) {
				continue
			}
			if elem == 0 {
				elem = elemOffset(l, rec)
			}
			if elem > 0 {
				t.add(l, rec, elem)
			}
		}
		i = j
	}
	if len(t.spans) == 0 {
		return nil
	}
	slices.SortFunc(t.spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return t
}

// elemOffset finds where a record holds the size of its objects: it is one
// of the size classes, the size class's number stands 6 bytes before it, and
// the end of the last object behind it.
func elemOffset(l layout, rec []byte) int {
	start, pages := l.load(rec, 3*l.word), l.load(rec, 4*l.word)
	for off := 6 * l.word; off+2*l.word <= len(rec); off += l.word {
		size, limit := l.load(rec, off), l.load(rec, off+l.word)
		class := int(rec[off-6] >> 1)
		if class >= 1 && class <= len(goSizes) && float64(size) == goSizes[class-1].size && limit > start && limit <= start+pages*goPage {
			return off
		}
	}
	return 0
}

// add appends a span in use.
func (t *spanTable) add(l layout, rec []byte, elem int) {
	s := span{
		start: l.load(rec, 3*l.word), pages: uint32(l.load(rec, 4*l.word)), elem: uint32(l.load(rec, elem)),
		state: rec[elem-5], pointers: rec[elem-6]&1 == 0,
	}
	if s.state != spanInUse && s.state != spanManual {
		return
	}
	if s.state == spanInUse && s.pointers && (s.elem == 32 || s.elem == 64) && s.pages == 1 {
		bitmap := uint64(goPage / 8 / l.word)
		if limit := l.load(rec, elem+l.word); limit > s.start && s.start+goPage-limit >= bitmap+128 {
			t.marks = 128
		}
	}
	t.spans = append(t.spans, s)
}

// goBlock counts the objects of the spans in a block.
func (s *scanner) goBlock(ri int, addr uint64, b []byte) {
	end := addr + uint64(len(b))
	for i := s.spans.from(addr); i < len(s.spans.spans); i++ {
		sp := &s.spans.spans[i]
		if sp.start >= end {
			return
		}
		lo, hi := max(sp.start, addr), min(sp.end(), end)
		part := b[lo-addr : hi-addr]
		switch {
		case sp.state == spanManual:
			s.goStacks(ri, sp, lo, part)
		case sp.elem > smallChunk || sp.elem == 0 || sp.elem%uint32(s.l.word) != 0:
			s.goLarge(ri, sp, lo, part)
		default:
			s.goObjects(ri, sp, lo, part)
		}
	}
}

// goLarge judges objects that are too large for shapes: those of a map are
// recognised where a whole one is at hand, the others are arrays.
func (s *scanner) goLarge(ri int, sp *span, lo uint64, b []byte) {
	r := &s.regions[ri]
	r.array.structure = plainly
	if sp.pointers {
		r.array.structure = surely
	}
	defer func() { r.array.structure = unknown }()
	elem := uint64(sp.elem)
	if elem == 0 || elem > 32<<10 {
		if lo == sp.start && s.swiss(ri, sp, b) {
			return
		}
		s.labelled(ri, lo, b, allocGo)
		return
	}
	head := uint64(0)
	if sp.pointers {
		head = 8 // the type
	}
	for off := uint64(0); off < uint64(len(b)); {
		end := min(uint64(len(b)), off+elem-(lo-sp.start+off)%elem)
		one := b[off:end]
		if end-off < elem || !s.swiss(ri, sp, one[head:]) {
			s.labelled(ri, lo+off, one, allocGo)
		}
		off = end
	}
}

// goStacks judges goroutine stacks. A stack has 2 KiB at least in both builds
// (runtime/stack.go: fixedStack); larger ones have doubled until the frames
// fit, which take a little more than half of it in a 32-bit build.
func (s *scanner) goStacks(ri int, sp *span, lo uint64, b []byte) {
	if sp.elem < 2048 || sp.elem&(sp.elem-1) != 0 || sp.elem > 32<<10 {
		s.labelled(ri, lo, b, allocGo)
		return
	}
	t := &s.regions[ri].arrays
	n := float64(len(b))
	then := exactly(n)
	if sp.elem > 2048 && s.to.word != s.from.word {
		then = bounds{n * 0.5, n * 0.65, n}
		if s.to.word > s.from.word {
			then = bounds{n, n * 1.5, n * 2}
		}
	}
	t.seen += n
	t.then.add(then)
	t.parts[partData] += n
	t.alloc[allocGoStack] += n
	t.allocTo[allocGoStack] += then.mid
}

// labelled judges memory as an array, for the account of an allocator.
func (s *scanner) labelled(ri int, addr uint64, b []byte, a allocator) {
	t := &s.regions[ri].arrays
	was, to := t.alloc[allocNone], t.allocTo[allocNone]
	s.array(ri, addr, b)
	t.alloc[a] += t.alloc[allocNone] - was
	t.allocTo[a] += t.allocTo[allocNone] - to
	t.alloc[allocNone], t.allocTo[allocNone] = was, to
}

// goObjects counts small objects. A span of objects with pointers ends in a
// bitmap with a bit for each word that is a pointer (runtime/mbitmap.go).
func (s *scanner) goObjects(ri int, sp *span, lo uint64, b []byte) {
	word := uint64(s.l.word)
	var bits []byte
	if size := uint64(sp.pages) * goPage / word / 8; sp.pointers && lo+uint64(len(b)) == sp.end() && uint64(len(b)) > size && uint64(sp.elem) <= word*word*8 {
		at := len(b) - int(size)
		if s.spans.marks > 0 && sp.elem >= 16 {
			at -= int(s.spans.marks)
		}
		if at > 0 {
			bits, b = b[at:at+int(size)], b[:at]
		}
	}
	elem := uint64(sp.elem)
	first := (elem - (lo-sp.start)%elem) % elem
	for off := first; off+elem <= uint64(len(b)); off += elem {
		s.goObject(ri, sp, b[off:off+elem], bits, (lo-sp.start+off)/word)
	}
}

// goObject counts one object. at is its first word's number in the span.
func (s *scanner) goObject(ri int, sp *span, b []byte, bits []byte, at uint64) {
	key := shapeKey{alloc: allocGo, size: sp.elem}
	if !sp.pointers {
		if n := textLength(b); n > 3 {
			key.typ = typeText
			now := s.from.goSpanShare(float64(sp.elem), false, 0)
			s.shapes.of(key, 0).pack(ri, now, exactly(now), partText)
			return
		}
		key.typ = typePlain
	}
	s.words = s.sp.classify(s.l, b, 0, s.words)
	blank := true
	for i, c := range s.words {
		if bits != nil {
			k := at + uint64(i)
			if bits[k/8]>>(k%8)&1 == 1 {
				s.words[i], c = classPtr, classPtr
			} else if c == classPtr || c == classLow {
				s.words[i] = classSmall
			}
		} else if !sp.pointers && c == classPtr {
			s.words[i] = classWide // no pointer, the runtime says
		}
		blank = blank && c == classZero
	}
	if blank {
		return // never used: its share is that of the others
	}
	key.mask = pointerMask(s.words)
	s.shapes.of(key, len(s.words)).count(ri, s.words)
}
