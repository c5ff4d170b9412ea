package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// curveNames tells curves apart by what differs among them: the host, the
// build, the loop. Curves that differ in nothing are numbered.
func curveNames(heads []*result.CurveHead, own func(i int) string) []string {
	parts := []func(i int) string{
		func(i int) string { return printable(heads[i].Host.Hostname) },
		func(i int) string { return heads[i].Tool.GOARCH },
		own,
		func(i int) string { return heads[i].Tool.Version },
	}
	names := make([][]string, len(heads))
	for _, part := range parts {
		differs := false
		for i := range heads {
			differs = differs || part(i) != part(0)
		}
		for i := range heads {
			if differs {
				names[i] = append(names[i], orUnknown(part(i)))
			}
		}
	}
	out := make([]string, len(heads))
	count := make(map[string]int)
	for i := range heads {
		if out[i] = strings.Join(names[i], ", "); out[i] == "" {
			out[i] = heads[i].Tool.GOARCH
		}
		if count[out[i]]++; count[out[i]] > 1 {
			out[i] = fmt.Sprintf("%s (%d)", out[i], count[out[i]])
		}
	}
	return out
}

// addPoint adds an estimate to a line, divided by a unit; without an interval
// there is a gap in the band.
func addPoint(l *plot.Line, x float64, e result.Estimate, unit float64) {
	lo, hi := math.NaN(), math.NaN()
	if e.Lo != nil && e.Hi != nil {
		lo, hi = *e.Lo, *e.Hi
	}
	l.X, l.Y = append(l.X, x), append(l.Y, e.Median/unit)
	l.Lo, l.Hi = append(l.Lo, lo/unit), append(l.Hi, hi/unit)
}

// ScaleFigure shows the bandwidth over the number of processes, a line a
// record.
func ScaleFigure(records ...*result.Scale) *plot.Figure {
	heads := make([]*result.CurveHead, len(records))
	for i, s := range records {
		heads[i] = &s.CurveHead
	}
	names := curveNames(heads, func(i int) string { return records[i].Kernel.Name + "/" + records[i].Kernel.Tier })
	all := &plot.XY{Title: "All processes together", X: scaleAxis(records), Y: plot.Axis{Label: "aggregate, GB/s"}, Height: 260}
	each := &plot.XY{Title: "Each process", X: scaleAxis(records), Y: plot.Axis{Label: "median process, GB/s"}, Height: 180}
	var said []string
	for i, s := range records {
		a, e := plot.Line{Name: names[i], Markers: true}, plot.Line{Name: names[i], Markers: true}
		for j := range s.Points {
			p := &s.Points[j]
			if p.Aggregate != nil {
				addPoint(&a, float64(p.Processes), *p.Aggregate, gb)
			}
			addPoint(&e, float64(p.Processes), p.PerProcess, gb)
		}
		all.Lines, each.Lines = append(all.Lines, a), append(each.Lines, e)
		if s.Knee != nil {
			said = append(said, names[i]+": "+strings.TrimSuffix(s.Knee.Text, "."))
			if s.Knee.Verdict == result.KneeFound {
				all.Marks = append(all.Marks, plot.Mark{X: s.Knee.Processes, Label: "knee, " + names[i]})
			}
		}
	}
	if len(said) == 0 {
		said = []string{"Bandwidth against the number of processes"}
	}
	return &plot.Figure{Title: "Bandwidth by number of processes", Desc: describe(said), Parts: []plot.Part{all, each}}
}

// scaleAxis is logarithmic where counts are far apart.
func scaleAxis(records []*result.Scale) plot.Axis {
	most := 0
	for _, s := range records {
		most = max(most, slices.Max(append(s.Counts, 0)))
	}
	a := plot.Axis{Label: "processes", Format: wholeNumber}
	const many = 16
	if most > many {
		a.Scale = plot.Log2
	}
	return a
}
