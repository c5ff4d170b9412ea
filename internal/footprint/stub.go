package footprint

type slabTable struct{}

func (t *slabTable) covers(lo, hi uint64) bool           { return false }
func (s *scanner) jeBlock(ri int, addr uint64, b []byte) {}

type python struct {
	pool             int
	poolFrom, poolTo float64
}

func (s *scanner) pyObject(ri int, b []byte, size float64, a allocator) bool { return false }
func (s *scanner) pools(ri int, v *vma, addr uint64, b []byte)               {}
