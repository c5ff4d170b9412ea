package report

import (
	"fmt"
	"strconv"

	"wordsize/internal/result"
)

// whatIfGrid is the table of estimates for the other word size, with no rows
// where none were recorded.
func whatIfGrid(what string, groups []result.GroupUsage) grid {
	g := grid{
		title:  "RES as builds of the other word size, estimated; MiB, shared pages once per process (docs/whatif.md):",
		header: []string{what, "estimated", "left out", "RES avg", "estimate", "interval", "change", "RES at the end", "estimate", "interval", "change"},
	}
	for i := range groups {
		w := groups[i].WhatIf
		if w == nil {
			continue
		}
		row := []string{groupName(&groups[i]), fmt.Sprintf("%.1f", w.Processes), fmt.Sprintf("%.1f", w.Missing)}
		row = append(row, whatIfCells(w.Avg)...)
		g.rows = append(g.rows, append(row, whatIfCells(w.End)...))
	}
	return g
}

// whatIfCells are RES, estimate, interval and change; ~ where the content
// cannot decide.
func whatIfCells(u *result.WhatIfUsage) []string {
	if u == nil {
		return []string{"-", "-", "-", "-"}
	}
	change := func(v int64) string {
		if u.RESBytes <= 0 {
			return "-"
		}
		return fmt.Sprintf("%+.0f %%", 100*(float64(v)/float64(u.RESBytes)-1))
	}
	cells := []string{mibText(float64(u.RESBytes)), "~", mibText(float64(u.Low)) + " to " + mibText(float64(u.High)), change(u.Low) + " to " + change(u.High)}
	if u.Value.Known {
		cells[1], cells[3] = mibText(float64(u.Value.Value)), change(u.Value.Value)
	}
	return cells
}

// hasWhatIf says whether any recording of a report has estimates.
func hasWhatIf(r *result.UsageReport) bool {
	for i := range r.Labels {
		if r.Labels[i].Total.WhatIf != nil {
			return true
		}
	}
	return false
}

// whatIfLegend explains the table.
func whatIfLegend(r *result.UsageReport) []string {
	if !hasWhatIf(r) {
		return nil
	}
	return []string{"Estimated: processes with an estimate, on average; those left out are in none of its figures. ~: undecided,", "only the ends are known."}
}

// whatIfColumnsOf are the columns of the CSV, none where no recording has
// estimates.
func whatIfColumnsOf(r *result.UsageReport) (cols []usageColumn) {
	if !hasWhatIf(r) {
		return nil
	}
	of := func(name string, get func(w *result.UsageWhatIf) string) {
		cols = append(cols, usageColumn{name, func(g *result.GroupUsage) string {
			if g.WhatIf == nil {
				return ""
			}
			return get(g.WhatIf)
		}})
	}
	of("whatif_processes_avg", func(w *result.UsageWhatIf) string { return exactFloat(w.Processes) })
	of("whatif_missing_avg", func(w *result.UsageWhatIf) string { return exactFloat(w.Missing) })
	for _, part := range []struct {
		name string
		of   func(w *result.UsageWhatIf) *result.WhatIfUsage
	}{{"avg", func(w *result.UsageWhatIf) *result.WhatIfUsage { return w.Avg }}, {"end", func(w *result.UsageWhatIf) *result.WhatIfUsage { return w.End }}} {
		figure := func(name string, get func(*result.WhatIfUsage) result.Bytes) {
			of("whatif_"+name+"_"+part.name, func(w *result.UsageWhatIf) string {
				if u := part.of(w); u != nil && get(u).Known {
					return strconv.FormatInt(get(u).Value, 10)
				}
				return ""
			})
		}
		figure("res_bytes", func(u *result.WhatIfUsage) result.Bytes { return result.Some(u.RESBytes) })
		figure("bytes", func(u *result.WhatIfUsage) result.Bytes { return u.Value })
		figure("low_bytes", func(u *result.WhatIfUsage) result.Bytes { return result.Some(u.Low) })
		figure("high_bytes", func(u *result.WhatIfUsage) result.Bytes { return result.Some(u.High) })
	}
	return cols
}
