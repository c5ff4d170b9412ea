package footprint

// scanner looks at blocks of memory and counts what is in them.
type scanner struct {
	l       layout
	from    world
	to      world
	w       widths
	sp      *space
	shapes  *shapes
	regions []region
	words   []class
	py      *python
	spans   *spanTable
	slabs   *slabTable
	peek    peeker // nil: nothing beside the sample may be read
}

// region is one mapping, or several small ones, that is reported as one.
type region struct {
	arrays tally // what was judged without shapes
	array  arrayer
	// where the chunk that the last block ended in ends
	next     uint64
	large    bool   // that chunk is being judged as an array
	spare    uint64 // that chunk is free, and of this size
	spares   []stretch
	unsure   []stretch // blocks that no chunk was found in
	lastAddr uint64
}

// block looks at one block of a mapping. Blocks of a mapping come in the
// order of their addresses, perhaps with gaps.
func (s *scanner) block(ri int, v *vma, k kind, addr uint64, b []byte) {
	r := &s.regions[ri]
	switch {
	case s.spans != nil && s.spans.covers(addr, addr+uint64(len(b))):
		s.goBlock(ri, addr, b)
		return
	case s.slabs != nil && s.slabs.covers(addr, addr+uint64(len(b))):
		s.jeBlock(ri, addr, b)
		return
	case k == kindStack || k == kindData || k == kindRelro:
		s.array(ri, addr, b)
		return
	}
	if r.lastAddr != addr {
		r.next = 0
	}
	if s.py != nil {
		s.pools(ri, v, addr, b)
	} else {
		s.heap(ri, v, addr, b)
	}
	r.lastAddr = addr + uint64(len(b))
}

// array judges a block of which no allocator is known.
func (s *scanner) array(ri int, addr uint64, b []byte) {
	r := &s.regions[ri]
	s.words = s.sp.classify(s.l, b, addr, s.words)
	r.array.w = s.w
	before := r.arrays
	r.array.judge(s.words, &r.arrays)
	r.arrays.alloc[allocNone] += r.arrays.seen - before.seen
	r.arrays.allocTo[allocNone] += r.arrays.then.mid - before.then.mid
}

// heap looks at memory that may be glibc's: chunks where it is, else arrays.
func (s *scanner) heap(ri int, v *vma, addr uint64, b []byte) {
	r := &s.regions[ri]
	c := chunks{s.l, v.end}
	off := 0
	if r.next > addr { // inside of a chunk that started before
		off = int(min(r.next-addr, uint64(len(b))))
		if r.spare > 0 {
			s.spare(ri, float64(off), r.spare)
		} else if r.large {
			s.labelled(ri, addr, b[:off], allocGlibc)
		}
		if off == len(b) {
			return
		}
	}
	if r.next == 0 || r.next < addr {
		at := c.sync(b, addr)
		if size, flags := c.size(b, 0, addr); size > 0 && flags == chunkMapped && size%4096 == 0 && c.l.load(b, 0)%16 == 0 && addr%4096 == 0 {
			at = 0
		}
		if at < 0 {
			before := r.arrays
			s.array(ri, addr, b)
			r.next = 0
			if len(r.unsure) < maxUnsure {
				was := r.arrays
				was.add(&before, -1)
				r.unsure = append(r.unsure, stretch{addr, addr + uint64(len(b)), was})
			}
			return
		}
		off = at
	}
	s.walk(ri, c, addr, b, off)
}

// walk counts the chunks from off on.
func (s *scanner) walk(ri int, c chunks, addr uint64, b []byte, off int) {
	r := &s.regions[ri]
	word := s.l.word
	for {
		if off+2*word > len(b) {
			r.next, r.large, r.spare = 0, false, 0
			if off == len(b) {
				r.next = addr + uint64(off)
			}
			return
		}
		at := addr + uint64(off)
		size, flags := c.size(b, off, at)
		if size == 0 {
			// Not the end of the mapping's chunks only: look for more.
			if n := c.sync(b[off:], at); n > 0 {
				s.array(ri, at, b[off:off+n])
				off += n
				continue
			}
			s.array(ri, at, b[off:])
			r.next = 0
			return
		}
		end := off + int(min(size, uint64(len(b)-off)))
		body := b[off+2*word : end]
		r.spare = 0
		switch {
		case flags&chunkMapped != 0 || size > smallChunk:
			if flags&chunkMapped == 0 && s.free(c, b, off, at, size) {
				r.large = false // below the threshold, its share is that of the others
				if size >= mmapThreshold {
					r.spare = size
					r.spares = append(r.spares, stretch{lo: at, hi: at + size})
					s.spare(ri, float64(end-off), size)
				}
			} else if at+size == c.limit && flags&chunkMapped == 0 && size > 64<<10 && allZero(body) {
				// The top chunk: resident memory that is free.
				r.large = false
			} else if s.pyObject(ri, b[off+2*word:min(len(b), end+word)], float64(size), allocGlibc) {
				r.large = false // counted as a whole
			} else {
				s.labelled(ri, at+uint64(2*word), body, allocGlibc)
				r.large = true
			}
		case end+word <= len(b):
			if next := off + int(size); next+2*word <= len(b) && s.l.load(b, next+word)&chunkPrevInUse == 0 {
				break // free: its share is that of the others
			}
			s.object(ri, at+uint64(2*word), b[off+2*word:end+word], size)
		}
		off += int(min(size, uint64(1<<40)))
		if off >= len(b) {
			r.next = at + size
			return
		}
	}
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// object counts the user's memory, at addr, of a chunk of glibc's malloc.
func (s *scanner) object(ri int, addr uint64, b []byte, size uint64) {
	if s.pyObject(ri, b, float64(size), allocGlibc) {
		return
	}
	key := shapeKey{alloc: allocGlibc, size: uint32(size)}
	if n := textLength(b); n > 0 && !s.startsPointer(b) {
		// The request was for at least the text, and no less than what would
		// have got a smaller chunk.
		request := float64(max(n, len(b)-15))
		key.typ = typeText
		s.shapes.of(key, 0).pack(ri, float64(size), exactly(s.to.glibcChunk(request)), partText)
		return
	}
	s.words = s.sp.classify(s.l, b, addr, s.words)
	key.mask = pointerMask(s.words)
	s.shapes.of(key, len(s.words)).count(ri, s.words)
}

// Marks in a shape's type that are no addresses.
const (
	typeText  = 1
	typeKeys  = 2
	typePlain = 3 // surely without pointers
)

// per returns what one object of a shape takes now and then.
func (s *scanner) per(sh *shape) (now float64, then bounds, sum sums) {
	if sh.solid > 0 {
		n := float64(sh.total)
		now = s.now(sh)
		sum.parts = sh.parts
		for i := range sum.parts {
			sum.parts[i] /= n
		}
		return now, sh.packed.times(1 / n), sum
	}
	sum = sh.judged(s.w, s.least(sh))
	extra := sh.extra / float64(sh.total)
	now = s.now(sh)
	switch sh.key.alloc {
	case allocGlibc:
		if sum.loose {
			then = s.to.looseChunk(&sum, s.from.word, extra)
			break
		}
		then = sum.round(func(v float64) float64 { return s.to.glibcChunk(v + extra) })
	case allocPython:
		then = sum.round(func(v float64) float64 { return s.to.pyBlock(v+extra, s.py.poolTo) })
	case allocGo:
		pointers := sh.key.typ == 0
		then = sum.round(func(v float64) float64 { return s.to.goBlock(v, pointers, s.marks()) })
	case allocJemalloc:
		then = sum.round(s.to.jeBlock)
	default:
		then = sum.bare()
	}
	return now, then, sum
}

// least returns the smallest request that gets a block of a shape's size.
func (s *scanner) least(sh *shape) float64 {
	size := float64(sh.key.size)
	switch sh.key.alloc {
	case allocGlibc:
		if size > 4*s.from.long {
			return size - s.from.long - 15
		}
		return 1
	case allocPython:
		return size - 2*s.from.word + 1
	case allocGo:
		last := 0.0
		for _, c := range goSizes {
			if c.size == size {
				return last + 1
			}
			last = c.size
		}
	case allocJemalloc:
		for i := 1; i < 64; i++ {
			if float64(jeSize(i)) == size {
				return float64(jeSize(i-1)) + 1
			}
		}
	}
	return size
}

// now returns what one object of a shape takes, with its share of what the
// allocator needs for itself.
func (s *scanner) now(sh *shape) float64 {
	size := float64(sh.key.size)
	switch sh.key.alloc {
	case allocPython:
		return s.from.pyBlock(size, s.py.poolFrom)
	case allocGo:
		return s.from.goSpanShare(size, sh.key.typ == 0, s.marks())
	}
	return size
}

func (s *scanner) marks() float64 {
	if s.spans == nil {
		return 0
	}
	return s.spans.marks
}

// settle turns the shapes into tallies of regions.
func (s *scanner) settle() []tally {
	all := make([]tally, len(s.regions))
	for i := range s.regions {
		s.findSpare(i)
		all[i] = s.regions[i].arrays
	}
	for _, sh := range s.shapes.settled() {
		now, then, sum := s.per(sh)
		used := 0.0
		for _, v := range sum.parts {
			used += v
		}
		sum.parts[partOver] += max(0, now-used)
		for i := range all {
			if n := float64(sh.n[i]); n > 0 {
				all[i].group(&sum, then, now, n)
				all[i].alloc[sh.key.alloc] += now * n
				all[i].allocTo[sh.key.alloc] += then.mid * n
			}
		}
	}
	return all
}
