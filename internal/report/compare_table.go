package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// upright is the most groups that get a column each; more get a row each, so
// that ten hosts fit on a screen.
const upright = 5

// grid is a table's text before it is laid out.
type grid struct {
	title  string
	header []string
	rows   [][]string
}

// CompareTable writes a comparison as text, notes included.
func CompareTable(w io.Writer, c *result.Comparison) error {
	if err := writeGrids(w, compareGrids(c)); err != nil {
		return err
	}
	return writeLines(w, append(compareFootnotes(c), prefixed("Note: ", c)...))
}

// CompareMarkdown writes a comparison for a ticket.
func CompareMarkdown(w io.Writer, c *result.Comparison) error {
	return gridsMarkdown(w, compareGrids(c), append(compareFootnotes(c), prefixed("Note: ", c)...))
}

// writeGrids writes tables as text, each below its title.
func writeGrids(w io.Writer, grids []grid) error {
	for _, g := range grids {
		if _, err := fmt.Fprintln(w, g.title); err != nil {
			return err
		}
		if err := plainTable(w, g.header, g.rows); err != nil {
			return err
		}
	}
	return nil
}

func writeLines(w io.Writer, lines []string) error {
	for _, s := range lines {
		if _, err := fmt.Fprintln(w, s); err != nil {
			return err
		}
	}
	return nil
}

func prefixed(prefix string, c *result.Comparison) (lines []string) {
	for _, n := range c.Notes {
		lines = append(lines, prefix+printable(n.Text))
	}
	for _, r := range c.Regressed {
		lines = append(lines, "Gate: "+printable(r))
	}
	return lines
}

// printable replaces control characters, also those that break a line or turn
// its direction: names come from files.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) {
			return '?'
		}
		return r
	}, s)
}

// compareGrids makes a table a metric.
func compareGrids(c *result.Comparison) []grid {
	var grids []grid
	var metrics []string
	byMetric := make(map[string][]result.ComparedRow)
	for _, r := range c.Rows {
		if byMetric[r.Metric] == nil {
			metrics = append(metrics, r.Metric)
		}
		byMetric[r.Metric] = append(byMetric[r.Metric], r)
	}
	for _, m := range metrics {
		g := grid{title: metricTitle(m)}
		switch n := len(c.Groups); {
		case n == 2:
			pairGrid(&g, c, m, byMetric[m])
		case n <= upright:
			columnsGrid(&g, c, m, byMetric[m])
		default:
			rowsGrid(&g, c, m, byMetric[m])
		}
		grids = append(grids, g)
	}
	return grids
}

func metricTitle(metric string) string {
	switch metric {
	case "aggregate":
		return "GB/s (10^9 bytes) of all processes together"
	case "process":
		return "GB/s (10^9 bytes) of the median process"
	}
	return metric + ": slowest over fastest process"
}

// value writes a figure in its metric's unit.
func value(metric string, v float64) string {
	if metric == "fairness" {
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.2f", v/gb)
}

// pairGrid is A against B.
func pairGrid(g *grid, c *result.Comparison, metric string, rows []result.ComparedRow) {
	base := 0
	if c.Groups[1].Name == c.Baseline {
		base = 1
	}
	g.header = []string{"", printable(c.Groups[base].Name), printable(c.Groups[1-base].Name), "change", "p", "n"}
	for _, r := range rows {
		a, b := &r.Cells[base], &r.Cells[1-base]
		p := "-"
		if b.P != nil {
			p = chance(*b.P)
		}
		g.rows = append(g.rows, []string{printable(r.Name()), withInterval(metric, a), withInterval(metric, b), change(b), p, fmt.Sprintf("%d+%d", a.N, b.N)})
	}
	for _, m := range c.Geomeans {
		if m.Metric == metric && m.Group != c.Baseline {
			g.rows = append(g.rows, []string{"geomean", "", "", percent(m.Change), "", ""})
		}
	}
}

// chance writes a p-value; none is 0.
func chance(p float64) string {
	if p < 0.0005 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// change is "~" when the difference may be chance.
func change(c *result.ComparedCell) string {
	switch {
	case c.Change == nil:
		return "-"
	case !c.Significant:
		return "~"
	}
	return percent(*c.Change)
}

func percent(v float64) string { return fmt.Sprintf("%+.2f %%", 100*v) }

func withInterval(metric string, c *result.ComparedCell) string {
	switch {
	case c.Median == nil:
		return "-"
	case c.Lo == nil:
		return value(metric, *c.Median) + " [?]"
	}
	return fmt.Sprintf("%s [%s, %s]", value(metric, *c.Median), value(metric, *c.Lo), value(metric, *c.Hi))
}

// short is a cell of a table of many groups: median, half the interval, change,
// and "+" for the best, "-" for the worst.
func short(metric string, c *result.ComparedCell, baseline bool) string {
	if c.Median == nil {
		return "-"
	}
	words := []string{value(metric, *c.Median)}
	if c.Lo == nil {
		words = append(words, "±?")
	} else {
		words = append(words, fmt.Sprintf("±%.0f%%", 100*math.Max(*c.Hi-*c.Median, *c.Median-*c.Lo)/(*c.Median)))
	}
	switch {
	case baseline:
		words = append(words, "base")
	default:
		words = append(words, strings.ReplaceAll(change(c), " ", ""))
	}
	if c.Best {
		words = append(words, "best")
	}
	if c.Worst {
		words = append(words, "worst")
	}
	if c.Score != nil && math.Abs(*c.Score) > stats.OutlierScore {
		words = append(words, "outlier")
	}
	return strings.Join(words, " ")
}

func columnsGrid(g *grid, c *result.Comparison, metric string, rows []result.ComparedRow) {
	g.header = []string{""}
	for _, group := range c.Groups {
		g.header = append(g.header, printable(group.Name))
	}
	for _, r := range rows {
		row := []string{printable(r.Name())}
		for i := range r.Cells {
			row = append(row, short(metric, &r.Cells[i], c.Groups[i].Name == c.Baseline))
		}
		g.rows = append(g.rows, row)
	}
	if len(rows) > 1 {
		row := []string{"geomean"}
		for _, group := range c.Groups {
			row = append(row, geomeanOf(c, metric, group.Name))
		}
		g.rows = append(g.rows, row)
	}
}

func rowsGrid(g *grid, c *result.Comparison, metric string, rows []result.ComparedRow) {
	g.header = []string{"group", "launches"}
	for _, r := range rows {
		g.header = append(g.header, printable(r.Name()))
	}
	if len(rows) > 1 {
		g.header = append(g.header, "geomean")
	}
	for i, group := range c.Groups {
		row := []string{printable(group.Name), fmt.Sprint(group.Samples)}
		for _, r := range rows {
			row = append(row, short(metric, &r.Cells[i], group.Name == c.Baseline))
		}
		if len(rows) > 1 {
			row = append(row, geomeanOf(c, metric, group.Name))
		}
		g.rows = append(g.rows, row)
	}
}

func geomeanOf(c *result.Comparison, metric, group string) string {
	for _, m := range c.Geomeans {
		if m.Metric == metric && m.Group == group {
			return percent(m.Change)
		}
	}
	return "-"
}

// compareFootnotes explain the table.
func compareFootnotes(c *result.Comparison) []string {
	lines := []string{"Median [95 % interval] over launches, by " + printable(c.By) + ", against " + printable(c.Baseline) + "; ~: no significant difference;"}
	if len(c.Groups) > 2 {
		lines[0] = "Median, ± half the 95 % interval, change against " + printable(c.Baseline) + " (grouped by " + printable(c.By) + "); ~: no significant difference;"
	}
	if c.Tests > 1 {
		return append(lines, fmt.Sprintf("p: Mann-Whitney U, of one test; significant: below %g after Holm's correction for %d tests.", stats.Alpha, c.Tests))
	}
	return append(lines, fmt.Sprintf("p: Mann-Whitney U; significant: below %g.", stats.Alpha))
}
