package report

import (
	"cmp"
	"fmt"
	"slices"

	"wordsize/internal/page"
	"wordsize/internal/plot"
	"wordsize/internal/result"
)

const (
	// mostCells bounds what all time lines of a page hold together: each is
	// about 20 bytes, and there are two drawings of it.
	mostCells = 60_000
	// Of a worker in one launch.
	mostCellsOne, leastCellsOne = 240, 6
	// mostTimelines are shown: a lane has its price even without cells.
	mostTimelines = 40
)

// timeline shows every pass of every worker of all groups.
func (b *book) timeline() *plot.Figure {
	f := &plot.Figure{Title: "Every pass of every worker"}
	var said []string
	for _, t := range b.timelines() {
		part := b.lanes(t)
		part.Title = t.title(b)
		f.Parts = append(f.Parts, part)
		said = append(said, part.Title+": "+b.totals(t).String())
	}
	if len(f.Parts) == 0 {
		return nil
	}
	f.Desc = describe(said)
	return f
}

// timelineOf is the time line of one group's launches of one setup.
type timelineOf struct {
	group    int
	setup    setup
	launches []*result.Launch
	workers  int                // of all launches
	usual    map[string]float64 // median pass of each phase, bytes a second
}

func (t *timelineOf) title(b *book) string {
	if len(b.c.Groups) == 1 {
		return t.setup.String()
	}
	return b.name(t.group) + ": " + t.setup.String()
}

func (b *book) timelines() []*timelineOf {
	if b.lines == nil {
		b.lines = b.makeTimelines()
	}
	return b.lines
}

func (b *book) makeTimelines() (all []*timelineOf) {
	for g := range b.c.Groups {
		for _, s := range b.setups(g) {
			t := &timelineOf{group: g, setup: s}
			run := b.together(g, s)
			for i := range run.Launches {
				l := &run.Launches[i]
				n := 0
				for _, p := range l.Phases {
					n += len(p.Workers)
				}
				if n > 0 {
					t.launches = append(t.launches, l)
					t.workers += n
				}
			}
			if t.workers > 0 {
				t.usual = map[string]float64{
					result.PhaseSingle: medianRate(t.launches, result.PhaseSingle), result.PhaseParallel: medianRate(t.launches, result.PhaseParallel),
				}
				all = append(all, t)
			}
		}
	}
	return all
}

// cellsEach is how many cells a worker of one launch may have, so that a page
// of thousands of workers is of a reasonable size.
func (b *book) cellsEach(t *timelineOf) int {
	workers := 0
	for _, o := range b.timelines() {
		workers += o.workers
	}
	return max(leastCellsOne, min(mostCellsOne, mostCells/workers, 900/len(t.launches)))
}

// lanes draws the launches of a group side by side: a lane for the process
// alone, and one for each worker of the parallel phase.
func (b *book) lanes(t *timelineOf) *plot.Rows {
	part := &plot.Rows{
		X: plot.Axis{Label: "time in timed passes", Scale: plot.Duration},
		Shades: []plot.ShadeName{
			{Shade: plot.Good, Name: "at least 80 % of the median pass"}, {Shade: plot.Slow, Name: "50 to 80 %"},
			{Shade: plot.Bad, Name: "below 50 %: stalled"}, {Shade: plot.Aside, Name: "held load, not counted"},
		},
	}
	if len(t.launches) > 1 {
		part.X.Label += ", launch after launch"
	}
	alone := plot.Row{Name: "alone"}
	var together []plot.Row
	most := b.cellsEach(t)
	start := 0.0
	for i, l := range t.launches {
		part.Breaks = append(part.Breaks, plot.Mark{X: start, Label: fmt.Sprint(i + 1)})
		length := 0.0
		for j := range l.Phases {
			p := &l.Phases[j]
			from, to := extent(p)
			length = max(length, float64(to-from)/1e9)
			for k := range p.Workers {
				w := &p.Workers[k]
				passes := passesOf(w)
				cells := cellsOf(passes, start-float64(from)/1e9, t.usual[p.Name], most)
				if p.Name == result.PhaseSingle {
					alone.Cells = append(alone.Cells, cells...)
					continue
				}
				for len(together) <= k {
					together = append(together, plot.Row{Name: fmt.Sprintf("worker %d", len(together)), Gap: len(together) == 0})
				}
				together[k].Cells = append(together[k].Cells, cells...)
				if len(t.launches) == 1 {
					together[k].Tip = fmt.Sprintf("worker %d%s: %s", k, onCPU(w), passRange(passes))
				}
			}
		}
		start += length * 1.02
	}
	if len(alone.Cells) > 0 {
		part.Rows = append(part.Rows, alone)
	}
	part.Rows = append(part.Rows, together...)
	if len(part.Breaks) == 1 {
		part.Breaks = nil
	}
	return part
}

// totals sums up a time line.
func (b *book) totals(t *timelineOf) *passTotals {
	sum := new(passTotals)
	for i, l := range t.launches {
		for j := range l.Phases {
			p := &l.Phases[j]
			for k := range p.Workers {
				sum.add(i, p, &p.Workers[k], t.usual[p.Name])
			}
		}
	}
	return sum
}

func onCPU(w *result.Worker) string {
	if w.PinnedCPU == nil {
		return ""
	}
	return fmt.Sprintf(" on CPU %d", *w.PinnedCPU)
}

// extent returns when the first worker of a phase began and the last stopped.
func extent(p *result.Phase) (from, to int64) {
	for i, w := range p.Workers {
		if i == 0 || w.StartNS < from {
			from = w.StartNS
		}
		to = max(to, w.StopNS, w.EndNS)
	}
	return from, to
}

func (b *book) timelineBlocks() []page.Block {
	all := b.timelines()
	if len(all) == 0 {
		return nil
	}
	blocks := []page.Block{page.Text("A lane is a worker; the height of each cell is its speed, of which four fifths of the lane are the median pass " +
		"of the same group and phase. A dip is a stall, a slope is a drift, a wider launch took longer." + b.thinned())}
	shown := b.worst(all)
	if len(shown) < len(all) {
		blocks = append(blocks, page.Text(fmt.Sprintf("Shown are the %d of %d groups that lost most time to slow passes; --by with fewer groups, or --figure timeline with fewer records, shows others.", len(shown), len(all))))
	}
	for _, t := range shown {
		text := b.totals(t).String()
		blocks = append(blocks, &page.Figure{
			Caption: text,
			Plot: func(float64) *plot.Figure {
				return &plot.Figure{Title: t.title(b), Desc: text, Parts: []plot.Part{b.lanes(t)}}
			},
		})
	}
	return blocks
}

// worst returns the time lines that lost most time to slow passes, in their
// order, so many that the page stays of a reasonable size.
func (b *book) worst(all []*timelineOf) []*timelineOf {
	if len(all) <= mostTimelines {
		return all
	}
	lost := make(map[*timelineOf]float64, len(all))
	for _, t := range all {
		sum := b.totals(t)
		lost[t] = (sum.slow + sum.bad) / max(1, sum.all)
	}
	byLoss := slices.Clone(all)
	slices.SortStableFunc(byLoss, func(s, t *timelineOf) int { return cmp.Compare(lost[t], lost[s]) })
	byLoss = byLoss[:mostTimelines]
	return slices.DeleteFunc(slices.Clone(all), func(t *timelineOf) bool { return !slices.Contains(byLoss, t) })
}

// thinned says how much was left out of the time lines.
func (b *book) thinned() string {
	least := mostCellsOne
	longest := 0
	for _, t := range b.timelines() {
		least = min(least, b.cellsEach(t))
		for _, l := range t.launches {
			for _, p := range l.Phases {
				for i := range p.Workers {
					longest = max(longest, len(p.Workers[i].PassEndNS))
				}
			}
		}
	}
	if longest <= least {
		return ""
	}
	return fmt.Sprintf(" Where a worker has more than %d passes in a launch, a cell holds several: its height is their mean, its colour that of the slowest that takes a twentieth of the cell.", least)
}
