package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"wordsize/internal/result"
)

// scaleRecord makes launches of a curve; values are exact.
func scaleRecord(counts []int, launches int, curve func(n float64) float64) *result.Scale {
	s := &result.Scale{
		CurveHead: result.CurveHead{Kind: result.ScaleKind, Schema: 1, Tool: result.Tool{GOARCH: "amd64"}, Host: result.Host{Hostname: "host-a"}, Warnings: []result.Warning{}},
		Counts:    counts, Args: result.Args{ChunkBytes: 128 << 20, MinTimeNS: 5e8}, Kernel: result.Kernel{Name: "read", Tier: "avx2"},
	}
	for l := range launches {
		var launch result.Launch
		for _, n := range counts {
			a := curve(float64(n)) * gb * (1 + 0.001*float64(l))
			launch.Phases = append(launch.Phases, result.Phase{Processes: n, Summary: &result.PhaseSummary{
				PerProcess: result.Spread{Min: a / float64(n) * 0.9, Median: a / float64(n), Max: a / float64(n)}, Fairness: 0.9, Aggregate: &a,
			}})
		}
		s.Launches = append(s.Launches, launch)
	}
	return s
}

func TestSummarizeScale(t *testing.T) {
	counts := []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16}
	for name, c := range map[string]struct {
		curve   func(n float64) float64
		verdict string
		words   []string
	}{
		"saturating": {func(n float64) float64 { return min(12*n, 48) }, result.KneeFound, []string{"knee is at about 4 processes", "each brings 12.0 GB/s", "16 processes reach 48.1 GB/s", "25 % of 16 times one"}},
		"straight":   {func(n float64) float64 { return 12 * n }, result.KneeNone, []string{"No knee up to 16 processes", "192.5 GB/s", "100 %"}},
		"bending":    {func(n float64) float64 { return 12*min(n, 6) + 8*max(0, n-6) }, result.KneeBend, []string{"No knee up to 16 processes, but a bend at about 6", "8.0"}},
		"falling":    {func(n float64) float64 { return 12*min(n, 4) - max(0, n-4) }, result.KneeFound, []string{"at about 4", "beyond it -1.0"}},
	} {
		s := scaleRecord(counts, 6, c.curve)
		SummarizeScale(s)
		if s.Knee == nil || s.Knee.Verdict != c.verdict {
			t.Errorf("%s: %+v, want %s", name, s.Knee, c.verdict)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(s.Knee.Text, w) {
				t.Errorf("%s: %q lacks %q", name, s.Knee.Text, w)
			}
		}
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := scaleRecord(counts, 2, func(n float64) float64 { return min(12*n, 48) })
	SummarizeScale(s)
	p := s.Points[7]
	if p.Processes != 8 || p.Efficiency == nil || math.Abs(*p.Efficiency-0.5) > 1e-9 || p.Added == nil || math.Abs(*p.Added) > 1e-9 || p.Aggregate.Lo != nil || s.Knee.Lo != nil {
		t.Errorf("%+v, knee %+v: two launches have no interval", p, s.Knee)
	}
}

// A count that was never measured, and a phase without an aggregate, are no
// zeros.
func TestScaleWithHoles(t *testing.T) {
	s := scaleRecord([]int{1, 2, 3}, 1, func(n float64) float64 { return n })
	s.Launches[0].Phases = s.Launches[0].Phases[:2]
	s.Launches[0].Phases[1].Summary.Aggregate = nil
	SummarizeScale(s)
	if len(s.Points) != 2 || s.Points[1].Aggregate != nil || s.Points[1].Efficiency != nil || s.Knee != nil {
		t.Errorf("%+v", s.Points)
	}
	var b bytes.Buffer
	if err := ScaleTable(&b, s, Screen{}); err != nil || !strings.Contains(b.String(), "  2          -              -  1.00           -      -     0.900") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

func TestScaleOutputs(t *testing.T) {
	s := scaleRecord([]int{1, 2, 3, 4, 6, 8}, 6, func(n float64) float64 { return min(12*n, 40) })
	s.Warnings = append(s.Warnings, result.Warning{Code: result.WarnTimeLimit, Values: map[string]float64{"launches": 6, "repeat": 10, "limit_ns": 3e11}})
	SummarizeScale(s)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"scale.txt":   func(b *bytes.Buffer) error { return ScaleTable(b, s, Screen{Width: 80, UTF8: true}) },
		"scale60.txt": func(b *bytes.Buffer) error { return ScaleTable(b, s, Screen{Width: 60}) },
		"scale.md":    func(b *bytes.Buffer) error { return ScaleMarkdown(b, s) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	var b bytes.Buffer
	if err := ScaleCSV(&b, s); err != nil || strings.Count(b.String(), "\n") != 1+6*6 {
		t.Errorf("%v: want a row a launch and count:\n%s", err, b.String())
	}
	other := scaleRecord([]int{1, 2, 4}, 6, func(n float64) float64 { return 9 * n })
	other.Tool.GOARCH = "386"
	SummarizeScale(other)
	var svg bytes.Buffer
	if err := ScaleFigure(s, other).WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"amd64", "386", "knee, amd64", "No knee up to 4"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
}

func TestTermGraph(t *testing.T) {
	g := &termGraph{title: "y", xLabel: "x", xFormat: trimFloat, xLog: true, yLog: true, series: []termSeries{{name: "a", x: []float64{1, 2, 1024}, y: []float64{1, math.NaN(), 16}}}}
	for _, width := range []int{40, 80, 200} {
		for _, utf8 := range []bool{false, true} {
			lines := g.lines(Screen{Width: width, UTF8: utf8})
			if len(lines) != graphRows+3 {
				t.Fatalf("%d lines", len(lines))
			}
			for _, l := range lines {
				if n := len([]rune(l)); n > width-1 {
					t.Errorf("width %d: a line of %d: %q", width, n, l)
				}
				if !utf8 && strings.ContainsFunc(l, func(r rune) bool { return r > 126 }) {
					t.Errorf("not ASCII: %q", l)
				}
			}
			if !strings.HasSuffix(lines[1], "o") || strings.Count(strings.Join(lines[1:], ""), "o") != 2 {
				t.Errorf("two points, the upper one in the corner:\n%s", strings.Join(lines, "\n"))
			}
		}
	}
	if l := g.lines(Screen{Width: 30}); l != nil {
		t.Errorf("no room, and yet %q", l)
	}
	for _, none := range []termGraph{{xFormat: trimFloat}, {xFormat: trimFloat, series: []termSeries{{x: []float64{5}, y: []float64{1}}}}} {
		if l := none.lines(Screen{}); l != nil {
			t.Errorf("nothing to draw, and yet %q", l)
		}
	}
}
