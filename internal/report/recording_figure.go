package report

import (
	"fmt"
	"math"

	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// UsageFigure draws one recording: memory of the largest processes upon each
// other, CPU use, and the number of processes.
func UsageFigure(l *result.LabelUsage, c *result.Course) *plot.Figure {
	f := &plot.Figure{Title: "What " + printable(l.Label) + " took over time", Desc: courseDesc(l, c)}
	for _, p := range []*plot.XY{memoryPlane(l, c), cpuPlane(l, c), countPlane(c)} {
		p.X = timeAxis(c)
		f.Parts = append(f.Parts, p)
	}
	return f
}

func timeAxis(c *result.Course) plot.Axis {
	end := float64(0)
	for _, list := range [][]int64{c.AtNS, c.EndsNS} {
		if n := len(list); n > 0 {
			end = max(end, float64(list[n-1])/1e9)
		}
	}
	return plot.Axis{Scale: plot.Duration, Min: 0, Max: max(end, 1e-3)}
}

// courseDesc is for somebody who cannot see the drawing.
func courseDesc(l *result.LabelUsage, c *result.Course) string {
	t := &l.Total
	said := []string{fmt.Sprintf("%s over %s", countOf(int(t.Started), "process"), spanText(l.Recordings[0].ElapsedNS))}
	if d := t.PSS; d != nil {
		said = append(said, fmt.Sprintf("PSS of all: %s MiB on average, %s at most", mibText(d.Avg), mibText(d.Max)))
	}
	if d := t.CPU; d != nil {
		said = append(said, fmt.Sprintf("CPU: %.1f %% on average, %.1f %% at most", d.Avg, d.Max))
	}
	for _, p := range c.Processes {
		said = append(said, "one area: "+processName(&p))
	}
	return describe(said)
}

func processName(p *result.CourseProcess) string {
	return fmt.Sprintf("%s (%d)", printable(string(p.Program)), p.PID)
}

// memoryPlane has an area for each of the largest processes, and one for all
// others.
func memoryPlane(l *result.LabelUsage, c *result.Course) *plot.XY {
	p := &plot.XY{Title: "Memory: " + memoryName(l), Y: plot.Axis{Scale: plot.Bytes}, Height: 260, Stack: &plot.Stack{X: times(c.AtNS)}}
	for i := range c.Processes {
		p.Stack.Names = append(p.Stack.Names, processName(&c.Processes[i]))
		p.Stack.Values = append(p.Stack.Values, c.Processes[i].Bytes)
	}
	rest := false
	for _, v := range c.Others {
		rest = rest || v > mib/64
	}
	if rest || len(c.Processes) == 0 {
		p.Stack.Names = append(p.Stack.Names, "all others")
		p.Stack.Values = append(p.Stack.Values, c.Others)
	}
	for _, e := range c.Events {
		sign := "+ "
		if !e.Start {
			sign = "end of "
		}
		p.Marks = append(p.Marks, plot.Mark{X: float64(e.AtNS) / 1e9, Label: fmt.Sprintf("%s%s (%d)", sign, printable(string(e.Program)), e.PID)})
	}
	return p
}

// cpuPlane has CPU use of all with a band up to its highest, and of the
// programs that used most.
func cpuPlane(l *result.LabelUsage, c *result.Course) *plot.XY {
	high := make([]float64, len(c.CPU))
	for i, v := range c.CPU {
		high[i] = math.NaN()
		if !math.IsNaN(v) {
			high[i] = max(v, c.CPUHigh[i])
		}
	}
	x := times(c.EndsNS)
	p := &plot.XY{
		Title: "CPU", Y: plot.Axis{Label: "percent of one CPU; band: highest over " + spanText(l.Total.WindowNS)}, Height: 160,
		Lines: []plot.Line{{Name: "all", X: x, Y: c.CPU, Lo: c.CPU, Hi: high}},
	}
	for _, g := range c.GroupCPU {
		p.Lines = append(p.Lines, plot.Line{Name: printable(string(g.Name)), X: x, Y: g.Percent})
	}
	return p
}

// countPlane has the number of processes and, where there are too many starts
// for a mark each, how many started and ended.
func countPlane(c *result.Course) *plot.XY {
	x := times(c.EndsNS)
	p := &plot.XY{Title: "Processes at once", Y: plot.Axis{Format: wholeNumber}, Height: 130, Lines: []plot.Line{{Name: "at once", X: x, Y: c.Count, Step: true}}}
	if c.Events != nil {
		return p
	}
	p.Title = "Processes"
	every := spanText(c.SlotNS)
	p.Lines = append(p.Lines,
		plot.Line{Name: "started in " + every, X: x, Y: c.Starts, Step: true},
		plot.Line{Name: "ended in " + every, X: x, Y: c.Stops, Step: true})
	return p
}
