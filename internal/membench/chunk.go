package membench

import (
	"fmt"
	"unsafe"
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

// thpBytes is the size of a transparent huge page, to which it wants its
// mapping to be aligned: 2 MiB on x86 and on arm64 with 4 KiB pages.
const thpBytes = 2 << 20

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
