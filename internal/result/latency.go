package result

// LatencyKind tells the record of memtest latency.
const LatencyKind = "memtest-latency"

// Latency is how long a load takes whose address the load before it gave:
// over sizes, or at one size against the load of other processes. Times are
// nanoseconds a load.
type Latency struct {
	CurveHead
	LineBytes int64           `json:"line_bytes"`  // distance of the loads' places: one a cache line
	MinTimeNS int64           `json:"min_time_ns"` // of each part of a launch
	Sizes     []int64         `json:"sizes"`       // bytes, rising
	PageKinds []string        `json:"page_kinds"`
	Points    []LatencyPoint  `json:"points"` // one a size that was measured
	Steps     []CacheStep     `json:"steps"`  // of StepsOf
	StepsOf   string          `json:"steps_of,omitempty"`
	Unseen    []Cache         `json:"claims_not_seen"`
	Samples   []LatencySample `json:"samples"` // in order of time
	Loaded    *LoadedLatency  `json:"loaded,omitempty"`
}

// LatencyPoint is one size over all launches.
type LatencyPoint struct {
	Bytes int64           `json:"bytes"`
	Kinds []LatencyOfKind `json:"kinds"`            // one a kind of pages that was got
	TLB   *float64        `json:"tlb_ns,omitempty"` // what base pages cost more than huge ones, median over launches
}

// LatencyOfKind is one size with one kind of pages.
type LatencyOfKind struct {
	Pages string   `json:"pages"`
	NS    Estimate `json:"ns"`
}

// LatencySample is one size with one kind of pages in one launch.
type LatencySample struct {
	Launch    int     `json:"launch"` // from 0
	Bytes     int64   `json:"bytes"`
	Pages     string  `json:"pages"`
	NS        float64 `json:"ns"`                         // of the median pass
	Loads     int64   `json:"loads"`                      // made
	HugeBytes *int64  `json:"chunk_huge_bytes,omitempty"` // of the mapping, which is whole huge pages
}

// LoadedLatency is the latency that one process sees while others load the memory.
type LoadedLatency struct {
	Bytes      int64          `json:"bytes"` // through which the pointers lead
	Pages      string         `json:"pages"`
	Processes  int            `json:"processes"` // that load
	ChunkBytes int64          `json:"chunk_bytes"`
	Kernel     Kernel         `json:"kernel"` // theirs, without what depends on the size
	PieceBytes int64          `json:"piece_bytes"`
	Points     []LoadedPoint  `json:"points"`
	Samples    []LoadedSample `json:"samples"` // in order of time
}

// LoadedPoint is one delay of the loading processes over all launches.
type LoadedPoint struct {
	Delay *int     `json:"delay,omitempty"` // turns of an idle loop after each piece; absent: nothing loads
	Load  Estimate `json:"load_bytes_per_s"`
	NS    Estimate `json:"ns"`
}

// LoadedSample is one delay in one launch.
type LoadedSample struct {
	Launch int     `json:"launch"` // from 0
	Delay  *int    `json:"delay,omitempty"`
	Load   float64 `json:"load_bytes_per_s"` // of all that load, while latency was measured
	NS     float64 `json:"ns"`
}

// Usable says whether something was measured.
func (l *Latency) Usable() bool {
	return len(l.Samples) > 0 || l.Loaded != nil && len(l.Loaded.Samples) > 0
}
