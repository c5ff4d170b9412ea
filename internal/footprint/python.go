package footprint

import (
	"encoding/binary"
	"strings"
)

// python knows how CPython of one version lays out memory.
type python struct {
	minor            int // of version 3
	pool             int // bytes of a pool
	poolFrom, poolTo float64
	types            map[uint64]*pyType
	others           map[uint64]struct{} // addresses that are no types
	peeks            int
	peek             peeker
	l                layout
}

// pyType is a type object: PyTypeObject in Include/cpython/object.h.
type pyType struct {
	basic, item uint64 // bytes of an instance, and of each item
	flags       uint64
}

// Flags of a type (Include/object.h).
const (
	pyManagedDict = 1 << 4 // a dict or its values before the header of the collector
	pyHaveGC      = 1 << 14
	pyLong        = 1 << 24
	pyBytes       = 1 << 27
	pyText        = 1 << 28
	pyDict        = 1 << 29
	pyTypeFlag    = 1 << 31
)

// pythonVersion finds the minor version by the names of mappings.
func pythonVersion(maps []vma) (minor int, ok bool) {
	for i := range maps {
		name := maps[i].name[strings.LastIndexByte(maps[i].name, '/')+1:]
		at := strings.Index(name, "python3.")
		if at < 0 || !maps[i].file() || !(strings.HasPrefix(name, "python3.") || strings.HasPrefix(name, "libpython3.")) {
			continue
		}
		n := 0
		for _, c := range name[at+len("python3."):] {
			if c < '0' || c > '9' {
				break
			}
			n = n*10 + int(c-'0')
		}
		return n, true
	}
	return 0, false
}

// poolBytes returns the size of obmalloc's pools: since 3.10 they are larger
// in 64-bit builds (Include/internal/pycore_obmalloc.h: USE_LARGE_POOLS).
func poolBytes(minor int, word float64) int {
	if word == 8 && minor >= 10 {
		return 16 << 10
	}
	return 4 << 10
}

func newPython(minor int, from, to world, peek peeker) *python {
	return &python{
		minor: minor, pool: poolBytes(minor, from.word), poolFrom: float64(poolBytes(minor, from.word)), poolTo: float64(poolBytes(minor, to.word)),
		types: map[uint64]*pyType{}, others: map[uint64]struct{}{}, peek: peek, l: layout{int(from.word)},
	}
}

// maxPeeks bounds how many addresses are looked at for types, and maxOthers
// how many are remembered to be none.
const (
	maxPeeks  = 100_000
	maxOthers = 20_000
)

// typeAt returns the type object at an address, nil if there is none: what
// is one has a type that is a kind of type itself.
func (p *python) typeAt(sp *space, addr uint64) *pyType {
	if t := p.types[addr]; t != nil {
		return t
	}
	if _, known := p.others[addr]; known || addr%uint64(p.l.word) != 0 || p.peeks >= maxPeeks || !sp.mapped(addr) {
		return nil
	}
	p.peeks++
	t := p.readType(sp, addr)
	if t != nil {
		p.types[addr] = t
		return t
	}
	if len(p.others) >= maxOthers {
		clear(p.others)
	}
	p.others[addr] = struct{}{}
	return nil
}

func (p *python) readType(sp *space, addr uint64) *pyType {
	w := p.l.word
	b := make([]byte, 22*w)
	if !p.peek(b, addr) {
		return nil
	}
	meta := p.l.load(b, w)
	m := make([]byte, 22*w)
	if !sp.mapped(meta) || !p.peek(m, meta) || p.l.load(m, 21*w)&pyTypeFlag == 0 {
		return nil
	}
	t := &pyType{basic: p.l.load(b, 4*w), item: p.l.load(b, 5*w), flags: p.l.load(b, 21*w)}
	if t.basic < 2*uint64(w) || t.basic > 1<<20 || t.item > 1<<16 {
		return nil
	}
	return t
}

// counted reports whether a word may be a count of references; objects that
// never go have a very large one since 3.12.
func (p *python) counted(v uint64) bool {
	return v > 0 && v < 1<<24 || p.minor >= 12 && uint32(v) >= 1<<29
}

// header returns the size of the header of a pool.
func (p *python) header() int {
	if p.l.word == 8 {
		return 48
	}
	return 32
}

// poolAt reads the header of a pool (struct pool_header): the size of its
// blocks, and how far blocks were ever handed out; 0 if it is none.
func (p *python) poolAt(b []byte, addr uint64) (size, used int) {
	w := p.l.word
	if len(b) < p.header() {
		return 0, 0
	}
	u32 := func(off int) int { return int(binary.LittleEndian.Uint32(b[off:])) }
	count, free := u32(0), p.l.load(b, w)
	index, next, last := u32(4*w+4), u32(4*w+8), u32(4*w+12)
	unit := 2 * w
	size = (index + 1) * unit
	if index < 0 || index >= 512/unit || last != p.pool-size || next <= p.header() || next > p.pool || (next-p.header())%size != 0 {
		return 0, 0
	}
	if free != 0 && (free < addr || free >= addr+uint64(p.pool)) || count > p.pool/size {
		return 0, 0
	}
	return size, next
}

// pools looks at memory that may be CPython's: pools where they are, and what
// is between them.
func (s *scanner) pools(ri int, v *vma, addr uint64, b []byte) {
	step := uint64(s.py.pool)
	start := 0
	for off := int(-addr & (step - 1)); off < len(b); off += s.py.pool {
		size, used := s.py.poolAt(b[off:], addr+uint64(off))
		if size == 0 {
			continue
		}
		s.rest(ri, v, addr+uint64(start), b[start:off])
		end := min(len(b), off+s.py.pool)
		s.pool(ri, addr+uint64(off), b[off:end], size, used)
		start = end
	}
	s.rest(ri, v, addr+uint64(start), b[min(start, len(b)):])
}

// rest looks at what lies between pools.
func (s *scanner) rest(ri int, v *vma, addr uint64, b []byte) {
	if len(b) == 0 {
		return
	}
	r := &s.regions[ri]
	if r.lastAddr != addr {
		r.next = 0
	}
	s.heap(ri, v, addr, b)
	r.lastAddr = addr + uint64(len(b))
}

// pool counts the blocks in use of a pool; free ones are linked in a list.
func (s *scanner) pool(ri int, addr uint64, b []byte, size, used int) {
	var free [16]uint64 // a bit for each block: at most 1021 of them
	head := s.py.header()
	for at, n := s.l.load(b, s.l.word), 0; at >= addr+uint64(head) && at < addr+uint64(len(b)-s.l.word) && n < 1024; n++ {
		i := (int(at-addr) - head) / size
		free[i/64] |= 1 << (i % 64)
		at = s.l.load(b, int(at-addr))
	}
	for off := head; off+size <= min(used, len(b)); off += size {
		if i := (off - head) / size; free[i/64]>>(i%64)&1 == 0 {
			s.pyBlock(ri, b[off:off+size])
		}
	}
}

// pyBlock counts one block in use.
func (s *scanner) pyBlock(ri int, b []byte) {
	if s.pyObject(ri, b, float64(len(b)), allocPython) {
		return
	}
	key := shapeKey{alloc: allocPython, size: uint32(len(b))}
	if n := textLength(b); n > 3 {
		key.typ = typeText
		request := float64(max(n, len(b)-2*s.l.word+1))
		s.shapes.of(key, 0).pack(ri, s.from.pyBlock(float64(len(b)), s.py.poolFrom), exactly(s.to.pyBlock(request, s.py.poolTo)), partText)
		return
	}
	s.words = s.sp.plain(s.l, b, s.words)
	key.mask = pointerMask(s.words)
	s.shapes.of(key, len(s.words)).count(ri, s.words)
}

// pyObject counts a block of size bytes if it starts with a Python object,
// or is the table of a dict. b is as much of the block as is there.
func (s *scanner) pyObject(ri int, b []byte, size float64, a allocator) bool {
	if s.py == nil {
		return false
	}
	w := s.l.word
	for _, before := range [...]int{0, 2 * w, 4 * w} {
		if before+3*w > len(b) {
			break
		}
		if !s.py.counted(s.l.load(b, before)) {
			continue
		}
		addr := s.l.load(b, before+w)
		t := s.py.typeAt(s.sp, addr)
		if t == nil || t.flags&pyHaveGC != 0 != (before > 0) {
			continue
		}
		return s.instance(ri, b, before, addr, t, size, a)
	}
	if now, then, ok := s.py.keys(b, s.to); ok && now <= size {
		s.computed(ri, shapeKey{alloc: a, size: uint32(size), typ: typeKeys}, size, then, partPtr)
		return true
	}
	return false
}

// computed counts an object whose request in the other build is known.
func (s *scanner) computed(ri int, key shapeKey, size, request float64, p part) {
	then := s.to.glibcChunk(request)
	now := size
	switch key.alloc {
	case allocPython:
		then, now = s.to.pyBlock(request, s.py.poolTo), s.from.pyBlock(size, s.py.poolFrom)
	case allocGlibc:
		then = s.to.pyBlock(request, s.py.poolTo)
	}
	if size > smallChunk {
		t := &s.regions[ri].arrays
		t.seen += now
		t.then.add(exactly(then))
		t.parts[p] += now
		t.alloc[key.alloc] += now
		t.allocTo[key.alloc] += then
		return
	}
	s.shapes.of(key, 0).pack(ri, now, exactly(then), p)
}

// instance counts an object of a known type, before which there are some
// bytes for the collector and the like.
func (s *scanner) instance(ri int, b []byte, before int, addr uint64, t *pyType, size float64, a allocator) bool {
	w := uint64(s.l.word)
	key := shapeKey{alloc: a, size: uint32(size), typ: addr}
	ratio := s.to.word / s.from.word
	obj := b[before:]
	switch {
	case t.flags&pyText != 0:
		if request, ok := s.py.textRequest(obj, size-float64(before), s.to); ok {
			s.computed(ri, key, size, float64(before)*ratio+request, partText)
			return true
		}
	case t.flags&pyBytes != 0 && t.item == 1:
		n := s.l.load(obj, 2*int(w))
		if float64(n) <= size {
			s.computed(ri, key, size, 4*s.to.word+1+float64(n), partText)
			return true
		}
	case t.flags&pyLong != 0 && t.item > 0:
		if n := float64(s.py.digits(s.l.load(obj, 2*int(w)))); 3*s.from.word+4*n <= size {
			s.computed(ri, key, size, 3*s.to.word+4*n, partInt)
			return true
		}
	}
	if size > smallChunk {
		return false
	}
	whole := uint64(before) + t.basic
	if t.item > 0 {
		n := int64(s.l.load(obj, 2*int(w)))
		if w == 4 {
			n = int64(int32(n))
		}
		if n < 0 {
			n = -n
		}
		if uint64(n) > uint64(len(b)) {
			return false
		}
		whole += t.item * uint64(n)
	}
	whole = (whole + w - 1) / w * w
	if whole > uint64(len(b)) {
		whole = uint64(len(b))
	}
	s.words = s.sp.plain(s.l, b[:whole], s.words)
	if before > 0 { // the links of the collector carry flags, and are nil in objects that it does not track
		for i := range min(before/int(w), len(s.words)) {
			s.words[i] = classPtr
		}
	}
	s.words[before/int(w)] = classSmall // the count of references
	sh := s.shapes.of(key, len(s.words))
	sh.count(ri, s.words)
	if t.flags&pyDict != 0 && s.py.minor >= 6 {
		// ma_version_tag is of 64 bits (Include/cpython/dictobject.h).
		sh.extra += 8 - s.to.word
	}
	return true
}
