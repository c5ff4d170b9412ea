package report

import (
	"strings"

	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// LatencyFigure shows what a load takes over the size of the memory, a line a
// record and kind of pages; nil when no record has that.
func LatencyFigure(records ...*result.Latency) *plot.Figure {
	var idle []*result.Latency
	var heads []*result.CurveHead
	for _, r := range records {
		if r.Loaded == nil {
			idle, heads = append(idle, r), append(heads, &r.CurveHead)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	names := curveNames(heads, func(int) string { return "" })
	part := &plot.XY{X: plot.Axis{Label: "size", Scale: plot.Log2, Format: plot.BytesText}, Y: plot.Axis{Label: "ns a load", Scale: plot.Log2}, Height: 320, Marks: cacheBytesMarks(heads)}
	var said []string
	for i, r := range idle {
		for _, kind := range r.PageKinds {
			line := plot.Line{Name: names[i], Markers: true}
			if kind != defaultPages {
				line.Name += ", " + pageWord(kind)
			}
			for j := range r.Points {
				if e := ofKind(&r.Points[j], kind); e != nil {
					addPoint(&line, float64(r.Points[j].Bytes), *e, 1)
				}
			}
			if len(line.X) > 0 {
				part.Lines = append(part.Lines, line)
			}
		}
		for _, text := range latencyWords(r) {
			said = append(said, names[i]+": "+strings.TrimSuffix(text, "."))
		}
	}
	return &plot.Figure{Title: "Latency by size of the memory", Desc: describe(said), Parts: []plot.Part{part}}
}

// LoadedFigure shows latency over the bandwidth that other processes take, a
// line a record; nil when no record has that.
func LoadedFigure(records ...*result.Latency) *plot.Figure {
	var loaded []*result.Latency
	var heads []*result.CurveHead
	for _, r := range records {
		if r.Loaded != nil {
			loaded, heads = append(loaded, r), append(heads, &r.CurveHead)
		}
	}
	if len(loaded) == 0 {
		return nil
	}
	names := curveNames(heads, func(i int) string { return loaded[i].Loaded.Kernel.Name + "/" + loaded[i].Loaded.Kernel.Tier })
	part := &plot.XY{X: plot.Axis{Label: "load of other processes, GB/s"}, Y: plot.Axis{Label: "ns a load"}, Height: 300}
	var said []string
	for i, r := range loaded {
		line := plot.Line{Name: names[i], Markers: true}
		for j := range r.Loaded.Points {
			addPoint(&line, r.Loaded.Points[j].Load.Median/gb, r.Loaded.Points[j].NS, 1)
		}
		part.Lines = append(part.Lines, line)
		for _, text := range loadedWords(r.Loaded) {
			said = append(said, names[i]+": "+strings.TrimSuffix(text, "."))
		}
	}
	if len(said) == 0 {
		said = []string{"Latency against the bandwidth that other processes take"}
	}
	return &plot.Figure{Title: "Latency under load", Desc: describe(said), Parts: []plot.Part{part}}
}
