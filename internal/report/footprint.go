package report

import (
	"fmt"
	"io"
	"strconv"

	"wordsize/internal/result"
)

// FootprintTable writes a row a structure with a pair of columns a size.
func FootprintTable(w io.Writer, f *result.Footprint) error {
	if err := plainTable(w, footprintHeader(f, "\n"), footprintRows(f)); err != nil {
		return err
	}
	if err := writeLines(w, append(footprintFootnotes(f), footprintNotes(f)...)); err != nil {
		return err
	}
	return Warnings(w, f.Warnings)
}

// FootprintMarkdown writes the same for a ticket.
func FootprintMarkdown(w io.Writer, f *result.Footprint) error {
	notes := append(footprintNotes(f), warningLines(f.Warnings)...)
	return tableMarkdown(w, footprintHeader(f, " "), footprintRows(f), footprintFootnotes(f), notes)
}

func footprintHeader(f *result.Footprint, between string) []string {
	header := []string{"structure"}
	for _, n := range f.Elements {
		header = append(header, decimal(n)+between+"heap", decimal(n)+between+"res")
	}
	largest := ""
	if n := len(f.Elements); n > 0 {
		largest = decimal(f.Elements[n-1])
	}
	return append(header, "all "+largest+between+"res, MB", "res"+between+"spread")
}

func footprintRows(f *result.Footprint) (rows [][]string) {
	for i := range f.Structures {
		s := &f.Structures[i]
		row := []string{s.Name}
		all, spread := "-", "-"
		widest := -1.0
		for j := range s.Sizes {
			size := &s.Sizes[j]
			row = append(row, perElement(size.Heap), perElement(size.Resident))
			all = "-"
			if r := size.Resident; r != nil {
				all = fmt.Sprintf("%.4g", r.Median*float64(size.Elements)/1e6)
				if r.Median > 0 && len(size.Samples) > 1 {
					widest = max(widest, (r.Max-r.Min)/r.Median)
				}
			}
		}
		if widest >= 0 {
			spread = fmt.Sprintf("%.1f %%", 100*widest)
		}
		rows = append(rows, append(row, all, spread))
	}
	return rows
}

func perElement(s *result.Spread) string {
	if s == nil {
		return "-"
	}
	return bytesText(s.Median)
}

// bytesText writes bytes an element with as many decimals as a page more or
// less leaves standing.
func bytesText(v float64) string {
	if v >= 999.95 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// decimal writes a count in short: 1k, 100k, 10M, as --elements reads it.
func decimal(n int64) string {
	switch {
	case n >= 1e6 && n%1e6 == 0:
		return fmt.Sprintf("%dM", n/1e6)
	case n >= 1e3 && n%1e3 == 0:
		return fmt.Sprintf("%dk", n/1e3)
	}
	return strconv.FormatInt(n, 10)
}

func footprintFootnotes(f *result.Footprint) []string {
	return []string{
		fmt.Sprintf("Bytes per element in this %d-bit build (%s, %s); k: 1000, M: 1000k elements.", f.Tool.WordBits, f.Tool.GOARCH, f.Tool.Go),
		"heap: live objects and goroutine stacks, by Go's own count; res: private memory",
		"resident, by the kernel's, with the runtime's part; MB: 10^6 bytes; spread: widest",
		fmt.Sprintf("(max - min) / median of res over repeats (%d). Small structures are built many times.", f.Repeat),
	}
}

// footprintNotes say why figures are missing.
func footprintNotes(f *result.Footprint) (notes []string) {
	for i := range f.Structures {
		s := &f.Structures[i]
		for j := range s.Sizes {
			if m := s.Sizes[j].Missing; m != "" {
				notes = append(notes, fmt.Sprintf("Note: %s, %s elements: not measured: %s", s.Name, decimal(s.Sizes[j].Elements), printable(m)))
			}
		}
	}
	return notes
}

// FootprintCSV writes a row a process, under a header that names the units.
// Cells of absent values are empty; a size without figures has one row, with
// the reason.
func FootprintCSV(w io.Writer, f *result.Footprint) error {
	cw := newCSV(w)
	err := cw.Write([]string{
		"host", "goarch", "go", "structure", "group", "type", "shape", "elements", "copies", "sample", "heap_bytes", "resident_bytes",
		"heap_bytes_per_element", "resident_bytes_per_element", "swapped_bytes", "peak_bytes", "source", "missing",
	})
	if err != nil {
		return err
	}
	for i := range f.Structures {
		for j := range f.Structures[i].Sizes {
			for _, row := range footprintCSVRows(f, &f.Structures[i], &f.Structures[i].Sizes[j]) {
				if err := cw.Write(row); err != nil {
					return err
				}
			}
		}
	}
	cw.Flush()
	return cw.Error()
}

func footprintCSVRows(f *result.Footprint, s *result.FootprintStructure, size *result.FootprintSize) (rows [][]string) {
	head := []string{f.Host.Hostname, f.Tool.GOARCH, f.Tool.Go, s.Name, s.Group, s.Type, s.Shape, strconv.FormatInt(size.Elements, 10), strconv.FormatInt(size.Copies, 10)}
	row := func(cells ...string) { rows = append(rows, append(head[:len(head):len(head)], cells...)) }
	total := float64(size.Elements) * float64(size.Copies)
	each := func(n int64) string { return strconv.FormatFloat(float64(n)/total, 'f', 3, 64) }
	for i := range size.Samples {
		p := &size.Samples[i]
		resident := ""
		if p.ResidentBytes != nil {
			resident = each(*p.ResidentBytes)
		}
		row(strconv.Itoa(i), strconv.FormatInt(p.HeapBytes, 10), maybe(p.ResidentBytes), each(p.HeapBytes), resident, maybe(p.SwappedBytes), maybe(p.PeakBytes), p.Source, "")
	}
	if len(size.Samples) == 0 {
		row("", "", "", "", "", "", "", "", size.Missing)
	}
	return rows
}

// FootprintList writes what there is to measure.
func FootprintList(w io.Writer, list []result.FootprintStructure) error {
	group := ""
	for _, s := range list {
		if s.Group != group {
			group = s.Group
			if _, err := fmt.Fprintln(w, group); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "  %-12s  %s: %s\n", s.Name, s.Type, s.Shape); err != nil {
			return err
		}
	}
	return nil
}

// footprintWarning returns the sentence of a warning that only such records
// have.
func footprintWarning(w *result.Warning) string {
	n := w.Values["samples"]
	switch w.Code {
	case result.WarnNoResident:
		return "resident sizes are not known: this system's count of private memory is not read; Go's own figures are all there is"
	case result.WarnStatm:
		return fmt.Sprintf("the resident sizes of %g processes are from /proc/PID/statm, which is off by some pages: smaps_rollup cannot be read here", n)
	case result.WarnHugeOn:
		return fmt.Sprintf("transparent huge pages could not be switched off for %g processes: resident sizes may be rounded up to 2 MiB", n)
	case result.WarnSwapped:
		return fmt.Sprintf("%g processes had memory in swap space: their resident sizes are too small", n)
	}
	return fmt.Sprintf("an emulator of user mode runs this build (%s): the resident sizes have the emulator's own memory in them; Go's own figures are exact", w.Subject)
}
