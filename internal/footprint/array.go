package footprint

// arrayUnit is how many words of an array are judged at a time.
const arrayUnit = 512

// periods are the record lengths, in words, that are looked for in arrays.
var periods = [...]int{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 17, 20, 24}

// arrayer judges memory whose objects are not known: large blocks, and what
// no allocator was recognised in. It looks for a period in what the words
// hold, and takes each position of the period for a field.
type arrayer struct {
	w widths
	// context is how the last units were judged: pages of zeros between
	// pointers are pointers to come.
	context verdict
	known   bool
	// structure says what is known of pointers in the array.
	structure structure
	last      int // the period that was found last
	misses    int // how often none was found in a row
	fine      []class
}

// structure is what is known of whether memory holds pointers.
type structure uint8

const (
	unknown structure = iota
	surely            // it does
	plainly           // it does not
)

// is decides with what the words look like.
func (s structure) is(seems bool) bool { return s == surely || s == unknown && seems }

// judge adds words to t.
func (a *arrayer) judge(words []class, t *tally) {
	for len(words) > 0 {
		n := min(arrayUnit, len(words))
		a.unit(words[:n], t)
		words = words[n:]
	}
}

func (a *arrayer) unit(words []class, t *tally) {
	var all [classes]uint32
	a.fine = append(a.fine[:0], words...)
	for i, c := range words {
		words[i] = plainClass(c)
		all[words[i]]++
	}
	resolve(words, &all)
	n := uint32(len(words))
	filled := n - all[classZero]
	from := a.w.from
	if filled*50 < n { // zeros: like what little is among them, or what was before
		v := a.w.maybe(doubtBlank, partZero)
		if filled > 0 {
			v = a.w.judge(&all, a.structure.is(all[classPtr]*8 >= filled))
		} else if a.known {
			v = a.context
		}
		v.part, v.doubt = partZero, max(v.doubt, 0.1)
		t.field(v, float64(n), from)
		return
	}
	if a.structure == plainly {
		all[classWide] += all[classPtr]
		all[classPtr] = 0
	}
	structure := a.structure.is(all[classPtr]*8 >= filled)
	if best := purest(&all, filled); best*10 >= filled*9 || !structure && all[classSmall]*3 < filled {
		v := a.w.judge(&all, structure)
		a.context, a.known = v, true
		t.field(v, float64(n), from)
		return
	}
	if p := a.luaPeriod(words); p > 0 {
		a.fields(words, p, t)
		return
	}
	if p := a.period(words); p > 0 {
		a.fields(words, p, t)
		return
	}
	a.mixture(words, &all, t)
}

// near is how far from a pointer a number is taken for a field beside it.
const near = 3

// mixture judges words one by one, in the light of their neighbours.
func (a *arrayer) mixture(words []class, all *[classes]uint32, t *tally) {
	var by [2][classes]uint32 // beside a pointer: no, yes
	last := -near - 1
	next := 0 // the first pointer from here on
	for i, c := range words {
		if next <= i {
			next = i
			for next < len(words) && words[next] != classPtr {
				next++
			}
		}
		if c == classPtr {
			last = i
		}
		k := 0
		if i-last <= near || next < len(words) && next-i <= near {
			k = 1
		}
		by[k][c]++
	}
	fixed := all[classText] + all[classFloat] + all[classPair] + all[classWide]
	var like sums // what is not zero, for the zeros to come
	for k := range by {
		for c, n := range by[k] {
			if n == 0 {
				continue
			}
			var one [classes]uint32
			one[c] = 1
			v := a.w.judge(&one, a.structure.is(k == 1))
			if class(c) == classZero && k == 0 && fixed > all[classPtr]+all[classSmall] {
				v = a.w.fixed(partZero) // room between data
			}
			t.field(v, float64(n), a.w.from)
			if class(c) != classZero {
				m := float64(n) / float64(uint32(len(words))-all[classZero])
				v.low, v.mode, v.high = v.low*m, v.mode*m, v.high*m
				like.add(v, 0)
			}
		}
	}
	a.context, a.known = verdict{like.low, like.mode, like.high, like.doubt, partZero}, true
}

// resolve decides about what may be two things by what is around it.
func resolve(words []class, all *[classes]uint32) {
	short, low := classSmall, classSmall
	if all[classText]*3 > all[classSmall]+all[classPtr] {
		short = classText
	}
	if all[classLow] > all[classSmall] {
		low = classPtr
	}
	if all[classShort]+all[classLow] == 0 {
		return
	}
	for i, c := range words {
		switch c {
		case classShort:
			words[i] = short
		case classLow:
			words[i] = low
		}
	}
	all[short] += all[classShort]
	all[low] += all[classLow]
	all[classShort], all[classLow] = 0, 0
}

// fields judges an array of records of p words.
func (a *arrayer) fields(words []class, p int, t *tally) {
	var room [32][classes]uint32
	at := room[:p]
	for i, c := range words {
		if plainClass(a.fine[i]) != a.fine[i] {
			c = a.fine[i]
		}
		at[i%p][c]++
	}
	structure := false
	for i := range p {
		structure = structure || (at[i][classPtr]+at[i][classSelf])*2 > uint32(len(words)/p)
	}
	structure = a.structure.is(structure)
	pinned := a.w.pinned(at, true)
	v, ok := valuesAt(at)
	if !ok && a.w.lua {
		v, ok = luaValues(at)
	}
	var s sums
	for i := range p {
		one := a.w.judge(&at[i], structure)
		if pinned>>i&1 == 1 {
			one = a.w.fixed(partData)
		}
		if ok {
			one = v.decide(a.w, i, one)
		}
		s.add(one, a.w.from)
	}
	f := float64(len(words)) / float64(p)
	t.group(&s, s.bare(), a.w.from*float64(p), f)
	a.context = verdict{s.low / float64(p), s.mode / float64(p), s.high / float64(p), s.doubt, partZero}
	a.known = true
}

// purest returns the count of the most common class that is not zero; what
// stays as it is counts as one class.
func purest(c *[classes]uint32, filled uint32) uint32 {
	fixed := c[classText] + c[classFloat] + c[classPair] + c[classWide]
	return max(c[classPtr], c[classSmall], fixed)
}

// period returns the length of the records that words are made of, 0 if none
// is found. The one that was found last is tried first, and after some failures
// in a row only now and then any.
func (a *arrayer) period(words []class) int {
	var merged [classes]uint32
	for _, c := range words {
		merged[c]++
	}
	base := float64(purest(&merged, 0)) / float64(uint32(len(words))-merged[classZero])
	if a.last > 0 && len(words) >= 8*a.last && purity(words, a.last) > max(0.9, base+0.12) {
		return a.last
	}
	if a.misses++; a.misses > 16 && a.misses%16 != 0 {
		return 0
	}
	best, at := base+0.1, 0
	for _, p := range periods {
		if len(words) < 8*p {
			break
		}
		// A longer period must do better than its divisors.
		if q := purity(words, p); q > best+0.02 {
			best, at = q, p
		}
	}
	if best < 0.8 {
		return 0
	}
	a.last, a.misses = at, 0
	return at
}

// purity returns which share of the words is of the class that is the most
// common one at its position of a period.
func purity(words []class, p int) float64 {
	var h [32][classes]uint32
	i := 0
	for _, c := range words {
		h[i][c]++
		if i++; i == p {
			i = 0
		}
	}
	pure, filled := uint32(0), uint32(0)
	for i := range p {
		f := uint32(0)
		for c, v := range h[i] {
			if class(c) != classZero {
				f += v
			}
		}
		pure += purest(&h[i], f)
		filled += f
	}
	return float64(pure) / float64(filled)
}

// field adds n words of one verdict.
func (t *tally) field(v verdict, n, from float64) {
	var s sums
	s.add(v, from)
	t.group(&s, s.bare(), from, n)
}

// group adds n objects of now bytes each.
func (t *tally) group(s *sums, then bounds, now, n float64) {
	t.seen += now * n
	t.then.add(then.times(n))
	for i, v := range s.parts {
		t.parts[i] += v * n
	}
	if d := s.high - s.low; d > 0 && s.bareLow > 0 {
		f := s.bareLow / d * n
		t.bareDown += (then.mid - then.low) * f
		t.bareUp += (then.high - then.mid) * f
	}
}
