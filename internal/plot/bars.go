package plot

import (
	"math"
	"slices"
)

// Bars are level bars from 0, a group of them a name: one a series beside each
// other, or stacked.
type Bars struct {
	Title   string
	Axis    Axis
	Series  []string
	Groups  []BarGroup
	Stacked bool // values must not be negative; intervals and samples are not drawn
}

// BarGroup is one name's bars, in the order of the series.
type BarGroup struct {
	Name string
	Note string // of stacked ones: written behind the bar
	Bars []Bar
}

// Bar is one value with its interval and the samples that it sums up. NaN is a
// value that is not known, or an interval that there is none of.
type Bar struct {
	Value, Lo, Hi float64
	Samples       []float64
	Note          string // written behind the bar
	Tip           string
}

func (b *Bars) heading() string { return b.Title }

func (b *Bars) legend() []entry {
	if len(b.Series) < 2 {
		return nil
	}
	var all []entry
	for i, name := range b.Series {
		all = append(all, entry{name: name, kind: swatchFill, series: i})
	}
	return all
}

const (
	barHeight   = 17.0
	barGap      = 3.0
	groupGap    = 11.0
	wideEnough  = 560.0 // names stand left of the bars; on less, above them
	mostSamples = 60    // more dots would be a smear
)

// columns are the horizontal places of a part with names at its left.
type columns struct {
	names  float64 // width of the names' column, 0 when they stand above
	x0, x1 float64
}

func (b *Bars) columns(width float64) columns {
	note, name := 0.0, 0.0
	for _, g := range b.Groups {
		name = max(name, textWidth(Clean(g.Name), sizeText))
		note = max(note, textWidth(Clean(g.Note), sizeText))
		for _, v := range g.Bars {
			note = max(note, textWidth(Clean(v.Note), sizeText))
		}
	}
	c := columns{x0: 8, x1: width - 12 - min(note, 0.4*width)}
	if note > 0 {
		c.x1 -= 6
	}
	if width >= wideEnough {
		c.names = min(name, 0.28*width)
		c.x0 = 8 + c.names + 8
	}
	return c
}

// reach returns the largest value that is drawn.
func (b *Bars) reach() float64 {
	hi := 0.0
	up := func(v float64) {
		if !math.IsInf(v, 0) && v > hi { // false for NaN
			hi = v
		}
	}
	for _, g := range b.Groups {
		sum := 0.0
		for _, v := range g.Bars {
			if b.Stacked {
				if v.Value > 0 {
					sum += v.Value
				}
				continue
			}
			up(v.Value)
			up(v.Hi)
			for _, s := range v.Samples {
				up(s)
			}
		}
		up(sum)
	}
	return hi
}

func (b *Bars) draw(c *canvas, f frame, y float64) float64 {
	top := y
	at := b.columns(f.width)
	x := newSpan(b.Axis, 0, b.reach(), true)
	x.from, x.to = at.x0, at.x1
	most := int((at.x1 - at.x0) / 70)
	if b.Axis.Min == 0 && b.Axis.Max == 0 {
		x.hi *= 1.02
	}
	grid := len(c.shapes)
	y += 4
	for i := range b.Groups {
		y = b.group(c, &b.Groups[i], at, &x, y)
		y += groupGap
	}
	y -= groupGap - 4
	// The grid lies below the bars, but its height is known only now.
	below := new(canvas)
	below.gridX(&x, most, top, y)
	c.shapes = slices.Insert(c.shapes, grid, below.shapes...)
	c.line(inkAxis, 1, nil, point{x.from, top}, point{x.from, y})
	return c.axisX(&x, most, y) - top
}

func (b *Bars) group(c *canvas, g *BarGroup, at columns, x *span, y float64) float64 {
	name := Clean(g.Name)
	count := len(g.Bars)
	if b.Stacked {
		count = 1
	}
	if at.names == 0 && name != "" {
		c.words(inkText, sizeText, anchorStart, at.x0, y+11, shorten(name, sizeText, x.to-x.from))
		y += 16
	} else if name != "" {
		middle := y + (float64(count)*(barHeight+barGap)-barGap)/2 + 4
		c.words(inkText, sizeText, anchorEnd, at.x0-8, middle, shorten(name, sizeText, at.names))
	}
	if b.Stacked {
		b.stacked(c, g, x, y)
		return y + barHeight
	}
	for i := range g.Bars {
		b.bar(c, &g.Bars[i], i, x, y)
		y += barHeight + barGap
	}
	return y - barGap
}

func (b *Bars) bar(c *canvas, v *Bar, series int, x *span, y float64) {
	end := x.from
	if !math.IsNaN(v.Value) {
		end = x.place(v.Value)
		r := rect{x.from, y, end, y + barHeight}
		c.fill(seriesInk(series), 0, v.Tip, r.points())
		c.hatch(series, r.points())
		c.samples(v.Samples, x, y)
		end = max(end, c.whiskers(v, x, y+barHeight/2))
		for _, s := range v.Samples {
			end = max(end, x.place(s)+2)
		}
	}
	if note := Clean(v.Note); note != "" {
		c.words(inkText, sizeText, anchorStart, end+6, y+barHeight/2+4, note)
	}
}

// whiskers draws an interval over its bar and returns its right end.
func (c *canvas) whiskers(v *Bar, x *span, y float64) float64 {
	if math.IsNaN(v.Lo) || math.IsNaN(v.Hi) || math.IsInf(v.Lo, 0) || math.IsInf(v.Hi, 0) || v.Lo == 0 && v.Hi == 0 {
		return x.from
	}
	lo, hi := x.place(v.Lo), x.place(v.Hi)
	paths := [][]point{{{lo, y}, {hi, y}}, {{lo, y - 4}, {lo, y + 4}}, {{hi, y - 4}, {hi, y + 4}}}
	c.lines(inkPaper, 4.5, paths)
	c.lines(inkText, 1.6, paths)
	return hi
}

// samples draws a dot each, spread over the bar's height so that equal ones
// can be told apart.
func (c *canvas) samples(values []float64, x *span, y float64) {
	if len(values) < 2 || len(values) > mostSamples {
		return
	}
	var rim, dots [][]point
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		at := point{x.place(v), y + 3 + (barHeight-6)*float64(i*7%11)/10}
		rim = append(rim, marker(0, at, 2.4))
		dots = append(dots, marker(0, at, 1.5))
	}
	c.fill(inkPaper, 0.8, "", rim...)
	c.fill(inkText, 0.8, "", dots...)
}

func (b *Bars) stacked(c *canvas, g *BarGroup, x *span, y float64) {
	from, sum := x.from, 0.0
	for i, v := range g.Bars {
		if !(v.Value > 0) {
			continue
		}
		sum += v.Value
		to := x.place(sum)
		r := rect{from, y, to, y + barHeight}
		c.fill(seriesInk(i), 0, v.Tip, r.points())
		c.hatch(i, r.points())
		c.add(shape{kind: strokeShape, ink: inkPaper, width: 1, closed: true, paths: [][]point{r.points()}})
		from = to
	}
	if note := Clean(g.Note); note != "" {
		c.words(inkText, sizeText, anchorStart, from+6, y+barHeight/2+4, note)
	}
}

// gridX draws upright lines at the ticks.
func (c *canvas) gridX(x *span, most int, y0, y1 float64) {
	var lines [][]point
	for _, t := range x.ticks(most) {
		at := x.place(t.value)
		lines = append(lines, []point{{at, y0}, {at, y1}})
	}
	c.lines(inkGrid, 1, lines)
}

// axisX writes the labels of the ticks below y, and the axis' own below them,
// and returns where it ends.
func (c *canvas) axisX(x *span, most int, y float64) float64 {
	last := math.Inf(-1)
	for _, t := range x.ticks(most) {
		at, half := x.place(t.value), textWidth(t.label, sizeSmall)/2
		if at-half < last+4 {
			continue
		}
		c.words(inkMuted, sizeSmall, anchorMiddle, max(at, half+2), y+14, t.label)
		last = at + half
	}
	y += 18
	if x.Label != "" {
		c.words(inkMuted, sizeSmall, anchorEnd, x.to, y+12, shorten(Clean(x.Label), sizeSmall, x.to))
		y += 16
	}
	return y
}
