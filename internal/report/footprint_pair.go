package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"wordsize/internal/result"
)

// FootprintPairTable writes a row a structure, and for each size both builds
// and their ratio.
func FootprintPairTable(w io.Writer, p *result.FootprintPair) error {
	if err := plainTable(w, footprintPairHeader(p, "\n"), footprintPairRows(p)); err != nil {
		return err
	}
	return writeLines(w, append(footprintPairFootnotes(p), footprintPairNotes(p)...))
}

// FootprintPairMarkdown writes the same for a ticket.
func FootprintPairMarkdown(w io.Writer, p *result.FootprintPair) error {
	return tableMarkdown(w, footprintPairHeader(p, " "), footprintPairRows(p), footprintPairFootnotes(p), footprintPairNotes(p))
}

// footprintPairSizes returns the sizes of a comparison, rising.
func footprintPairSizes(p *result.FootprintPair) (sizes []int64) {
	for _, r := range p.Rows {
		sizes = append(sizes, r.Elements)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

func footprintPairHeader(p *result.FootprintPair, between string) []string {
	header := []string{"structure"}
	for _, n := range footprintPairSizes(p) {
		header = append(header, decimal(n)+between+p.Wide, decimal(n)+between+p.Narrow, decimal(n)+between+"ratio")
	}
	return header
}

func footprintPairRows(p *result.FootprintPair) (rows [][]string) {
	sizes, heap := footprintPairSizes(p), heapOnly(p)
	at := make(map[string]int)
	for i := range p.Rows {
		r := &p.Rows[i]
		n, ok := at[r.Name]
		if !ok {
			n = len(rows)
			at[r.Name] = n
			row := []string{r.Name}
			for range sizes {
				row = append(row, "-", "-", "-")
			}
			rows = append(rows, row)
		}
		cell := 1 + 3*slices.Index(sizes, r.Elements)
		wide, narrow, ratio := footprintPairFigures(r, heap)
		copy(rows[n][cell:], []string{optional(wide, bytesText), optional(narrow, bytesText), optional(ratio, func(v float64) string { return fmt.Sprintf("%.2f", v) })})
	}
	return rows
}

// footprintPairFigures returns what is shown of a row.
func footprintPairFigures(r *result.FootprintPairRow, heap bool) (wide, narrow, ratio *float64) {
	if heap {
		return r.WideHeap, r.NarrowHeap, r.HeapRatio
	}
	return r.WideResident, r.NarrowResident, r.ResidentRatio
}

// heapOnly says whether no resident size is known, so that Go's own figures
// are all there is to show.
func heapOnly(p *result.FootprintPair) bool {
	return !slices.ContainsFunc(p.Rows, func(r result.FootprintPairRow) bool { return r.WideResident != nil || r.NarrowResident != nil })
}

func optional(v *float64, format func(float64) string) string {
	if v == nil {
		return "-"
	}
	return format(*v)
}

func footprintPairFootnotes(p *result.FootprintPair) []string {
	what := "Resident bytes per element (private memory, by the kernel)"
	if heapOnly(p) {
		what = "Bytes per element on the heap (by Go's own count)"
	}
	return []string{
		what + "; k: 1000, M: 1000k elements;",
		fmt.Sprintf("ratio: %s / %s, 0.50 is half.", p.Narrow, p.Wide),
	}
}

func footprintPairNotes(p *result.FootprintPair) (notes []string) {
	for _, r := range p.Rows {
		for _, m := range [][2]string{{p.Wide, r.WideMissing}, {p.Narrow, r.NarrowMissing}} {
			if m[1] != "" {
				notes = append(notes, fmt.Sprintf("Note: %s, %s elements, %s: not measured: %s", r.Name, decimal(r.Elements), m[0], printable(m[1])))
			}
		}
	}
	for _, s := range p.Warnings {
		notes = append(notes, "Warning: "+s)
	}
	return notes
}

// FootprintPairCSV writes a row a structure and size, under a header that
// names the units. Cells of absent values are empty.
func FootprintPairCSV(w io.Writer, p *result.FootprintPair) error {
	cw := newCSV(w)
	err := cw.Write([]string{
		"structure", "elements", "wide", "narrow", "wide_heap_bytes_per_element", "narrow_heap_bytes_per_element", "heap_ratio",
		"wide_resident_bytes_per_element", "narrow_resident_bytes_per_element", "resident_ratio", "wide_missing", "narrow_missing",
	})
	if err != nil {
		return err
	}
	for _, r := range p.Rows {
		err := cw.Write([]string{
			r.Name, strconv.FormatInt(r.Elements, 10), p.Wide, p.Narrow, exact(r.WideHeap), exact(r.NarrowHeap), exact(r.HeapRatio),
			exact(r.WideResident), exact(r.NarrowResident), exact(r.ResidentRatio), r.WideMissing, r.NarrowMissing,
		})
		if err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}
