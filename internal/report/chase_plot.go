package report

import (
	"fmt"
	"math"
	"strings"

	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// termSeries is a curve of a plot in a terminal.
type termSeries struct {
	name string
	mark byte
	x, y []float64 // above 0
}

const (
	termRows    = 14
	termColumns = 66
)

// termPlot draws curves with both axes logarithmic, in ASCII; where two meet
// stands a *. It returns lines, none when there is nothing to draw.
func termPlot(series []termSeries, yLabel, xLabel string) []string {
	x0, x1, y0, y1 := math.Inf(1), 0.0, math.Inf(1), 0.0
	for _, s := range series {
		for i := range s.x {
			x0, x1 = min(x0, s.x[i]), max(x1, s.x[i])
			y0, y1 = min(y0, s.y[i]), max(y1, s.y[i])
		}
	}
	if x1 <= x0 || !(y0 > 0) {
		return nil
	}
	// Whole doublings, so that a tick is a round number.
	low, high := math.Floor(math.Log2(y0)), math.Ceil(math.Log2(y1))
	high = max(high, low+1)
	canvas := make([][]byte, termRows)
	for i := range canvas {
		canvas[i] = []byte(strings.Repeat(" ", termColumns))
	}
	for _, s := range series {
		for i := range s.x {
			col := int(math.Round((termColumns - 1) * math.Log2(s.x[i]/x0) / math.Log2(x1/x0)))
			row := termRows - 1 - int(math.Round((termRows-1)*(math.Log2(s.y[i])-low)/(high-low)))
			if c := &canvas[row][col]; *c == ' ' || *c == s.mark {
				*c = s.mark
			} else {
				*c = '*'
			}
		}
	}
	var legend []string
	for _, s := range series {
		legend = append(legend, fmt.Sprintf("%c %s", s.mark, s.name))
	}
	lines := []string{fmt.Sprintf("%8s   %s", yLabel, strings.Join(legend, ", "))}
	labels := termTicks(low, high)
	for i, c := range canvas {
		lines = append(lines, fmt.Sprintf("%8s |%s", labels[i], strings.TrimRight(string(c), " ")))
	}
	lines = append(lines, fmt.Sprintf("%8s +%s", "", strings.Repeat("-", termColumns)))
	left, right := fmt.Sprintf("%.0f", x0), fmt.Sprintf("%.0f %s (logarithmic)", x1, xLabel)
	return append(lines, fmt.Sprintf("%8s  %s%*s", "", left, termColumns-len(left), right))
}

// termTicks returns a label for each row, most of them empty.
func termTicks(low, high float64) []string {
	labels := make([]string, termRows)
	step := math.Ceil((high - low) / (termRows / 2))
	for t := low; t <= high; t += step {
		row := termRows - 1 - int(math.Round((termRows-1)*(t-low)/(high-low)))
		labels[row] = trimFloat(math.Exp2(t))
	}
	return labels
}

func chaseSeries(c *result.Chase) termSeries {
	s := termSeries{name: c.Tool.GOARCH, mark: 'o'}
	for _, p := range c.Points {
		s.x, s.y = append(s.x, float64(p.Nodes)), append(s.y, p.NS.Median)
	}
	return s
}

func chasePairSeries(p *result.ChasePair) (wide, narrow termSeries) {
	wide, narrow = termSeries{name: p.Wide, mark: 'o'}, termSeries{name: p.Narrow, mark: 'x'}
	for _, r := range p.Rows {
		wide.x, wide.y = append(wide.x, float64(r.Nodes)), append(wide.y, r.Wide.NS.Median)
		narrow.x, narrow.y = append(narrow.x, float64(r.Nodes)), append(narrow.y, r.Narrow.NS.Median)
	}
	return wide, narrow
}

// ChaseFigure returns the curve of one build.
func ChaseFigure(c *result.Chase) *plot.Figure {
	line := chaseLine(c.Tool.GOARCH, c.NodeBytes, c.Points)
	return chaseCurves([]plot.Line{line}, cacheMarks(c.Host.Caches, c.Tool.GOARCH, c.NodeBytes), "")
}

// ChasePairFigure returns the curves of both builds in one plane.
func ChasePairFigure(p *result.ChasePair) *plot.Figure {
	var wide, narrow []result.ChasePoint
	for _, r := range p.Rows {
		wide, narrow = append(wide, r.Wide), append(narrow, r.Narrow)
	}
	lines := []plot.Line{chaseLine(p.Wide, p.WideNode, wide), chaseLine(p.Narrow, p.NarrowNode, narrow)}
	marks := append(cacheMarks(p.Caches, p.Wide, p.WideNode), cacheMarks(p.Caches, p.Narrow, p.NarrowNode)...)
	return chaseCurves(lines, marks, p.Emulated)
}

func chaseLine(arch string, nodeBytes int64, points []result.ChasePoint) plot.Line {
	l := plot.Line{Name: fmt.Sprintf("%s, %d bytes a node", arch, nodeBytes), Markers: true}
	for _, p := range points {
		addPoint(&l, float64(p.Nodes), p.NS, 1)
	}
	return l
}

func chaseCurves(lines []plot.Line, marks []plot.Mark, emulated string) *plot.Figure {
	f := &plot.Figure{
		Title: "Nanoseconds a hop over linked nodes",
		Desc:  "The time of one hop against the number of nodes in a random cycle, median and 95 % interval over launches. Upright lines say where the nodes fill a cache.",
		Parts: []plot.Part{&plot.XY{
			X: plot.Axis{Label: "nodes", Scale: plot.Log2, Format: power}, Y: plot.Axis{Label: "ns", Scale: plot.Log2}, Height: 320, Lines: lines, Marks: marks,
		}},
	}
	if emulated != "" {
		f.Title += ": " + Emulated(emulated)
	}
	return f
}

// power writes a count, which may have many digits, as a power of two where
// it is one.
func power(v float64) string {
	if exp := math.Log2(v); v >= 1 && exp == math.Trunc(exp) {
		return fmt.Sprintf("2^%.0f", exp)
	}
	return fmt.Sprintf("%.0f", v)
}

// cacheMarks says how many nodes fill the caches beyond the first level; of
// claims that contradict each other the largest counts.
func cacheMarks(caches []result.Cache, arch string, nodeBytes int64) (marks []plot.Mark) {
	for level := 2; level <= 4; level++ {
		most := int64(0)
		for _, c := range caches {
			if c.Level == level && c.Type != "Instruction" {
				most = max(most, c.Bytes)
			}
		}
		if most > 0 {
			marks = append(marks, plot.Mark{X: float64(most / nodeBytes), Label: fmt.Sprintf("L%d, %s", level, arch)})
		}
	}
	return marks
}
