package footprint

import "encoding/binary"

// Go's maps are tables of groups since 1.24: eight control bytes, then eight
// slots of a key and a value (internal/runtime/maps/group.go).
const (
	swissSlots   = 8
	swissEmpty   = 0x80
	swissDeleted = 0xfe
)

// swissControl says whether eight bytes may be the control bytes of a group,
// and whether one of them is of an empty slot, as in most groups.
func swissControl(v uint64) (ok, empty bool) {
	for range 8 {
		c := byte(v)
		if c >= 0x80 && c != swissEmpty && c != swissDeleted {
			return false, false
		}
		empty = empty || c == swissEmpty
		v >>= 8
	}
	return true, empty
}

// swissGroup finds the size of the groups that b is an array of, from its
// start; 0 if it is none. A slot is at most 256 bytes (larger keys and values
// are kept elsewhere).
func swissGroup(b []byte) int {
	for size := 16; size <= 8+swissSlots*256 && 4*size <= len(b); size += 8 {
		if swissFits(b, size) {
			return size
		}
	}
	return 0
}

// swissFits reports whether b starts with groups of a size: control bytes
// where they must be, and nothing in most slots that they say are empty.
func swissFits(b []byte, size int) bool {
	groups := min(len(b)/size, 16)
	empties, blank, full := 0, 0, 0
	for g := range groups {
		at := b[g*size:]
		v := binary.LittleEndian.Uint64(at)
		ok, empty := swissControl(v)
		if !ok || v == 0 {
			return false
		}
		if empty {
			empties++
		}
		slot := (size - 8) / swissSlots
		for i := range swissSlots {
			zero := allZero(at[8+i*slot : 8+(i+1)*slot])
			switch {
			case byte(v>>(8*i)) != swissEmpty:
				full++
			case zero:
				blank++
			default:
				return false
			}
		}
	}
	return empties*3 >= groups && blank > 0 && full > 0
}

// swiss counts an object of Go's that is an array of a map's groups; false
// if it is none. Only slots in use tell what the keys and values are.
func (s *scanner) swiss(ri int, sp *span, b []byte) bool {
	size := swissGroup(b)
	if size == 0 {
		return false
	}
	slot := (size - 8) / swissSlots
	word := s.l.word
	var at [maxSlots][classes]uint32
	for g := 0; (g+1)*size <= len(b); g++ {
		group := b[g*size:]
		v := binary.LittleEndian.Uint64(group)
		for i := range swissSlots {
			if byte(v>>(8*i)) < 0x80 {
				s.words = s.sp.classify(s.l, group[8+i*slot:8+(i+1)*slot], 0, s.words)
				for j, c := range s.words {
					if j < maxSlots {
						at[j][c]++
					}
				}
			}
		}
	}
	var u sums
	if slot%word != 0 {
		u.add(verdict{float64(slot), float64(slot), float64(slot), 0, partData}, float64(slot))
	} else {
		pinned := s.w.pinned(at[:min(slot/word, maxSlots)], false)
		for j := range slot / word {
			v := s.w.judge(&at[min(j, maxSlots-1)], sp.pointers)
			if j < maxSlots && pinned>>j&1 == 1 {
				v = s.w.fixed(partData)
			}
			u.add(v, s.w.from)
		}
	}
	// The array is as long as a power of two; what is behind it is slack.
	groups := 1
	for groups*2*size <= len(b) {
		groups *= 2
	}
	then := u.round(func(v float64) float64 { return s.to.goBlock(float64(groups)*(8+swissSlots*v), sp.pointers, 0) })
	now := s.from.goSpanShare(float64(sp.elem), false, 0)
	if float64(sp.elem) > goSizes[len(goSizes)-1].size || sp.elem == 0 {
		now = roundUp(float64(len(b)), goPage)
	}
	for i := range u.parts {
		u.parts[i] *= float64(groups * swissSlots)
	}
	u.parts[partOver] += now - float64(groups*swissSlots*slot)
	t := &s.regions[ri].arrays
	t.group(&u, then, now, 1)
	t.alloc[allocGo] += now
	t.allocTo[allocGo] += then.mid
	return true
}
