package footprint

import "unicode/utf8"

// Chunks of glibc's malloc, see "Malloc chunks" in malloc/malloc.c: a word with
// the size of the chunk before (if that is free), a word with the size of this
// chunk and three flag bits, the user's memory, which reaches into the first
// word of the next chunk.
const (
	chunkPrevInUse = 1
	chunkMapped    = 2 // got by a mmap of its own
	chunkOther     = 4 // of an arena other than the main one
)

// smallChunk is up to which size objects are told apart by shape.
const smallChunk = maxSlots * 8

// chunks walks the chunks of one stretch of memory.
type chunks struct {
	l     layout
	limit uint64 // end of the mapping
}

// size returns the size of the chunk at off, 0 if there cannot be one.
func (c chunks) size(b []byte, off int, addr uint64) (size uint64, flags uint64) {
	if off+2*c.l.word > len(b) {
		return 0, 0
	}
	f := c.l.load(b, off+c.l.word)
	size, flags = f&^7, f&7
	if size < uint64(4*c.l.word) || size%16 != 0 || size > c.limit-addr {
		return 0, flags
	}
	return size, flags
}

// chain is how many chunks in a row make it sure that they are chunks.
const chain = 8

// sync finds the first offset from which on there is an unbroken chain of
// chunks, -1 if there is none. addr is the address of b.
func (c chunks) sync(b []byte, addr uint64) int {
	first := int(-addr & 15)
	for off := first; off+4096 <= len(b) && off < 32<<10; off += 16 {
		if c.chained(b, off, addr) {
			return off
		}
	}
	return -1
}

// chained reports whether there is a chain of chunks at off.
func (c chunks) chained(b []byte, off int, addr uint64) bool {
	word := c.l.word
	for n := 0; n < chain; n++ {
		if off+2*word > len(b) {
			return n > 2
		}
		size, flags := c.size(b, off, addr+uint64(off))
		if size == 0 || flags&chunkMapped != 0 {
			return false
		}
		next := off + int(size)
		if size > uint64(len(b)-off) || next+2*word > len(b) {
			return n > 2
		}
		if c.l.load(b, next+word)&chunkPrevInUse == 0 && c.l.load(b, next) != size {
			return false // a free chunk has its size at its end
		}
		off = next
	}
	return true
}

// textLength returns the length of the text that an object starts with, with
// its closing zero; 0 if it is no text.
func textLength(b []byte) int {
	n := 0
	for n < len(b) && (b[n] >= 0x20 && b[n] != 0x7f || b[n] == '\n' || b[n] == '\t' || b[n] == '\r') {
		n++
	}
	if n < 2 || n < len(b) && b[n] != 0 {
		return 0
	}
	if !utf8.Valid(b[:n]) {
		return 0
	}
	return min(n+1, len(b))
}

// startsPointer reports whether an object starts with an address of the process:
// such an address may look like a text of six characters.
func (s *scanner) startsPointer(b []byte) bool {
	if s.l.word != 8 || len(b) < 8 {
		return false
	}
	v := s.l.load(b, 0)
	switch {
	case !s.sp.mapped(v):
		return false
	case v >= lowest:
		return true
	}
	// A program at a fixed address: four characters may be an address there. What
	// follows a text is zero more often than not.
	return v%8 == 0 && !allZero(b[8:])
}

// looseChunk is for data that ends anywhere in its last word, or before it: what
// was asked for may have been any of some sizes that get this chunk, of which
// the smaller get a smaller one where the header is of 4 bytes.
func (w world) looseChunk(s *sums, from, extra float64) bounds {
	b := s.round(func(v float64) float64 { return w.glibcChunk(v + extra) })
	mid, n := 0.0, 0.0
	for k := 0.0; k < from; k++ {
		mid += s.reach*w.glibcChunk(s.mode+extra-k) + (1-s.reach)*w.glibcChunk(max(1, s.mode+extra-from-k))
		n++
	}
	b.mid = mid / n
	b.low = min(b.low, w.glibcChunk(max(1, s.low+extra-2*from+1)))
	b.high = max(b.high, b.mid)
	return b
}
