package result

import "time"

const (
	// ChaseKind tells the record of memtest chase.
	ChaseKind = "memtest-chase"
	// ChasePairKind tells the record of two builds' chases.
	ChasePairKind = "memtest-chase-pair"
)

// Chase is how long a hop over linked nodes takes in one build. A node is a
// native pointer and a native int.
type Chase struct {
	Schema      int           `json:"schema"`
	Kind        string        `json:"kind"`
	Tool        Tool          `json:"tool"`
	Started     time.Time     `json:"started"` // wall clock
	ElapsedNS   int64         `json:"elapsed_ns"`
	Interrupted bool          `json:"interrupted"`
	Error       string        `json:"error,omitempty"` // why it ended early
	Nodes       []int64       `json:"nodes"`           // lengths of the lists, rising
	NodeBytes   int64         `json:"node_bytes"`
	Repeat      int           `json:"repeat"` // launches asked for
	Pin         string        `json:"pin"`
	Pages       string        `json:"pages"`
	Host        Host          `json:"host"`
	Points      []ChasePoint  `json:"points"` // one a length
	Launches    []ChaseLaunch `json:"launches"`
	Warnings    []Warning     `json:"warnings"`
}

// ChasePoint is one length over all launches. Times are nanoseconds a hop.
type ChasePoint struct {
	Nodes int64    `json:"nodes"`
	Bytes int64    `json:"bytes"`  // of all nodes
	Min   float64  `json:"min_ns"` // the fastest round of all
	NS    Estimate `json:"ns"`     // over launches
}

// ChaseLaunch is one process, which measured every length.
type ChaseLaunch struct {
	PID       int           `json:"pid"`
	PinnedCPU *int          `json:"pinned_cpu,omitempty"`
	HugeBytes *int64        `json:"chunk_huge_bytes,omitempty"` // of its memory in huge pages, with all nodes in it
	WallNS    int64         `json:"wall_ns"`                    // of all rounds together
	CPUNS     *int64        `json:"cpu_ns,omitempty"`           // CPU time of the thread in them
	Samples   []ChaseSample `json:"samples"`                    // one a length

	NUMA *NUMAPlacement `json:"numa,omitempty"` // the nodes its memory lies on
}

// ChaseSample is one length in one launch.
type ChaseSample struct {
	Nodes  int64     `json:"nodes"`
	Rounds []float64 `json:"rounds_ns"` // nanoseconds a hop of each round
}

// ChasePair sets two builds' chases side by side.
type ChasePair struct {
	Schema     int            `json:"schema"`
	Kind       string         `json:"kind"`
	Wide       string         `json:"wide"`               // GOARCH of the 64-bit build
	Narrow     string         `json:"narrow"`             // GOARCH of the 32-bit build
	Emulated   string         `json:"emulated,omitempty"` // by what; then speeds don't compare
	WideNode   int64          `json:"wide_node_bytes"`
	NarrowNode int64          `json:"narrow_node_bytes"`
	Caches     []Cache        `json:"caches,omitempty"` // claims of the host
	Rows       []ChasePairRow `json:"rows"`
	Records    []string       `json:"records"` // files of the single launches
	Warnings   []string       `json:"warnings"`
}

// ChasePairRow is one length in both builds, in nanoseconds a hop.
type ChasePairRow struct {
	Nodes       int64        `json:"nodes"`
	Wide        ChasePoint   `json:"wide_point"`
	Narrow      ChasePoint   `json:"narrow_point"`
	Change      float64      `json:"change"`      // narrow median over wide median, minus 1
	P           float64      `json:"p"`           // Mann-Whitney U, two-sided
	PHolm       float64      `json:"p_holm"`      // corrected for all rows
	Significant bool         `json:"significant"` // p_holm < 0.05
	Samples     [2][]float64 `json:"samples_ns"`  // wide, narrow: the median round of each launch
}
