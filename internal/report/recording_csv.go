package report

import (
	"io"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// usageColumn is one column of the CSV; an unknown value is empty.
type usageColumn struct {
	name string
	of   func(g *result.GroupUsage) string
}

// usageColumns has the figures of a group, with their units in the names.
var usageColumns = func() []usageColumn {
	whole := func(v int64) string { return strconv.FormatInt(v, 10) }
	opt := func(v result.Bytes) string {
		if !v.Known {
			return ""
		}
		return whole(v.Value)
	}
	cols := []usageColumn{
		{"arch", func(g *result.GroupUsage) string { return strings.Join(g.Arch, "; ") }},
		{"span_ns", func(g *result.GroupUsage) string { return whole(g.SpanNS) }},
		{"seen_ns", func(g *result.GroupUsage) string { return whole(g.SeenNS) }},
		{"processes_in_all", func(g *result.GroupUsage) string { return whole(g.Started) }},
		{"processes_unseen", func(g *result.GroupUsage) string { return whole(g.Unseen) }},
	}
	for _, d := range []struct {
		name string
		of   func(g *result.GroupUsage) *result.Distribution
	}{
		{"processes", func(g *result.GroupUsage) *result.Distribution { return g.Processes }},
		{"pss_bytes", func(g *result.GroupUsage) *result.Distribution { return g.PSS }},
		{"uss_bytes", func(g *result.GroupUsage) *result.Distribution { return g.USS }},
		{"res_bytes", func(g *result.GroupUsage) *result.Distribution { return g.Resident }},
		{"virt_bytes", func(g *result.GroupUsage) *result.Distribution { return g.Virtual }},
		{"swap_bytes", func(g *result.GroupUsage) *result.Distribution { return g.Swap }},
		{"cpu_percent", func(g *result.GroupUsage) *result.Distribution { return g.CPU }},
	} {
		for i, part := range []string{"min", "avg", "p50", "p95", "p99", "max"} {
			cols = append(cols, usageColumn{d.name + "_" + part, func(g *result.GroupUsage) string {
				v := d.of(g)
				if v == nil {
					return ""
				}
				return exactFloat([]float64{v.Min, v.Avg, v.P50, v.P95, v.P99, v.Max}[i])
			}})
		}
	}
	for _, r := range []struct {
		name string
		of   func(g *result.GroupUsage) *result.Rate
	}{
		{"read", func(g *result.GroupUsage) *result.Rate { return g.Read }},
		{"write", func(g *result.GroupUsage) *result.Rate { return g.Write }},
		{"disk_read", func(g *result.GroupUsage) *result.Rate { return g.DiskRead }},
		{"disk_write", func(g *result.GroupUsage) *result.Rate { return g.DiskWrite }},
	} {
		for i, part := range []string{"bytes", "avg_bytes_per_s", "max_bytes_per_s"} {
			cols = append(cols, usageColumn{r.name + "_" + part, func(g *result.GroupUsage) string {
				v := r.of(g)
				if v == nil {
					return ""
				}
				return []string{whole(v.Bytes), exactFloat(v.Avg), exactFloat(v.Max)}[i]
			}})
		}
	}
	slope := func(of func(*result.Growth) *float64) func(g *result.GroupUsage) string {
		return func(g *result.GroupUsage) string {
			if g.Growth == nil {
				return ""
			}
			if v := of(g.Growth); v != nil {
				return exactFloat(*v)
			}
			return ""
		}
	}
	return append(cols,
		usageColumn{"vmhwm_sum_bytes", func(g *result.GroupUsage) string { return opt(g.PeakSum) }},
		usageColumn{"vmhwm_max_bytes", func(g *result.GroupUsage) string { return opt(g.PeakProcess) }},
		usageColumn{"peaks_at_least", func(g *result.GroupUsage) string { return whole(g.PeakAtLeast) }},
		usageColumn{"pss_estimated_share", func(g *result.GroupUsage) string { return exactFloat(g.PSSEstimated) }},
		usageColumn{"pss_age_avg_ns", func(g *result.GroupUsage) string { return opt(g.PSSAgeAvgNS) }},
		usageColumn{"user_ns", func(g *result.GroupUsage) string { return whole(g.UserNS) }},
		usageColumn{"system_ns", func(g *result.GroupUsage) string { return whole(g.SystemNS) }},
		usageColumn{"cpu_unseen_ns", func(g *result.GroupUsage) string { return whole(g.CPUUnseen) }},
		usageColumn{"cpu_at_least", func(g *result.GroupUsage) string { return whole(g.CPUAtLeast) }},
		usageColumn{"window_ns", func(g *result.GroupUsage) string { return whole(g.WindowNS) }},
		usageColumn{"growth_verdict", func(g *result.GroupUsage) string {
			if g.Growth == nil {
				return ""
			}
			return g.Growth.Verdict
		}},
		usageColumn{"growth_bytes_per_hour", slope(func(g *result.Growth) *float64 { return g.PerHour })},
		usageColumn{"growth_lo", slope(func(g *result.Growth) *float64 { return g.Lo })},
		usageColumn{"growth_hi", slope(func(g *result.Growth) *float64 { return g.Hi })},
	)
}()

// exactFloat writes all digits, without an exponent: most are whole bytes.
func exactFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// UsageCSV writes a row for each group and each label's total, under a header
// that names the units. Cells of unknown values are empty; the total's group
// is empty too.
func UsageCSV(w io.Writer, r *result.UsageReport) error {
	cw := newCSV(w)
	header := []string{"label", "recordings", r.GroupBy}
	for _, c := range usageColumns {
		header = append(header, c.name)
	}
	if err := cw.Write(append(header, "warnings")); err != nil {
		return err
	}
	for i := range r.Labels {
		l := &r.Labels[i]
		var codes []string
		for _, n := range l.Warnings {
			codes = append(codes, n.Code)
		}
		row := func(name string, g *result.GroupUsage) error {
			cells := []string{l.Label, strconv.Itoa(len(l.Recordings)), name}
			for _, c := range usageColumns {
				cells = append(cells, c.of(g))
			}
			return cw.Write(append(cells, strings.Join(codes, " ")))
		}
		for k := range l.Groups {
			if err := row(string(l.Groups[k].Name), &l.Groups[k]); err != nil {
				return err
			}
		}
		if err := row("", &l.Total); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}
