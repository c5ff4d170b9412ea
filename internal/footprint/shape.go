package footprint

// maxSlots is how many words of an object are told apart.
const maxSlots = 64

// maxRegions bounds how many mappings are told apart; the small ones are
// taken together.
const maxRegions = 32

// maxShapes bounds the memory for shapes. What comes later is put together
// by size alone.
const maxShapes = 6000

// shapeKey tells groups of objects apart that are likely of one type.
type shapeKey struct {
	alloc allocator
	size  uint32 // bytes from object to object, as the allocator has it
	mask  uint64 // which words are pointers
	typ   uint64 // address of the type, where there is one
}

// A shape is a group of objects that are likely of one type, with what each
// of their words was seen to hold. A single object does not tell a pointer
// that is nil from a number that is zero, or a short text from a number; all
// of its type together do.
type shape struct {
	key    shapeKey
	n      [maxRegions]uint32
	total  uint64
	slots  [][classes]uint32
	packed bounds // sums over the objects whose size in the other build was computed
	solid  uint64 // how many these are: all of a shape or none
	parts  [parts]float64
	extra  float64 // sum of what objects have beyond their slots, in the other build
	values values  // an array of an interpreter's values, if period is not 0
}

// shapes finds the shape of a key.
type shapes struct {
	all  map[shapeKey]*shape
	last *shape
}

func newShapes() *shapes { return &shapes{all: map[shapeKey]*shape{}} }

func (s *shapes) of(k shapeKey, slots int) *shape {
	if s.last != nil && s.last.key == k {
		return s.last
	}
	sh := s.all[k]
	if sh == nil {
		if len(s.all) >= maxShapes && (k.mask != ^uint64(0) || k.typ != 0) {
			k.mask, k.typ = ^uint64(0), 0
			return s.of(k, slots)
		}
		sh = &shape{key: k, slots: make([][classes]uint32, max(1, min(slots, maxSlots)))}
		s.all[k] = sh
	}
	s.last = sh
	return sh
}

// count adds an object, given by the classes of its words.
func (sh *shape) count(region int, words []class) {
	sh.n[region]++
	sh.total++
	for i, c := range words {
		if i >= len(sh.slots) {
			i = len(sh.slots) - 1
		}
		sh.slots[i][c]++
	}
}

// pack adds an object whose size in the other build is known by itself.
func (sh *shape) pack(region int, now float64, then bounds, p part) {
	sh.n[region]++
	sh.total++
	sh.solid++
	sh.packed.add(then)
	sh.parts[p] += now
}

// pointerMask says which of the first 64 words are pointers.
func pointerMask(words []class) (m uint64) {
	for i, c := range words {
		if (c == classPtr || c == classLow || c == classSelf) && i < 64 {
			m |= 1 << i
		}
	}
	return m
}

// verdict is what a word of a shape takes in the other build: at least, most
// likely and at most, with the probability that it is not the likely one.
type verdict struct {
	low, mode, high float64
	doubt           float64
	part            part
}

// widths are the sizes of a word in both builds, and what is known beside.
type widths struct {
	from, to float64
	// hashes says that words of random bits beside pointers are hashes of a
	// word each, as in CPython.
	hashes bool
	// ptrOnly says that only pointers change, as with compressed pointers.
	ptrOnly bool
	golang  bool   // a Go program: its times are of 64 bits
	lua     bool   // a Lua interpreter: see interpreter
	ints    string // word or fixed, what the user knows of bare integers
}

func (w widths) fixed(p part) verdict { return verdict{w.from, w.from, w.from, 0, p} }
func (w widths) word(p part) verdict  { return verdict{w.to, w.to, w.to, 0, p} }

// maybe is a field that is of a word, with some doubt.
func (w widths) maybe(doubt float64, p part) verdict {
	return verdict{min(w.from, w.to), w.to, max(w.from, w.to), doubt, p}
}

func (w widths) integer(doubt float64, p part) verdict {
	if w.ptrOnly {
		return w.fixed(p)
	}
	return w.maybe(doubt, p)
}

// What to doubt, by what is seen; see docs/whatif.md for where these come from.
const (
	doubtField = 0.02 // a number beside pointers: int, long or size_t, or int64?
	doubtZero  = 0.06 // never anything but zero, beside pointers
	doubtHash  = 0.25 // random bits beside pointers: a hash of a word?
	doubtBare  = 0.40 // a number among numbers
	doubtBlank = 0.50 // nothing but zeros all around
	doubtUnion = 0.10 // a pointer here, a float there: a union of 8 bytes?
	doubtKey   = 0.25 // always a pointer, among such unions
	doubtTime  = 0.50 // seconds since 1970: time_t has a word on i386, int64_t none
	doubtGo    = 0.05 // the same in Go, where Unix() gives an int64
)

// minTimes is how many times there must be to be no chance.
const minTimes = 20

// time is a number of seconds since 1970.
func (w widths) time() verdict {
	if w.golang {
		v := w.maybe(doubtGo, partData)
		v.mode = w.from
		return v
	}
	return w.maybe(doubtTime, partInt)
}

// judge decides about a word position from what was seen there. structure
// says that the object holds pointers, so that the numbers in it are fields.
func (w widths) judge(c *[classes]uint32, structure bool) verdict {
	n := uint32(0)
	for _, v := range c {
		n += v
	}
	filled := float64(n - c[classZero])
	// A seventh of such numbers may be taken for texts of four letters.
	if seconds := float64(c[classEpoch] + c[classShort]); filled >= minTimes && seconds >= 0.95*filled && c[classEpoch] > 2*c[classShort] && !w.ptrOnly {
		return w.time()
	}
	if c[classSelf]+c[classEpoch]+c[classGoTime] > 0 {
		known := *c
		for _, k := range [...]class{classSelf, classEpoch, classGoTime} {
			known[plainClass(k)] += known[k]
			known[k] = 0
		}
		c = &known
	}
	if c[classShort]+c[classLow] > 0 {
		// Short texts come with longer ones, numbers with other numbers.
		known := *c
		if known[classLow] > known[classSmall] {
			known[classPtr] += known[classLow]
		} else {
			known[classSmall] += known[classLow]
		}
		known[classLow] = 0
		if known[classText]*3 > known[classSmall] {
			known[classText] += known[classShort]
		} else {
			known[classSmall] += known[classShort]
		}
		known[classShort] = 0
		c = &known
	}
	fixed := float64(c[classText] + c[classFloat] + c[classPair] + c[classWide])
	switch {
	case filled < 0.05*float64(n) && structure:
		return w.maybe(doubtZero, partZero)
	case filled == 0:
		return w.maybe(doubtBlank, partZero)
	case float64(c[classPtr]) >= 0.5*filled:
		if rest := filled - float64(c[classPtr]); rest > 0.1*filled && float64(c[classFloat]) > 0.2*rest {
			// A union of a pointer and a double, as in the values of interpreters.
			v := w.maybe(0.2, partPtr)
			v.mode = w.from
			return v
		}
		return w.word(partPtr)
	case w.hashes && structure && float64(c[classWide]+c[classFloat]+c[classText]+c[classSmall]+c[classPtr]) > 0.9*filled && float64(c[classText]) < 0.5*filled:
		return w.integer(doubtField, partInt)
	case float64(c[classPair]) > 0.1*filled && float64(c[classPair]+c[classSmall]) >= 0.95*filled:
		return w.fixed(partData) // two fields of 32 bits, of which the upper one may be zero
	case fixed > 0.1*filled:
		if float64(c[classText]) > fixed/2 {
			return w.fixed(partText)
		}
		if structure && float64(c[classPtr]+c[classSmall]) > 0.5*filled {
			// A mixture of types in one shape.
			return w.maybe(fixed/filled, partData)
		}
		if structure && float64(c[classWide]) > 0.9*filled && !w.ptrOnly {
			// A number of 64 bits, or a hash, which is often of a word.
			return verdict{min(w.from, w.to), w.from, max(w.from, w.to), doubtHash, partData}
		}
		return w.fixed(partData)
	case structure:
		return w.integer(doubtField, partInt)
	}
	if w.ints == "word" && !w.ptrOnly {
		return w.word(partBare)
	}
	if w.ints == "fixed" {
		return w.fixed(partBare)
	}
	return w.integer(doubtBare, partBare)
}

// sums adds up verdicts.
type sums struct {
	low, mode, high float64
	doubt           float64 // probability that high is right rather than mode
	parts           [parts]float64
	bareLow         float64 // of high-low, what is bare integers'
	// loose says that the last word in use is of data that may end anywhere in
	// it, and reach into it in a share of the objects only.
	loose bool
	reach float64
}

func (s *sums) add(v verdict, from float64) {
	if d := v.high - v.low; d > 0 {
		s.doubt = (s.doubt*(s.high-s.low) + v.doubt*d) / (s.high - s.low + d)
		if v.part == partBare {
			s.bareLow += d
		}
	}
	s.low += v.low
	s.mode += v.mode
	s.high += v.high
	s.parts[v.part] += from
}

// round gives the bounds of an object, with an allocator's rounding.
func (s *sums) round(f func(float64) float64) bounds {
	b := bounds{low: f(s.low), high: f(s.high)}
	other := b.high
	if s.mode == s.high {
		other = b.low
	}
	b.mid = f(s.mode)*(1-s.doubt) + other*s.doubt
	return b
}

// bare gives the bounds of what no allocator rounds.
func (s *sums) bare() bounds { return s.round(func(v float64) float64 { return v }) }

// structural reports whether a shape has a word that is mostly a pointer.
func (sh *shape) structural() bool {
	for i := range sh.slots {
		c := &sh.slots[i]
		n := c[classPtr] + c[classSelf]
		if c[classLow] > c[classSmall] {
			n += c[classLow]
		}
		if n > 0 && uint64(n)*4 >= sh.total {
			return true
		}
	}
	return false
}

// slack is from which slot on a shape's objects are not used: allocators
// round up, and what is behind a request is zero mostly. least is the smallest
// request that gets such a block.
func (sh *shape) slack(word, least float64) int {
	n := len(sh.slots)
	if n > 2 && float64(n-1)*word >= least && (sh.key.alloc == allocJemalloc && sh.leftover() || sh.stale()) {
		n--
	}
	for n > 1 && n < maxSlots && float64(sh.slots[n-1][classZero]) >= 0.95*float64(sh.total) && float64(n-1)*word >= least {
		n--
	}
	return n
}

// leftover reports whether the last word holds what earlier objects left
// there, as it seems: all sorts of things, or data behind words that are none.
// jemalloc does not clear memory, and a request may be smaller than the region.
func (sh *shape) leftover() bool {
	data := func(c *[classes]uint32) bool {
		return 2*uint64(c[classText]+c[classWide]+c[classPair]) > sh.total
	}
	n := len(sh.slots)
	last := &sh.slots[n-1]
	return sh.structural() && data(last) && !data(&sh.slots[n-2]) && !data(&sh.slots[n-3]) || sorts(last) >= 3
}

// stale reports whether the last word is zero mostly, and otherwise of several
// sorts: what earlier objects left there. No allocator clears what lies behind a
// request. A text that ends there is another matter: it would show more in the
// word before.
func (sh *shape) stale() bool {
	n := len(sh.slots)
	last := &sh.slots[n-1]
	return uint64(last[classZero])*4 >= 3*sh.total && sorts(last) >= 2 && last[classText] >= sh.slots[n-2][classText]
}

// sorts counts the classes that more than a twentieth of what a word holds is
// of, if none is of most.
func sorts(c *[classes]uint32) (n int) {
	filled, most := uint32(0), uint32(0)
	for k, v := range c {
		if class(k) != classZero {
			filled += v
			most = max(most, v)
		}
	}
	if most*4 > filled*3 {
		return 0
	}
	for k, v := range c {
		if class(k) != classZero && v*20 > filled {
			n++
		}
	}
	return n
}

// judged adds up what all slots of a shape take.
func (sh *shape) judged(w widths, least float64) (s sums) {
	structure := sh.structural() || sh.key.typ > typePlain
	used := sh.slack(w.from, least)
	pinned := w.pinned(sh.slots, false)
	for i := range sh.slots {
		v := w.judge(&sh.slots[i], structure)
		if pinned>>i&1 == 1 {
			v = w.fixed(partData)
		}
		v = sh.values.decide(w, i, v)
		if i == used-1 && (v.part == partText || v.part == partData && !structure) && v.low == v.high {
			s.loose = true
			s.reach = float64(filled(&sh.slots[i])) / float64(sh.total)
		}
		if i >= used {
			v = verdict{0, 0, v.high, doubtZero, partOver}
		}
		n := 1.0
		if i == maxSlots-1 && sh.total > 0 {
			var all uint32
			for _, c := range sh.slots[i] {
				all += c
			}
			n = float64(all) / float64(sh.total)
		}
		v.low, v.mode, v.high = v.low*n, v.mode*n, v.high*n
		s.add(v, w.from*n)
	}
	return s
}
