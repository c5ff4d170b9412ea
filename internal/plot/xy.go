package plot

import (
	"cmp"
	"math"
	"slices"
)

// XY is a plane with lines, areas and marks.
type XY struct {
	Title  string
	X, Y   Axis
	Height float64 // of the plane; 0 is 220
	Stack  *Stack  // below the lines
	Lines  []Line
	Marks  []Mark
}

// Line is a series of points in order of X. NaN in Y is a gap.
type Line struct {
	Name    string
	X, Y    []float64
	Lo, Hi  []float64 // a band around it; nil is none, NaN a gap
	Markers bool
	Step    bool // Y holds until the next X
	Loose   bool // no line from point to point
}

// Stack is areas upon each other: Values[i][j] is of Names[i] at X[j]. NaN
// counts as nothing, and where all are NaN there is a gap.
type Stack struct {
	X      []float64
	Names  []string
	Values [][]float64
}

// Mark is an upright line with a label.
type Mark struct {
	X     float64
	Label string
}

func (p *XY) heading() string { return p.Title }

func (p *XY) legend() []entry {
	var all []entry
	first := 0
	if p.Stack != nil {
		for i, name := range p.Stack.Names {
			all = append(all, entry{name: name, kind: swatchFill, series: i})
		}
		slices.Reverse(all) // as they lie upon each other
		first = len(all)
	}
	for i, l := range p.Lines {
		all = append(all, entry{name: l.Name, kind: swatchLine, series: first + i, marker: l.Markers || l.Loose, loose: l.Loose})
	}
	if len(all) < 2 && p.Stack == nil {
		return nil
	}
	return all
}

// bounds returns the range of all that is drawn.
func (p *XY) bounds() (x0, x1, y0, y1 float64) {
	x0, x1, y0, y1 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	reach := func(lo, hi *float64, values ...float64) {
		for _, v := range values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				*lo, *hi = min(*lo, v), max(*hi, v)
			}
		}
	}
	for _, l := range p.Lines {
		reach(&x0, &x1, l.X...)
		for _, values := range [][]float64{l.Y, l.Lo, l.Hi} {
			reach(&y0, &y1, values...)
		}
	}
	if p.Stack != nil {
		reach(&x0, &x1, p.Stack.X...)
		for j := range p.Stack.X {
			if sum, ok := p.Stack.upTo(len(p.Stack.Names), j); ok {
				reach(&y0, &y1, sum)
			}
		}
	}
	for _, m := range p.Marks {
		reach(&x0, &x1, m.X)
	}
	return x0, x1, y0, y1
}

func (p *XY) height() float64 {
	if p.Height <= 0 {
		return 220
	}
	return p.Height
}

// upright returns the upright axis, not yet placed, and how many ticks it
// has room for.
func (p *XY) upright(y0, y1 float64) (span, int) {
	ys := newSpan(p.Y, y0, y1, true)
	most := max(2, int(p.height()/40))
	ys.roundUp(most)
	return ys, most
}

// labelWidth is the room that the labels of the upright axis need.
func (p *XY) labelWidth() float64 {
	_, _, y0, y1 := p.bounds()
	ys, most := p.upright(y0, y1)
	left := 0.0
	for _, t := range ys.ticks(most) {
		left = max(left, textWidth(t.label, sizeSmall))
	}
	return left
}

func (p *XY) draw(c *canvas, f frame, y float64) float64 {
	top := y
	x0, x1, y0, y1 := p.bounds()
	ys, mostY := p.upright(y0, y1)
	if p.Y.Label != "" {
		c.words(inkMuted, sizeSmall, anchorStart, 8, y+11, shorten(Clean(p.Y.Label), sizeSmall, f.width-16))
		y += 18
	}
	y += float64(p.markRows()) * 14
	ys.from, ys.to = y+4+p.height(), y+4
	xs := newSpan(p.X, x0, x1, false)
	xs.from, xs.to = 8+f.left+6, f.width-14
	mostX := max(2, int((xs.to-xs.from)/75))
	c.gridX(&xs, mostX, ys.to, ys.from)
	for _, t := range ys.ticks(mostY) {
		at := ys.place(t.value)
		c.line(inkGrid, 1, nil, point{xs.from, at}, point{xs.to, at})
		c.words(inkMuted, sizeSmall, anchorEnd, xs.from-6, at+4, t.label)
	}
	first := 0
	if p.Stack != nil {
		p.Stack.draw(c, &xs, &ys)
		first = len(p.Stack.Names)
	}
	for i := range p.Lines {
		p.Lines[i].band(c, first+i, &xs, &ys)
	}
	p.marks(c, &xs, &ys)
	for i := range p.Lines {
		p.Lines[i].draw(c, first+i, &xs, &ys)
	}
	c.line(inkAxis, 1, nil, point{xs.from, ys.to}, point{xs.from, ys.from}, point{xs.to, ys.from})
	return c.axisX(&xs, mostX, ys.from) - top
}

// markRows says how many lines of text the marks' labels take.
func (p *XY) markRows() int {
	labelled := 0
	for _, m := range p.Marks {
		if m.Label != "" {
			labelled++
		}
	}
	return min(2, labelled)
}

// marks draws the upright lines; labels that would lie upon others are left
// out of the drawing, and show when the pointer rests on the line.
func (p *XY) marks(c *canvas, x, y *span) {
	sorted := slices.Clone(p.Marks)
	slices.SortStableFunc(sorted, func(a, b Mark) int { return cmp.Compare(a.X, b.X) })
	rows := p.markRows()
	end := [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, m := range sorted {
		at := x.place(m.X)
		if at < x.from-0.5 || at > x.to+0.5 {
			continue
		}
		label := Clean(m.Label)
		c.add(shape{kind: strokeShape, ink: inkMark, width: 1.4, dash: []float64{4, 3}, tip: label, paths: [][]point{{{at, y.to}, {at, y.from}}}})
		for row := range rows {
			w := textWidth(label, sizeSmall)
			from := min(max(at-w/2, x.from), max(x.from, x.to-w))
			if label == "" || from < end[row]+8 || from+w > x.to+12 {
				continue
			}
			c.words(inkMark, sizeSmall, anchorStart, from, y.to-4-14*float64(row), label)
			end[row] = from + w
			break
		}
	}
}

// runs cuts a series at its gaps.
func runs(xs, ys []float64, x, y *span) [][]point {
	var all [][]point
	var run []point
	for i := range min(len(xs), len(ys)) {
		px, py := x.place(xs[i]), y.place(ys[i])
		if math.IsNaN(px) || math.IsNaN(py) || math.IsInf(px, 0) || math.IsInf(py, 0) {
			if len(run) > 0 {
				all, run = append(all, run), nil
			}
			continue
		}
		run = append(run, point{px, py})
	}
	if len(run) > 0 {
		all = append(all, run)
	}
	return all
}

// steps makes each point hold until the next.
func steps(points []point) []point {
	var out []point
	for i, p := range points {
		if i > 0 {
			out = append(out, point{p.x, points[i-1].y})
		}
		out = append(out, p)
	}
	return out
}

func (l *Line) band(c *canvas, series int, x, y *span) {
	n := min(len(l.X), len(l.Lo), len(l.Hi))
	var polygons [][]point
	for from := 0; from < n; from++ {
		to := from
		for ; to < n && !math.IsNaN(l.Lo[to]) && !math.IsNaN(l.Hi[to]); to++ {
		}
		if to-from < 2 {
			continue
		}
		upper := runs(l.X[from:to], l.Hi[from:to], x, y)
		lower := runs(l.X[from:to], l.Lo[from:to], x, y)
		if len(upper) == 1 && len(lower) == 1 {
			back := thin(lower[0])
			slices.Reverse(back)
			polygons = append(polygons, append(thin(upper[0]), back...))
		}
		from = to
	}
	c.fill(seriesInk(series), 0.18, "", polygons...)
}

// mostMarkers of a line tell it from others; more would hide it.
const mostMarkers = 80

func (l *Line) draw(c *canvas, series int, x, y *span) {
	var dots [][]point
	for _, run := range runs(l.X, l.Y, x, y) {
		line := thin(run)
		if l.Step {
			line = thin(steps(run))
		}
		if !l.Loose && len(line) > 1 {
			c.add(shape{kind: strokeShape, ink: seriesInk(series), width: 2, dash: dashOf(series), tip: l.Name, paths: [][]point{line}})
		}
		if l.Markers || l.Loose || len(run) == 1 { // a lone point has no line
			every := 1
			if !l.Loose {
				every += len(run) / mostMarkers
			}
			for i, p := range thin(run) {
				if i%every == 0 {
					dots = append(dots, marker(series, p, 4))
				}
			}
		}
	}
	c.fill(seriesInk(series), 0, "", dots...)
}

// upTo sums the first n areas at a place; ok is false when none is known there.
func (s *Stack) upTo(n, j int) (sum float64, ok bool) {
	for i := range s.Names {
		if j >= len(s.Values[i]) || math.IsNaN(s.Values[i][j]) {
			continue
		}
		ok = true
		if i < n {
			sum += s.Values[i][j]
		}
	}
	return sum, ok
}

// columns picks the places to draw: of all in one pixel column, the one with
// the highest sum, so that no peak is lost; -1 is a gap.
func (s *Stack) columns(x *span) []int {
	var picked []int
	for j := 0; j < len(s.X); {
		column := math.Floor(x.place(s.X[j]))
		best, high := -1, math.Inf(-1)
		for ; j < len(s.X) && math.Floor(x.place(s.X[j])) == column; j++ {
			if sum, ok := s.upTo(len(s.Names), j); ok && sum > high {
				best, high = j, sum
			}
		}
		if best >= 0 || len(picked) > 0 && picked[len(picked)-1] >= 0 {
			picked = append(picked, best)
		}
	}
	return picked
}

func (s *Stack) draw(c *canvas, x, y *span) {
	picked := s.columns(x)
	for i := range s.Names {
		var polygons [][]point
		for from := 0; from < len(picked); from++ {
			to := from
			for to < len(picked) && picked[to] >= 0 {
				to++
			}
			if to > from {
				polygons = append(polygons, s.area(i, picked[from:to], x, y))
			}
			from = to
		}
		c.fill(seriesInk(i), 0, s.Names[i], polygons...)
		for _, p := range polygons {
			c.hatch(i, p)
			c.add(shape{kind: strokeShape, ink: inkPaper, width: 0.8, closed: true, paths: [][]point{p}})
		}
	}
}

// area returns the outline of one layer between gaps.
func (s *Stack) area(i int, picked []int, x, y *span) []point {
	var upper, lower []point
	for _, j := range picked {
		at := x.place(s.X[j])
		hi, _ := s.upTo(i+1, j)
		lo, _ := s.upTo(i, j)
		upper, lower = append(upper, point{at, y.place(hi)}), append(lower, point{at, y.place(lo)})
	}
	if len(picked) == 1 { // a lone sample is a pixel wide
		upper, lower = append(upper, point{upper[0].x + 1, upper[0].y}), append(lower, point{lower[0].x + 1, lower[0].y})
	}
	slices.Reverse(lower)
	return append(upper, lower...)
}
