package usage

import "math"

// slots is how many stretches of time a recording is divided into at most.
// Their width doubles, and neighbours are joined, when it gets longer.
const slots = 512

// grid is the division of time that all series of a recording share. Of each
// slot it picks the tick with the highest sum, so that no peak is lost and
// what is drawn upon each other was there at one time.
type grid struct {
	width int64 // ns
	ticks [slots]int64
	at    [slots]int64 // of the picked tick
	sum   [slots]float64
	used  int // slots up to the last tick
}

func newGrid(interval int64) *grid { return &grid{width: max(interval, 1e6)} }

// slot returns the slot of a time, false when the grid must widen first.
func (g *grid) slot(at int64) (int, bool) {
	i := at / g.width
	if i >= slots {
		return 0, false
	}
	return int(max(0, i)), true
}

// widen joins neighbours.
func (g *grid) widen() {
	old := *g
	*g = grid{width: 2 * old.width, used: (old.used + 1) / 2}
	for i := range old.used {
		j := i / 2
		if old.ticks[i] != 0 && (g.ticks[j] == 0 || old.sum[i] > g.sum[j]) {
			g.ticks[j], g.at[j], g.sum[j] = old.ticks[i], old.at[i], old.sum[i]
		}
	}
}

// pick decides whether a tick stands for its slot.
func (g *grid) pick(slot int, tick, at int64, sum float64) bool {
	g.used = max(g.used, slot+1)
	if g.ticks[slot] != 0 && sum <= g.sum[slot] {
		return false
	}
	g.ticks[slot], g.at[slot], g.sum[slot] = tick, at, sum
	return true
}

// series is the course of one figure: of each slot the mean, and the value at
// the picked tick.
type series struct {
	first int // slot of points[0]
	point []point
}

type point struct {
	sum, n float64
	tick   int64
	value  float64
}

func (s *series) at(slot int) *point {
	if len(s.point) == 0 {
		s.first = slot
	}
	for slot >= s.first+len(s.point) {
		s.point = append(s.point, point{})
	}
	return &s.point[slot-s.first]
}

// mean adds a value to the slot's mean.
func (s *series) mean(slot int, v float64) {
	p := s.at(slot)
	p.sum += v
	p.n++
}

// keep sets the value at the picked tick.
func (s *series) keep(slot int, tick int64, v float64) {
	p := s.at(slot)
	p.tick, p.value = tick, v
}

// widen joins neighbours; of the values the one that g, widened already,
// picked stays.
func (s *series) widen(g *grid) {
	old := *s
	*s = series{}
	for i, p := range old.point {
		j := (old.first + i) / 2
		q := s.at(j)
		q.sum += p.sum
		q.n += p.n
		if p.tick != 0 && p.tick == g.ticks[j] {
			q.tick, q.value = p.tick, p.value
		}
	}
}

// means returns the means of the slots from one on, NaN where there is none.
func (s *series) means(from, to int) []float64 {
	out := make([]float64, to-from)
	for i := range out {
		out[i] = math.NaN()
		if j := from + i - s.first; j >= 0 && j < len(s.point) && s.point[j].n > 0 {
			out[i] = s.point[j].sum / s.point[j].n
		}
	}
	return out
}

// picked returns the values at the ticks that g picked, NaN where there is
// none.
func (s *series) picked(g *grid) []float64 {
	out := make([]float64, g.used)
	for i := range out {
		out[i] = math.NaN()
		if j := i - s.first; j >= 0 && j < len(s.point) && s.point[j].tick != 0 && s.point[j].tick == g.ticks[i] {
			out[i] = s.point[j].value
		}
	}
	return out
}
