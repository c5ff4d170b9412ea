package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// UsageCompareTable writes a comparison of recordings as text.
func UsageCompareTable(w io.Writer, c *result.UsageComparison) error {
	if err := writeGrids(w, usageCompareGrids(c)); err != nil {
		return err
	}
	return writeLines(w, usageCompareFoot(c))
}

// UsageCompareMarkdown writes it for a ticket.
func UsageCompareMarkdown(w io.Writer, c *result.UsageComparison) error {
	return gridsMarkdown(w, usageCompareGrids(c), usageCompareFoot(c))
}

// usageCompareGrids are the matrices where there are some, else the figures
// side by side.
func usageCompareGrids(c *result.UsageComparison) []grid {
	var grids []grid
	for i := range c.Matrices {
		grids = append(grids, matrixGrid(&c.Matrices[i]))
	}
	if len(grids) > 0 {
		return grids
	}
	switch n := len(c.Groups); {
	case n == 2:
		return []grid{usagePairGrid(c)}
	case n <= upright:
		return []grid{usageColumnsGrid(c)}
	}
	return []grid{usageRowsGrid(c)}
}

// metricWords are the names of the metrics in tables.
var metricWords = map[string]string{
	"pss": "PSS", "uss": "USS", "res": "RES", "virt": "VIRT", "vmhwm": "HWM sum", "processes": "processes", "cpu": "CPU",
	"cputime": "CPU time", "read": "read", "write": "written", "duration": "length",
}

func metricName(metric string) string {
	if w := metricWords[metric]; w != "" {
		return w
	}
	return metric
}

var unitWords = map[string]string{
	result.UnitBytes: "MiB", result.UnitPercent: "% of one CPU", result.UnitSeconds: "s", result.UnitRate: "MB/s", result.UnitCount: "",
}

func rowName(r *result.UsageRow) string {
	name := metricName(r.Metric)
	if r.Part == "max" && r.Metric == "pss" {
		name += " peak"
	} else if r.Part != "" {
		name += " " + r.Part
	}
	if u := unitWords[r.Unit]; u != "" {
		name += ", " + strings.Replace(u, "% of one CPU", "%", 1)
	}
	return name
}

// unitText writes a figure in its unit.
func unitText(unit string, v float64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	switch unit {
	case result.UnitBytes:
		return sign + mibText(v)
	case result.UnitRate:
		v /= 1e6
	}
	switch {
	case unit == result.UnitPercent:
		return sign + fmt.Sprintf("%.1f", v)
	case unit == result.UnitCount:
		return sign + strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	case v < 9.995:
		return sign + fmt.Sprintf("%.2f", v)
	}
	return sign + fmt.Sprintf("%.1f", v)
}

func matrixGrid(m *result.UsageMatrix) grid {
	unit := unitWords[m.Unit]
	if unit != "" {
		unit = ", " + unit
	}
	g := grid{title: fmt.Sprintf("%s%s, average/maximum, by %s and %s", metricName(m.Metric), unit, printable(m.RowPart), printable(m.ColumnPart))}
	for i, l := range m.Where {
		join := ", "
		if i == 0 {
			join = "; "
		}
		g.title += join + printable(l.Name) + "=" + printable(l.Value)
	}
	g.title += ":"
	g.header = []string{printable(m.RowPart) + " \\ " + printable(m.ColumnPart)}
	for _, c := range m.Columns {
		g.header = append(g.header, printable(c))
	}
	for i, name := range m.Rows {
		row := []string{printable(name)}
		for _, c := range m.Cells[i] {
			if c.Avg == nil || c.Max == nil {
				row = append(row, "-")
				continue
			}
			row = append(row, unitText(m.Unit, *c.Avg)+"/"+unitText(m.Unit, *c.Max))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// usageCell is a median with its interval, where there is one.
func usageCell(r *result.UsageRow, c *result.ComparedCell) string {
	switch {
	case c.Median == nil:
		return "-"
	case c.Lo == nil:
		return unitText(r.Unit, *c.Median)
	}
	return fmt.Sprintf("%s [%s, %s]", unitText(r.Unit, *c.Median), unitText(r.Unit, *c.Lo), unitText(r.Unit, *c.Hi))
}

// usageChange is the change, with ~ in front where it is not significant.
func usageChange(c *result.ComparedCell) string {
	if c.Change == nil {
		return "-"
	}
	s := fmt.Sprintf("%+.1f %%", 100**c.Change)
	if c.P != nil && !c.Significant {
		return "~ " + s
	}
	return s
}

// usagePairGrid is A against B.
func usagePairGrid(c *result.UsageComparison) grid {
	base := 0
	if c.Groups[1].Name == c.Baseline {
		base = 1
	}
	g := grid{title: compareTitle(c), header: []string{"", printable(c.Groups[base].Name), printable(c.Groups[1-base].Name), "difference", "ratio", "change", "p", "n"}}
	for i := range c.Rows {
		r := &c.Rows[i]
		a, b := &r.Cells[base], &r.Cells[1-base]
		row := []string{rowName(r), usageCell(r, a), usageCell(r, b), "-", "-", usageChange(b), "-", fmt.Sprintf("%d+%d", a.N, b.N)}
		if a.Median != nil && b.Median != nil {
			row[3] = unitText(r.Unit, *b.Median-*a.Median)
			if *a.Median != 0 {
				row[4] = fmt.Sprintf("%.3f", *b.Median / *a.Median)
			}
		}
		if b.P != nil {
			row[6] = chance(*b.P)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

func compareTitle(c *result.UsageComparison) string {
	what := "all processes"
	if c.Of != "all" && c.Of != "" {
		what = printable(c.Of) + " processes"
	}
	return fmt.Sprintf("Recordings against %s (%s):", printable(c.Baseline), what)
}

func usageColumnsGrid(c *result.UsageComparison) grid {
	g := grid{title: compareTitle(c), header: []string{""}}
	for _, group := range c.Groups {
		g.header = append(g.header, printable(group.Name))
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		row := []string{rowName(r)}
		for k := range r.Cells {
			row = append(row, usageShort(r, &r.Cells[k], c.Groups[k].Name == c.Baseline))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// mostRowMetrics are shown of many labels, so that a row fits a screen; --metric
// chooses others.
var mostRowMetrics = []string{"pss", "res", "virt", "cpu", "cputime"}

// usageRowsGrid has a row for each of many labels: average/highest, and the
// change of the average.
func usageRowsGrid(c *result.UsageComparison) grid {
	g := grid{title: compareTitle(c), header: []string{"label", "n"}}
	all := len(c.Rows) > 2*len(mostRowMetrics)
	var first []int // rows of averages
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Part == "max" || all && !slices.Contains(mostRowMetrics, r.Metric) {
			continue
		}
		name := rowName(r)
		if r.Part == "avg" {
			name = strings.Replace(name, " avg", " avg/max", 1)
		}
		g.header = append(g.header, name)
		first = append(first, i)
	}
	for k, group := range c.Groups {
		row := []string{printable(group.Name), fmt.Sprint(group.Samples)}
		for _, i := range first {
			r, high := &c.Rows[i], (*result.ComparedCell)(nil)
			if i+1 < len(c.Rows) && c.Rows[i+1].Metric == r.Metric {
				high = &c.Rows[i+1].Cells[k]
			}
			row = append(row, usageBoth(r, &r.Cells[k], high, group.Name == c.Baseline))
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// usageBoth is a cell with the average, the highest and the average's change.
func usageBoth(r *result.UsageRow, c, high *result.ComparedCell, baseline bool) string {
	text := usageShort(r, c, baseline)
	if high == nil || high.Median == nil || c.Median == nil {
		return text
	}
	value, rest, _ := strings.Cut(text, " ")
	return strings.TrimSpace(value + "/" + unitText(r.Unit, *high.Median) + " " + rest)
}

// usageShort is a cell of a table of many labels: median and change.
func usageShort(r *result.UsageRow, c *result.ComparedCell, baseline bool) string {
	switch {
	case c.Median == nil:
		return "-"
	case baseline:
		return unitText(r.Unit, *c.Median)
	case c.Change == nil:
		return unitText(r.Unit, *c.Median) + " (-)"
	}
	return unitText(r.Unit, *c.Median) + " (" + strings.ReplaceAll(strings.Replace(usageChange(c), " %", "%", 1), "~ ", "~") + ")"
}

// usageCompareFoot says the verdicts, what the table means, and the notes.
func usageCompareFoot(c *result.UsageComparison) []string {
	var lines []string
	if len(c.Matrices) == 0 && len(c.Groups) <= upright { // else the table is the verdict
		for _, v := range c.Verdicts {
			lines = append(lines, printable(v)+".")
		}
	}
	if c.Tests > 0 && len(c.Matrices) == 0 {
		lines = append(lines, fmt.Sprintf("Medians over recordings [95 %% interval]; p: Mann-Whitney U, of one test; ~: not significant, %g after Holm's correction for %d tests.", stats.Alpha, c.Tests))
	}
	for _, n := range c.Notes {
		lines = append(lines, "Note: "+printable(n.Text))
	}
	return lines
}

// UsageCompareCSV writes a row for each figure of each label. Cells of unknown
// values are empty.
func UsageCompareCSV(w io.Writer, c *result.UsageComparison) error {
	cw := newCSV(w)
	if err := cw.Write([]string{"metric", "part", "unit", "label", "baseline", "n", "median", "lo", "hi", "change", "p", "p_holm", "significant"}); err != nil {
		return err
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		for k := range r.Cells {
			cell := &r.Cells[k]
			err := cw.Write([]string{
				r.Metric, r.Part, r.Unit, c.Groups[k].Name, c.Baseline, strconv.Itoa(cell.N), plainFloat(cell.Median), plainFloat(cell.Lo), plainFloat(cell.Hi),
				plainFloat(cell.Change), plainFloat(cell.P), plainFloat(cell.PHolm), strconv.FormatBool(cell.Significant),
			})
			if err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}
