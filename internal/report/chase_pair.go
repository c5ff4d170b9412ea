package report

import (
	"fmt"
	"io"
	"strconv"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// ChasePairTable writes a row a length with both builds, and a plot of both.
func ChasePairTable(w io.Writer, p *result.ChasePair) error {
	if p.Emulated != "" {
		if err := writeLines(w, []string{Emulated(p.Emulated) + "."}); err != nil {
			return err
		}
	}
	if err := plainTable(w, chasePairHeader(p), chasePairRows(p)); err != nil {
		return err
	}
	lines := append(chasePairFootnotes(p), "")
	wide, narrow := chasePairSeries(p)
	lines = append(lines, termPlot([]termSeries{wide, narrow}, "nanoseconds a hop", "nodes")...)
	return writeLines(w, append(lines, chasePairNotes(p)...))
}

// ChasePairMarkdown writes the table for a ticket.
func ChasePairMarkdown(w io.Writer, p *result.ChasePair) error {
	if p.Emulated != "" {
		if err := writeLines(w, []string{Emulated(p.Emulated) + ".", ""}); err != nil {
			return err
		}
	}
	return tableMarkdown(w, chasePairHeader(p), chasePairRows(p), chasePairFootnotes(p), chasePairNotes(p))
}

func chasePairHeader(p *result.ChasePair) []string {
	return []string{"nodes", p.Wide, p.Narrow, p.Wide + " ns", p.Narrow + " ns", "change", "p"}
}

func chasePairRows(p *result.ChasePair) (rows [][]string) {
	for i := range p.Rows {
		r := &p.Rows[i]
		change := "~"
		if r.Significant && p.Emulated == "" {
			change = fmt.Sprintf("%+.1f %%", 100*r.Change)
		}
		rows = append(rows, []string{
			strconv.FormatInt(r.Nodes, 10), size(&r.Wide.Bytes), size(&r.Narrow.Bytes), chaseFigure(&r.Wide), chaseFigure(&r.Narrow), change, chance(r.PHolm),
		})
	}
	return rows
}

// chaseFigure writes a median, with its interval where there is one.
func chaseFigure(p *result.ChasePoint) string {
	if p.NS.Lo == nil || p.NS.Hi == nil {
		return nanoseconds(p.NS.Median)
	}
	return nanoseconds(p.NS.Median) + " " + chaseInterval(p.NS)
}

func chasePairFootnotes(p *result.ChasePair) []string {
	lines := []string{
		fmt.Sprintf("Nanoseconds a hop over a random cycle of nodes of %d (%s) and %d (%s) bytes: a pointer", p.WideNode, p.Wide, p.NarrowNode, p.Narrow),
		"and an int each. Median [95 % interval] of the launches' median rounds; change: of",
		fmt.Sprintf("%s against %s; ~: no significant difference (Mann-Whitney U with Holm's correction, %g).", p.Narrow, p.Wide, stats.Alpha),
	}
	if len(p.Rows) == 0 {
		return lines
	}
	n := min(p.Rows[0].Wide.NS.N, p.Rows[0].Narrow.NS.N)
	if enough := stats.LeastN(len(p.Rows)); n < enough {
		lines = append(lines, fmt.Sprintf("%d launches are too few to tell; take --repeat %d or more.", n, enough))
	}
	return lines
}

func chasePairNotes(p *result.ChasePair) (notes []string) {
	for _, s := range p.Warnings {
		notes = append(notes, "Warning: "+s)
	}
	return notes
}

// ChasePairCSV writes a row a length, under a header that names the units.
// Cells of absent values are empty.
func ChasePairCSV(w io.Writer, p *result.ChasePair) error {
	cw := newCSV(w)
	err := cw.Write([]string{
		"nodes", "wide", "narrow", "wide_bytes", "narrow_bytes", "wide_min_ns", "wide_median_ns", "wide_lo_ns", "wide_hi_ns",
		"narrow_min_ns", "narrow_median_ns", "narrow_lo_ns", "narrow_hi_ns", "change", "p", "p_holm", "significant", "emulated",
	})
	if err != nil {
		return err
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		row := []string{strconv.FormatInt(r.Nodes, 10), p.Wide, p.Narrow, strconv.FormatInt(r.Wide.Bytes, 10), strconv.FormatInt(r.Narrow.Bytes, 10)}
		for _, c := range []*result.ChasePoint{&r.Wide, &r.Narrow} {
			row = append(row, exact(&c.Min), exact(&c.NS.Median), exact(c.NS.Lo), exact(c.NS.Hi))
		}
		if err := cw.Write(append(row, exact(&r.Change), exact(&r.P), exact(&r.PHolm), strconv.FormatBool(r.Significant), p.Emulated)); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}
