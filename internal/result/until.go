package result

// Until is what became of a request to repeat until the interval of the median
// is narrow enough (Args.UntilPercent).
type Until struct {
	Reached  bool         `json:"reached"` // by this kernel, in each phase
	Stop     string       `json:"stop"`    // why no further launch was made
	Launches int          `json:"launches"`
	Phases   []UntilPhase `json:"phases"`
}

// UntilPhase is how far a phase came.
type UntilPhase struct {
	Name string `json:"name"`
	// HalfWidthPercent is the distance of the farther end of the 95 %
	// interval of the median aggregate from that median, in percent of it;
	// absent while there is no interval.
	HalfWidthPercent *float64 `json:"half_width_percent,omitempty"`
}

// Values of Until.Stop.
const (
	StopReached = "reached" // by all kernels
	StopRepeat  = "repeat"  // the most launches were made
	StopTime    = "time"    // the time was over
	StopEarly   = "early"   // interrupted, or failed
)

// Aggregates returns the aggregate of each launch's phase of that name, in
// order of time; launches without one are left out.
func (r *Run) Aggregates(phase string) (rates []float64) {
	for l := range r.Launches {
		for i := range r.Launches[l].Phases {
			p := &r.Launches[l].Phases[i]
			if p.Name == phase && p.Summary != nil && p.Summary.Aggregate != nil {
				rates = append(rates, *p.Summary.Aggregate)
			}
		}
	}
	return rates
}

// PassRates returns the bytes a second of the worker's counted passes, in
// order of time; where only each s-th end was recorded, of s passes at a time.
func (w *Worker) PassRates() []float64 {
	stride := max(1, w.PassStride)
	n := min(int64(len(w.PassEndNS)), w.Passes/stride)
	rates := make([]float64, 0, n)
	from := w.StartNS
	for _, end := range w.PassEndNS[:n] {
		if end > from {
			rates = append(rates, float64(stride)*float64(w.BytesPerPass)/seconds(end-from))
		}
		from = end
	}
	return rates
}
