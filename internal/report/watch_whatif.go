package report

import (
	"fmt"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// The columns of the estimate for the other word size.
const (
	WhatIfName     = "WHATIF32"
	whatIfLowName  = "LOW32"
	whatIfHighName = "HIGH32"
)

// WhatIfColumns are the names of the columns that take estimates; no set of
// columns has them unless they are named.
var WhatIfColumns = []string{WhatIfName, whatIfLowName, whatIfHighName, whatIfMissingName}

const whatIfMissingName = "NO32"

// whatIfFigures are those of a process, nil where there is no estimate.
func whatIfFigures(r *process) *result.WhatIfFigures {
	if r.WhatIf == nil {
		return nil
	}
	return &r.WhatIf.WhatIfFigures
}

func groupFigures(g *group) *result.WhatIfFigures {
	if g.WhatIf == nil {
		return nil
	}
	return g.WhatIf.WhatIfFigures
}

// whatIfColumn is the estimate of RES. Where the content cannot decide, it
// shows both ends, and is sorted by the middle of the two.
func whatIfColumn() ProcessColumn {
	return whatIfOf("RES as a build of the other word size, estimated: it reads the process's memory (docs/whatif.md)", whatIfFigures, whatIfMark,
		func(r *process, dst []byte) []byte { return appendAge(dst, r.WhatIf.AgeNS) })
}

func whatIfOf[R any](help string, get func(*R) *result.WhatIfFigures, mark func(*WatchContext, *R) byte, suffix func(*R, []byte) []byte) WatchColumn[R] {
	value := func(_ *WatchContext, r *R) result.Bytes {
		if f := get(r); f != nil {
			return f.Value
		}
		return result.Bytes{}
	}
	col := sizeColumn(WhatIfName, "whatif32_bytes", help, value, mark, suffix)
	col.Cell = func(c *WatchContext, r *R, dst []byte) ([]byte, int) {
		start := len(dst)
		f := get(r)
		if f == nil {
			return append(dst, mark(c, r)), 1
		}
		if f.Value.Known {
			dst = AppendWatchSize(dst, f.Value.Value)
		} else {
			dst = AppendWatchSize(append(AppendWatchSize(dst, f.Low), '-'), f.High)
			dst = append(dst, '~')
		}
		dst = suffix(r, dst)
		return dst, len(dst) - start
	}
	col.value = func(_ *WatchContext, r *R) (float64, bool) {
		f := get(r)
		switch {
		case f == nil:
			return 0, false
		case f.Value.Known:
			return float64(f.Value.Value), true
		}
		return (float64(f.Low) + float64(f.High)) / 2, true
	}
	return col
}

// whatIfEnd is one end of the interval.
func whatIfEnd(name string) ProcessColumn { return endOf(name, "", whatIfFigures, whatIfMark) }

func endOf[R any](name, of string, get func(*R) *result.WhatIfFigures, mark func(*WatchContext, *R) byte) WatchColumn[R] {
	low := name == whatIfLowName
	key, which := "whatif32_high_bytes", "upper"
	if low {
		key, which = "whatif32_low_bytes", "lower"
	}
	return sizeColumn(name, key, which+" end of "+WhatIfName+"'s interval"+of,
		func(_ *WatchContext, r *R) result.Bytes {
			f := get(r)
			switch {
			case f == nil:
				return result.Bytes{}
			case low:
				return result.Some(f.Low)
			}
			return result.Some(f.High)
		}, mark, nil)
}

func whatIfMark(c *WatchContext, r *process) byte {
	switch {
	case r.Refused&result.RefusedWhatIf != 0:
		return markRefused
	case !hasMemory(r) || c.WhatIfOff || r.NoWhatIf:
		return markNone
	}
	return markPending
}

// groupWhatIf is the sum of the estimates: + says that members without one
// are left out.
func groupWhatIf() GroupColumn {
	return whatIfOf("RES as builds of the other word size, estimated, summed: shared pages count once per process", groupFigures, groupWhatIfMark,
		func(g *group, dst []byte) []byte {
			if g.WhatIf.Missing > 0 {
				dst = append(dst, '+')
			}
			return appendAge(dst, g.WhatIf.OldestNS)
		})
}

func groupWhatIfEnd(name string) GroupColumn {
	return endOf(name, ", summed", groupFigures, groupWhatIfMark)
}

func groupWhatIfMissing() GroupColumn {
	return intColumn(whatIfMissingName, "processes_without_whatif32", "members that "+WhatIfName+" leaves out: refused, or not reached within the budget",
		func(_ *WatchContext, g *group) result.Bytes {
			if g.WhatIf == nil {
				return result.Bytes{}
			}
			return result.Some(int64(g.WhatIf.Missing))
		}, groupNone, showInt)
}

// groupWhatIfMark is for groups none of whose members has an estimate.
func groupWhatIfMark(c *WatchContext, g *group) byte {
	switch {
	case g.WhatIf == nil || c.WhatIfOff:
		return markNone
	case g.WhatIf.Refused > 0:
		return markRefused
	}
	return markPending
}

// whatIfCounts says how far the estimates have come, "" where none are made.
func whatIfCounts(c *result.WatchCounts) string {
	if c.WhatIfRead+c.WhatIfRefused+c.WhatIfPending == 0 {
		return ""
	}
	s := fmt.Sprintf("%s of %d", WhatIfName, c.WhatIfRead)
	if c.WhatIfRefused > 0 {
		s += fmt.Sprintf(", %d refused", c.WhatIfRefused)
	}
	if c.WhatIfPending > 0 {
		s += fmt.Sprintf(", %d not read", c.WhatIfPending)
	}
	return s
}

// whatIfNotes explains the marks of a tick's estimates.
func whatIfNotes(t *result.WatchTick) (notes []string) {
	undecided := 0
	for _, p := range t.Processes {
		if f := whatIfFigures(p); f != nil && !f.Value.Known {
			undecided++
		}
	}
	var words []string
	if t.Total != nil && t.Total.WhatIf != nil {
		if f := groupFigures(t.Total); f != nil && !f.Value.Known {
			undecided++
		}
		if n := t.Total.WhatIf.Missing; n > 0 {
			words = append(words, "marked + leaves out "+plural(n, "process", "processes")+" without an estimate")
		}
	}
	if undecided > 0 {
		words = append(words, "marked ~ is undecided, both ends: arrays of small integers may be of either size (docs/whatif.md)")
	}
	if len(words) > 0 {
		notes = append(notes, "note: "+WhatIfName+" "+strings.Join(words, "; "))
	}
	return notes
}

// WithWhatIf puts the sum of the estimates in front of a group's name.
func WithWhatIf(cols []*GroupColumn) []*GroupColumn {
	col, err := FindColumn(GroupColumns, WhatIfName)
	if err != nil || len(cols) == 0 || slices.Contains(cols, col) {
		return cols
	}
	return slices.Insert(slices.Clone(cols), len(cols)-1, col)
}
