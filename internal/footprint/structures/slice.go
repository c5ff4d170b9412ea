package structures

import (
	"time"
	"unsafe"
)

// array returns a pointer to a slice's first element, which keeps the array
// alive and, being a pointer, takes no memory in an interface.
func array[E any](s []E) any { return unsafe.SliceData(s) }

// fill makes a slice of exactly n elements, each of which f writes.
func fill[E any](n int, f func(i int) E) any {
	s := make([]E, n)
	for i := range s {
		s[i] = f(i)
	}
	return array(s)
}

// pair is 16 bytes in every build, and holds no pointer.
type pair struct{ a, b int64 }

var sliceStructures = []Structure{
	{
		Name: "slice-int", Group: "slices", Type: "[]int", Shape: "made with its final length",
		words: 1, bytes: 1,
		build: func(n int) any { return fill(n, func(i int) int { return i }) },
	},
	{
		Name: "slice-append", Group: "slices", Type: "[]int", Shape: "grown by append from nothing",
		words: 4, bytes: 4,
		build: func(n int) any {
			var s []int
			for i := range n {
				s = append(s, i)
			}
			return array(s)
		},
	},
	{
		Name: "slice-int64", Group: "slices", Type: "[]int64", Shape: "made with its final length",
		bytes: 9,
		build: func(n int) any { return fill(n, func(i int) int64 { return int64(i) }) },
	},
	{
		Name: "slice-ptr", Group: "slices", Type: "[]*struct{ a, b int64 }", Shape: "each points to 16 bytes of its own",
		words: 1, bytes: 20,
		build: func(n int) any { return fill(n, func(i int) *pair { return &pair{int64(i), int64(i)} }) },
	},
	{
		Name: "slice-string", Group: "slices", Type: "[]string", Shape: "all the same text: the headers alone",
		words: 2, bytes: 2,
		build: func(n int) any { return fill(n, func(int) string { return "the same text for all" }) },
	},
	{
		Name: "slice-any", Group: "slices", Type: "[]any", Shape: "all hold the same pointer: the interfaces alone",
		words: 2, bytes: 2,
		build: func(n int) any { return fill(n, func(int) any { return &samePair }) },
	},
	{
		Name: "slice-bytes", Group: "slices", Type: "[][]byte", Shape: "each of 64 bytes of its own",
		words: 3, bytes: 70,
		build: func(n int) any {
			return fill(n, func(i int) []byte {
				b := make([]byte, 64)
				b[0] = byte(i)
				return b
			})
		},
	},
	{
		Name: "slice-time", Group: "slices", Type: "[]time.Time", Shape: "points in time, one location",
		words: 1, bytes: 20,
		build: func(n int) any {
			start := time.Unix(1_700_000_000, 0).UTC()
			return fill(n, func(i int) time.Time { return start.Add(time.Duration(i)) })
		},
	},
}

var samePair pair
