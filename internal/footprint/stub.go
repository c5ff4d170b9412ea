package footprint

type slabTable struct{}

func (t *slabTable) covers(lo, hi uint64) bool           { return false }
func (s *scanner) jeBlock(ri int, addr uint64, b []byte) {}
