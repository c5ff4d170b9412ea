package plot

import (
	"math"
	"slices"
)

// crossings returns where a level line crosses a polygon's edges, sorted.
func crossings(polygon []point, level float64) []float64 {
	var xs []float64
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		if (p.y < level) != (q.y < level) {
			xs = append(xs, p.x+(q.x-p.x)*(level-p.y)/(q.y-p.y))
		}
	}
	slices.Sort(xs)
	return xs
}

// markers tell the lines of series apart: outlines about the origin, of
// radius 1.
var markers = [...][]point{
	regular(12, 0),                               // a disc
	regular(4, math.Pi/4),                        // a square
	regular(3, -math.Pi/2),                       // a triangle
	regular(4, 0),                                // a diamond
	regular(3, math.Pi/2),                        // a triangle on its tip
	{{-1, -.35}, {1, -.35}, {1, .35}, {-1, .35}}, // a bar
}

func regular(corners int, turn float64) []point {
	p := make([]point, corners)
	for i := range p {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(corners))
		p[i] = point{cos, sin}
	}
	return p
}

func marker(series int, at point, radius float64) []point {
	shape := markers[series%len(markers)]
	p := make([]point, len(shape))
	for i, q := range shape {
		p[i] = point{at.x + radius*q.x, at.y + radius*q.y}
	}
	return p
}

// dashes tell lines apart; the first is solid.
var dashes = [...][]float64{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}, {4, 2}}

func dashOf(series int) []float64 { return dashes[series%len(dashes)] }

// thin drops points that no reader could see: of all in one pixel column, it
// keeps the first, the lowest, the highest and the last, so that no peak is
// lost. Points must be in order of x.
func thin(points []point) []point {
	var out []point
	for i := 0; i < len(points); {
		column := math.Floor(points[i].x)
		j, lo, hi := i, i, i
		for ; j < len(points) && math.Floor(points[j].x) == column; j++ {
			if points[j].y < points[lo].y {
				lo = j
			}
			if points[j].y > points[hi].y {
				hi = j
			}
		}
		keep := []int{i, min(lo, hi), max(lo, hi), j - 1}
		for _, k := range slices.Compact(keep) {
			out = append(out, points[k])
		}
		i = j
	}
	return out
}
