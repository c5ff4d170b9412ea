package result

// UsageComparisonSchema names the shape of what rsswatch compare --format json
// writes.
const UsageComparisonSchema = "rsswatch-comparison/1"

// UsageComparison sets recordings under several labels against each other.
type UsageComparison struct {
	Schema   string          `json:"schema"`
	Of       string          `json:"of"`       // which processes count
	Baseline string          `json:"baseline"` // label that the others are compared with
	Groups   []ComparedGroup `json:"groups"`   // a sample is one recording
	Rows     []UsageRow      `json:"rows"`
	Matrices []UsageMatrix   `json:"matrices,omitempty"` // when labels have two parts that vary
	Verdicts []string        `json:"verdicts"`
	Tests    int             `json:"tests"` // significance tests made, which Holm's method corrects for
	Notes    []Note          `json:"notes"`
}

// The units of figures.
const (
	UnitBytes   = "bytes"
	UnitPercent = "percent" // of one CPU
	UnitSeconds = "seconds"
	UnitRate    = "bytes/s"
	UnitCount   = "count"
)

// UsageRow is one figure of all labels.
type UsageRow struct {
	Metric string         `json:"metric"`         // such as pss
	Part   string         `json:"part,omitempty"` // avg, max, or nothing where there is one only
	Unit   string         `json:"unit"`
	Cells  []ComparedCell `json:"cells"` // one a group, in their order
}

// UsageMatrix has the average and the highest figure of each combination of
// two parts of the labels; of several recordings the medians.
type UsageMatrix struct {
	Metric     string         `json:"metric"`
	Unit       string         `json:"unit"`
	Where      []Label        `json:"where,omitempty"` // other parts that vary
	RowPart    string         `json:"row_part"`
	ColumnPart string         `json:"column_part"`
	Rows       []string       `json:"rows"`
	Columns    []string       `json:"columns"`
	Cells      [][]MatrixCell `json:"cells"`
}

// MatrixCell is one combination; N is 0 where there is no recording of it.
type MatrixCell struct {
	N   int      `json:"n"`
	Avg *float64 `json:"avg,omitempty"`
	Max *float64 `json:"max,omitempty"`
}
