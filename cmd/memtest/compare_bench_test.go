package main

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"wordsize/internal/result"
)

// What benchstat reads from the bench format, by its own packages, has the
// medians and p-values of our own table.
func TestCompareAsBenchstatDoes(t *testing.T) {
	t.Chdir(t.TempDir())
	twoBuilds(t, ".", -0.01)
	got := memtest(t, "compare", ".", "--format", "bench")
	values := make(map[string]map[string][]float64) // by phase, architecture
	reader := benchfmt.NewReader(strings.NewReader(got.stdout), "bench")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(rec)
		case *benchfmt.Result:
			_, phase, _ := strings.Cut(string(rec.Name), "/phase=")
			v, ok := rec.Value("B/s")
			if !ok || rec.GetConfig("host") != "host1" || rec.GetConfig("cpu") != "A CPU" {
				t.Fatalf("%s: %v, config %v", rec.Name, rec.Values, rec.Config)
			}
			if values[phase] == nil {
				values[phase] = make(map[string][]float64)
			}
			arch := rec.GetConfig("goarch")
			values[phase][arch] = append(values[phase][arch], v)
		}
	}
	var c result.Comparison
	if err := json.Unmarshal([]byte(memtest(t, "compare", ".", "--by", "arch", "--format", "json").stdout), &c); err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Rows {
		var samples []*benchmath.Sample
		for g, group := range c.Groups {
			s := benchmath.NewSample(values[r.Phase][group.Name], &benchmath.DefaultThresholds)
			samples = append(samples, s)
			if m := benchmath.AssumeNothing.Summary(s, 0.95); m.Center != *r.Cells[g].Median || m.Lo != *r.Cells[g].Lo || len(s.Values) != 12 {
				t.Errorf("%s, %s: benchstat has %+v of %d, we %g", r.Phase, group.Name, m, len(s.Values), *r.Cells[g].Median)
			}
		}
		if p := benchmath.AssumeNothing.Compare(samples[0], samples[1]).P; p != *r.Cells[1].P {
			t.Errorf("%s: benchstat's p is %g, ours %g", r.Phase, p, *r.Cells[1].P)
		}
	}
}
