package result

// SweepKind tells the record of memtest sweep.
const SweepKind = "memtest-sweep"

// Sweep is the bandwidth of one process over the size of its memory. Each
// launch measured all sizes in another order, each in a process of its own.
type Sweep struct {
	CurveHead
	Kernel    Kernel        `json:"kernel"` // without bytes_per_pass, which is each size's
	Pages     string        `json:"pages"`
	MinTimeNS int64         `json:"min_time_ns"` // of each size in a launch
	Sizes     []int64       `json:"sizes"`       // bytes, rising
	CallNS    *float64      `json:"call_ns,omitempty"`
	Points    []SweepPoint  `json:"points"` // one a size that was measured
	Steps     []CacheStep   `json:"steps"`
	Unseen    []Cache       `json:"claims_not_seen"` // caches that are claimed and have no step near their size
	Samples   []SweepSample `json:"samples"`         // in order of time
}

// SweepPoint is one size over all launches, in bytes a second.
type SweepPoint struct {
	Bytes     int64    `json:"bytes"`
	Rate      Estimate `json:"bytes_per_s"`
	CallShare *float64 `json:"call_share,omitempty"` // of the time: what the calls cost by themselves
}

// CacheStep is a place where a curve leaves one level for another: a cache is
// full, or the entries of a TLB are used up. Before and After are in the unit
// of the curve.
type CacheStep struct {
	FromBytes int64   `json:"from_bytes"` // the last size on the level before
	AtBytes   int64   `json:"at_bytes"`   // where the curve crosses the middle between the levels
	ToBytes   int64   `json:"to_bytes"`   // the first size on the level after
	Before    float64 `json:"before"`
	After     float64 `json:"after"`
	Claims    []Cache `json:"claims"` // caches that are said to be of about this size
}

// SweepSample is one size in one launch.
type SweepSample struct {
	Launch int     `json:"launch"` // from 0
	Bytes  int64   `json:"bytes"`
	Rate   float64 `json:"bytes_per_s"` // of the median pass
	Passes int64   `json:"passes"`
}

// Usable says whether a size was measured.
func (s *Sweep) Usable() bool { return len(s.Samples) > 0 }
