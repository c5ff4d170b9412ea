package footprint

// span is one span of Go's heap; see mspan in runtime/mheap.go.
type span struct {
	start, end uint64
	elem       uint64 // bytes of an object; for stacks the size of a stack
	stack      bool   // not of the heap
	pointers   bool   // its objects may hold pointers
	free       bool
}

// spanTable are the spans in the order of their addresses.
type spanTable struct{ spans []span }

func (t *spanTable) covers(lo, hi uint64) bool { return false }

func (s *scanner) goBlock(ri int, addr uint64, b []byte) {}

type slabTable struct{}

func (t *slabTable) covers(lo, hi uint64) bool           { return false }
func (s *scanner) jeBlock(ri int, addr uint64, b []byte) {}

type python struct {
	pool             int
	poolFrom, poolTo float64
}

func (s *scanner) pyObject(ri int, b []byte, size float64, a allocator) bool { return false }
func (s *scanner) pools(ri int, v *vma, addr uint64, b []byte)               {}
