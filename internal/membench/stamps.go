package membench

// maxStamps bounds the timestamps that a worker keeps, for a run may make
// millions of passes over a small chunk. It is even.
const maxStamps = 1 << 13

// stamps keeps the end of every stride-th pass. When it is full it forgets
// every other one and doubles the stride, so that memory stays bounded and
// the kept ones stay evenly spread.
type stamps struct {
	ns     []int64 // ends of passes stride, 2·stride, …
	stride int64
	passes int64 // counted so far
}

// newStamps returns stamps whose memory has been touched already: recording
// must not fault.
func newStamps() *stamps {
	s := &stamps{ns: make([]int64, maxStamps), stride: 1}
	for i := range s.ns {
		s.ns[i] = -1
	}
	s.ns = s.ns[:0]
	return s
}

func (s *stamps) add(ns int64) {
	s.passes++
	if s.passes%s.stride != 0 {
		return
	}
	s.ns = append(s.ns, ns)
	if len(s.ns) == maxStamps {
		for i := 0; i < maxStamps/2; i++ {
			s.ns[i] = s.ns[2*i+1]
		}
		s.ns = s.ns[:maxStamps/2]
		s.stride *= 2
	}
}
