package footprint

// What a word takes may show beside it rather than in it: this file looks at
// the positions of a record together.

// pinned says which positions of a record keep their size, for what is beside
// them. cyclic is for arrays, whose period may start anywhere.
func (w widths) pinned(at [][classes]uint32, cyclic bool) (m uint64) {
	n := len(at)
	pin := func(i int) {
		if cyclic {
			i = (i + n) % n
		}
		if i >= 0 && i < n && i < 64 {
			m |= 1 << i
		}
	}
	for i := range at {
		c := &at[i]
		filled := filled(c)
		if c[classSelf] > 0 && c[classSelf]*10 >= filled {
			// libstdc++'s std::string: a pointer, a size and 16 bytes of text. A
			// short one is within, and the pointer is to it (bits/basic_string.h).
			for k := 2; k < 2+16/int(w.from); k++ {
				pin(i + k)
			}
		}
		if w.golang && c[classGoTime] > 0 && c[classGoTime]*10 >= filled*9 {
			// time.Time: wall uint64, ext int64, loc *Location (time/time.go).
			pin(i - 1)
			pin(i)
		}
	}
	return m
}

// filled counts what is not zero.
func filled(c *[classes]uint32) (n uint32) {
	for k, v := range c {
		if class(k) != classZero {
			n += v
		}
	}
	return n
}

// minRecords is how many records in an object are enough to see that they are
// an array of values.
const minRecords = 4

// values describes an array of an interpreter's values: each is 8 bytes that
// are a pointer, a double or a 64-bit integer, and a word that says which.
type values struct {
	period int
	value  uint64 // which positions of the period are such
	tag    uint64 // which say what they are
	packed uint64 // of the tags: several small fields, as some show
}

// byPosition adds up the words of an object by their position in a period.
func byPosition(slots [][classes]uint32, period int) [][classes]uint32 {
	at := make([][classes]uint32, period)
	for i := range slots[:len(slots)/period*period] {
		for k, v := range slots[i] {
			at[i%period][k] += v
		}
	}
	return at
}

// findValues looks for values among records of 2 to 4 words. A value is known
// by being a pointer in some records and a float in others, with small numbers
// in the word behind it: Lua's TValue and Node (lobject.h), PHP's zval
// (zend_types.h). Such a union has 8 bytes in every build.
func findValues(slots [][classes]uint32) (v values, ok bool) {
	for p := 2; p <= 4 && len(slots) >= p*minRecords; p++ {
		if v, ok = valuesAt(byPosition(slots, p)); ok {
			return v, true
		}
	}
	return v, false
}

// valuesAt looks for values among the positions of a period.
func valuesAt(at [][classes]uint32) (v values, ok bool) {
	v.period = len(at)
	for i := range at {
		next := (i + 1) % len(at)
		c, tag := &at[i], &at[next]
		f := float64(filled(c))
		pointers := float64(c[classPtr])
		if f == 0 || pointers < 0.1*f || pointers > 0.9*f || float64(c[classFloat]) < 0.05*f || c[classText] > 2*c[classFloat] {
			continue // a third of all floats look like text
		}
		if !tagLike(tag) {
			continue
		}
		v.value |= 1 << i
		v.tag |= 1 << next
		if 20*tag[classPair] >= filled(tag) {
			v.packed |= 1 << next
		}
	}
	return v, v.value != 0
}

// tagLike reports whether a position holds small numbers only.
func tagLike(c *[classes]uint32) bool {
	f := filled(c)
	return f > 0 && uint64(c[classSmall]+c[classShort]+c[classEpoch]+c[classPair])*20 >= uint64(f)*19
}

// fits reports whether an object may hold such an array: its tags are numbers
// wherever there are any.
func (v *values) fits(slots [][classes]uint32) bool {
	if len(slots) < v.period*2 {
		return false
	}
	some := false
	for i, c := range byPosition(slots, v.period) {
		if v.tag>>i&1 == 1 {
			some = some || tagLike(&c)
			if filled(&c) > 0 && !tagLike(&c) {
				return false
			}
		}
	}
	return some
}

// decide overrules what a position by itself looks like.
func (v *values) decide(w widths, i int, was verdict) verdict {
	if v.period == 0 {
		return was
	}
	bit := uint64(1) << (i % v.period)
	switch {
	case v.value&bit != 0:
		d := w.maybe(doubtUnion, was.part)
		d.mode = w.from
		return d
	case v.packed&bit != 0:
		return w.fixed(partData)
	case v.tag&bit == 0 && was.part == partPtr && w.lua:
		return w.fixed(partPtr)
	case v.tag&bit == 0 && was.part == partPtr:
		// Keys are values too in some languages.
		return w.maybe(doubtKey, partPtr)
	}
	return was
}
