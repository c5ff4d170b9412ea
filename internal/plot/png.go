package plot

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// WritePNG writes the figure with its title on a white ground; scale is dots a
// CSS pixel, and at least 1.
func (f *Figure) WritePNG(w io.Writer, scale float64) error {
	c, width, height := f.layout(true)
	scale = max(1, scale)
	r := &raster{scale: scale, faces: make(map[float64]font.Face)}
	r.image = image.NewRGBA(image.Rect(0, 0, int(math.Ceil(width*scale)), int(math.Ceil(height*scale))))
	draw.Draw(r.image, r.image.Bounds(), image.NewUniform(inkPaper.rgb(false)), image.Point{}, draw.Src)
	for i := range c.shapes {
		if err := r.draw(&c.shapes[i]); err != nil {
			return err
		}
	}
	return png.Encode(w, r.image)
}

// raster draws shapes on an image.
type raster struct {
	image *image.RGBA
	scale float64
	faces map[float64]font.Face // by size
}

func (r *raster) draw(s *shape) error {
	switch s.kind {
	case textShape:
		return r.text(s)
	case fillShape:
		r.polygons(s.ink.rgb(false), s.alpha, s.paths)
	case strokeShape:
		var outline [][]point
		for _, path := range s.paths {
			if s.closed && len(path) > 0 {
				path = append(path[:len(path):len(path)], path[0])
			}
			for _, piece := range dashed(path, s.dash) {
				outline = append(outline, stroke(piece, s.width)...)
			}
		}
		r.polygons(s.ink.rgb(false), s.alpha, outline)
	}
	return nil
}

// polygons fills polygons, of which overlapping ones that run the same way
// round count once.
func (r *raster) polygons(c color.RGBA, alpha float64, paths [][]point) {
	// Rasterizing costs the area, so that it is done where something is.
	lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, path := range paths {
		for _, p := range path {
			lo.x, lo.y, hi.x, hi.y = min(lo.x, p.x), min(lo.y, p.y), max(hi.x, p.x), max(hi.y, p.y)
		}
	}
	if !(lo.x <= hi.x) {
		return
	}
	box := image.Rect(int(math.Floor(lo.x*r.scale)), int(math.Floor(lo.y*r.scale)), int(math.Ceil(hi.x*r.scale))+1, int(math.Ceil(hi.y*r.scale))+1)
	box = box.Intersect(r.image.Bounds())
	if box.Empty() {
		return
	}
	v := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, path := range paths {
		for i, p := range path {
			x, y := float32(p.x*r.scale-float64(box.Min.X)), float32(p.y*r.scale-float64(box.Min.Y))
			if i == 0 {
				v.MoveTo(x, y)
			} else {
				v.LineTo(x, y)
			}
		}
		v.ClosePath()
	}
	if alpha > 0 {
		a := alpha * 255
		c = color.RGBAModel.Convert(color.NRGBA{c.R, c.G, c.B, uint8(a)}).(color.RGBA)
	}
	v.Draw(r.image, box, image.NewUniform(c), image.Point{})
}

// stroke returns the outlines of a polyline's segments and, where they meet,
// of round joins; all run the same way round.
func stroke(path []point, width float64) [][]point {
	var out [][]point
	half := width / 2
	for i := 0; i+1 < len(path); i++ {
		p, q := path[i], path[i+1]
		length := math.Hypot(q.x-p.x, q.y-p.y)
		if length == 0 {
			continue
		}
		nx, ny := -(q.y-p.y)/length*half, (q.x-p.x)/length*half
		out = append(out, []point{{p.x - nx, p.y - ny}, {q.x - nx, q.y - ny}, {q.x + nx, q.y + ny}, {p.x + nx, p.y + ny}})
		if i > 0 && width > 1 {
			out = append(out, marker(0, p, half))
		}
	}
	return out
}

// dashed cuts a polyline into its dashes.
func dashed(path []point, dash []float64) [][]point {
	if len(dash) == 0 || len(path) < 2 {
		return [][]point{path}
	}
	var out [][]point
	k, left, on := 0, dash[0], true
	piece := []point{path[0]}
	for i := 0; i+1 < len(path); i++ {
		p, q := path[i], path[i+1]
		length := math.Hypot(q.x-p.x, q.y-p.y)
		done := 0.0
		for length-done > left {
			done += left
			at := point{p.x + (q.x-p.x)*done/length, p.y + (q.y-p.y)*done/length}
			if on {
				out = append(out, append(piece, at))
			}
			k, on = (k+1)%len(dash), !on
			left, piece = dash[k], []point{at}
		}
		left -= length - done
		piece = append(piece, q)
	}
	if on && len(piece) > 1 {
		out = append(out, piece)
	}
	return out
}

func (r *raster) text(s *shape) error {
	face := r.faces[s.size]
	if face == nil {
		var err error
		face, err = opentype.NewFace(goRegular(), &opentype.FaceOptions{Size: s.size * r.scale, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			return err
		}
		r.faces[s.size] = face
	}
	d := font.Drawer{Dst: r.image, Src: image.NewUniform(s.ink.rgb(false)), Face: face}
	x := s.at.x * r.scale
	wide := float64(d.MeasureString(s.text)) / 64
	x -= [...]float64{0, wide / 2, wide}[s.anchor]
	at := fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(s.at.y * r.scale * 64)}
	passes := 1
	if s.strong { // the face has no bold: it is drawn twice, a little apart
		passes = 2
	}
	for i := range passes {
		d.Dot = at
		d.Dot.X += fixed.Int26_6(float64(i) * 0.5 * r.scale * 64)
		d.DrawString(s.text)
	}
	return nil
}
