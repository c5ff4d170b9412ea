package report

import (
	"cmp"
	"strconv"
	"time"

	"wordsize/internal/result"
)

// WatchContext is what cells need beside their row.
type WatchContext struct {
	Text        WatchText
	MemoryTotal int64 // bytes of RAM, for %MEM; 0 when unknown
	// PSSOff says that PSS is not read at all, so that it is absent rather
	// than not reached yet.
	PSSOff bool
	// WhatIfOff says the same of estimates for the other word size.
	WhatIfOff bool
}

// WatchColumn is one column of rows of type R.
type WatchColumn[R any] struct {
	Name  string // header, and name in --columns and --sort
	Key   string // header in CSV, with the unit
	Help  string
	Left  bool // aligned left: text
	Grows bool // takes what room is left: the last column
	// Descending is the direction in which people want it sorted.
	Descending bool

	// Cell appends the value as shown, and returns the columns it takes.
	Cell func(c *WatchContext, r *R, dst []byte) ([]byte, int)
	// Exact appends the value for machines, nothing when it is unknown.
	Exact func(c *WatchContext, r *R, dst []byte) []byte
	// value is what rows are sorted by; known ones come first.
	value func(c *WatchContext, r *R) (float64, bool)
	text  func(r *R) string // sorted by instead, when set
}

// ProcessColumn and GroupColumn are the columns of the two kinds of rows.
type (
	ProcessColumn = WatchColumn[result.Process]
	GroupColumn   = WatchColumn[result.Group]
)

// Marks that stand for a value: see docs/rsswatch.md.
const (
	markNone    = '-' // there is none
	markRefused = '?' // may not be read
	markPending = '.' // not reached yet within the budget
)

// Compare orders two rows by the column, ascending or descending. Unknown
// values come last either way.
func (col *WatchColumn[R]) Compare(c *WatchContext, a, b *R, descending bool) int {
	order := 0
	if col.text != nil {
		order = cmp.Compare(col.text(a), col.text(b))
	} else {
		va, oka := col.value(c, a)
		vb, okb := col.value(c, b)
		if oka != okb {
			if oka {
				return -1
			}
			return 1
		}
		order = cmp.Compare(va, vb)
	}
	if descending {
		return -order
	}
	return order
}

// field describes how to get at a column's value.
type field[R any] func(c *WatchContext, r *R) result.Bytes

// sizeColumn is a column of sizes. mark gives the character for absent
// values, suffix marks that follow the value.
func sizeColumn[R any](name, key, help string, get field[R], mark func(*WatchContext, *R) byte, suffix func(*R, []byte) []byte) WatchColumn[R] {
	return WatchColumn[R]{
		Name: name, Key: key, Help: help, Descending: true,
		Cell: func(c *WatchContext, r *R, dst []byte) ([]byte, int) {
			start := len(dst)
			if v := get(c, r); v.Known {
				dst = AppendWatchSize(dst, v.Value)
				if suffix != nil {
					dst = suffix(r, dst)
				}
			} else {
				dst = append(dst, mark(c, r))
			}
			return dst, len(dst) - start
		},
		Exact: exactInt(get),
		value: valueOf(get),
	}
}

// intColumn is a column of plain numbers, formatted by show.
func intColumn[R any](name, key, help string, get field[R], mark func(*WatchContext, *R) byte, show func([]byte, int64) []byte) WatchColumn[R] {
	return WatchColumn[R]{
		Name: name, Key: key, Help: help, Descending: true,
		Cell: func(c *WatchContext, r *R, dst []byte) ([]byte, int) {
			start := len(dst)
			if v := get(c, r); v.Known {
				dst = show(dst, v.Value)
			} else {
				dst = append(dst, mark(c, r))
			}
			return dst, len(dst) - start
		},
		Exact: exactInt(get),
		value: valueOf(get),
	}
}

// percentColumn is a column of percentages.
func percentColumn[R any](name, key, help string, get func(*WatchContext, *R) result.Float, mark func(*WatchContext, *R) byte) WatchColumn[R] {
	return WatchColumn[R]{
		Name: name, Key: key, Help: help, Descending: true,
		Cell: func(c *WatchContext, r *R, dst []byte) ([]byte, int) {
			start := len(dst)
			if v := get(c, r); v.Known {
				dst = appendPercent(dst, v.Value)
			} else if m := mark(c, r); m != 0 {
				dst = append(dst, m)
			}
			return dst, len(dst) - start
		},
		Exact: func(c *WatchContext, r *R, dst []byte) []byte {
			if v := get(c, r); v.Known {
				dst = strconv.AppendFloat(dst, v.Value, 'f', 3, 64)
			}
			return dst
		},
		value: func(c *WatchContext, r *R) (float64, bool) { v := get(c, r); return v.Value, v.Known },
	}
}

// textColumn is a column of text from outside, at most limit columns wide
// (0: any width).
func textColumn[R any](name, key, help string, limit int, get func(*R) string, absent func(*R) byte) WatchColumn[R] {
	return WatchColumn[R]{
		Name: name, Key: key, Help: help, Left: true,
		Cell: func(c *WatchContext, r *R, dst []byte) ([]byte, int) {
			if s := get(r); s != "" {
				return c.Text.Append(dst, s, limit)
			}
			return append(dst, absent(r)), 1
		},
		Exact: func(c *WatchContext, r *R, dst []byte) []byte {
			dst, _ = c.Text.Append(dst, get(r), 0)
			return dst
		},
		text: get,
	}
}

func exactInt[R any](get field[R]) func(*WatchContext, *R, []byte) []byte {
	return func(c *WatchContext, r *R, dst []byte) []byte {
		if v := get(c, r); v.Known {
			dst = strconv.AppendInt(dst, v.Value, 10)
		}
		return dst
	}
}

func valueOf[R any](get field[R]) func(*WatchContext, *R) (float64, bool) {
	return func(c *WatchContext, r *R) (float64, bool) {
		v := get(c, r)
		return float64(v.Value), v.Known
	}
}

func showInt(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) }

func showCPUTime(dst []byte, v int64) []byte { return AppendWatchCPUTime(dst, time.Duration(v)) }

func showAge(dst []byte, v int64) []byte { return AppendWatchAge(dst, time.Duration(v)) }
