package footprint

import (
	"encoding/binary"
	"math"
	"testing"
)

func word(s string) uint64 {
	var b [8]byte
	copy(b[:], s)
	return binary.LittleEndian.Uint64(b[:])
}

func TestClassify8(t *testing.T) {
	s := newSpace([]vma{{start: 0x400000, end: 0x500000}, {start: 0x7f0000000000, end: 0x7f0000100000}})
	for _, tc := range []struct {
		name string
		v    uint64
		want class
	}{
		{"zero", 0, classZero}, {"pointer", 0x7f0000000010, classPtr}, {"its end", 0x7f0000100000, classPair},
		{"small", 1234, classSmall}, {"minus one", math.MaxUint64, classSmall}, {"minus a million", ^uint64(999999), classSmall},
		{"32 bits", 0xfedcba98, classSmall},
		{"low and aligned", 0x400008, classLow}, {"low and odd", 0x400001, classSmall},
		{"text", word("abcdefgh"), classText}, {"end of a text", word("abcde"), classText}, {"short text", word("abc"), classShort},
		{"two letters", word("ab"), classSmall}, {"text with a tab", word("a\tbcdefg"), classText},
		{"float", math.Float64bits(3.14159), classFloat}, {"negative float", math.Float64bits(-1e9), classFloat},
		{"pair", 7<<32 | 9, classPair}, {"negative pair", 0xffffffff00000001, classPair}, {"hash", 0x9e3779b97f4a7c15, classWide},
		{"bytes then zero then bytes", 0xb100004100004141, classWide},
	} {
		if got := s.classify8(tc.v); got != tc.want {
			t.Errorf("%s (%#x): class %d, want %d", tc.name, tc.v, got, tc.want)
		}
	}
}

func TestClassify4(t *testing.T) {
	s := newSpace([]vma{{start: 0x8048000, end: 0x8090000}, {start: 0xb7000000, end: 0xb7100000}})
	for v, want := range map[uint64]class{0: classZero, 0x8048010: classPtr, 0xb7000000: classPtr, 42: classSmall, 0xffffffff: classSmall, 0x64636261: classShort, 0x9e3779b9: classWide} {
		if got := s.classify4(v); got != want {
			t.Errorf("%#x: class %d, want %d", v, got, want)
		}
	}
}

func TestTextLength(t *testing.T) {
	for s, want := range map[string]int{
		"hello\x00\x00\x00": 6, "hello\x00junk": 6, "hi\x00": 3, "whole": 5, "\x00\x00": 0, "a\x00": 0, "bad\x01\x00": 0, "line\nline\x00": 10, "gr\xc3\xbc\xc3\x9fe\x00": 8, "\xff\xfe\xfd\xfc\x00": 0,
	} {
		if got := textLength([]byte(s)); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}
