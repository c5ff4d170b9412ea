package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// report is the whole result; its JSON is the record.
type report struct {
	Schema  string  `json:"schema"`
	Where   string  `json:"where"` // where the 32-bit programs ran
	Host    string  `json:"host"`
	Rows    []row   `json:"rows"`
	Summary summary `json:"summary"`
}

const reportSchema = "whatif-truth/1"

// Formats of the output.
const (
	formatTable    = "table"
	formatMarkdown = "markdown"
	formatJSON     = "json"
)

func (r *report) write(w io.Writer, format string) error {
	switch format {
	case formatJSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	case formatMarkdown:
		return r.text(w, func(w io.Writer, rows [][]string) error { return markdownLines(w, rows, "---:") })
	}
	return r.text(w, tabbedLines)
}

var heading = []string{"program", "RSS 64 MiB", "RSS 32 MiB", "truth %", "estimate %", "interval %", "width", "error", "inside", "private %"}

// text writes the counted programs, the summary, and the calibration's apart.
func (r *report) text(w io.Writer, lines func(io.Writer, [][]string) error) error {
	var counted, calibration [][]string
	for i := range r.Rows {
		if c := r.Rows[i].cells(); r.Rows[i].Calibration {
			calibration = append(calibration, c)
		} else {
			counted = append(counted, c)
		}
	}
	for _, part := range []struct {
		title string
		rows  [][]string
	}{{"", counted}, {"Used to calibrate, not counted:", calibration}} {
		if len(part.rows) == 0 {
			continue
		}
		if part.title != "" {
			fmt.Fprintf(w, "%s\n\n", part.title)
		}
		if err := lines(w, append([][]string{heading}, part.rows...)); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, line := range r.Summary.lines() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "32-bit programs ran: %s. %s\n", r.Where, r.Host)
	for i := range r.Rows {
		if r.Rows[i].Failed != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Rows[i].Program, r.Rows[i].Failed)
		}
	}
	return nil
}

func (r *row) cells() []string {
	c := []string{r.Program, "-", "-", points(r.TruthPct), points(r.BestPct), "-", "-", points(r.Error), "-", points(r.PrivatePct)}
	if r.Truth != nil {
		c[1], c[2] = mib(r.Truth.Wide.RSS), mib(r.Truth.Narrow.RSS)
	}
	if r.LowPct != nil {
		c[5], c[6] = points(r.LowPct)+" to "+points(r.HighPct), fmt.Sprintf("%.1f", *r.Width)
	}
	if r.Inside != nil {
		c[8] = map[bool]string{true: "yes", false: "NO"}[*r.Inside]
	}
	if r.Undecided {
		c[8] += ", undecided"
	}
	return c
}

func points(v *float64) string {
	if v == nil {
		return "-"
	}
	return strings.ReplaceAll(fmt.Sprintf("%+.1f", *v), "-", "−")
}

func mib(n int64) string { return fmt.Sprintf("%.1f", float64(n)/(1<<20)) }

func (s *summary) lines() []string {
	if s.Programs == 0 {
		return nil
	}
	var spread []string
	if s.SpreadOf != "" {
		spread = append(spread, fmt.Sprintf("Single launches of a program differ by up to %.1f points (%s).", s.WidestTruth, s.SpreadOf))
	}
	with := s.Programs - s.WithoutEst
	if with == 0 {
		return append([]string{fmt.Sprintf("%d programs, no estimates.", s.Programs)}, spread...)
	}
	l := fmt.Sprintf("%d programs counted; truth inside the interval: %d of %d", s.Programs, s.Inside, with)
	if len(s.Outside) > 0 {
		l += " (outside: " + strings.Join(s.Outside, ", ") + ")"
	}
	all := []string{l + "."}
	if s.MedianError != nil {
		all = append(all, fmt.Sprintf("Median error %.1f points, worst %.1f (%s); median width of the interval %.1f points.", *s.MedianError, *s.WorstError, s.Worst, *s.MedianWidth))
	} else {
		all = append(all, fmt.Sprintf("Median width of the interval %.1f points.", *s.MedianWidth))
	}
	if s.NoMiddle > 0 {
		all = append(all, fmt.Sprintf("%d without a best estimate: their content cannot decide; left out of the errors.", s.NoMiddle))
	}
	if s.WithoutEst > 0 {
		all = append(all, fmt.Sprintf("%d without truth or estimate, left out.", s.WithoutEst))
	}
	return append(all, spread...)
}

// list names the programs.
func list(w io.Writer, pairs []pair, format string) error {
	if format == formatJSON {
		rows := make([]row, len(pairs))
		for i := range pairs {
			rows[i] = newRow(&pairs[i])
		}
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	lines := [][]string{{"program", "kind", "holds", "do word-sized integers matter?"}}
	for _, p := range pairs {
		kind := p.kind
		if p.calibration {
			kind += ", calibration"
		}
		lines = append(lines, []string{p.name, kind, p.holds, p.ints})
	}
	if format == formatMarkdown {
		return markdownLines(w, lines, "---")
	}
	for _, l := range lines[1:] {
		if _, err := fmt.Fprintf(w, "%-15s %s: %s\n%-15s word-sized integers matter: %s\n", l[0], l[1], l[2], "", l[3]); err != nil {
			return err
		}
	}
	return nil
}

func tabbedLines(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		// the first column is aligned left, the others right
		fmt.Fprintf(t, "%-*s\t%s\t\n", width, r[0], strings.Join(r[1:], "\t"))
	}
	return t.Flush()
}

// markdownLines writes a table; rule is that of the columns behind the first.
func markdownLines(w io.Writer, rows [][]string, rule string) error {
	for i, r := range rows {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | ")); err != nil {
			return err
		}
		if i == 0 {
			fmt.Fprintf(w, "|---%s|\n", strings.Repeat("|"+rule, len(r)-1))
		}
	}
	return nil
}
