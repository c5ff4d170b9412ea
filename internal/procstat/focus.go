package procstat

import "context"

// focusSource leaves processes out of its ticks.
type focusSource struct {
	Source
	scan func(context.Context, *Tick, func(int32) bool) error
	skip func(int32) bool
}

// Focus returns src with a Scan that does not read the processes that skip
// names, and leaves them out of its ticks as if they were not there; Seen
// counts them. skip is asked only about PIDs that an earlier Scan has read, so
// new ones are always there to be judged; whoever skips a PID for long should
// look at it from time to time, since it may be another process by then. Where
// the source has no cheaper way, everything is read and skip is not asked.
func Focus(src Source, skip func(pid int32) bool) Source {
	s, ok := src.(interface {
		scan(context.Context, *Tick, func(int32) bool) error
	})
	if !ok {
		return src
	}
	return &focusSource{src, s.scan, skip}
}

// Scan replaces t's contents.
func (s *focusSource) Scan(ctx context.Context, t *Tick) error { return s.scan(ctx, t, s.skip) }
