package report

import (
	"strings"
	"testing"

	"wordsize/internal/result"
)

// A system that tells neither PSS nor VmHWM has no peaks to name, on the page
// as in the table.
func TestUsagePageWithoutPeaks(t *testing.T) {
	for _, known := range []bool{false, true} {
		l := result.LabelUsage{Label: "x", Recordings: []result.UsedRecording{{}}}
		if known {
			l.Total.PeakSum = result.Some(int64(3 << 20))
		}
		r := &result.UsageReport{GroupBy: "program", Labels: []result.LabelUsage{l}}
		var b strings.Builder
		if err := UsagePage(&b, r, []LabelCourse{{}}, "v"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "Peaks: "); got != known {
			t.Errorf("peaks known: %v, named: %v", known, got)
		}
	}
}
