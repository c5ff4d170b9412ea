package report

import (
	"encoding/csv"
	"io"
	"strconv"
)

// csvWriter is encoding/csv's writer for files that people open in a
// spreadsheet: a cell that the spreadsheet would take for a formula gets an
// apostrophe in front, as the OWASP's notes on CSV injection have it. Titles
// and host names come from outside.
type csvWriter struct {
	*csv.Writer
	cells []string
}

func newCSV(w io.Writer) *csvWriter { return &csvWriter{Writer: csv.NewWriter(w)} }

// Write writes one record.
func (c *csvWriter) Write(record []string) error {
	c.cells = c.cells[:0]
	for _, cell := range record {
		c.cells = append(c.cells, csvCell(cell))
	}
	return c.Writer.Write(c.cells)
}

// csvCell returns the cell, marked as text where it begins like a formula and
// is no number.
func csvCell(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r':
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}
