package usage

import "wordsize/internal/result"

// The counters of a group.
const (
	cpuNS = iota
	readChars
	writeChars
	readBytes
	writeBytes
	counters
)

// mark is where the counters stood at a time.
type mark struct {
	at  int64
	cum [counters]int64
}

// meter follows counters and finds the highest rates over windows.
type meter struct {
	window int64 // ns
	cum    [counters]int64
	known  [counters]bool
	marks  []mark // of the last window and the one before it
	peak   [counters]float64
	cpu    dist // percent of one CPU over each window
	last   float64
	longs  int64 // complete windows seen
}

func newMeter(window, from int64) *meter {
	return &meter{window: window, marks: []mark{{at: from}}}
}

func (m *meter) add(counter int, v int64) {
	m.cum[counter] += v
	m.known[counter] = true
}

// tick closes the windows that end now; of those without a process only the
// counters count.
func (m *meter) tick(at int64, alive bool) {
	prev := m.marks[len(m.marks)-1]
	if at <= prev.at {
		m.marks[len(m.marks)-1].cum = m.cum
		return
	}
	m.marks = append(m.marks, mark{at, m.cum})
	most := at - m.window + m.window/20 // ticks are a little early or late
	for len(m.marks) > 2 && m.marks[1].at <= most {
		m.marks = m.marks[1:]
	}
	if m.marks[0].at > most || !alive && m.cum == prev.cum {
		return
	}
	m.longs++
	m.measure(at, at-prev.at)
}

// measure takes the rates from the first mark to now.
func (m *meter) measure(at, weight int64) {
	first := m.marks[0]
	span := float64(at - first.at)
	for i := range m.cum {
		rate := float64(m.cum[i]-first.cum[i]) / span
		if i == cpuNS {
			m.last = 100 * rate
			m.cpu.touch(m.last)
			m.cpu.add(m.last, float64(weight))
		}
		m.peak[i] = max(m.peak[i], rate*1e9)
	}
}

// finish measures what is shorter than a window as a whole and returns how
// long the windows were.
func (m *meter) finish(from, to int64) (window int64) {
	if m.longs > 0 || to <= from {
		return m.window
	}
	m.marks = []mark{{at: from}}
	m.measure(to, to-from)
	return to - from
}

// rate returns a counter over a span, nil when it was never known.
func (m *meter) rate(counter int, span int64) *result.Rate {
	if !m.known[counter] {
		return nil
	}
	r := &result.Rate{Bytes: m.cum[counter], Max: m.peak[counter]}
	if span > 0 {
		r.Avg = float64(r.Bytes) * 1e9 / float64(span)
	}
	r.Max = max(r.Max, r.Avg)
	return r
}
