package report

import (
	"fmt"
	"io"

	"wordsize/internal/result"
)

// curveMarkdown writes a curve's table for a ticket, with its notes.
func curveMarkdown(w io.Writer, header []string, rows [][]string, notes []string, warnings []result.Warning) error {
	var doubts []string
	for i := range warnings {
		doubts = append(doubts, "Warning: "+WarningText(&warnings[i]))
	}
	lines := append(markdownTable(header, rows), "")
	return writeLines(w, append(lines, footprintBullets(notes, doubts)...))
}

// curveWarning returns the sentence of a warning that only curves have.
func curveWarning(w *result.Warning) string {
	v := func(key string) float64 { return w.Values[key] }
	switch w.Code {
	case result.WarnNoHuge:
		return "transparent huge pages are switched off here (/sys/kernel/mm/transparent_hugepage/enabled): what the TLB costs cannot be told apart"
	case result.WarnSomeHuge:
		return fmt.Sprintf("in %g of %g parts the kernel gave no huge pages though they were asked for: these are left out", v("parts"), v("of"))
	}
	return fmt.Sprintf("only %g of %g launches were made: another might have taken the whole beyond its limit of %.4g s (--limit)", v("launches"), v("repeat"), v("limit_ns")/1e9)
}
