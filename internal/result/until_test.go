package result

import (
	"slices"
	"testing"
)

func TestPassRates(t *testing.T) {
	w := Worker{StartNS: 100, PassEndNS: []int64{1e9 + 100, 3e9 + 100, 3e9 + 100, 4e9 + 100}, PassStride: 1, Passes: 3, BytesPerPass: 8}
	if got := w.PassRates(); !slices.Equal(got, []float64{8, 4}) {
		t.Errorf("%v, want the counted passes that took time", got)
	}
	w.PassStride, w.Passes = 4, 9
	if got := w.PassRates(); !slices.Equal(got, []float64{32, 16}) {
		t.Errorf("%v, want eight of the nine passes, four at a time", got)
	}
	if got := (&Worker{}).PassRates(); len(got) != 0 {
		t.Errorf("%v of no passes", got)
	}
}

func TestAggregatesLeaveOutWhatIsMissing(t *testing.T) {
	rate := 5.0
	launch := func(s *PhaseSummary) Launch { return Launch{Phases: []Phase{{Name: PhaseSingle, Summary: s}}} }
	run := Run{Launches: []Launch{launch(&PhaseSummary{Aggregate: &rate}), launch(&PhaseSummary{}), launch(nil)}}
	if got := run.Aggregates(PhaseSingle); !slices.Equal(got, []float64{5}) {
		t.Errorf("%v", got)
	}
	if got := run.Aggregates(PhaseParallel); got != nil {
		t.Errorf("%v of a phase that never was", got)
	}
}
