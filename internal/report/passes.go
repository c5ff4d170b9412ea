package report

import (
	"fmt"
	"math"
	"slices"

	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// Passes are judged by the median of their group and phase.
const (
	slowBelow    = 0.8
	stalledBelow = 0.5
	medianLevel  = 0.8 // height of the median pass
	matters      = 0.05
)

// stretch is a pass, or several where the record kept only each so manieth.
type stretch struct {
	from, to int64   // ns, as in the worker
	rate     float64 // bytes a second
	held     bool    // after the counted passes
}

// passesOf returns what a worker wrote when. What follows the last known end
// of a pass is left out when it is less than half of one.
func passesOf(w *result.Worker) []stretch {
	var all []stretch
	from := w.StartNS
	add := func(to int64, bytes float64, held bool) {
		if to > from {
			all = append(all, stretch{from, to, bytes / (float64(to-from) / 1e9), held})
			from = to
		}
	}
	stride := max(1, w.PassStride)
	for i, end := range w.PassEndNS {
		add(end, float64(stride)*float64(w.BytesPerPass), int64(i+1)*stride > w.Passes)
	}
	left := float64(w.Passes+w.HeldPasses-int64(len(w.PassEndNS))*stride)*float64(w.BytesPerPass) + float64(w.PartialBytes)
	if left >= float64(w.BytesPerPass)/2 {
		add(max(w.StopNS, w.EndNS), left, len(w.PassEndNS) > 0)
	}
	return all
}

// medianRate returns the median pass of a phase in all launches; 0 when there
// is none.
func medianRate(launches []*result.Launch, phase string) float64 {
	var rates []float64
	for _, l := range launches {
		for i := range l.Phases {
			if l.Phases[i].Name != phase {
				continue
			}
			for j := range l.Phases[i].Workers {
				for _, s := range passesOf(&l.Phases[i].Workers[j]) {
					rates = append(rates, s.rate)
				}
			}
		}
	}
	if len(rates) == 0 {
		return 0
	}
	slices.Sort(rates)
	return rates[len(rates)/2]
}

// shadeOf judges a rate as a part of the median's.
func shadeOf(part float64, held bool) plot.Shade {
	switch {
	case part < stalledBelow:
		return plot.Bad
	case part < slowBelow:
		return plot.Slow
	case held:
		return plot.Aside
	}
	return plot.Good
}

// cellsOf turns passes into at most so many cells; shift, in seconds, is added
// to their times. A cell of several passes is as high as their mean and has
// the colour of the slowest of them that takes enough of it to matter.
func cellsOf(passes []stretch, shift, usual float64, most int) []plot.Cell {
	if len(passes) == 0 || !(usual > 0) {
		return nil
	}
	at := func(ns float64) float64 { return shift + ns/1e9 }
	var cells []plot.Cell
	if len(passes) <= most {
		for _, s := range passes {
			part := s.rate / usual
			cells = append(cells, plot.Cell{From: at(float64(s.from)), To: at(float64(s.to)), Level: medianLevel * part, Shade: shadeOf(part, s.held)})
		}
		return cells
	}
	begin, end := float64(passes[0].from), float64(passes[len(passes)-1].to)
	width := (end - begin) / float64(most)
	i := 0
	for n := range most {
		from, to := begin+float64(n)*width, begin+float64(n+1)*width
		sum, worst, held := 0.0, math.Inf(1), false
		for ; i < len(passes); i++ {
			s := &passes[i]
			overlap := min(to, float64(s.to)) - max(from, float64(s.from))
			if overlap > 0 {
				sum += s.rate * overlap
				held = s.held
				if overlap >= matters*width {
					worst = min(worst, s.rate)
				}
			}
			if float64(s.to) > to {
				break // it reaches into the next cell
			}
		}
		mean := sum / width / usual
		cells = append(cells, plot.Cell{From: at(from), To: at(to), Level: medianLevel * mean, Shade: shadeOf(min(mean, worst/usual), held)})
	}
	return cells
}

// passRange writes the speeds of passes.
func passRange(passes []stretch) string {
	rates := make([]float64, len(passes))
	for i, s := range passes {
		rates[i] = s.rate
	}
	r := result.SpreadOf(rates)
	return fmt.Sprintf("passes of %.2f to %.2f GB/s, median %.2f", r.Min/gb, r.Max/gb, r.Median/gb)
}

// passTotals sums up a time line in words.
type passTotals struct {
	launches, workers int
	passes            int64
	all, slow, bad    float64 // ns
	slowest           float64 // of the median pass of its phase
	where             string
}

func (t *passTotals) add(launch int, p *result.Phase, w *result.Worker, usual float64) {
	t.launches = max(t.launches, launch+1)
	t.workers++
	t.passes += w.Passes + w.HeldPasses
	for _, s := range passesOf(w) {
		length := float64(s.to - s.from)
		t.all += length
		part := s.rate / usual
		switch shadeOf(part, false) {
		case plot.Bad:
			t.bad += length
		case plot.Slow:
			t.slow += length
		}
		if t.where == "" || part < t.slowest {
			t.slowest = part
			who := fmt.Sprintf("worker %d", w.Index)
			if p.Name == result.PhaseSingle {
				who = "the process alone"
			}
			t.where = fmt.Sprintf("%s in launch %d, %s long, %s after its start", who, launch+1, milliseconds(length), milliseconds(float64(s.from-w.StartNS)))
		}
	}
}

func (t *passTotals) String() string {
	if t.all == 0 {
		return "No pass is complete."
	}
	text := fmt.Sprintf("%s, %d worker processes, %d passes. Passes slower than half the median pass took %.1f %% of the time, passes at 50 to 80 %% of it %.1f %%.",
		countOf(t.launches, "launch"), t.workers, t.passes, 100*t.bad/t.all, 100*t.slow/t.all)
	if t.slowest < slowBelow {
		text += fmt.Sprintf(" The slowest ran at %.0f %% of it: %s.", 100*t.slowest, t.where)
	}
	return text
}
