package membench

import (
	"fmt"
	"unsafe"

	"wordsize/internal/membench/kernel"
)

// A chunk is the memory that one worker uses. It lies outside of the Go
// heap, in several mappings where one would be too large for the address
// space. All sizes are 64-bit: on 386 it may be larger than an int.
type chunk struct {
	segments []segment
	bytes    int64
}

// A segment is one mapping, or the part of it that is used.
type segment struct {
	base unsafe.Pointer // page-aligned
	size uint64
}

// blocks calls each for every block of the chunk in order, with its offset
// from the chunk's start, until each returns false. It says whether all
// blocks were visited.
func (c *chunk) blocks(each func(p unsafe.Pointer, n uintptr, offset int64) bool) bool {
	var start int64
	for _, s := range c.segments {
		for off := uint64(0); off < s.size; off += kernel.Block {
			n := min(s.size-off, kernel.Block)
			if !each(unsafe.Add(s.base, off), uintptr(n), start+int64(off)) {
				return false
			}
		}
		start += int64(s.size)
	}
	return true
}

// MapError says that a worker could not get its chunk.
type MapError struct {
	Bytes  int64 // wanted
	Mapped int64 // got before it failed
	Err    error
}

func (e *MapError) Error() string {
	return fmt.Sprintf("cannot map %d MiB: the system gave %d MiB, then: %v", e.Bytes>>20, e.Mapped>>20, e.Err)
}

func (e *MapError) Unwrap() error { return e.Err }

// smallestPiece is the least that is worth a mapping of its own.
const smallestPiece = 1 << 20

// mapPieces collects a chunk from as few mappings as mapOne gives: the whole
// if possible, else ever smaller pieces.
func mapPieces(bytes int64, mapOne func(size uint64) (unsafe.Pointer, error), unmap func(segment)) (*chunk, error) {
	c := &chunk{bytes: bytes}
	piece := uint64(bytes)
	for left := uint64(bytes); left > 0; {
		size := min(piece, left)
		p, err := mapOne(size)
		if err == nil {
			c.segments = append(c.segments, segment{p, size})
			left -= size
			continue
		}
		if piece = size / 2 &^ (smallestPiece - 1); piece < smallestPiece {
			for _, s := range c.segments {
				unmap(s)
			}
			return nil, &MapError{Bytes: bytes, Mapped: bytes - int64(left), Err: err}
		}
	}
	return c, nil
}
