package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wordsize/internal/page"
	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// bars shows each group's medians with their intervals: a chart for each set
// of arguments, a series for each phase.
func (b *book) bars() *plot.Figure {
	f := &plot.Figure{Title: "Bandwidth by " + keyWords(b.c.By)}
	if len(b.c.Groups) == 1 {
		f.Title = "Bandwidth"
	}
	var said []string
	for _, rows := range b.charts() {
		chart := &plot.Bars{Title: chartTitle(rows[0]), Axis: plot.Axis{Label: axisLabel(rows[0].Metric)}}
		for _, r := range rows {
			chart.Series = append(chart.Series, seriesName(r))
		}
		for g := range b.c.Groups {
			group := plot.BarGroup{Name: b.name(g)}
			for _, r := range rows {
				group.Bars = append(group.Bars, b.oneBar(r, g))
				said = append(said, fmt.Sprintf("%s, %s: %s", b.name(g), r.Name(), withInterval(r.Metric, &r.Cells[g])))
			}
			chart.Groups = append(chart.Groups, group)
		}
		f.Parts = append(f.Parts, chart)
	}
	if len(f.Parts) == 0 {
		return nil
	}
	f.Desc = describe(said)
	return f
}

// describe makes a text alternative that is read in reasonable time.
func describe(said []string) string {
	const most = 40
	if len(said) > most {
		said = append(said[:most:most], fmt.Sprintf("and %d more, in the table", len(said)-most))
	}
	return strings.Join(said, "; ") + "."
}

// charts puts the rows together that differ in the phase alone.
func (b *book) charts() [][]*result.ComparedRow {
	var all [][]*result.ComparedRow
	for i := range b.c.Rows {
		r := &b.c.Rows[i]
		at := slices.IndexFunc(all, func(rows []*result.ComparedRow) bool {
			return rows[0].Metric == r.Metric && chartTitle(rows[0]) == chartTitle(r)
		})
		if at < 0 {
			all = append(all, []*result.ComparedRow{r})
		} else {
			all[at] = append(all[at], r)
		}
	}
	return all
}

func chartTitle(r *result.ComparedRow) string {
	title := strings.TrimSpace(strings.TrimSuffix(r.Name(), r.Phase))
	switch r.Metric {
	case "process":
		title += ", the median process"
	case "fairness":
		title += ", slowest over fastest process"
	}
	return title
}

func axisLabel(metric string) string {
	if metric == "fairness" {
		return "1 is perfectly fair"
	}
	return "GB/s (10^9 bytes a second)"
}

func seriesName(r *result.ComparedRow) string {
	switch {
	case r.Phase == result.PhaseSingle:
		return "one process alone (single)"
	case r.Processes > 0 && r.Metric == "aggregate":
		return fmt.Sprintf("%d processes together (%s)", r.Processes, r.Phase)
	}
	return r.Phase
}

// keyWords names what groups records in words.
func keyWords(by string) string {
	words := map[string]string{"host.hostname": "host", "tool.goarch": "build", "host.kernel": "kernel", "tool.version": "version of memtest"}
	if w, ok := words[by]; ok {
		return w
	}
	return printable(by)
}

func (b *book) oneBar(r *result.ComparedRow, g int) plot.Bar {
	c := &r.Cells[g]
	bar := plot.Bar{Value: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), Note: "not measured"}
	if c.Median == nil {
		return bar
	}
	scale := gb
	if r.Metric == "fairness" {
		scale = 1
	}
	bar.Value, bar.Note = *c.Median/scale, value(r.Metric, *c.Median)
	if c.Change != nil {
		bar.Note += "  " + change(c)
	}
	if c.Lo != nil {
		bar.Lo, bar.Hi = *c.Lo/scale, *c.Hi/scale
	}
	for _, s := range c.Samples {
		bar.Samples = append(bar.Samples, s/scale)
	}
	bar.Tip = fmt.Sprintf("%s, %s: %s, %s", b.name(g), r.Name(), withInterval(r.Metric, c), countOf(c.N, "launch"))
	return bar
}

func (b *book) barsBlock() page.Block {
	if b.bars() == nil {
		return nil
	}
	caption := "Bar: the median over launches; whiskers: its 95 % interval (none with fewer than six launches); dots: the launches."
	if len(b.c.Groups) > 1 {
		caption += " Change against " + printable(b.c.Baseline) + "; ~: no significant difference."
	}
	return &page.Figure{Caption: caption, Plot: func(float64) *plot.Figure { return b.bars() }}
}

// figuresTable is the table of memtest N T MB, with a row for each group,
// phase and set of arguments.
func (b *book) figuresTable() page.Block {
	t := &page.Table{
		Caption: "GB/s (10^9 bytes a second)", Align: "llr",
		Header: []string{"group", "phase", "processes", "launches", "min", "median", "max", "aggregate", "least to best", "fairness", "slowdown", "gain"},
		Notes: []string{
			"min, median, max: of the processes, each over its own passes. aggregate: of all while all ran, the median launch; then the least and the best launch.",
			"fairness: slowest over fastest process. slowdown: of a process against the single one. gain: the aggregate against it.",
		},
	}
	var all []setup
	for g := range b.c.Groups {
		for _, s := range b.setups(g) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 1 { // said once
		t.Caption += ", " + all[0].String()
	}
	for g := range b.c.Groups {
		for _, s := range b.setups(g) {
			run := b.together(g, s)
			single, _ := figuresOf(run, result.PhaseSingle)
			for _, phase := range []string{result.PhaseSingle, result.PhaseParallel} {
				f, ok := figuresOf(run, phase)
				if !ok {
					continue
				}
				row := tableRow(f, single, true)
				spread := "-"
				if f.launches > 1 {
					spread = row[5] + " to " + row[6]
				}
				measured := phase
				if len(all) > 1 {
					measured = s.String() + ", " + phase
				}
				cells := append([]string{b.name(g), measured, row[0], fmt.Sprint(f.launches)}, row[1:5]...)
				t.Rows = append(t.Rows, page.Cells(append(append(cells, spread), row[7:]...)...))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
