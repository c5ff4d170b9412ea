package result

import "time"

// UsageSchema names the shape of what rsswatch report --format json writes.
const UsageSchema = "rsswatch-report/1"

// UsageReport says what the processes of some recordings used.
type UsageReport struct {
	Schema  string       `json:"schema"`
	GroupBy string       `json:"group_by"` // what the members of a group have in common
	Labels  []LabelUsage `json:"labels"`
}

// LabelUsage is what the recordings under one label used. Several are taken
// together: averages are weighted by time, extremes are of all, and what is
// counted up (CPU time, bytes, processes) is the mean of a recording.
type LabelUsage struct {
	Label      string          `json:"label"`
	Recordings []UsedRecording `json:"recordings"`
	Total      GroupUsage      `json:"total"`
	Groups     []GroupUsage    `json:"groups"` // largest first
	Warnings   []Note          `json:"warnings"`
}

// UsedRecording describes one recording.
type UsedRecording struct {
	File       string    `json:"file"`
	Labels     []Label   `json:"labels,omitempty"`
	Command    []RawText `json:"command,omitempty"`
	Started    time.Time `json:"started"`
	ElapsedNS  int64     `json:"elapsed_ns"`
	IntervalNS int64     `json:"interval_ns"` // asked for
	Ticks      int64     `json:"ticks"`
	Complete   bool      `json:"complete"` // false: cut off
	PSSBudget  float64   `json:"pss_budget"`
	Exits      string    `json:"exits_method"`
	Tool       Tool      `json:"tool"`
	Host       Host      `json:"host"`
	Watched    bool      `json:"watched"` // processes were watched besides the command's

	// What the recorder itself cost.
	SelfCPUNS     Bytes `json:"self_cpu_ns,omitzero"`
	SelfPercent   Float `json:"self_cpu_percent,omitzero"` // of one CPU, on average
	SelfPeakBytes Bytes `json:"self_peak_bytes,omitzero"`
	SelfTickNS    Bytes `json:"self_tick_ns,omitzero"` // time that a tick took, on average
}

// Distribution sums up samples, weighted by the time for which each held.
type Distribution struct {
	Min float64 `json:"min"`
	Avg float64 `json:"avg"`
	Max float64 `json:"max"`
	P50 float64 `json:"p50"` // percentiles are exact to 1 %
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// Rate is what a counter grew by.
type Rate struct {
	Bytes int64   `json:"bytes"`
	Avg   float64 `json:"avg_bytes_per_s"` // over span_ns
	Max   float64 `json:"max_bytes_per_s"` // over any window_ns
}

// GroupUsage is what one group of processes used. Distributions are of the sum
// over its processes at a tick, over the time in which it had any; they are
// absent where no tick saw one, or where the figure could not be read.
type GroupUsage struct {
	Name   RawText  `json:"name"`
	Arch   []string `json:"arch,omitempty"` // word size and machine, such as "64 x86-64"
	SpanNS int64    `json:"span_ns"`        // from its first process to the end of its last
	SeenNS int64    `json:"seen_ns"`        // of which ticks saw one

	Processes *Distribution `json:"processes,omitempty"` // at once
	Started   int64         `json:"processes_in_all"`
	Unseen    int64         `json:"processes_unseen"` // of these, too short for a tick: only their ends are known

	Virtual  *Distribution `json:"virt_bytes,omitempty"`
	Resident *Distribution `json:"res_bytes,omitempty"`
	PSS      *Distribution `json:"pss_bytes,omitempty"`
	USS      *Distribution `json:"uss_bytes,omitempty"`
	Swap     *Distribution `json:"swap_bytes,omitempty"`

	// A process whose PSS was not read (yet) counts with RES less SHR. One
	// whose PSS is older than the tick counts with it and by what its RES less
	// SHR has changed since.
	PSSEstimated float64 `json:"pss_estimated_share"` // part of PSS that is such an estimate
	// How old PSS was at a tick, weighted by it; 0 where RES less SHR was
	// still as it was when PSS was read.
	PSSAgeAvgNS Bytes `json:"pss_age_avg_ns,omitzero"`
	PSSAgeMaxNS Bytes `json:"pss_age_max_ns,omitzero"`

	// Peaks that no tick need have seen: VmHWM. The sum is the largest over
	// processes that were alive at the same time, each with its own peak,
	// which need not have coincided, and with pages that they share counted
	// once for each.
	PeakSum     Bytes `json:"vmhwm_sum_bytes,omitzero"`
	PeakProcess Bytes `json:"vmhwm_max_bytes,omitzero"` // of the largest process
	PeakPID     int32 `json:"vmhwm_max_pid,omitempty"`
	PeakAtLeast int64 `json:"peaks_at_least,omitempty"` // ended processes whose peak may have been higher

	// CPU is percent of one CPU: Avg over span_ns, the others over any
	// window_ns.
	CPU        *Distribution `json:"cpu_percent,omitempty"`
	WindowNS   int64         `json:"window_ns"`
	UserNS     int64         `json:"user_ns"`
	SystemNS   int64         `json:"system_ns"`
	CPUAtLeast int64         `json:"cpu_at_least,omitempty"` // ended processes whose last CPU time is not known
	CPUUnseen  int64         `json:"cpu_unseen_ns,omitempty"`

	// As read(2) and write(2) had it, whatever the file: sockets and pipes
	// too; and what of it went to or came from storage.
	Read      *Rate `json:"read,omitempty"`
	Write     *Rate `json:"write,omitempty"`
	DiskRead  *Rate `json:"disk_read,omitempty"`
	DiskWrite *Rate `json:"disk_write,omitempty"`

	Growth *Growth      `json:"growth,omitempty"`
	WhatIf *UsageWhatIf `json:"whatif,omitempty"` // where record --whatif made estimates
}

// CPUNS is user and system time.
func (g *GroupUsage) CPUNS() int64 { return g.UserNS + g.SystemNS + g.CPUUnseen }

// Growth says how private memory (RES less SHR, and swap) grew over the second
// half of a recording.
type Growth struct {
	Verdict string `json:"verdict"` // a Growth... constant
	Why     string `json:"why"`     // in words
	// Bytes an hour: Theil and Sen's slope with its 95 % interval. Absent
	// when the recording is too short.
	PerHour *float64 `json:"bytes_per_hour,omitempty"`
	Lo      *float64 `json:"lo,omitempty"`
	Hi      *float64 `json:"hi,omitempty"`
	OverNS  int64    `json:"over_ns"`
	// Leaking are single processes that grow steadily, fastest first.
	Leaking []LeakingProcess `json:"leaking,omitempty"`
}

// LeakingProcess is a process that grows steadily.
type LeakingProcess struct {
	PID     int32   `json:"pid"`
	Program RawText `json:"program"`
	PerHour float64 `json:"bytes_per_hour"`
}

// What can be said of a growth.
const (
	GrowthLeak    = "leak"    // steady growth to the end
	GrowthNone    = "none"    // no trend, or too little of it to matter
	GrowthSlowing = "slowing" // it levels off
	GrowthSteps   = "steps"   // a few steps: no trend can be told from them
	GrowthCount   = "count"   // the number of processes changed
	GrowthShort   = "short"   // too short to tell
	GrowthMixed   = "mixed"   // recordings of one label disagree
	GrowthShrinks = "shrinks" // it becomes less
)

// The codes of a report's warnings.
const (
	UsageCut         = "cut"              // a recording has no end
	UsagePSSOff      = "pss-off"          // PSS was not read
	UsagePSSEstimate = "pss-estimated"    // of some processes, or at some ticks
	UsagePSSDoubt    = "pss-doubtful"     // below what is private
	UsageMissed      = "missed-processes" // children that came and went between two ticks
	UsageEventsLost  = "events-lost"
	UsagePeaks       = "peaks-at-least"
	UsageCPU         = "cpu-at-least"
	UsageFewTicks    = "few-ticks"
	UsageBusy        = "machine-busy"
	UsageLate        = "late-ticks"
	UsageUnreadable  = "unreadable"
	UsageRunning     = "still-running"
	UsageFailed      = "recording-failed"
	UsageOwnCost     = "recorder-cost"
	UsageDiffer      = "recordings-differ" // under one label
	UsageNothing     = "no-process"
)

// Course is how a recording went, in at most a few hundred stretches of time:
// what is drawn of it. Lists have one element a stretch; NaN is unknown.
type Course struct {
	SlotNS int64   // length of a stretch
	AtNS   []int64 // the tick with the highest sum of the stretch
	Total  []float64
	// Processes are the largest ones at these ticks, others the rest: PSS, or
	// RES less SHR where it was not read, bytes.
	Processes []CourseProcess
	Others    []float64

	EndsNS   []int64   // the last tick of the stretch
	CPU      []float64 // percent of one CPU on average
	CPUHigh  []float64 // highest over a window that ends in it
	GroupCPU []CourseGroup
	Count    []float64 // most processes at once
	Starts   []float64 // processes that started
	Stops    []float64
	Events   []CourseEvent // nil when there are too many to show each
}

// CourseProcess is one process.
type CourseProcess struct {
	PID     int32
	Program RawText
	Bytes   []float64
}

// CourseGroup is one group's CPU use, percent of one CPU.
type CourseGroup struct {
	Name    RawText
	Percent []float64
}

// CourseEvent is the start or the end of a process.
type CourseEvent struct {
	AtNS    int64
	Start   bool
	PID     int32
	Program RawText
}
