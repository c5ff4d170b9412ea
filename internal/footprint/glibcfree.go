package footprint

// mmapThreshold is from which size on malloc gets a buffer from the system, and
// gives it back (malloc/malloc.c: DEFAULT_MMAP_THRESHOLD). It rises with what is
// freed, to 32 MiB on 64 bits but to mmapThresholdMax32 only on 32
// (DEFAULT_MMAP_THRESHOLD_MAX).
const (
	mmapThreshold      = 128 << 10
	mmapThresholdMax32 = 512 << 10
)

// free reports whether a chunk is free: the next one says so.
func (s *scanner) free(c chunks, b []byte, off int, at, size uint64) bool {
	word := s.l.word
	if at+size+uint64(2*word) > c.limit {
		return false
	}
	var head [16]byte
	next := head[:2*word]
	if uint64(len(b)-off) >= size+uint64(2*word) {
		next = b[uint64(off)+size:][:2*word]
	} else if s.peek == nil || !s.peek(next, at+size) {
		return false
	}
	return s.l.load(next, word)&chunkPrevInUse == 0 && s.l.load(next, 0) == size
}

// spare counts resident memory of a large chunk that is free. The other build
// may have given the buffer that it was back to the system: it must have where
// the buffer is above the highest threshold there, be it half as large, unless
// the chunk has grown together from smaller ones.
func (s *scanner) spare(ri int, n float64, size uint64) {
	then := exactly(n)
	if s.to.word < s.from.word {
		then.low = 0
		if size >= 2*mmapThresholdMax32 {
			then.mid = n / 2
		}
	}
	t := &s.regions[ri].arrays
	t.seen += n
	t.then.add(then)
	t.parts[partOver] += n
	t.alloc[allocGlibc] += n
	t.allocTo[allocGlibc] += then.mid
}

// stretch is a stretch of memory and what was made of it.
type stretch struct {
	lo, hi uint64
	was    tally
}

// maxUnsure bounds the memory for stretches of a region.
const maxUnsure = 4096

// findSpare corrects what was judged before it was known to be free: blocks are
// not read in the order of their addresses.
func (s *scanner) findSpare(ri int) {
	r := &s.regions[ri]
	for _, u := range r.unsure {
		for _, f := range r.spares {
			if lo, hi := max(u.lo, f.lo), min(u.hi, f.hi); lo < hi {
				n := float64(hi - lo)
				r.arrays.add(&u.was, -n/float64(u.hi-u.lo))
				s.spare(ri, n, f.hi-f.lo)
			}
		}
	}
	r.unsure, r.spares = nil, nil
}
