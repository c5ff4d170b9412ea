package footprint

import (
	"cmp"
	"slices"
)

// Objects are told apart by which of their words are pointers. Pointers that
// are nil in some objects of a type tear it apart, so that a nil pointer looks
// like a number that is zero. Here what belongs together is put together again.

// maxSiblings is with how many of the commonest shapes of a size a shape is
// compared.
const maxSiblings = 16

// settled returns the shapes to judge, with siblings taken together and arrays
// of values found.
func (s *shapes) settled() []*shape {
	type group struct {
		alloc allocator
		size  uint32
	}
	groups := map[group][]*shape{}
	var out []*shape
	for k, sh := range s.all {
		if sh.solid > 0 || k.typ != 0 || k.mask == ^uint64(0) || k.alloc != allocGlibc && k.alloc != allocJemalloc {
			// Python's types and Go's bitmaps tell types apart already.
			out = append(out, sh)
			continue
		}
		g := group{k.alloc, k.size}
		groups[g] = append(groups[g], sh)
	}
	for _, list := range groups {
		slices.SortFunc(list, func(a, b *shape) int {
			return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.key.mask, b.key.mask))
		})
		list = mergeSiblings(list)
		markValues(list)
		out = append(out, list...)
	}
	return out
}

// mergeSiblings takes shapes together that are of one type, as it seems.
func mergeSiblings(list []*shape) []*shape {
	var out []*shape
	var known [maxSiblings][]profile // of the first of out
	for _, sh := range list {
		p := profiles(sh.slots)
		n := min(len(out), maxSiblings)
		i := slices.IndexFunc(known[:n], func(o []profile) bool { return siblings(o, p) })
		if i >= 0 {
			out[i].merge(sh)
			known[i] = profiles(out[i].slots)
			continue
		}
		if n < maxSiblings {
			known[n] = p
		}
		c := *sh
		c.slots = slices.Clone(sh.slots)
		out = append(out, &c)
	}
	return out
}

// merge adds the objects of o.
func (sh *shape) merge(o *shape) {
	sh.total += o.total
	for i := range sh.n {
		sh.n[i] += o.n[i]
	}
	for i := range o.slots {
		for k, v := range o.slots[i] {
			sh.slots[i][k] += v
		}
	}
}

// siblings reports whether the objects of two shapes of a size are alike but
// for pointers that are nil in the one: no word may be a pointer here and a
// number there, and some word that is not zero must be alike.
func siblings(a, b []profile) bool {
	if len(a) != len(b) {
		return false
	}
	alike := 0
	for i := range a {
		x, y := &a[i], &b[i]
		switch {
		case x.zero && y.zero:
		case x.zero || y.zero:
			if other := max(x.share[kindPointer], y.share[kindPointer]); other < 0.9 && max(x.filled, y.filled) > 0.5 {
				return false // a number that is never zero here, always there
			}
		case x.overlap(y) < 0.6:
			return false
		default:
			alike++
		}
	}
	return alike > 0
}

// Kinds of words, for comparing.
const (
	kindPointer = iota
	kindNumber
	kindText
	kindFloat
	kindWide
	kindCount
)

// profile is what a position holds.
type profile struct {
	zero   bool    // hardly ever anything else
	filled float64 // share that is not zero
	share  [kindCount]float64
}

// profiles are those of all positions.
func profiles(slots [][classes]uint32) []profile {
	p := make([]profile, len(slots))
	for i := range slots {
		p[i] = profileOf(&slots[i])
	}
	return p
}

func profileOf(c *[classes]uint32) (p profile) {
	f, n := float64(filled(c)), 0.0
	for _, v := range c {
		n += float64(v)
	}
	if n == 0 || f < 0.05*n {
		p.zero = true
		return p
	}
	p.filled = f / n
	p.share[kindPointer] = float64(c[classPtr]+c[classSelf]) / f
	p.share[kindNumber] = float64(c[classSmall]+c[classShort]+c[classPair]+c[classEpoch]) / f
	p.share[kindText] = float64(c[classText]) / f
	p.share[kindFloat] = float64(c[classFloat]) / f
	p.share[kindWide] = float64(c[classWide]+c[classGoTime]) / f
	if low := float64(c[classLow]) / f; c[classLow] > c[classSmall] {
		p.share[kindPointer] += low
	} else {
		p.share[kindNumber] += low
	}
	return p
}

// overlap returns which share of the words two positions have in common.
func (p *profile) overlap(o *profile) (v float64) {
	for i := range p.share {
		v += min(p.share[i], o.share[i])
	}
	return v
}

// markValues finds arrays of values in shapes of one size. Where one shows
// them, the others that may be such arrays are taken for them.
func markValues(list []*shape) {
	for _, sh := range list {
		v, ok := findValues(sh.slots)
		if !ok {
			continue
		}
		for _, o := range list {
			if o.values.period == 0 && v.fits(o.slots) {
				o.values = v
			}
		}
	}
}
