package footprint

import (
	"encoding/binary"
	"testing"
)

// A std::string {pointer, size, 16 bytes}: short ones are within themselves, and
// the 16 bytes stay.
func TestStrings(t *testing.T) {
	got := glibcOf(5000, 48, func(m *memory, i, off int) {
		if i%3 == 0 { // a long one, elsewhere; behind it its capacity
			m.put(off, m.base+uint64(off%4096), 40, 60)
			return
		}
		m.put(off, m.base+uint64(off)+16, 5)
		m.text(off+16, "short")
	})
	about(t, "4+4+16 bytes", perChunk(got, 48), 32, 0.05)
	// An array of them has a period of four words.
	m := newMemory(0x7f1000000000, 64<<10, 8)
	for off := 0; off < len(m.b); off += 32 {
		m.put(off, m.base+uint64(off)+16, 9)
		m.text(off+16, "character")
	}
	s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
	s.array(0, m.base, m.b)
	all := s.settle()[0]
	about(t, "an array", all.then.mid/all.seen, 0.75, 0.02)
}

// goObjectsOf returns what a Go object of some words takes on 32 bits.
func goObjectsOf(golang bool, n int, words func(i int) []uint64) float64 {
	m := newMemory(0xc000000000, 64<<10, 8)
	s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
	s.w.golang = golang
	size := len(words(0)) * 8
	sp := &span{start: m.base, pages: 8, elem: uint32(size), state: spanInUse, pointers: true}
	for i := range n {
		m.put(i*size, words(i)...)
		s.goObject(0, sp, m.b[i*size:(i+1)*size], nil, uint64(i*size/8))
	}
	var sum float64
	for _, t := range s.settle() {
		sum += t.then.mid
	}
	return sum / float64(n)
}

// Seconds since 1970 are an int64 in Go, and a word (time_t) in C as likely as
// not.
func TestTimes(t *testing.T) {
	at := func(i int) []uint64 { return []uint64{1_600_000_000 + uint64(i)*104_729, 0xc000000000 + uint64(i)*8} }
	about(t, "{int64, pointer} in Go", goObjectsOf(true, 1000, at), worlds["ilp32"].goSpanShare(16, true, 0), 0.05)
	about(t, "{time_t or int64, pointer}", goObjectsOf(false, 1000, at), 12, 0.1)
	// Numbers that are in that range now and then are numbers.
	about(t, "{int, pointer}", goObjectsOf(true, 1000, func(i int) []uint64 {
		return []uint64{uint64(i) * 3_000_000, 0xc000000000 + uint64(i)*8}
	}), 8, 0.1)
}

// time.Time {wall, ext, loc} keeps 16 of its 24 bytes, though nanoseconds look
// like an int.
func TestGoTime(t *testing.T) {
	got := goObjectsOf(true, 1000, func(i int) []uint64 {
		return []uint64{uint64(i) * 900_001, goEpoch + 1_700_000_000 + uint64(i), 0xc000000000 + uint64(i%8)*8}
	})
	about(t, "20 bytes are of the class of 24", got, worlds["ilp32"].goSpanShare(24, true, 0), 0.05)
}

// Behind 40 bytes in the class of 48 lies what was there before.
func TestLeftovers(t *testing.T) {
	got := goObjectsOf(true, 1000, func(i int) []uint64 {
		w := []uint64{uint64(i + 1), 0xc000000000 + uint64(i)*8, 12, 7, 9, 0}
		switch i % 16 {
		case 3:
			w[5] = 300
		case 7:
			w[5] = binary.LittleEndian.Uint64([]byte("old text"))
		}
		return w
	})
	about(t, "20 bytes", got, worlds["ilp32"].goSpanShare(24, true, 0), 0.08)
}

// Two fields of 32 bits in a word: the upper one may be zero in most.
func TestPackedFields(t *testing.T) {
	var c [classes]uint32
	c[classSmall], c[classPair] = 800, 200
	w := widths{from: 8, to: 4}
	if v := w.judge(&c, true); v.low != 8 || v.high != 8 {
		t.Errorf("%+v, want 8 bytes", v)
	}
	c[classPair] = 20
	if v := w.judge(&c, true); v.mode != 4 {
		t.Errorf("%+v, want a word", v)
	}
}
