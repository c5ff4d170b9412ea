package plot

import "math"

type point struct{ x, y float64 }

// rect is given by its corners, x0 <= x1 and y0 <= y1.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) points() []point {
	return []point{{r.x0, r.y0}, {r.x1, r.y0}, {r.x1, r.y1}, {r.x0, r.y1}}
}

type shapeKind uint8

const (
	fillShape shapeKind = iota
	strokeShape
	textShape
)

type anchor uint8

const (
	anchorStart anchor = iota
	anchorMiddle
	anchorEnd
)

// shape is one thing to draw: everything that a backend needs to know.
type shape struct {
	kind  shapeKind
	ink   ink
	alpha float64 // 0 is opaque too
	tip   string  // shown when the pointer rests on it

	paths  [][]point // fill: polygons; stroke: polylines
	width  float64   // of strokes
	dash   []float64
	closed bool // strokes: back to the first point

	text   string
	at     point // baseline
	anchor anchor
	size   float64
	strong bool
}

// canvas collects shapes; later ones lie above earlier ones.
type canvas struct{ shapes []shape }

func (c *canvas) add(s shape) { c.shapes = append(c.shapes, s) }

func (c *canvas) fill(i ink, alpha float64, tip string, paths ...[]point) {
	if len(paths) > 0 {
		c.add(shape{kind: fillShape, ink: i, alpha: alpha, tip: tip, paths: paths})
	}
}

func (c *canvas) line(i ink, width float64, dash []float64, points ...point) {
	c.add(shape{kind: strokeShape, ink: i, width: width, dash: dash, paths: [][]point{points}})
}

func (c *canvas) lines(i ink, width float64, paths [][]point) {
	if len(paths) > 0 {
		c.add(shape{kind: strokeShape, ink: i, width: width, paths: paths})
	}
}

func (c *canvas) words(i ink, size float64, a anchor, x, y float64, s string) {
	c.add(shape{kind: textShape, ink: i, size: size, anchor: a, at: point{x, y}, text: s})
}

// hatches tell the fills of series apart: angles in degrees of the lines that
// are drawn over them. The first has none.
var hatches = [...][]float64{{}, {-45}, {45}, {-45, 45}, {0}}

// hatch draws series i's lines over a polygon.
func (c *canvas) hatch(i int, polygon []point) {
	var lines [][]point
	for _, angle := range hatches[i%len(hatches)] {
		lines = append(lines, hatchLines(polygon, angle*math.Pi/180, 6)...)
	}
	c.lines(inkPaper, 1.2, lines)
}

// hatchLines returns the parts of parallel lines that lie inside a polygon
// (even-odd rule). Lines of all polygons of a figure fall into one raster.
func hatchLines(polygon []point, angle, spacing float64) [][]point {
	sin, cos := math.Sincos(angle)
	// In a frame turned by the angle the lines are level.
	turned := make([]point, len(polygon))
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, p := range polygon {
		turned[i] = point{p.x*cos + p.y*sin, p.y*cos - p.x*sin}
		lo, hi = min(lo, turned[i].y), max(hi, turned[i].y)
	}
	var lines [][]point
	for level := math.Floor(lo/spacing)*spacing + spacing/2; level < hi; level += spacing {
		xs := crossings(turned, level)
		for i := 0; i+1 < len(xs); i += 2 {
			if xs[i+1]-xs[i] < 1 {
				continue
			}
			lines = append(lines, []point{
				{xs[i]*cos - level*sin, xs[i]*sin + level*cos},
				{xs[i+1]*cos - level*sin, xs[i+1]*sin + level*cos},
			})
		}
	}
	return lines
}
