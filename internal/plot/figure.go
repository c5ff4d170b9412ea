package plot

import (
	"slices"
	"strings"
)

// Figure is one drawing: parts below each other.
type Figure struct {
	Title string  // one line
	Desc  string  // what somebody who cannot see it should learn from it
	Width float64 // CSS pixels; 0 is DefaultWidth
	Parts []Part
}

// DefaultWidth suits a page on a desktop's screen, and paper.
const DefaultWidth = 760.0

// Part is one of *Bars, *XY and *Rows.
type Part interface {
	// draw draws the part across the frame from y down, and returns its
	// height.
	draw(c *canvas, f frame, y float64) float64
	legend() []entry
	heading() string
}

// frame is the room that a part has.
type frame struct {
	width float64
	left  float64 // of the labels of upright axes: the same for all planes, so that times stand above each other
}

// layout places everything and returns the height. The title is left out where
// the page around the figure has it.
func (f *Figure) layout(titled bool) (c *canvas, width, height float64) {
	c = new(canvas)
	width = f.Width
	if width <= 0 {
		width = DefaultWidth
	}
	y := 4.0
	if titled && f.Title != "" {
		for _, line := range wrap(Clean(f.Title), sizeTitle, width-16) {
			y += 18
			c.add(shape{kind: textShape, ink: inkText, size: sizeTitle, at: point{8, y}, text: line, strong: true})
		}
		y += 8
	}
	fr := frame{width: width}
	for _, p := range f.Parts {
		if p, ok := p.(*XY); ok {
			fr.left = max(fr.left, p.labelWidth())
		}
	}
	var last []entry
	for i, p := range f.Parts {
		if i > 0 {
			y += 14
		}
		if h := Clean(p.heading()); h != "" {
			y += 16
			c.add(shape{kind: textShape, ink: inkText, size: sizeText + 1, at: point{8, y}, text: shorten(h, sizeText+1, width-16), strong: true})
			y += 6
		}
		if l := p.legend(); !slices.Equal(l, last) { // said once
			y += drawLegend(c, l, width, y)
			last = l
		}
		y += p.draw(c, fr, y)
	}
	return c, width, y + 4
}

// wrap breaks text at spaces.
func wrap(s string, size, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if line != "" && textWidth(next, size) > width {
			lines = append(lines, line)
			next = word
		}
		line = next
	}
	if line != "" {
		lines = append(lines, shorten(line, size, width))
	}
	return lines
}
