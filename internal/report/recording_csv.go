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

// usageColumns returns the figures of a group, with their units in the names.
func usageColumns() []usageColumn {
	cols := []usageColumn{
		{"arch", func(g *result.GroupUsage) string { return strings.Join(g.Arch, "; ") }},
		wholeColumn("span_ns", func(g *result.GroupUsage) int64 { return g.SpanNS }),
		wholeColumn("seen_ns", func(g *result.GroupUsage) int64 { return g.SeenNS }),
		wholeColumn("processes_in_all", func(g *result.GroupUsage) int64 { return g.Started }),
		wholeColumn("processes_unseen", func(g *result.GroupUsage) int64 { return g.Unseen }),
	}
	cols = append(cols, distributionColumns("processes", func(g *result.GroupUsage) *result.Distribution { return g.Processes })...)
	cols = append(cols, distributionColumns("pss_bytes", func(g *result.GroupUsage) *result.Distribution { return g.PSS })...)
	cols = append(cols, distributionColumns("uss_bytes", func(g *result.GroupUsage) *result.Distribution { return g.USS })...)
	cols = append(cols, distributionColumns("res_bytes", func(g *result.GroupUsage) *result.Distribution { return g.Resident })...)
	cols = append(cols, distributionColumns("virt_bytes", func(g *result.GroupUsage) *result.Distribution { return g.Virtual })...)
	cols = append(cols, distributionColumns("swap_bytes", func(g *result.GroupUsage) *result.Distribution { return g.Swap })...)
	cols = append(cols, distributionColumns("cpu_percent", func(g *result.GroupUsage) *result.Distribution { return g.CPU })...)
	cols = append(cols, rateColumns("read", func(g *result.GroupUsage) *result.Rate { return g.Read })...)
	cols = append(cols, rateColumns("write", func(g *result.GroupUsage) *result.Rate { return g.Write })...)
	cols = append(cols, rateColumns("disk_read", func(g *result.GroupUsage) *result.Rate { return g.DiskRead })...)
	cols = append(cols, rateColumns("disk_write", func(g *result.GroupUsage) *result.Rate { return g.DiskWrite })...)
	return append(cols,
		optColumn("vmhwm_sum_bytes", func(g *result.GroupUsage) result.Bytes { return g.PeakSum }),
		optColumn("vmhwm_max_bytes", func(g *result.GroupUsage) result.Bytes { return g.PeakProcess }),
		wholeColumn("peaks_at_least", func(g *result.GroupUsage) int64 { return g.PeakAtLeast }),
		usageColumn{"pss_estimated_share", func(g *result.GroupUsage) string { return exactFloat(g.PSSEstimated) }},
		optColumn("pss_age_avg_ns", func(g *result.GroupUsage) result.Bytes { return g.PSSAgeAvgNS }),
		wholeColumn("user_ns", func(g *result.GroupUsage) int64 { return g.UserNS }),
		wholeColumn("system_ns", func(g *result.GroupUsage) int64 { return g.SystemNS }),
		wholeColumn("cpu_unseen_ns", func(g *result.GroupUsage) int64 { return g.CPUUnseen }),
		wholeColumn("cpu_at_least", func(g *result.GroupUsage) int64 { return g.CPUAtLeast }),
		wholeColumn("window_ns", func(g *result.GroupUsage) int64 { return g.WindowNS }),
		slopeColumn("growth_verdict", func(g *result.Growth) string { return g.Verdict }),
		slopeColumn("growth_bytes_per_hour", func(g *result.Growth) string { return plainFloat(g.PerHour) }),
		slopeColumn("growth_lo", func(g *result.Growth) string { return plainFloat(g.Lo) }),
		slopeColumn("growth_hi", func(g *result.Growth) string { return plainFloat(g.Hi) }),
	)
}

func wholeColumn(name string, of func(*result.GroupUsage) int64) usageColumn {
	return usageColumn{name, func(g *result.GroupUsage) string { return strconv.FormatInt(of(g), 10) }}
}

func optColumn(name string, of func(*result.GroupUsage) result.Bytes) usageColumn {
	return usageColumn{name, func(g *result.GroupUsage) string {
		if v := of(g); v.Known {
			return strconv.FormatInt(v.Value, 10)
		}
		return ""
	}}
}

func distributionColumns(name string, of func(*result.GroupUsage) *result.Distribution) (cols []usageColumn) {
	for i, part := range []string{"min", "avg", "p50", "p95", "p99", "max"} {
		cols = append(cols, usageColumn{name + "_" + part, func(g *result.GroupUsage) string {
			v := of(g)
			if v == nil {
				return ""
			}
			return exactFloat([]float64{v.Min, v.Avg, v.P50, v.P95, v.P99, v.Max}[i])
		}})
	}
	return cols
}

func rateColumns(name string, of func(*result.GroupUsage) *result.Rate) (cols []usageColumn) {
	for i, part := range []string{"bytes", "avg_bytes_per_s", "max_bytes_per_s"} {
		cols = append(cols, usageColumn{name + "_" + part, func(g *result.GroupUsage) string {
			v := of(g)
			if v == nil {
				return ""
			}
			return []string{strconv.FormatInt(v.Bytes, 10), exactFloat(v.Avg), exactFloat(v.Max)}[i]
		}})
	}
	return cols
}

func slopeColumn(name string, of func(*result.Growth) string) usageColumn {
	return usageColumn{name, func(g *result.GroupUsage) string {
		if g.Growth == nil {
			return ""
		}
		return of(g.Growth)
	}}
}

// plainFloat writes all digits, nothing for an absent value.
func plainFloat(v *float64) string {
	if v == nil {
		return ""
	}
	return exactFloat(*v)
}

// exactFloat writes all digits, without an exponent: most are whole bytes.
func exactFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// UsageCSV writes a row for each group and each label's total, under a header
// that names the units. Cells of unknown values are empty; the total's group
// is empty too.
func UsageCSV(w io.Writer, r *result.UsageReport) error {
	cw, cols := newCSV(w), append(usageColumns(), whatIfColumnsOf(r)...)
	header := []string{"label", "recordings", r.GroupBy}
	for _, c := range cols {
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
			for _, c := range cols {
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
