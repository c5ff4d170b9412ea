package report

import (
	"fmt"
	"io"
	"math"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// NewVerdictRow compares two builds' samples of one kernel in one phase.
func NewVerdictRow(v *result.Verdict, kernel, phase string, wide, narrow []float64) result.VerdictRow {
	c := stats.Compare(wide, narrow)
	row := result.VerdictRow{
		Kernel: kernel, Phase: phase, Wide: estimate(c.A), Narrow: estimate(c.B),
		Change: c.Change, P: c.P, Significant: c.Significant, Samples: [2][]float64{wide, narrow},
	}
	row.Text = verdictWords(v, &row)
	return row
}

func estimate(s stats.Summary) result.Estimate {
	e := result.Estimate{N: s.N, Median: s.Median}
	if s.Finite() {
		e.Lo, e.Hi = &s.Lo, &s.Hi
	}
	return e
}

// verdictWords says it in a sentence. What is emulated gets no verdict on
// speed, whatever the figures.
func verdictWords(v *result.Verdict, r *result.VerdictRow) string {
	n := min(r.Wide.N, r.Narrow.N)
	change := fmt.Sprintf("%+.1f %%", 100*r.Change)
	switch {
	case v.Emulated != "":
		return fmt.Sprintf("%s, %s: %s against %s under emulation (%s, n = %d): not a figure of any hardware", r.Kernel, r.Phase, v.Narrow, v.Wide, change, n)
	case !stats.CanBeSignificant(r.Wide.N, r.Narrow.N):
		return fmt.Sprintf("%s, %s: %s against %s %s; n = %d is too few to tell, take --repeat 10", r.Kernel, r.Phase, v.Narrow, v.Wide, change, n)
	case !r.Significant && relativeWidth(r) > tooWide:
		return fmt.Sprintf("%s, %s: %s and %s cannot be told apart (%s, not significant, n = %d), but the intervals are %.0f %% wide: a quieter host or a larger --repeat would tell more", r.Kernel, r.Phase, v.Narrow, v.Wide, change, n, 100*relativeWidth(r))
	case !r.Significant:
		return fmt.Sprintf("%s, %s: %s is as fast as %s (%s, not significant, n = %d)", r.Kernel, r.Phase, v.Narrow, v.Wide, change, n)
	case r.Change < 0:
		return fmt.Sprintf("%s, %s: %s is %.1f %% slower than %s (p = %.3g, n = %d)", r.Kernel, r.Phase, v.Narrow, -100*r.Change, v.Wide, r.P, n)
	}
	return fmt.Sprintf("%s, %s: %s is %.1f %% faster than %s (p = %.3g, n = %d)", r.Kernel, r.Phase, v.Narrow, 100*r.Change, v.Wide, r.P, n)
}

// tooWide is the width of an interval, as a part of its median, above which
// "as fast as" would claim more than was seen.
const tooWide = 0.10

// relativeWidth returns the wider of the two intervals over its median.
func relativeWidth(r *result.VerdictRow) float64 {
	wide := 0.0
	for _, e := range []result.Estimate{r.Wide, r.Narrow} {
		if e.Lo == nil || e.Hi == nil {
			return math.Inf(1)
		}
		wide = max(wide, (*e.Hi-*e.Lo)/e.Median)
	}
	return wide
}

// Emulated is the mark that every output of an emulated run carries.
func Emulated(by string) string {
	return fmt.Sprintf("EMULATED (%s): compare counts and footprints, not speeds", by)
}

// VerdictTable writes the comparison as a table and in words.
func VerdictTable(w io.Writer, v *result.Verdict) error {
	if v.Emulated != "" {
		if _, err := fmt.Fprintln(w, Emulated(v.Emulated)+"."); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, r := range v.Rows {
		sign := "~"
		if r.Significant {
			sign = fmt.Sprintf("%+.1f %%", 100*r.Change)
		}
		rows = append(rows, []string{r.Kernel, r.Phase, interval(r.Wide), interval(r.Narrow), fmt.Sprintf("%+.1f %%", 100*r.Change), fmt.Sprintf("%.3f", r.P), sign})
	}
	if err := plainTable(w, []string{"kernel", "phase", v.Wide, v.Narrow, "change", "p", "verdict"}, rows); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, "GB/s (10^9 bytes): median [95 % interval] over launches; parallel: of all processes\ntogether; ~: no significant difference (Mann-Whitney U, 0.05)."); err != nil {
		return err
	}
	for _, r := range v.Rows {
		if _, err := fmt.Fprintln(w, r.Text); err != nil {
			return err
		}
	}
	for _, s := range v.Warnings {
		if _, err := fmt.Fprintln(w, "Warning: "+s); err != nil {
			return err
		}
	}
	return nil
}

func interval(e result.Estimate) string {
	if math.IsNaN(e.Median) {
		return "-"
	}
	if e.Lo == nil || e.Hi == nil {
		return fmt.Sprintf("%.2f [n = %d]", e.Median/gb, e.N)
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", e.Median/gb, *e.Lo/gb, *e.Hi/gb)
}
