package footprint

import (
	"encoding/binary"
	"sort"
)

// A class says what an aligned word of memory looks like.
type class uint8

const (
	classZero   class = iota
	classPtr          // points into a mapping of the process
	classLow          // points into a mapping below 4 GiB: perhaps a number
	classSmall        // upper half empty or a sign extension
	classShort        // the same, but it may also be a text of three or four characters
	classText         // printable characters, perhaps followed by zeros
	classFloat        // an IEEE 754 number of an everyday size
	classPair         // two numbers of 32 bits
	classWide         // anything else
	classSelf         // a pointer to two words behind itself: a text held within
	classEpoch        // small, but a time in seconds since 1970, of 2001 to 2039
	classGoTime       // wide, but a time in seconds since the year 1, of the same years
	classes
)

// Times: a number in this range is a time only where all of its kind are. Go's
// time.Time counts seconds since the year 1 (time/time.go: unixToInternal).
const (
	epochFirst = 1_000_000_000
	epochLast  = 2_200_000_000
	goEpoch    = 62_135_596_800
)

// plainClass is what a class is where neither an address nor the other words of
// its kind are known.
func plainClass(c class) class {
	switch c {
	case classSelf:
		return classPtr
	case classEpoch:
		return classSmall
	case classGoTime:
		return classWide
	}
	return c
}

// layout is the data model of the process that is read.
type layout struct {
	word int // bytes of a pointer and a long: 4 or 8
}

func (l layout) load(b []byte, off int) uint64 {
	if l.word == 8 {
		return binary.LittleEndian.Uint64(b[off:])
	}
	return uint64(binary.LittleEndian.Uint32(b[off:]))
}

// space knows which addresses are mapped.
type space struct {
	starts, ends []uint64
	lo, hi       uint64
	last         int
}

// lowest is below what pointers are hard to tell from numbers: a program at a
// fixed address has its data and its heap there. Only whole words may be
// pointers then, and they are where there are not many other numbers.
const lowest = 1 << 32

func newSpace(maps []vma) *space {
	s := &space{}
	for i := range maps {
		m := &maps[i]
		if m.name == "[vsyscall]" {
			continue
		}
		if n := len(s.ends); n > 0 && s.ends[n-1] == m.start {
			s.ends[n-1] = m.end
			continue
		}
		s.starts = append(s.starts, m.start)
		s.ends = append(s.ends, m.end)
	}
	if n := len(s.ends); n > 0 {
		s.lo, s.hi = s.starts[0], s.ends[n-1]
	}
	return s
}

// mapped reports whether an address lies in a mapping.
func (s *space) mapped(a uint64) bool {
	if a < s.lo || a >= s.hi {
		return false
	}
	if a >= s.starts[s.last] && a < s.ends[s.last] {
		return true
	}
	i := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > a })
	if a < s.starts[i] {
		return false
	}
	s.last = i
	return true
}

// classify8 sorts a word of 64 bits.
func (s *space) classify8(v uint64) class {
	switch {
	case v == 0:
		return classZero
	case v >= lowest && s.mapped(v):
		return classPtr
	case v < lowest:
		if v%8 == 0 && s.mapped(v) {
			return classLow
		}
		if n := printable(v); n >= 3 && v&0x8080808080808080 == 0 {
			return classShort
		}
		if v >= epochFirst && v < epochLast {
			return classEpoch
		}
		return classSmall
	case v >= goEpoch+epochFirst && v < goEpoch+epochLast:
		return classGoTime
	case v >= 0xffffffff80000000:
		return classSmall
	case printable(v) >= 4:
		return classText
	}
	if e := v >> 52 & 0x7ff; e >= 1023-40 && e <= 1023+50 {
		return classFloat
	}
	if hi, lo := uint32(v>>32), uint32(v); plain32(hi) && plain32(lo) {
		return classPair
	}
	return classWide
}

// classify4 sorts a word of 32 bits.
func (s *space) classify4(v uint64) class {
	switch {
	case v == 0:
		return classZero
	case s.mapped(v) && v >= 1<<20:
		return classPtr
	case printable(v) >= 3 && v&0x80808080 == 0:
		return classShort
	case v < 1<<24 || v >= 0xff000000:
		return classSmall
	}
	return classWide
}

// plain32 reports whether 32 bits are a number of an everyday size.
func plain32(v uint32) bool { return v < 1<<26 || v > 0xffff0000 }

// printable returns how many characters of text a word starts with, 0 when
// what follows them is not all zero.
func printable(v uint64) int {
	for n := 0; ; n++ {
		c := byte(v)
		if v == 0 {
			return n
		}
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return 0
		}
		v >>= 8
	}
}

// classify sorts the words of b, which is at addr, into dst.
func (s *space) classify(l layout, b []byte, addr uint64, dst []class) []class {
	dst = s.words(l, b, dst)
	for i, c := range dst {
		if c == classPtr && l.load(b, i*l.word) == addr+uint64((i+2)*l.word) {
			dst[i] = classSelf
		}
	}
	return dst
}

// plain sorts the words of b into dst, without what plainClass leaves out.
func (s *space) plain(l layout, b []byte, dst []class) []class {
	dst = s.words(l, b, dst)
	for i, c := range dst {
		dst[i] = plainClass(c)
	}
	return dst
}

func (s *space) words(l layout, b []byte, dst []class) []class {
	dst = dst[:0]
	if l.word == 8 {
		for i := 0; i+8 <= len(b); i += 8 {
			dst = append(dst, s.classify8(binary.LittleEndian.Uint64(b[i:])))
		}
		return dst
	}
	for i := 0; i+4 <= len(b); i += 4 {
		dst = append(dst, s.classify4(uint64(binary.LittleEndian.Uint32(b[i:]))))
	}
	return dst
}
