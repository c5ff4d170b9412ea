package result

// VerdictKind tells the record of a comparison of two builds.
const VerdictKind = "memtest-verdict"

// Verdict compares two builds of memtest that ran interleaved with the same
// arguments.
type Verdict struct {
	Schema   int          `json:"schema"`
	Kind     string       `json:"kind"`
	Wide     string       `json:"wide"`               // GOARCH of the 64-bit build
	Narrow   string       `json:"narrow"`             // GOARCH of the 32-bit build
	Emulated string       `json:"emulated,omitempty"` // by what; then counts and footprints compare, speeds don't
	Args     []string     `json:"args"`               // of memtest
	Rows     []VerdictRow `json:"rows"`
	Records  []string     `json:"records"` // files of the single runs
	Warnings []string     `json:"warnings"`
}

// VerdictRow is one kernel in one phase. Rates are bytes a second: of the
// process in the single phase, of all together in the parallel one.
type VerdictRow struct {
	Kernel      string       `json:"kernel"` // NAME/TIER
	Phase       string       `json:"phase"`
	Wide        Estimate     `json:"wide_bytes_per_s"`
	Narrow      Estimate     `json:"narrow_bytes_per_s"`
	Change      float64      `json:"change"` // narrow median over wide median, minus 1
	P           float64      `json:"p"`      // Mann-Whitney U, two-sided
	Significant bool         `json:"significant"`
	Text        string       `json:"text"`                // the row in words
	Samples     [2][]float64 `json:"samples_bytes_per_s"` // wide, narrow; in order of running
}

// Estimate is a median with its 95 % order-statistic interval, absent when
// there are fewer than six samples.
type Estimate struct {
	N      int      `json:"n"`
	Median float64  `json:"median"`
	Lo     *float64 `json:"lo,omitempty"`
	Hi     *float64 `json:"hi,omitempty"`
}
