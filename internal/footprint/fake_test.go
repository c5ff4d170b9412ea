package footprint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// fakeTarget is a process made up for a test. Reading what is not in memory,
// or may not be read, fails the test.
type fakeTarget struct {
	t       *testing.T
	maps    []fakeMap
	program []byte
	status  string
	reads   int
	dieAt   int // the number of reads after which it is gone; 0 for never
}

type fakeMap struct {
	start  uint64
	data   []byte // its pages; nil ones are not in memory
	holes  map[int]bool
	perms  string
	name   string
	flags  string
	shared bool // its pages are of a file
}

const fakePage = 4096

func (f *fakeTarget) gone() bool { return f.dieAt > 0 && f.reads >= f.dieAt }

func (f *fakeTarget) File(name string) ([]byte, error) {
	switch name {
	case "smaps":
		var b strings.Builder
		for _, m := range f.maps {
			pages := (len(m.data) + fakePage - 1) / fakePage
			rss := (pages - len(m.holes)) * 4
			anon := rss
			if m.shared {
				anon = 0
			}
			fmt.Fprintf(&b, "%x-%x %s 00000000 00:00 0 %s\nRss: %d kB\nPss: %d kB\nAnonymous: %d kB\nVmFlags: %s\n",
				m.start, m.start+uint64(pages*fakePage), m.perms, m.name, rss, rss, anon, m.flags)
		}
		return []byte(b.String()), nil
	case "status":
		return []byte(f.status), nil
	}
	return nil, os.ErrNotExist
}

type readerAt struct{ *bytes.Reader }

func (readerAt) Close() error { return nil }

func (f *fakeTarget) Program() (ReaderAtCloser, error) {
	if f.program == nil {
		return nil, os.ErrPermission
	}
	return readerAt{bytes.NewReader(f.program)}, nil
}

func (f *fakeTarget) find(addr uint64) (*fakeMap, int) {
	for i := range f.maps {
		if m := &f.maps[i]; addr >= m.start && addr < m.start+uint64(len(m.data)) {
			return m, int(addr - m.start)
		}
	}
	return nil, 0
}

func (f *fakeTarget) Pagemap(dst []uint64, addr uint64) (int, error) {
	for i := range dst {
		dst[i] = 0
		if m, off := f.find(addr + uint64(i*fakePage)); m != nil && !m.holes[off/fakePage] {
			dst[i] = pagePresent
			if m.shared {
				dst[i] |= pageFile
			}
		}
	}
	return len(dst), nil
}

func (f *fakeTarget) Read(p []byte, addr uint64) (int, error) {
	if f.reads++; f.gone() {
		return 0, ErrGone
	}
	m, off := f.find(addr)
	if m == nil || off+len(p) > len(m.data) {
		return 0, errors.New("bad address")
	}
	if strings.Contains(m.flags, "dd") || strings.Contains(m.flags, "io") || strings.Contains(m.flags, "pf") {
		f.t.Errorf("read %#x of a mapping with the flags %q", addr, m.flags)
	}
	for i := off / fakePage; i <= (off+len(p)-1)/fakePage; i++ {
		if m.holes[i] {
			f.t.Errorf("read page %d of %#x, which is not in memory", i, m.start)
		}
	}
	return copy(p, m.data[off:]), nil
}

func (f *fakeTarget) Alive() bool   { return !f.gone() }
func (f *fakeTarget) PageSize() int { return fakePage }
func (f *fakeTarget) Close()        {}

var _ io.ReaderAt = readerAt{}

// memory is a stretch of memory being written for a test.
type memory struct {
	base uint64
	word int
	b    []byte
}

func newMemory(base uint64, size, word int) *memory {
	return &memory{base: base, word: word, b: make([]byte, size)}
}

// put writes words at an offset.
func (m *memory) put(off int, words ...uint64) {
	for _, v := range words {
		if m.word == 8 {
			binary.LittleEndian.PutUint64(m.b[off:], v)
		} else {
			binary.LittleEndian.PutUint32(m.b[off:], uint32(v))
		}
		off += m.word
	}
}

func (m *memory) put32(off int, words ...uint32) {
	for _, v := range words {
		binary.LittleEndian.PutUint32(m.b[off:], v)
		off += 4
	}
}

func (m *memory) text(off int, s string) { copy(m.b[off:], s) }

// peek is a peeker on several memories.
func peekAll(all ...*memory) peeker {
	return func(p []byte, addr uint64) bool {
		for _, m := range all {
			if addr >= m.base && addr+uint64(len(p)) <= m.base+uint64(len(m.b)) {
				copy(p, m.b[addr-m.base:])
				return true
			}
		}
		return false
	}
}

// spaceOf maps the memories.
func spaceOf(all ...*memory) *space {
	var maps []vma
	for _, m := range all {
		maps = append(maps, vma{start: m.base, end: m.base + uint64(len(m.b)), perms: "rw-p"})
	}
	return newSpace(maps)
}

// scannerFor returns a scanner of one region for memories of a word size.
func scannerFor(from, to world, all ...*memory) *scanner {
	return &scanner{
		l: layout{int(from.word)}, from: from, to: to, w: widths{from: from.word, to: to.word},
		sp: spaceOf(all...), shapes: newShapes(), regions: make([]region, 1),
	}
}
