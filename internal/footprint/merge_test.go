package footprint

import (
	"math"
	"testing"
)

// repeated returns n sizes.
func repeated(n, size int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = size
	}
	return sizes
}

// glibcOf scans a heap of n chunks of a size and returns what was seen.
func glibcOf(n, size int, fill func(m *memory, i, off int)) tally {
	m := heapOf(8, repeated(n, size), func(m *memory, i, off, _ int) { fill(m, i, off) })
	return total(scannerFor(worlds["lp64"], worlds["ilp32"], m), m, kindHeap, len(m.b))
}

// perChunk is what a chunk of a heap takes in the other build.
func perChunk(t tally, size int) float64 { return t.then.mid / t.seen * float64(size) }

// Leaves of a tree {left, right, key, colour and count} have no pointers, but
// they are of the type of the inner nodes.
func TestLeavesAreNodes(t *testing.T) {
	got := glibcOf(6000, 48, func(m *memory, i, off int) {
		if i%2 == 0 { // an inner node; half of them with one child
			m.put(off, m.base+uint64(off))
			if i%4 == 0 {
				m.put(off+8, m.base+uint64(off+96))
			}
		}
		m.put(off+16, uint64(i)*7919+1)
		m.put32(off+24, uint32(i%2), uint32(i%5+1))
	})
	about(t, "a node", perChunk(got, 48), 32, 0.06)
	if got.bareDown+got.bareUp > 0.02*got.seen {
		t.Errorf("the leaves' keys are in doubt: %v of %v bytes", got.bareDown+got.bareUp, got.seen)
	}
}

// Objects of another type and the same size stay apart.
func TestNoSiblings(t *testing.T) {
	count := func(words ...class) []profile {
		s := make([][classes]uint32, len(words))
		for i, c := range words {
			s[i][c] = 100
		}
		return profiles(s)
	}
	for _, tc := range []struct {
		name string
		a, b []profile
		want bool
	}{
		{"a nil pointer", count(classPtr, classSmall, classPtr), count(classZero, classSmall, classPtr), true},
		{"all pointers nil", count(classPtr, classPtr, classSmall), count(classZero, classZero, classSmall), true},
		{"nothing in common", count(classPtr, classZero, classZero), count(classZero, classZero, classPtr), false},
		{"a float for the pointer", count(classPtr, classSmall), count(classFloat, classSmall), false},
		{"a number always, never", count(classPtr, classSmall, classPtr), count(classPtr, classZero, classZero), false},
		{"text for the number", count(classPtr, classSmall, classPtr), count(classZero, classText, classPtr), false},
		{"packed and not", count(classPtr, classSmall, classPtr), count(classPtr, classPair, classZero), true},
		{"of two lengths", count(classPtr, classSmall), count(classPtr, classSmall, classZero), false},
	} {
		if got := siblings(tc.a, tc.b); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
		if siblings(tc.a, tc.b) != siblings(tc.b, tc.a) {
			t.Errorf("%s: not the same the other way round", tc.name)
		}
	}
}

// Merging must neither lose objects nor change what was counted.
func TestMergeKeepsCounts(t *testing.T) {
	s := newShapes()
	words := [][]class{{classPtr, classSmall, classPtr}, {classZero, classSmall, classPtr}, {classFloat, classFloat, classFloat}}
	for i := range 300 {
		w := words[i%3]
		s.of(shapeKey{alloc: allocGlibc, size: 32, mask: pointerMask(w)}, 3).count(i%2, w)
	}
	for range 2 { // settling twice gives the same
		n, in := uint64(0), uint64(0)
		list := s.settled()
		for _, sh := range list {
			n += sh.total
			in += uint64(sh.n[0]) + uint64(sh.n[1])
		}
		if len(list) != 2 || n != 300 || in != 300 {
			t.Errorf("%d shapes of %d objects, %d by region; want 2 of 300", len(list), n, in)
		}
	}
}

// nodes writes the nodes of a hash as Lua's: {value, tag, key's tag, next, key}.
// sort says which sort of value node k has.
func nodes(m *memory, off, n, i int, sort func(k int) int) {
	for k := range n {
		at := off + k*24
		switch sort(k) {
		case 0:
			m.put(at, m.base+uint64(off))
		case 1:
			m.put(at, math.Float64bits(float64(i)*0.37+1))
		case 2:
			m.put(at, uint64(i+1))
		case 3:
			continue // an empty node
		}
		m.put32(at+8, 0x0405, uint32(k%2))
		m.put(at+16, m.base+uint64(i%64)*8)
	}
}

// A value that is a pointer here and a double there has 8 bytes in any build.
func TestValues(t *testing.T) {
	for _, lua := range []bool{false, true} {
		m := heapOf(8, repeated(3000, 208), func(m *memory, i, off, _ int) { nodes(m, off, 8, i, func(k int) int { return (i + k) % 4 }) })
		s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
		s.w.lua = lua
		got := total(s, m, kindHeap, len(m.b))
		want := 176. // 8 bytes, the tags and next, and a pointer
		if lua {
			want = 208 // a Node keeps its 24 bytes
		}
		about(t, "eight nodes", perChunk(got, 208), want, 0.08)
	}
}

// The same in one large block, which is judged as an array.
func TestValuesInArray(t *testing.T) {
	m := newMemory(0x7f1000000000, 96<<10, 8)
	for off := 0; off+96 <= len(m.b); off += 96 {
		nodes(m, off, 4, off/96, func(k int) int { return int(uint32(off/24+k) * 2654435761 >> 29 % 4) })
	}
	s := scannerFor(worlds["lp64"], worlds["ilp32"], m)
	s.w.lua = true
	s.array(0, m.base, m.b)
	got := s.settle()[0]
	about(t, "nodes", got.then.mid/got.seen, 1, 0.05)
}

func TestInterpreter(t *testing.T) {
	for name, want := range map[string]string{
		"/usr/bin/ruby3.1": "ruby", "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1": "ruby", "/usr/bin/lua5.4": "lua", "/usr/lib/liblua5.3.so.0": "lua",
		"/usr/bin/luajit": "", "/usr/bin/rubyx": "", "/srv/ruby/app": "", "[heap]": "", "/usr/lib/libluajit-5.1.so.2": "",
	} {
		if got := interpreterOf([]vma{{name: "/x"}, {name: name}}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
