package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Screen is what text is written for.
type Screen struct {
	Width int  // columns; 0 is 80
	UTF8  bool // the locale's character set
}

// termGraph is a small plot for a terminal. Where two series meet stands the
// later one's mark.
type termGraph struct {
	title      string // what y is, with its unit
	xLabel     string
	xFormat    func(float64) string
	xLog, yLog bool // base 2; then all values are above 0
	series     []termSeries
	uprights   []float64 // dotted lines at these places of x
}

// columns returns the width to write in, one less than there is.
func (s Screen) columns() int {
	if s.Width <= 0 {
		return 79
	}
	return s.Width - 1
}

// wrapWords breaks a sentence at spaces.
func wrapWords(text string, screen Screen) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > screen.columns():
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

const (
	graphRows    = 12
	graphMost    = 100 // columns; more would only spread the points
	graphLeast   = 24  // fewer show nothing
	graphMargins = 12  // of the labels of y and the axis
)

// marks of the series, in ASCII: they differ in shape.
const graphMarks = "ox+#@%"

// graphScale places values between 0 and 1.
type graphScale struct {
	log    bool
	lo, hi float64
}

func (s graphScale) place(v float64) float64 {
	if s.log {
		return math.Log2(v/s.lo) / math.Log2(s.hi/s.lo)
	}
	return (v - s.lo) / (s.hi - s.lo)
}

// lines draws the graph; none when there is nothing to draw or no room.
func (g *termGraph) lines(screen Screen) []string {
	columns := min(screen.columns(), graphMost) - graphMargins
	x, y, ok := g.scales()
	if !ok || columns < graphLeast {
		return nil
	}
	rows := make([][]rune, graphRows)
	for i := range rows {
		rows[i] = []rune(strings.Repeat(" ", columns))
	}
	pen := graphPens(screen.UTF8)
	at := func(v float64) int { return int(math.Round(float64(columns-1) * x.place(v))) }
	for _, u := range g.uprights {
		if c := at(u); c >= 0 && c < columns {
			for i := range rows {
				rows[i][c] = pen.upright
			}
		}
	}
	for k, s := range g.series {
		for i := range s.x {
			if !g.draws(s.x[i], s.y[i]) {
				continue
			}
			r := graphRows - 1 - int(math.Round(float64(graphRows-1)*y.place(s.y[i])))
			rows[r][at(s.x[i])] = rune(graphMarks[k%len(graphMarks)])
		}
	}
	lines := []string{g.head()}
	labels := g.labels(y)
	for i, row := range rows {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%9s %c%s", labels[i], pen.left, string(row)), " "))
	}
	lines = append(lines, fmt.Sprintf("%9s %c%s", "", pen.corner, strings.Repeat(string(pen.bottom), columns)))
	return append(lines, g.foot(x, columns))
}

// head names y, and the series when there are several.
func (g *termGraph) head() string {
	var names []string
	for k, s := range g.series {
		names = append(names, fmt.Sprintf("%c %s", graphMarks[k%len(graphMarks)], s.name))
	}
	if len(names) == 1 && g.series[0].name == "" {
		return g.title
	}
	return g.title + ":  " + strings.Join(names, "   ")
}

// foot writes the ends of x and what it is.
func (g *termGraph) foot(x graphScale, columns int) string {
	left, right := g.xFormat(x.lo), g.xFormat(x.hi)
	middle := g.xLabel
	if room := columns - utf8.RuneCountInString(left+right) - 2; utf8.RuneCountInString(middle) > room {
		middle = ""
	}
	gap := columns - utf8.RuneCountInString(left+middle+right)
	return strings.Repeat(" ", graphMargins-1) + left + strings.Repeat(" ", max(1, gap/2)) + middle + strings.Repeat(" ", max(1, gap-gap/2)) + right
}

func (g *termGraph) draws(x, y float64) bool {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	return finite(x) && finite(y) && !(g.xLog && x <= 0) && !(g.yLog && y <= 0)
}

func (g *termGraph) scales() (x, y graphScale, ok bool) {
	x, y = graphScale{g.xLog, math.Inf(1), math.Inf(-1)}, graphScale{g.yLog, math.Inf(1), math.Inf(-1)}
	for _, s := range g.series {
		for i := range s.x {
			if g.draws(s.x[i], s.y[i]) {
				x.lo, x.hi = min(x.lo, s.x[i]), max(x.hi, s.x[i])
				y.lo, y.hi = min(y.lo, s.y[i]), max(y.hi, s.y[i])
			}
		}
	}
	if !(x.hi > x.lo) {
		return x, y, false
	}
	if g.yLog {
		y.lo, y.hi = math.Exp2(math.Floor(math.Log2(y.lo))), math.Exp2(math.Ceil(math.Log2(y.hi)))
	} else {
		y.lo = min(0, y.lo)
		step := roundStep((y.hi - y.lo) / (graphRows / 3))
		y.hi = step * math.Ceil(y.hi/step)
	}
	if y.hi <= y.lo {
		y.hi = 2*y.lo + 1
	}
	return x, y, true
}

// roundStep returns the next of 1, 2, 5, 10 …
func roundStep(raw float64) float64 {
	if !(raw > 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*unit {
			return m * unit
		}
	}
	return 10 * unit
}

// labels returns a label for each row, most of them empty.
func (g *termGraph) labels(y graphScale) []string {
	var ticks []float64
	if y.log {
		doublings := math.Log2(y.hi / y.lo)
		step := max(1, math.Ceil(doublings/(graphRows/2)))
		for e := 0.0; e <= doublings+1e-9; e += step {
			ticks = append(ticks, y.lo*math.Exp2(e))
		}
	} else {
		step := roundStep((y.hi - y.lo) / (graphRows / 3))
		for v := math.Ceil(y.lo/step) * step; v <= y.hi*(1+1e-9); v += step {
			ticks = append(ticks, v)
		}
	}
	labels := make([]string, graphRows)
	for _, v := range slices.Backward(ticks) {
		r := graphRows - 1 - int(math.Round(float64(graphRows-1)*y.place(v)))
		labels[r] = trimFloat(v)
	}
	return labels
}

// graphPen are the characters of the axes.
type graphPen struct{ left, corner, bottom, upright rune }

func graphPens(utf8 bool) graphPen {
	if utf8 {
		return graphPen{'│', '└', '─', '┊'}
	}
	return graphPen{'|', '+', '-', ':'}
}
