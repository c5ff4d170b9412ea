package procstat

import "context"

// Focus says which processes a source need not read. To list and read all of a
// host's takes most of a tick's time, when a few are of interest.
type Focus struct {
	// Skip reports whether a process is left out of a tick, as if it were not
	// there. It is asked about PIDs that an earlier tick has read, so new ones
	// are always there to be judged. Whoever skips a PID for long should look at
	// it from time to time: it may be another process by then.
	Skip func(pid int32) bool
	// Known returns the processes that are new since the last tick, and whether
	// that is all: then none are listed, and those that ended meanwhile are
	// found out when they are read. nil lists on every tick.
	Known func() (pids []int32, all bool)
}

func (f *Focus) skips(pid int32) bool { return f != nil && f.Skip != nil && f.Skip(pid) }

func (f *Focus) known() ([]int32, bool) {
	if f == nil || f.Known == nil {
		return nil, false
	}
	return f.Known()
}

// focusable is a source that can do with less.
type focusable interface {
	scan(context.Context, *Tick, *Focus) error
}

// focusSource leaves processes out of its ticks.
type focusSource struct {
	Source
	in    focusable
	focus *Focus
}

// WithFocus returns src with the scans that f leaves. A source that has no
// cheaper way is returned as it is.
func WithFocus(src Source, f *Focus) Source {
	if in, ok := src.(focusable); ok {
		return &focusSource{src, in, f}
	}
	return src
}

// Scan replaces t's contents.
func (s *focusSource) Scan(ctx context.Context, t *Tick) error { return s.in.scan(ctx, t, s.focus) }
