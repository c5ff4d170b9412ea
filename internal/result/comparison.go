package result

import (
	"fmt"
	"strings"
)

// ComparisonKind tells the record of memtest compare.
const ComparisonKind = "memtest-comparison"

// Comparison sets groups of launches against each other.
type Comparison struct {
	Schema    int             `json:"schema"`
	Kind      string          `json:"kind"`
	By        string          `json:"by"`       // what groups the records: "argument" or a key such as host.hostname
	Baseline  string          `json:"baseline"` // name of the group that the others are compared with
	Groups    []ComparedGroup `json:"groups"`
	Rows      []ComparedRow   `json:"rows"`
	Geomeans  []Geomean       `json:"geomeans,omitempty"`
	Emulated  string          `json:"emulated,omitempty"` // by what; then speeds get no verdict
	Tests     int             `json:"tests"`              // significance tests made, which Holm's method corrects for
	Notes     []Note          `json:"notes"`
	FailAbove *float64        `json:"fail_above,omitempty"` // as a part of 1; absent without a gate
	Regressed []string        `json:"regressed,omitempty"`  // what the gate found, in words
}

// ComparedGroup is one group of records.
type ComparedGroup struct {
	Name    string   `json:"name"`
	Files   []string `json:"files"`
	Samples int      `json:"samples"` // launches
}

// ComparedRow is one figure of all groups under the same arguments.
type ComparedRow struct {
	Kernel     string         `json:"kernel"`
	Tier       string         `json:"tier"`
	Processes  int            `json:"processes"`
	ChunkBytes int64          `json:"chunk_bytes"`
	Pages      string         `json:"pages"`
	NUMA       string         `json:"numa,omitempty"` // where rows differ in it
	Phase      string         `json:"phase"`
	Metric     string         `json:"metric"`
	Cells      []ComparedCell `json:"cells"` // one a group, in their order
}

// ComparedCell is one group's figure in a row. A group without samples has n 0
// and nothing else.
type ComparedCell struct {
	N           int       `json:"n"`
	Median      *float64  `json:"median,omitempty"`
	Lo          *float64  `json:"lo,omitempty"` // 95 % order-statistic interval, absent when n < 6
	Hi          *float64  `json:"hi,omitempty"`
	Change      *float64  `json:"change,omitempty"` // median over the baseline's, minus 1
	P           *float64  `json:"p,omitempty"`      // Mann-Whitney U against the baseline, two-sided
	PHolm       *float64  `json:"p_holm,omitempty"` // corrected for all tests of the comparison
	Significant bool      `json:"significant"`      // p_holm < 0.05
	Best        bool      `json:"best,omitempty"`   // highest median of three groups or more
	Worst       bool      `json:"worst,omitempty"`
	Regressed   bool      `json:"regressed,omitempty"`     // the gate failed here
	Score       *float64  `json:"outlier_score,omitempty"` // modified z-score among five groups or more
	Samples     []float64 `json:"values,omitempty"`        // one a launch, in order of time
}

// Geomean is the geometric mean of a group's ratios to the baseline.
type Geomean struct {
	Group  string  `json:"group"`
	Metric string  `json:"metric"`
	Rows   int     `json:"over_rows"`
	Change float64 `json:"change"` // mean ratio minus 1
}

// Note is a reason to doubt a comparison, or a fact that may explain it. Which
// fields a code comes with is in docs/schema.md; package report has the
// sentences.
type Note struct {
	Code    string             `json:"code"`
	Rows    []string           `json:"rows,omitempty"`    // names of rows; absent when it is about all
	Groups  []string           `json:"groups,omitempty"`  // names; absent when it is about all
	Subject string             `json:"subject,omitempty"` // a key of the run, the code of a warning, an emulator
	Files   []string           `json:"files,omitempty"`
	Values  map[string]float64 `json:"values,omitempty"`
	Parts   []NotePart         `json:"parts,omitempty"`
	Text    string             `json:"text"` // the sentence for people
}

// NotePart is what some groups have in common and others have not.
type NotePart struct {
	Groups []string `json:"groups,omitempty"`
	Key    string   `json:"key,omitempty"`    // of the run, such as host.kernel
	Has    []string `json:"has,omitempty"`    // values of the key; "?" when a record has none
	Others []string `json:"others,omitempty"` // its values in all other groups
	N      int      `json:"n,omitempty"`      // launches of each of the groups
}

// The codes of notes.
const (
	NoteDiffers     = "differs"         // the groups differ in something that isn't compared
	NoteFew         = "few"             // fewer than six launches
	NoteTurns       = "not-interleaved" // groups of one host that ran one after the other
	NoteDrift       = "drift"
	NoteBimodal     = "bimodal"
	NoteOutlier     = "outlier"     // a group far from the others
	NoteUnmatched   = "unmatched"   // a row that only some groups have
	NoteDoubted     = "doubted"     // the records have warnings of their own
	NoteInterrupted = "interrupted" // a record is not complete
	NoteEmulated    = "emulated"
	NoteNothing     = "nothing-compared" // no figure is in the baseline and in another group
	NoteBlind       = "blind"            // too few launches for any difference to be significant after the correction
	NoteLeftOut     = "left-out"         // records that cannot be used (--keep-going)
)

// Name says what a row's figures were measured with.
func (r *ComparedRow) Name() string {
	var words []string
	switch {
	case r.Kernel != "" && r.Tier != "":
		words = append(words, r.Kernel+"/"+r.Tier)
	case r.Kernel != "":
		words = append(words, r.Kernel)
	}
	if r.Processes > 0 && r.ChunkBytes > 0 {
		words = append(words, fmt.Sprintf("%d x %g MiB", r.Processes, float64(r.ChunkBytes)/(1<<20)))
	} else if r.ChunkBytes > 0 {
		words = append(words, fmt.Sprintf("%g MiB", float64(r.ChunkBytes)/(1<<20)))
	} else if r.Processes > 0 {
		words = append(words, fmt.Sprintf("%d processes", r.Processes))
	}
	if r.Pages != "" && r.Pages != "default" {
		words = append(words, r.Pages+" pages")
	}
	if r.NUMA != "" {
		words = append(words, "NUMA "+r.NUMA)
	}
	return strings.Join(append(words, r.Phase), " ")
}
