package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"wordsize/internal/compare"
)

func curveReport() *Report {
	s, w, l, ll := scaleRecord([]int{1, 2, 3, 4}, 6, func(n float64) float64 { return min(10*n, 20) }), sweepRecord(6), latencyRecord(6), loadedRecord()
	other := sweepRecord(6)
	other.Tool.GOARCH, other.Interrupted, other.Error = "386", true, "sweep: interrupted <now>"
	SummarizeScale(s)
	SummarizeSweep(w)
	SummarizeSweep(other)
	SummarizeLatency(l, got)
	SummarizeLatency(ll, got)
	return &Report{Curves: []CurveRecord{{"s.json", s}, {"w.json", w}, {"w<386>.json", other}, {"l.json", l}, {"ll.json", ll}}}
}

func TestPageOfCurvesAlone(t *testing.T) {
	var b bytes.Buffer
	if err := Page(&b, curveReport()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"memtest: host-a", "5 curves; amd64, 386", "The knee is at about 2", `id="scaling"`, `id="sweep"`, `id="latency"`, `id="loaded"`,
		"w&lt;386&gt;.json", "not complete: sweep: interrupted &lt;now&gt;", "Idle, a load takes",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Curves stand in the page of runs, too.
func TestPageOfRunsAndCurves(t *testing.T) {
	r := reportOf(t, twoBuilds(6, 0.2), compare.Options{})
	r.Curves = curveReport().Curves[1:2]
	var b bytes.Buffer
	if err := Page(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="sweep"`, `id="bandwidth"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(b.String(), `id="scaling"`) {
		t.Error("a section without a record")
	}
}

func TestFiguresOfCurves(t *testing.T) {
	r := curveReport()
	if name := DefaultFigure(r); name != "scaling" {
		t.Errorf("by default %q", name)
	}
	for _, s := range curveSections {
		if f, err := Figure(r, s.figure); err != nil || len(f.Parts) == 0 {
			t.Errorf("%s: %v", s.figure, err)
		}
	}
	var none *NoFigureError
	if _, err := Figure(r, "bars"); !errors.As(err, &none) || !strings.Contains(err.Error(), "want scaling") {
		t.Errorf("%v", err)
	}
	r.Curves = r.Curves[3:4]
	if _, err := Figure(r, "sweep"); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
	if name := DefaultFigure(r); name != "latency" {
		t.Errorf("by default %q", name)
	}
}
