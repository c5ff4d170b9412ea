package plot

type swatchKind uint8

const (
	swatchFill  swatchKind = iota // a box with the series' hatch
	swatchLine                    // a line with the series' dash and marker
	swatchPlain                   // a box of one ink
)

// entry is a line of the legend.
type entry struct {
	name   string
	kind   swatchKind
	series int
	ink    ink
	height float64 // swatchPlain: of the box, as a part of 1
	marker bool
	loose  bool // no line
}

// drawLegend lays the entries out in lines and returns their height.
func drawLegend(c *canvas, entries []entry, width, y float64) float64 {
	const left, line, box, gap = 8.0, 20.0, 22.0, 18.0
	if len(entries) == 0 {
		return 0
	}
	x, top := left, y
	for _, e := range entries {
		name := shorten(Clean(e.name), sizeText, width-2*left-box-6)
		w := box + 6 + textWidth(name, sizeText)
		if x > left && x+w > width-left {
			x, y = left, y+line
		}
		e.draw(c, rect{x, y + 4, x + box, y + 15})
		c.words(inkText, sizeText, anchorStart, x+box+6, y+14, name)
		x += w + gap
	}
	return y + line + 4 - top
}

func (e *entry) draw(c *canvas, r rect) {
	middle := (r.y0 + r.y1) / 2
	switch e.kind {
	case swatchFill:
		c.fill(seriesInk(e.series), 0, "", r.points())
		c.hatch(e.series, r.points())
	case swatchLine:
		if !e.loose {
			c.line(seriesInk(e.series), 2, dashOf(e.series), point{r.x0, middle}, point{r.x1, middle})
		}
		if e.marker {
			c.fill(seriesInk(e.series), 0, "", marker(e.series, point{(r.x0 + r.x1) / 2, middle}, 4))
		}
	case swatchPlain:
		low := r
		low.y0 = r.y1 - (r.y1-r.y0)*e.height
		c.fill(e.ink, 0, "", low.points())
	}
}
