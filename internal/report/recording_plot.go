package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"wordsize/internal/result"
)

// NarrowestPlot is the least width of a plot in columns.
const NarrowestPlot = 30

// plotRows is the height of a plot of characters.
const plotRows = 8

// PlotStyle is how a plot of characters looks.
type PlotStyle struct {
	Width    int  // columns
	ASCII    bool // the locale has no block characters
	Markdown bool // within a code block
}

// LabelCourse holds the courses of the recordings of one label, in their order.
type LabelCourse struct{ Courses []*result.Course }

// UsagePlot draws memory and CPU use over time with characters.
func UsagePlot(w io.Writer, r *result.UsageReport, courses []LabelCourse, style PlotStyle) error {
	var lines []string
	for i := range r.Labels {
		l := &r.Labels[i]
		for k, c := range courses[i].Courses {
			name := printable(l.Label)
			if len(courses[i].Courses) > 1 {
				name = printable(l.Recordings[k].File)
			}
			lines = append(lines, "", name+": "+memoryName(l)+" of all, MiB")
			scaled := make([]float64, len(c.Total))
			for j, v := range c.Total {
				scaled[j] = v / mib
			}
			lines = append(lines, blockPlot(times(c.AtNS), scaled, l.Recordings[k].ElapsedNS, style)...)
			lines = append(lines, name+": CPU of all, percent of one CPU")
			lines = append(lines, blockPlot(times(c.EndsNS), c.CPU, l.Recordings[k].ElapsedNS, style)...)
		}
	}
	if style.Markdown {
		lines = append(append([]string{"", "```"}, lines[1:]...), "```")
	}
	return writeLines(w, lines)
}

// memoryName says what the course of memory is of.
func memoryName(l *result.LabelUsage) string {
	if l.Total.PSS == nil {
		return "RES less SHR"
	}
	return "PSS"
}

func times(ns []int64) []float64 {
	out := make([]float64, len(ns))
	for i, v := range ns {
		out[i] = float64(v) / 1e9
	}
	return out
}

// blockPlot draws values over seconds as columns of blocks: of all that fall
// into one column the highest. A column that nothing falls into repeats the
// one before it, a stretch that is not known is empty.
func blockPlot(x, y []float64, elapsed int64, style PlotStyle) []string {
	top := 0.0
	for _, v := range y {
		if v > top {
			top = v
		}
	}
	if top == 0 {
		top = 1
	}
	label := max(len(axisNumber(top)), len(axisNumber(top/2)))
	columns := max(8, style.Width-label-3)
	heights := columnsOf(x, y, max(float64(elapsed)/1e9, 1e-3), columns)
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	corner, side, floor := "└", "│", "─"
	if style.ASCII {
		blocks, corner, side, floor = []rune(" ...ooo##"), "+", "|", "-"
	}
	steps := float64(len(blocks) - 1)
	lines := make([]string, 0, plotRows+2)
	for row := plotRows - 1; row >= 0; row-- {
		var b strings.Builder
		text := ""
		switch row {
		case plotRows - 1:
			text = axisNumber(top)
		case plotRows/2 - 1:
			text = axisNumber(top / 2)
		}
		fmt.Fprintf(&b, "%*s %s", label, text, side)
		for _, v := range heights {
			full := 0.0
			if !math.IsNaN(v) {
				full = v/top*plotRows - float64(row)
			}
			level := int(math.Round(min(1, max(0, full)) * steps))
			if level == 0 && row == 0 && v > 0 {
				level = 1 // something is not nothing
			}
			b.WriteRune(blocks[level])
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	lines = append(lines, fmt.Sprintf("%*s %s%s", label, "0", corner, strings.Repeat(floor, columns)))
	from, to := "0", spanText(elapsed)
	gap := max(1, columns-len(from)-len(to))
	return append(lines, strings.Repeat(" ", label+2)+from+strings.Repeat(" ", gap)+to)
}

// columnsOf puts values into columns of equal time.
func columnsOf(x, y []float64, span float64, columns int) []float64 {
	out := make([]float64, columns)
	filled := make([]bool, columns)
	for i := range out {
		out[i] = math.NaN()
	}
	last := -1
	for i := range min(len(x), len(y)) {
		at := min(columns-1, max(0, int(x[i]/span*float64(columns))))
		if math.IsNaN(y[i]) {
			continue
		}
		if !filled[at] || y[i] > out[at] {
			out[at] = y[i]
		}
		filled[at] = true
		last = max(last, at)
	}
	for i := 1; i <= last; i++ {
		if !filled[i] {
			out[i] = out[i-1]
		}
	}
	return out
}

func axisNumber(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
