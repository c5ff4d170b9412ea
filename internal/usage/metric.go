package usage

import (
	"fmt"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// metric is one figure of a recording that can be compared. Those with one
// part only have no max.
type metric struct {
	name, words, unit string
	avg, max          func(g *result.GroupUsage, r *result.UsedRecording) (float64, bool)
}

func ofDistribution(of func(*result.GroupUsage) *result.Distribution, part func(*result.Distribution) float64) func(*result.GroupUsage, *result.UsedRecording) (float64, bool) {
	return func(g *result.GroupUsage, _ *result.UsedRecording) (float64, bool) {
		if d := of(g); d != nil {
			return part(d), true
		}
		return 0, false
	}
}

func distributed(name, words, unit string, of func(*result.GroupUsage) *result.Distribution) metric {
	return metric{name, words, unit,
		ofDistribution(of, func(d *result.Distribution) float64 { return d.Avg }),
		ofDistribution(of, func(d *result.Distribution) float64 { return d.Max })}
}

func rated(name, words string, of func(*result.GroupUsage) *result.Rate) metric {
	part := func(part func(*result.Rate) float64) func(*result.GroupUsage, *result.UsedRecording) (float64, bool) {
		return func(g *result.GroupUsage, _ *result.UsedRecording) (float64, bool) {
			if r := of(g); r != nil {
				return part(r), true
			}
			return 0, false
		}
	}
	return metric{name, words, result.UnitRate, part(func(r *result.Rate) float64 { return r.Avg }), part(func(r *result.Rate) float64 { return r.Max })}
}

// metrics are all that can be compared, in the order of the table.
var metrics = []metric{
	distributed("pss", "PSS", result.UnitBytes, func(g *result.GroupUsage) *result.Distribution { return g.PSS }),
	distributed("uss", "USS", result.UnitBytes, func(g *result.GroupUsage) *result.Distribution { return g.USS }),
	distributed("res", "RES", result.UnitBytes, func(g *result.GroupUsage) *result.Distribution { return g.Resident }),
	distributed("virt", "VIRT", result.UnitBytes, func(g *result.GroupUsage) *result.Distribution { return g.Virtual }),
	{name: "vmhwm", words: "sum of VmHWM", unit: result.UnitBytes, avg: func(g *result.GroupUsage, _ *result.UsedRecording) (float64, bool) {
		return float64(g.PeakSum.Value), g.PeakSum.Known
	}},
	distributed("processes", "processes", result.UnitCount, func(g *result.GroupUsage) *result.Distribution { return g.Processes }),
	distributed("cpu", "CPU", result.UnitPercent, func(g *result.GroupUsage) *result.Distribution { return g.CPU }),
	{name: "cputime", words: "CPU time", unit: result.UnitSeconds, avg: func(g *result.GroupUsage, _ *result.UsedRecording) (float64, bool) {
		return float64(g.CPUNS()) / 1e9, g.CPU != nil
	}},
	rated("read", "read", func(g *result.GroupUsage) *result.Rate { return g.Read }),
	rated("write", "written", func(g *result.GroupUsage) *result.Rate { return g.Write }),
	{name: "duration", words: "length", unit: result.UnitSeconds, avg: func(_ *result.GroupUsage, r *result.UsedRecording) (float64, bool) {
		return float64(r.ElapsedNS) / 1e9, true
	}},
}

// Metrics lists the names of what can be compared.
func Metrics() []string {
	names := make([]string, len(metrics))
	for i, m := range metrics {
		names[i] = m.name
	}
	return names
}

// findMetrics returns the metrics of the names; all without any.
func findMetrics(names []string) ([]metric, error) {
	if len(names) == 0 {
		return metrics, nil
	}
	var list []metric
	for _, n := range names {
		i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == n })
		if i < 0 {
			return nil, fmt.Errorf("%q is no metric: want %s", n, strings.Join(Metrics(), ", "))
		}
		list = append(list, metrics[i])
	}
	return list, nil
}

// MetricWords names a metric as people do.
func MetricWords(name string) string {
	for _, m := range metrics {
		if m.name == name {
			return m.words
		}
	}
	return name
}
