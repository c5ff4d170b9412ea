package record

import (
	"slices"
	"time"
)

// peekAt are the times after the start at which the peak of young processes is
// read between ticks, since many commands are over before the second tick.
var peekAt = []time.Duration{4 * time.Millisecond, 12 * time.Millisecond, 30 * time.Millisecond, 80 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond}

// peeks is the schedule of reads between ticks.
type peeks struct{ at []time.Time }

func newPeeks(started time.Time, cfg *Config) (p peeks) {
	if len(cfg.Command) == 0 {
		return p
	}
	for _, d := range peekAt {
		if d < cfg.Interval {
			p.at = append(p.at, started.Add(d))
		}
	}
	return p
}

// before returns the time of the next read when it is before next, else next.
func (p *peeks) before(next time.Time) time.Time {
	if len(p.at) > 0 && p.at[0].Before(next) {
		return p.at[0]
	}
	return next
}

// take reads, when it is time, the peaks of processes that are younger than a
// second.
func (p *peeks) take(l *ledger) {
	if len(p.at) == 0 || time.Now().Before(p.at[0]) {
		return
	}
	p.at = slices.Delete(p.at, 0, 1)
	for _, pid := range l.young(time.Second) {
		peek(l, pid)
	}
}
