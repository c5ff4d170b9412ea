package plot

import (
	"fmt"
	"math"
	"strconv"
)

// Scale is how an axis runs and what its labels look like.
type Scale uint8

const (
	Linear   Scale = iota
	Log2           // a step is a doubling; values must be above 0
	Bytes          // linear, labels in KiB, MiB …
	Duration       // linear, in seconds; labels in s, min, h or d
)

// Axis describes one axis. Without Min and Max (both 0) it covers the data;
// upright ones, and those of bars, start at 0.
type Axis struct {
	Label    string // with the unit
	Scale    Scale
	Min, Max float64
	Tight    bool                 // upright: need not start at 0, for small differences between points
	Format   func(float64) string // of tick labels; nil is the scale's own
}

// tick is a labelled place on an axis.
type tick struct {
	value float64
	label string
}

// span is an axis with its range in data and in pixels.
type span struct {
	Axis
	lo, hi   float64 // data
	from, to float64 // pixels
}

// place returns the pixel of a value.
func (s *span) place(v float64) float64 {
	lo, hi := s.lo, s.hi
	if s.Scale == Log2 {
		v, lo, hi = math.Log2(v), math.Log2(lo), math.Log2(hi)
	}
	return s.from + (s.to-s.from)*(v-lo)/(hi-lo)
}

// newSpan widens the range of the data where needed; amounts include 0.
func newSpan(a Axis, lo, hi float64, fromZero bool) span {
	if a.Min != 0 || a.Max != 0 {
		return span{Axis: a, lo: a.Min, hi: a.Max}
	}
	if lo > hi { // no data
		lo, hi = 1, 2
	}
	if fromZero && !a.Tight && a.Scale != Log2 {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	switch {
	case hi > lo:
	case a.Scale == Log2:
		lo, hi = lo/2, hi*2
	case lo == 0:
		hi = 1
	default:
		lo, hi = lo-math.Abs(lo)/2, hi+math.Abs(hi)/2
	}
	return span{Axis: a, lo: lo, hi: hi}
}

// roundUp extends the upper end to the next tick, so that the highest value
// has air.
func (s *span) roundUp(most int) {
	if s.Scale == Log2 || s.Min != 0 || s.Max != 0 {
		return
	}
	step := s.step(most)
	s.hi = math.Ceil(s.hi/step-1e-9) * step
	if s.lo < 0 || s.Tight {
		s.lo = math.Floor(s.lo/step+1e-9) * step
	}
}

// step returns a distance of ticks that are round, and at most so many.
func (s *span) step(most int) float64 {
	raw := (s.hi - s.lo) / float64(max(1, most))
	switch s.Scale {
	case Bytes:
		unit, _ := bytesUnit(s.hi)
		return max(1, unit*nice(raw/unit))
	case Duration:
		for _, step := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800} {
			if raw <= step && raw > 0.5 {
				return step
			}
		}
	}
	return nice(raw)
}

// nice returns the next of 1, 2, 5, 10, 20 …
func nice(raw float64) float64 {
	if !(raw > 0) || math.IsInf(raw, 0) {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if raw <= m*unit*(1+1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// ticks returns at most about so many.
func (s *span) ticks(most int) []tick {
	var values []float64
	var step float64
	if s.Scale == Log2 {
		lo, hi := math.Ceil(math.Log2(s.lo)-1e-9), math.Floor(math.Log2(s.hi)+1e-9)
		step = math.Ceil((hi - lo + 1) / float64(max(1, most)))
		for e := lo; e <= hi; e += max(1, step) {
			values = append(values, math.Exp2(e))
		}
	} else {
		step = s.step(most)
		for k := math.Ceil(s.lo/step - 1e-9); k*step <= s.hi+step*1e-9; k++ {
			values = append(values, k*step+0) // never -0
		}
	}
	all := make([]tick, len(values))
	for i, v := range values {
		all[i] = tick{v, s.label(v, step)}
	}
	return all
}

func (s *span) label(v, step float64) string {
	switch {
	case s.Format != nil:
		return s.Format(v)
	case s.Scale == Bytes && v == 0:
		return "0"
	case s.Scale == Bytes: // all labels in one unit
		unit, name := bytesUnit(s.hi)
		return strconv.FormatFloat(v/unit, 'g', 4, 64) + " " + name
	case s.Scale == Duration:
		return durationText(v, step)
	case s.Scale == Log2:
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	decimals := 0
	if step < 1 {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// BytesText writes a size in binary units with up to four digits.
func BytesText(v float64) string {
	unit, name := bytesUnit(v)
	return strconv.FormatFloat(v/unit, 'g', 4, 64) + " " + name
}

// bytesUnit returns the largest unit that v is at least one of.
func bytesUnit(v float64) (unit float64, name string) {
	unit, names := 1.0, []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	for len(names) > 1 && math.Abs(v) >= 1024*unit {
		unit, names = 1024*unit, names[1:]
	}
	return unit, names[0]
}

// durationText writes seconds in the largest unit that the step is whole in.
func durationText(v, step float64) string {
	for _, u := range []struct {
		name    string
		seconds float64
	}{{"d", 86400}, {"h", 3600}, {"min", 60}} {
		if step >= u.seconds && math.Mod(step, u.seconds) == 0 {
			return fmt.Sprintf("%g %s", math.Round(v/u.seconds), u.name)
		}
	}
	if step >= 1 {
		return fmt.Sprintf("%.0f s", v)
	}
	if step < 0.001 {
		return strconv.FormatFloat(v*1e6, 'g', 6, 64) + " µs"
	}
	if math.Abs(v) < 1 {
		return fmt.Sprintf("%.0f ms", v*1000)
	}
	return strconv.FormatFloat(v, 'g', 6, 64) + " s"
}
