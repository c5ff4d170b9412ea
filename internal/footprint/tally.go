package footprint

// bounds are bytes in the other build: when everything in doubt is as small
// as it can be, the best guess, and when it is as large as it can be.
type bounds struct{ low, mid, high float64 }

func (b *bounds) add(o bounds) {
	b.low += o.low
	b.mid += o.mid
	b.high += o.high
}

func (b bounds) times(f float64) bounds { return bounds{b.low * f, b.mid * f, b.high * f} }

func exactly(v float64) bounds { return bounds{v, v, v} }

// A part is a kind of content, for the make-up.
type part uint8

const (
	partPtr  part = iota
	partInt       // integers of a word that go with pointers in a structure
	partBare      // integers that may be int or int64: nothing tells
	partZero
	partText
	partData // floats, packed numbers, anything else
	partOver // headers, slack and free blocks of allocators
	parts
)

var partNames = [parts]string{"pointers", "word-sized integers", "bare integers", "zeros", "text", "other data", "allocator"}

// An allocator is what a piece of memory was recognised as.
type allocator uint8

const (
	allocNone allocator = iota // not recognised
	allocGlibc
	allocPython
	allocJemalloc
	allocGo
	allocGoStack
	allocators
)

var allocatorNames = [allocators]string{"not recognised", "glibc malloc", "CPython obmalloc", "jemalloc", "Go heap", "Go stacks"}

// tally sums what was looked at.
type tally struct {
	seen  float64 // bytes looked at and understood
	then  bounds  // what these take in the other build
	parts [parts]float64
	// What of then.mid-then.low and then.high-then.mid is due to bare integers:
	// it is kept apart, since no content decides about it.
	bareDown, bareUp float64
	alloc            [allocators]float64
	allocTo          [allocators]float64
}

func (t *tally) add(o *tally, f float64) {
	t.seen += o.seen * f
	t.then.add(o.then.times(f))
	t.bareDown += o.bareDown * f
	t.bareUp += o.bareUp * f
	for i := range t.parts {
		t.parts[i] += o.parts[i] * f
	}
	for i := range t.alloc {
		t.alloc[i] += o.alloc[i] * f
		t.allocTo[i] += o.allocTo[i] * f
	}
}
