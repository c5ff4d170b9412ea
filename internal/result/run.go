package result

import "time"

const (
	// RunSchema is the version of the Run record; docs/schema.md says what
	// changed between versions.
	RunSchema = 1
	// RunKind tells a memtest record from other JSON files.
	RunKind = "memtest"
)

// Run is one invocation of memtest N T MB.
type Run struct {
	Schema      int       `json:"schema"`
	Kind        string    `json:"kind"`
	Tool        Tool      `json:"tool"`
	Started     time.Time `json:"started"` // wall clock
	ElapsedNS   int64     `json:"elapsed_ns"`
	Interrupted bool      `json:"interrupted"`     // stopped by a signal: only complete phases are here
	Error       string    `json:"error,omitempty"` // why it ended early
	Args        Args      `json:"args"`
	Kernel      Kernel    `json:"kernel"`
	Host        Host      `json:"host"`
	Launches    []Launch  `json:"launches"`
	Until       *Until    `json:"until,omitempty"` // what became of --until
	Warnings    []Warning `json:"warnings"`
}

// Tool is the program that made a record.
type Tool struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Go       string `json:"go"`
	GOOS     string `json:"goos"`
	GOARCH   string `json:"goarch"`
	WordBits int    `json:"word_bits"` // of this build
	Purego   bool   `json:"purego"`    // built without assembly
}

// Args is what was asked for.
type Args struct {
	Processes   int      `json:"processes"`
	MinTimeNS   int64    `json:"min_time_ns"` // T
	ChunkBytes  int64    `json:"chunk_bytes"` // MB × 2^20, of each process
	Kernel      string   `json:"kernel"`      // as given: NAME or NAME/TIER
	Pin         string   `json:"pin"`
	Pages       string   `json:"pages"`
	Repeat      int      `json:"repeat"` // launches; with UntilPercent the most
	Warmup      int      `json:"warmup_passes"`
	SeedPattern uint32   `json:"seed_pattern"`
	Held        bool     `json:"held_load"` // workers go on until all have made their passes
	Verify      bool     `json:"verify"`
	Forced      bool     `json:"forced"` // memory checks overridden
	Runner      []string `json:"runner,omitempty"`
	Peak        *float64 `json:"peak_bytes_per_s,omitempty"` // theoretical, as given by --peak
	Parallel    string   `json:"parallel,omitempty"`         // processes or threads; absent in records before there were threads
	NUMA        string   `json:"numa,omitempty"`             // default, local, remote, interleave or a node; absent in records before there was a choice

	UntilPercent *float64 `json:"until_percent,omitempty"` // launches go on until the interval of the median is so narrow on either side
	UntilTimeNS  *int64   `json:"until_time_ns,omitempty"` // no launch begins later
}

// Values of Args.Parallel: what the N workers are.
const (
	ParallelProcesses = "processes"
	ParallelThreads   = "threads" // of one process
)

// Kernel is the loop that was timed.
type Kernel struct {
	Name          string `json:"name"`
	Tier          string `json:"tier"`
	WriteAllocate bool   `json:"write_allocate"` // ordinary stores: the bus carries about twice the bytes counted
	BytesPerPass  int64  `json:"bytes_per_pass"` // counted, of each process

	BusBytesPerPass *int64 `json:"bus_bytes_per_pass,omitempty"` // write-allocate traffic included; absent when unknown
	Arrays          int    `json:"arrays,omitempty"`             // that the chunk is divided into
	ArrayBytes      int64  `json:"array_bytes,omitempty"`        // each, when the chunk is one mapping
}

// Launch is one execution of the whole benchmark: a sample.
type Launch struct {
	Phases []Phase `json:"phases"`
}

// The names of a launch's phases.
const (
	PhaseSingle   = "single"   // one process alone
	PhaseParallel = "parallel" // N processes at once
)

// Phase is one set of processes that ran at the same time. Its times are
// nanoseconds since EpochNS, which is on Clock.
type Phase struct {
	Name        string        `json:"name"`
	Processes   int           `json:"processes"`
	Passes      int64         `json:"passes"` // counted, of each process
	Clock       string        `json:"clock"`  // "CLOCK_MONOTONIC": system-wide, or "wall"
	EpochNS     int64         `json:"epoch_ns"`
	StartSkewNS int64         `json:"start_skew_ns"` // last start minus first
	Workers     []Worker      `json:"workers"`
	Host        PhaseHost     `json:"host"`
	Zones       *PhaseZones   `json:"zones,omitempty"` // only on kernels with HIGHMEM
	Summary     *PhaseSummary `json:"summary,omitempty"`
}

// Worker is one process of a phase.
type Worker struct {
	Index int `json:"index"`
	PID   int `json:"pid"`

	StartNS       int64   `json:"start_ns"`
	EndNS         int64   `json:"end_ns"`        // end of the last counted pass
	StopNS        int64   `json:"stop_ns"`       // when it ceased to write
	PassEndNS     []int64 `json:"pass_end_ns"`   // ends of passes s, 2s, 3s …, s = PassStride, held ones too
	PassStride    int64   `json:"pass_stride"`   // 1 unless there were very many passes
	Passes        int64   `json:"passes"`        // counted
	HeldPasses    int64   `json:"held_passes"`   // whole ones after the counted
	PartialBytes  int64   `json:"partial_bytes"` // of the pass that the stop cut
	BytesPerPass  int64   `json:"bytes_per_pass"`
	Mappings      int     `json:"mappings"`
	FirstTouchNS  int64   `json:"first_touch_ns"` // duration of the pass that touched every page
	WarmupNS      int64   `json:"warmup_ns"`      // duration of all warm-up passes
	VerifyNS      *int64  `json:"verify_ns,omitempty"`
	VerifiedBytes *int64  `json:"verified_bytes,omitempty"`

	MinorFaults   *int64     `json:"minor_faults,omitempty"` // inside the timed passes
	MajorFaults   *int64     `json:"major_faults,omitempty"`
	TouchFaults   *int64     `json:"touch_faults,omitempty"` // of the first touch
	Preemptions   *int64     `json:"preemptions,omitempty"`  // involuntary context switches inside the timed passes
	CPUNS         *int64     `json:"cpu_ns,omitempty"`       // CPU time of the writing thread inside the timed passes
	PinnedCPU     *int       `json:"pinned_cpu,omitempty"`
	StartCPU      *int       `json:"start_cpu,omitempty"`            // the CPU it ran on at the first timestamp
	EndCPU        *int       `json:"end_cpu,omitempty"`              // and at the last
	ChunkResident *int64     `json:"chunk_resident_bytes,omitempty"` // before timing
	ChunkHuge     *int64     `json:"chunk_huge_bytes,omitempty"`     // of these in huge pages
	ProcessRSS    *int64     `json:"process_rss_bytes,omitempty"`    // of the whole worker, before timing
	Placement     *Placement `json:"placement,omitempty"`            // where the chunk lay physically; absent without the right to know
	OOMScoreAdj   *int       `json:"oom_score_adj,omitempty"`
	CallNS        *float64   `json:"call_ns,omitempty"` // what a call of the loop costs by itself, where asked for

	NUMA *NUMAPlacement `json:"numa,omitempty"` // the nodes its chunk lies on
}

// Placement counts the bytes of a chunk by their physical address. The bands
// are the zones of 32-bit x86 kernels (DMA, LOWMEM, HIGHMEM) and the 4 GiB
// that need PAE or a 64-bit kernel; they exclude each other.
type Placement struct {
	Below16MiB  int64 `json:"below_16mib_bytes"`
	Below896MiB int64 `json:"below_896mib_bytes"` // 16 to 896 MiB
	Below4GiB   int64 `json:"below_4gib_bytes"`   // 896 MiB to 4 GiB
	Above4GiB   int64 `json:"above_4gib_bytes"`
}

// Add counts n bytes at a physical address.
func (p *Placement) Add(physical uint64, n int64) {
	switch {
	case physical < 16<<20:
		p.Below16MiB += n
	case physical < 896<<20:
		p.Below896MiB += n
	case physical < 4<<30:
		p.Below4GiB += n
	default:
		p.Above4GiB += n
	}
}

// Merge adds what another placement counted.
func (p *Placement) Merge(q *Placement) {
	p.Below16MiB += q.Below16MiB
	p.Below896MiB += q.Below896MiB
	p.Below4GiB += q.Below4GiB
	p.Above4GiB += q.Above4GiB
}

// Bytes returns the sum of the bands.
func (p *Placement) Bytes() int64 {
	return p.Below16MiB + p.Below896MiB + p.Below4GiB + p.Above4GiB
}

// PhaseZones is the state of a HIGHMEM kernel's memory around a phase.
type PhaseZones struct {
	Before  Zones `json:"before"`  // before any worker was started
	Touched Zones `json:"touched"` // with all chunks in memory
	After   Zones `json:"after"`   // when the timed passes were over
}

// Zones are HIGHMEM and LOWMEM of a 32-bit kernel, as /proc/meminfo has them.
type Zones struct {
	HighTotalBytes int64 `json:"high_total_bytes"`
	HighFreeBytes  int64 `json:"high_free_bytes"`
	LowTotalBytes  int64 `json:"low_total_bytes"`
	LowFreeBytes   int64 `json:"low_free_bytes"`
}

// PhaseHost is what the host's counters did during a phase.
type PhaseHost struct {
	StealPercent     *float64 `json:"steal_percent,omitempty"`     // of all CPU time: taken by the hypervisor
	ThrottledPeriods *int64   `json:"throttled_periods,omitempty"` // by the cgroup's CPU quota
	ThermalEvents    *int64   `json:"thermal_events,omitempty"`    // core thermal throttles
}

// Warning is a reason to doubt a figure. Text is the sentence for people.
type Warning struct {
	Code    string             `json:"code"`
	Phase   string             `json:"phase,omitempty"`
	Subject string             `json:"subject,omitempty"`
	Values  map[string]float64 `json:"values,omitempty"`
	Text    string             `json:"text"`
}
