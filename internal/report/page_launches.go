package report

import (
	"fmt"

	"wordsize/internal/page"
	"wordsize/internal/plot"
	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// launchPlot shows every launch in order of time: drift, heaps, and groups
// that did not take turns. Nil when there are not two of them.
func (b *book) launchPlot() *plot.Figure {
	f := &plot.Figure{Title: "Every launch in order of time"}
	var said []string
	for _, rows := range b.charts() {
		r := rows[len(rows)-1] // the parallel phase where there is one
		if r.Metric != b.c.Rows[0].Metric {
			continue
		}
		part := &plot.XY{
			Title: r.Name(), X: plot.Axis{Label: "launch, of all groups in order of time", Format: wholeNumber},
			Y: plot.Axis{Label: axisLabel(r.Metric) + ", not from 0", Tight: true}, Height: 180,
		}
		part.Lines = b.launchLines(r)
		total := 0
		for g, l := range part.Lines {
			total += len(l.X)
			if drift, drifts := stats.Drift(l.Y); drifts {
				said = append(said, fmt.Sprintf("%s, %s: drifts by %+.1f %%", b.name(g), r.Name(), 100*drift))
			}
		}
		part.X.Min, part.X.Max = 0.5, float64(total)+0.5
		if total > 1 {
			f.Parts = append(f.Parts, part)
		}
	}
	if len(f.Parts) == 0 {
		return nil
	}
	if len(said) == 0 {
		said = []string{"No group drifts from its first launch to its last"}
	}
	f.Desc = describe(said)
	return f
}

// wholeNumber labels launches; there is none between two of them.
func wholeNumber(v float64) string {
	if v != float64(int64(v)) {
		return ""
	}
	return fmt.Sprint(int64(v))
}

// launchLines are a row's samples by group; the places are theirs among the
// launches of all groups that have the figure.
func (b *book) launchLines(r *result.ComparedRow) []plot.Line {
	lines := make([]plot.Line, len(b.c.Groups))
	for g := range lines {
		lines[g] = plot.Line{Name: b.name(g), Loose: true}
	}
	scale := gb
	if r.Metric == "fairness" {
		scale = 1
	}
	// A cell's samples are in order of time; here they are dealt out again in
	// the order of all.
	next := make([]int, len(lines))
	place := 0.0
	for _, i := range b.ordered() {
		g := b.Records[i].Group
		for _, l := range b.Records[i].Run.Launches {
			for p := range l.Phases {
				if !belongs(r, b.Records[i].Run, &l.Phases[p]) || next[g] >= len(r.Cells[g].Samples) {
					continue
				}
				place++
				lines[g].X = append(lines[g].X, place)
				lines[g].Y = append(lines[g].Y, r.Cells[g].Samples[next[g]]/scale)
				next[g]++
			}
		}
	}
	return lines
}

// belongs says whether a phase is one of a row's samples.
func belongs(r *result.ComparedRow, run *result.Run, p *result.Phase) bool {
	if p.Name != r.Phase || p.Summary == nil || r.Metric == "aggregate" && p.Summary.Aggregate == nil {
		return false
	}
	// What the groups are made by is left out of a row.
	same := func(row, own string) bool { return row == "" || row == own }
	return same(r.Kernel, run.Kernel.Name) && same(r.Tier, run.Kernel.Tier) && same(r.Pages, run.Args.Pages) && same(r.NUMA, run.Args.NUMA) &&
		(r.Processes == 0 || r.Processes == run.Args.Processes) && (r.ChunkBytes == 0 || r.ChunkBytes == run.Args.ChunkBytes)
}

func (b *book) launchesBlock() page.Block {
	if b.launchPlot() == nil {
		return nil
	}
	return &page.Figure{
		Caption: "A launch is one sample. Groups on one host should take turns here: else a drift of the host looks like a difference between them.",
		Plot:    func(float64) *plot.Figure { return b.launchPlot() },
	}
}
