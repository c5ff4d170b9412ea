package plot

import "math"

// Rows are lanes in time, one above the other: each has cells whose height
// says how much and whose colour says how good. What stands out in colour
// stands out in height too.
type Rows struct {
	Title  string
	X      Axis // without a Label, only Breaks are written
	Rows   []Row
	Breaks []Mark // upright lines between stretches, each labelled over the stretch that begins there
	Shades []ShadeName
}

// Row is one lane.
type Row struct {
	Name  string
	Tip   string
	Cells []Cell // in order of time
	Gap   bool   // set apart from the row above
}

// Cell is one stretch of time of a row.
type Cell struct {
	From, To float64
	Level    float64 // height, as a part of 1
	Shade    Shade
}

// Shade is what colour says.
type Shade uint8

// Shades from good to bad; Aside is what doesn't count.
const (
	Good Shade = iota
	Slow
	Bad
	Aside
)

var shadeInks = [...]ink{Good: inkGood, Slow: inkSlow, Bad: inkBad, Aside: inkHeld}

// ShadeName explains a shade in the legend.
type ShadeName struct {
	Shade Shade
	Name  string
}

func (r *Rows) heading() string { return r.Title }

func (r *Rows) legend() []entry {
	heights := [...]float64{Good: 1, Slow: 0.6, Bad: 0.3, Aside: 1}
	var all []entry
	for _, s := range r.Shades {
		all = append(all, entry{name: s.Name, kind: swatchPlain, ink: shadeInks[s.Shade], height: heights[s.Shade]})
	}
	return all
}

// laneHeight makes few lanes high and many low.
func (r *Rows) laneHeight() float64 {
	switch n := len(r.Rows); {
	case n <= 6:
		return 26
	case n <= 16:
		return 18
	case n <= 40:
		return 11
	}
	return 7
}

func (r *Rows) draw(c *canvas, f frame, y float64) float64 {
	width, top := f.width, y
	name := 0.0
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, row := range r.Rows {
		name = max(name, textWidth(Clean(row.Name), sizeSmall))
		for _, cell := range row.Cells {
			lo, hi = min(lo, cell.From), max(hi, cell.To)
		}
	}
	name = min(name, 0.25*width)
	x := newSpan(r.X, lo, hi, false)
	x.from, x.to = 8+name+8, width-10
	if len(r.Breaks) > 0 {
		y += 16
	}
	from := y
	y = r.lanes(c, &x, name, y)
	r.breaks(c, &x, from, y)
	c.line(inkAxis, 1, nil, point{x.from, y}, point{x.to, y})
	if x.Label == "" {
		return y + 4 - top
	}
	return c.axisX(&x, max(2, int((x.to-x.from)/75)), y) - top
}

func (r *Rows) lanes(c *canvas, x *span, name, y float64) float64 {
	height := r.laneHeight()
	gap := max(1, height/8)
	// Names of low lanes would overlap: as many as there is room for.
	every := int(math.Ceil(12 / height))
	count := 0
	for _, row := range r.Rows {
		if row.Gap {
			y += 8
			count = 0
		}
		if count++; (count-1)%every == 0 {
			c.words(inkText, sizeSmall, anchorEnd, x.from-6, y+height/2+4, shorten(Clean(row.Name), sizeSmall, name))
		}
		base := y + height - gap
		c.line(inkGrid, 1, nil, point{x.from, base}, point{x.to, base})
		r.cells(c, &row, x, base, height-2*gap)
		y += height
	}
	return y
}

// cells draws a lane: neighbours that would look the same are one rectangle,
// and all of one shade are one path.
func (r *Rows) cells(c *canvas, row *Row, x *span, base, height float64) {
	var paths [len(shadeInks)][][]point
	for i := 0; i < len(row.Cells); {
		cell := row.Cells[i]
		h := cellHeight(cell.Level, height)
		j := i + 1
		for j < len(row.Cells) && row.Cells[j].Shade == cell.Shade && row.Cells[j].From == row.Cells[j-1].To &&
			cellHeight(row.Cells[j].Level, height) == h {
			j++
		}
		at := rect{x.place(cell.From), base - h, x.place(row.Cells[j-1].To), base}
		at.x1 = max(at.x1, at.x0+0.6) // a short stall is seen still
		paths[cell.Shade] = append(paths[cell.Shade], at.points())
		i = j
	}
	for shade, p := range paths {
		c.fill(shadeInks[shade], 0, row.Tip, p...)
	}
}

// cellHeight is in steps of half a pixel, and never nothing: what is there is
// seen.
func cellHeight(level, height float64) float64 {
	return max(1.5, math.Round(2*min(1, max(0, level))*height)/2)
}

func (r *Rows) breaks(c *canvas, x *span, y0, y1 float64) {
	last := math.Inf(-1)
	var lines [][]point
	for i, b := range r.Breaks {
		at := x.place(b.X)
		end := x.to
		if i+1 < len(r.Breaks) {
			end = x.place(r.Breaks[i+1].X)
		}
		if i > 0 {
			lines = append(lines, []point{{at, y0 - 4}, {at, y1}})
		}
		label := Clean(b.Label)
		half := textWidth(label, sizeSmall) / 2
		middle := max((at+end)/2, half+2)
		if middle-half < last+6 || middle+half > x.to+8 {
			continue
		}
		c.words(inkMuted, sizeSmall, anchorMiddle, middle, y0-4, label)
		last = middle + half
	}
	c.lines(inkAxis, 0.8, lines)
}
