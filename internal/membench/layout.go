package membench

import (
	"unsafe"

	"wordsize/internal/membench/kernel"
)

// A layout divides a chunk into the arrays of a kernel. Each mapping is
// divided on its own, so that a block of every array lies in one piece: an
// array is what all mappings give to it.
type layout struct {
	spans  []span
	arrays int
	bytes  int64 // of each array
}

// A span is what one mapping holds of each array.
type span struct {
	base  [kernel.MaxArrays]unsafe.Pointer
	size  uint64 // of each array
	start int64  // offset of the mapping in the chunk
	all   segment
}

// divide lays the arrays of a kernel out. What an equal division into whole
// pages leaves over stays unused.
func (c *chunk) divide(k kernel.Kernel) *layout {
	l := &layout{arrays: k.Arrays()}
	var start int64
	for _, s := range c.segments {
		sp := span{size: uint64(k.ArrayBytes(int64(s.size))), start: start, all: s}
		for i := range l.arrays {
			sp.base[i] = unsafe.Add(s.base, uint64(i)*sp.size)
		}
		l.spans = append(l.spans, sp)
		l.bytes += int64(sp.size)
		start += int64(s.size)
	}
	return l
}

// blocks calls each for every block of the arrays in order, with pointers
// into all of them and the block's offset in each array, until each returns
// false. It says whether all blocks were visited.
func (l *layout) blocks(o *kernel.Operands, each func(offset int64) bool) bool {
	var start int64
	for i := range l.spans {
		s := &l.spans[i]
		for off := uint64(0); off < s.size; off += kernel.Block {
			for a := range l.arrays {
				o.P[a] = unsafe.Add(s.base[a], off)
			}
			o.N = uintptr(min(s.size-off, kernel.Block))
			if !each(start + int64(off)) {
				return false
			}
		}
		start += int64(s.size)
	}
	return true
}

// touch calls each for all of the chunk, piece by piece, with the array that
// the piece belongs to; what is left over goes with the last one.
func (l *layout) touch(each func(array int, p unsafe.Pointer, n uintptr)) {
	for i := range l.spans {
		s := &l.spans[i]
		for a := range l.arrays {
			from, to := uint64(a)*s.size, uint64(a+1)*s.size
			if a == l.arrays-1 {
				to = s.all.size
			}
			for ; from < to; from += kernel.Block {
				each(a, unsafe.Add(s.all.base, from), uintptr(min(to-from, kernel.Block)))
			}
		}
	}
}

// check compares all arrays with what they must hold: after below boundary
// (an offset in each array), before from there on. The first wrong word is
// returned, with its offset in the chunk.
func (l *layout) check(boundary int64, after, before kernel.Words) *Mismatch {
	var o kernel.Operands
	var bad *Mismatch
	l.blocks(&o, func(offset int64) bool {
		want := after
		if offset >= boundary { // a stop comes between blocks, so that none is cut
			want = before
		}
		for a := range l.arrays {
			if d, ok := kernel.CheckWords(o.P[a], o.N, want[a]); !ok {
				bad = &Mismatch{Offset: l.inChunk(a, offset) + int64(d.Offset), Expected: d.Expected, Found: d.Found}
				return false
			}
		}
		return true
	})
	return bad
}

// inChunk turns an offset in one of the arrays into one in the chunk.
func (l *layout) inChunk(array int, offset int64) int64 {
	for i := range l.spans {
		s := &l.spans[i]
		if offset < int64(s.size) {
			return s.start + int64(array)*int64(s.size) + offset
		}
		offset -= int64(s.size)
	}
	return -1
}
