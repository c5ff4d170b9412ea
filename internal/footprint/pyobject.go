package footprint

import (
	"encoding/binary"
	"math/bits"
)

// digits returns how many digits of 30 bits an int has, by its size field or,
// since 3.12, its tag (Include/cpython/longintrepr.h).
func (p *python) digits(v uint64) uint64 {
	if p.minor >= 12 {
		return max(1, min(v>>3, 1<<20))
	}
	n := int64(v)
	if p.l.word == 4 {
		n = int64(int32(uint32(v)))
	}
	if n < 0 {
		n = -n
	}
	return max(1, min(uint64(n), 1<<20))
}

// textRequest returns what a str takes in the other build. Its header is
// PyASCIIObject or PyCompactUnicodeObject (Include/cpython/unicodeobject.h).
func (p *python) textRequest(obj []byte, size float64, to world) (float64, bool) {
	w := p.l.word
	if len(obj) < 5*w {
		return 0, false
	}
	n := float64(p.l.load(obj, 2*w))
	state := binary.LittleEndian.Uint32(obj[4*w:])
	shift := uint32(2)
	if k := state >> shift & 7; k != 1 && k != 2 && k != 4 {
		shift = 16 // 3.14 has made room for interned
	}
	kind := state >> shift & 7
	if kind != 1 && kind != 2 && kind != 4 || state>>(shift+3)&1 == 0 {
		return 0, false
	}
	head := func(word float64) float64 {
		h := 4*word + word // state has 4 bytes, and on 64-bit builds 4 of padding
		if p.minor < 12 {
			h += word // wstr
		}
		if state>>(shift+4)&1 == 0 {
			h += 2 * word // utf8 and its length
			if p.minor < 12 {
				h += word // wstr's length
			}
		}
		return h
	}
	data := (n + 1) * float64(kind)
	if head(float64(w))+data > size+1 {
		return 0, false
	}
	return head(to.word) + data, true
}

// keys recognises the table of a dict (PyDictKeysObject in
// Include/internal/pycore_dict.h; before 3.11 it had fields of a word each) and
// returns what it requests now and in the other build.
func (p *python) keys(b []byte, to world) (now, then float64, ok bool) {
	w := p.l.word
	if len(b) < 8*w || p.minor < 6 {
		return 0, 0, false
	}
	refs := p.l.load(b, 0)
	if refs == 0 || refs > 1<<24 {
		return 0, 0, false
	}
	word, entry := float64(w), 3.0
	var slots, index uint64
	var usable, entries uint64
	fixed := 0.0
	if p.minor >= 11 {
		log, logIndex, kind := b[w], b[w+1], b[w+2]
		usable, entries = p.l.load(b, w+8), p.l.load(b, 2*w+8)
		if log < 3 || log > 40 || logIndex < log || logIndex > log+3 || kind > 3 {
			return 0, 0, false
		}
		slots, index, fixed = 1<<log, 1<<logIndex, 8
		if kind > 0 {
			entry = 2
		}
		now, then = 3*word+fixed, 3*to.word+fixed
	} else {
		slots, usable, entries = p.l.load(b, w), p.l.load(b, 3*w), p.l.load(b, 4*w)
		if slots < 8 || slots > 1<<40 || bits.OnesCount64(slots) != 1 {
			return 0, 0, false
		}
		index = slots * indexBytes(slots)
		now, then = 5*word, 5*to.word
	}
	// Two thirds of the slots may be in use (USABLE_FRACTION).
	if usable+entries != slots*2/3 {
		return 0, 0, false
	}
	all := float64(slots*2/3) * entry
	return now + float64(index) + all*word, then + float64(index) + all*to.word, true
}

// indexBytes returns the size of an index into a table (dictobject.c).
func indexBytes(slots uint64) uint64 {
	switch {
	case slots <= 0xff:
		return 1
	case slots <= 0xffff:
		return 2
	case slots <= 0xffffffff:
		return 4
	}
	return 8
}
