package compare

import (
	"slices"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// rowKeys are the keys that figures must share to be compared.
var rowKeys = []string{"kernel.name", "kernel.tier", "args.processes", "args.chunk_bytes", "args.pages"}

// Blind returns how many of a comparison's tests could not have come out
// significant, were the groups ever so different: there are too few launches
// for so many tests, or the figures are emulated. When that is all of them, a
// gate cannot fail.
func Blind(c *result.Comparison) int {
	if c.Emulated != "" {
		return c.Tests
	}
	blind := 0
	for _, rows := range blindRows(c) {
		blind += rows
	}
	return blind
}

// blindRows returns for each row how many of its tests are blind: those whose
// p would not be below Alpha after Holm's correction if all tests had the
// least p that there is with their numbers of launches.
func blindRows(c *result.Comparison) []int {
	var least []float64
	var of []int
	base := slices.IndexFunc(c.Groups, func(g result.ComparedGroup) bool { return g.Name == c.Baseline })
	for r := range c.Rows {
		for _, cell := range c.Rows[r].Cells {
			if cell.P != nil {
				least = append(least, stats.LeastP(c.Rows[r].Cells[base].N, cell.N))
				of = append(of, r)
			}
		}
	}
	blind := make([]int, len(c.Rows))
	for i, p := range stats.Holm(least) {
		if p >= stats.Alpha {
			blind[of[i]]++
		}
	}
	return blind
}

// noteTests says when nothing was tested, or nothing could be shown.
func (k *comparison) noteTests(trees []tree) {
	if k.Tests == 0 {
		n := result.Note{Code: result.NoteNothing}
		for _, key := range rowKeys {
			if v := k.valuesOf(trees, key); slices.ContainsFunc(v, func(o []string) bool { return !slices.Equal(o, v[k.base]) }) {
				n.Parts = append(n.Parts, result.NotePart{Key: key})
			}
		}
		k.add(n)
		return
	}
	if k.Emulated != "" {
		return
	}
	n := result.Note{Code: result.NoteBlind, Values: map[string]float64{"tests": float64(k.Tests), "want": float64(stats.LeastN(k.Tests))}}
	for r, blind := range blindRows(k.Comparison) {
		if name := k.Rows[r].Name(); blind > 0 && !slices.Contains(n.Rows, name) {
			n.Rows = append(n.Rows, name)
		}
	}
	if len(n.Rows) == 0 {
		return
	}
	if Blind(k.Comparison) == k.Tests {
		n.Rows = nil
	}
	k.add(n)
}
