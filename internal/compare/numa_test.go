package compare

import (
	"math/rand/v2"
	"strings"
	"testing"

	"wordsize/internal/result"
)

// Two groups, one placement each: set against each other, with a note.
func TestPlacementsAreCompared(t *testing.T) {
	in := interleaved(rand.New(rand.NewPCG(1, 1)), 10, 0.01, map[string]float64{"local": 50e9, "remote": 30e9}, "local", "remote")
	for i := range in {
		in[i].Run.Args.NUMA = in[i].Label
	}
	c := mustCompare(t, in, Options{})
	if len(c.Rows) != 2 || c.Rows[1].Cells[1].Change == nil || *c.Rows[1].Cells[1].Change > -0.35 || c.Rows[1].NUMA != "" {
		t.Errorf("%+v", c.Rows)
	}
	if got := notes(c, result.NoteDiffers); len(got) != 1 || !strings.Contains(got[0], "NUMA placement") || !strings.Contains(got[0], "remote") {
		t.Errorf("notes %q, want one that names the placement", got)
	}
	if c := mustCompare(t, in, Options{By: "numa"}); c.By != numaKey || len(c.Groups) != 2 || len(c.Rows) != 2 || len(notes(c, result.NoteDiffers)) != 0 {
		t.Errorf("by numa: %+v", c)
	}
}

// Groups that have runs of several placements: a row for each.
func TestPlacementsAreKeptApart(t *testing.T) {
	in := interleaved(rand.New(rand.NewPCG(2, 2)), 12, 0.01, map[string]float64{"a": 50e9, "b": 40e9}, "a", "b")
	for i := range in {
		in[i].Run.Args.NUMA = []string{"local", "local", "remote", "remote"}[i%4]
	}
	c := mustCompare(t, in, Options{})
	var names []string
	for _, r := range c.Rows {
		names = append(names, r.Name())
		if len(r.Cells) != 2 || r.Cells[0].N != 6 || r.Cells[1].N != 6 {
			t.Errorf("%s: %+v", r.Name(), r.Cells)
		}
	}
	if got := strings.Join(names, "; "); !strings.Contains(got, "NUMA local single; ") || !strings.HasSuffix(got, "NUMA remote parallel") || len(names) != 4 {
		t.Errorf("rows %s", got)
	}
}
