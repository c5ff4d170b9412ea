package result

// ScaleKind tells the record of memtest scale.
const ScaleKind = "memtest-scale"

// Scale is the bandwidth of several numbers of processes. Each launch measured
// all of them, in another order.
type Scale struct {
	CurveHead
	Counts   []int        `json:"counts"` // of processes, rising, from 1
	Args     Args         `json:"args"`   // Processes is the largest count
	Kernel   Kernel       `json:"kernel"`
	Points   []ScalePoint `json:"points"` // one a count that was measured
	Knee     *Knee        `json:"knee,omitempty"`
	Launches []Launch     `json:"launches"` // a phase a count, in the order of time; without pass_end_ns
}

// ScalePoint is one number of processes over all launches. Rates are bytes a
// second.
type ScalePoint struct {
	Processes  int       `json:"processes"`
	Aggregate  *Estimate `json:"aggregate,omitempty"`  // absent when the processes never all ran at once
	PerProcess Estimate  `json:"per_process"`          // a launch's median process
	Fairness   float64   `json:"fairness"`             // slowest over fastest, median over launches
	Efficiency *float64  `json:"efficiency,omitempty"` // aggregate over so many times one process' of the same launch; median
	Added      *float64  `json:"added,omitempty"`      // by each process since the count before, over what one alone reaches
}

// Knee is where more processes cease to bring as much: the aggregate fitted by
// two straight lines that meet. Slopes are bytes a second for each process.
type Knee struct {
	Verdict   string   `json:"verdict"`
	Processes float64  `json:"processes"` // where the lines meet
	Lo        *float64 `json:"lo,omitempty"`
	Hi        *float64 `json:"hi,omitempty"` // 95 %, over resampled launches
	Slope     float64  `json:"slope"`        // up to there
	After     float64  `json:"slope_after"`
	Evidence  float64  `json:"evidence"` // by how much the BIC prefers it to one line
	Text      string   `json:"text"`
}

// Verdicts of a Knee.
const (
	KneeFound = "knee" // beyond it, a process adds less than half as much
	KneeBend  = "bend" // less, but more than half
	KneeNone  = "none" // one line is as good
	// KneeUnclear: the fitted line has a knee, but the launches scatter so
	// that one straight line is no worse.
	KneeUnclear = "unclear"
)

// Usable says whether a count was measured.
func (s *Scale) Usable() bool { return len(s.Launches) > 0 }
