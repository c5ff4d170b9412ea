package report

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// WatchTable lays out rows in columns. It keeps its buffers from one use to
// the next: a tick formats thousands of cells.
type WatchTable[R any] struct {
	Columns []*WatchColumn[R]
	Context WatchContext
	// Width cuts lines, 0 for none.
	Width int
	// Sort marks the header of the column that rows are sorted by.
	Sort *WatchColumn[R]
	// Sticky keeps columns from becoming narrower from one use to the next,
	// so that they do not jump about.
	Sticky bool

	cells  []byte
	ends   []int // end of each cell in cells
	widths []int // columns that each cell takes
	col    []int // width of each column
	line   []byte
}

// sortMark follows the header of the sorted column.
const sortMark = "*"

// Layout formats the cells of rows and sizes the columns.
func (t *WatchTable[R]) Layout(rows []*R) {
	t.cells, t.ends, t.widths = t.cells[:0], t.ends[:0], t.widths[:0]
	if !t.Sticky || len(t.col) != len(t.Columns) {
		t.col = make([]int, len(t.Columns))
	}
	for i, c := range t.Columns {
		t.col[i] = max(t.col[i], utf8.RuneCountInString(t.head(c)))
	}
	for _, r := range rows {
		for i, c := range t.Columns {
			var w int
			t.cells, w = c.Cell(&t.Context, r, t.cells)
			t.ends = append(t.ends, len(t.cells))
			t.widths = append(t.widths, w)
			if !c.Grows {
				t.col[i] = max(t.col[i], w)
			}
		}
	}
}

// Reset forgets column widths.
func (t *WatchTable[R]) Reset() { t.col = nil }

func (t *WatchTable[R]) head(c *WatchColumn[R]) string {
	name := c.Name
	if t.Context.Text.ASCII && name == growthName {
		name = growthASCII
	}
	if c == t.Sort {
		return name + sortMark
	}
	return name
}

// Header appends the line of column names to dst.
func (t *WatchTable[R]) Header(dst []byte) []byte {
	start, used := len(dst), 0
	for i, c := range t.Columns {
		name := t.head(c)
		dst, used = t.put(dst, used, i, []byte(name), utf8.RuneCountInString(name))
	}
	return t.finish(dst, start, used)
}

// ColumnAt returns the column under a screen column, nil where there is none.
func (t *WatchTable[R]) ColumnAt(x int) *WatchColumn[R] {
	at := 0
	for i, c := range t.Columns {
		if i >= len(t.col) {
			break // not laid out yet
		}
		if c.Grows || x < at+t.col[i]+1 {
			return c
		}
		at += t.col[i] + 1
	}
	return nil
}

// Row appends the n-th row of the layout to dst.
func (t *WatchTable[R]) Row(dst []byte, n int) []byte {
	start, used := len(dst), 0
	k := len(t.Columns)
	from := 0
	if n > 0 {
		from = t.ends[n*k-1]
	}
	for i := range t.Columns {
		end := t.ends[n*k+i]
		dst, used = t.put(dst, used, i, t.cells[from:end], t.widths[n*k+i])
		from = end
	}
	return t.finish(dst, start, used)
}

// put appends one padded cell; used is how many columns are taken so far.
func (t *WatchTable[R]) put(dst []byte, used, i int, cell []byte, width int) ([]byte, int) {
	if i > 0 {
		dst = append(dst, ' ')
		used++
	}
	c := t.Columns[i]
	pad := max(0, t.col[i]-width)
	if c.Grows {
		pad = 0
	}
	if !c.Left {
		dst = appendPad(dst, pad)
	}
	dst = append(dst, cell...)
	if c.Left {
		dst = appendPad(dst, pad)
	}
	return dst, used + width + pad
}

// finish trims the line that begins at start and takes used columns, and cuts
// it at the width. It is safe text by now, so that cutting it as text from
// outside changes nothing else.
func (t *WatchTable[R]) finish(dst []byte, start, used int) []byte {
	dst = trimSpaces(dst, start)
	if t.Width > 0 && used > t.Width {
		line := string(dst[start:])
		dst, _ = WatchText{}.Append(dst[:start], line, t.Width)
	}
	return dst
}

func appendPad(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

func trimSpaces(dst []byte, start int) []byte {
	return dst[:start+len(bytes.TrimRight(dst[start:], " "))]
}

// Write lays out rows and writes them below their header.
func (t *WatchTable[R]) Write(w io.Writer, rows []*R) error {
	t.Layout(rows)
	t.line = append(t.Header(t.line[:0]), '\n')
	for i := range rows {
		t.line = append(t.Row(t.line, i), '\n')
		if len(t.line) > 32<<10 {
			if _, err := w.Write(t.line); err != nil {
				return err
			}
			t.line = t.line[:0]
		}
	}
	_, err := w.Write(t.line)
	return err
}
