package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"wordsize/internal/plot"
	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// SummarizeSweep derives the points and the steps from the samples.
func SummarizeSweep(s *result.Sweep) {
	by := make(map[int64][]float64)
	for _, sample := range s.Samples {
		by[sample.Bytes] = append(by[sample.Bytes], sample.Rate)
	}
	s.Points = s.Points[:0]
	var sizes []int64
	var samples [][]float64
	for _, n := range s.Sizes {
		if len(by[n]) == 0 {
			continue
		}
		p := result.SweepPoint{Bytes: n, Rate: estimate(stats.Summarize(by[n]))}
		if s.CallNS != nil { // a pass over n bytes is one call, up to a block
			p.CallShare = new(min(1, *s.CallNS*p.Rate.Median/float64(min(n, loopBlock))/1e9))
		}
		s.Points = append(s.Points, p)
		sizes, samples = append(sizes, n), append(samples, by[n])
	}
	s.Steps = cacheSteps(sizes, samples, false)
	s.Unseen = claimed(s.Steps, s.Host.Caches, sizes)
}

// loopBlock is what a call of the loop gets at most, in bytes: kernel.Block.
const loopBlock = 4 << 20

// SweepTable writes a row a size, the plot, and the steps in words.
func SweepTable(w io.Writer, s *result.Sweep, screen Screen) error {
	if err := plainTable(w, sweepHeader, sweepRows(s)); err != nil {
		return err
	}
	lines := append(wrapWords(strings.Join(sweepNotes(s), " "), screen), "")
	if g := sweepGraph(s).lines(screen); len(g) > 0 {
		lines = append(append(lines, g...), "")
	}
	for _, l := range sweepSteps(s) {
		lines = append(lines, wrapWords(l, screen)...)
	}
	if err := writeLines(w, lines); err != nil {
		return err
	}
	return Warnings(w, s.Warnings)
}

// SweepMarkdown writes the table for a ticket.
func SweepMarkdown(w io.Writer, s *result.Sweep) error {
	return tableMarkdown(w, sweepHeader, sweepRows(s), append(sweepNotes(s), sweepSteps(s)...), warningLines(s.Warnings))
}

var sweepHeader = []string{"size", "GB/s", "95 % interval", "call"}

func sweepRows(s *result.Sweep) (rows [][]string) {
	for i := range s.Points {
		p := &s.Points[i]
		call := "-"
		if p.CallShare != nil {
			if call = fmt.Sprintf("%.0f %%", 100**p.CallShare); *p.CallShare < 0.005 {
				call = ""
			}
		}
		rows = append(rows, []string{Bytes(p.Bytes), number(p.Rate.Median/gb, "%.2f"), rateInterval(p.Rate), call})
	}
	return rows
}

func sweepSteps(s *result.Sweep) []string {
	return stepLines(s.Steps, s.Unseen, s.Host.Caches, func(v float64) string { return number(v/gb, "%.1f GB/s") })
}

func sweepNotes(s *result.Sweep) []string {
	launches := 0
	for _, x := range s.Samples {
		launches = max(launches, x.Launch+1)
	}
	notes := []string{
		fmt.Sprintf("GB/s (10^9 bytes) of one process, %s/%s, %s pages: the median pass, and the", s.Kernel.Name, s.Kernel.Tier, s.Pages),
		fmt.Sprintf("median over %s; each size in a process of its own, in random order.", countOf(launches, "launch")),
	}
	if s.CallNS != nil {
		notes = append(notes, fmt.Sprintf("call: the part of the time that a call of the loop takes by itself, %.2g ns, included.", *s.CallNS))
	}
	return notes
}

func sweepGraph(s *result.Sweep) *termGraph {
	var t termSeries
	for i := range s.Points {
		t.x, t.y = append(t.x, float64(s.Points[i].Bytes)), append(t.y, s.Points[i].Rate.Median/gb)
	}
	g := &termGraph{title: "GB/s", xLabel: "size (dotted: steps)", xFormat: plot.BytesText, xLog: true, series: []termSeries{t}}
	for _, step := range s.Steps {
		g.uprights = append(g.uprights, float64(step.AtBytes))
	}
	return g
}

// SweepCSV writes a row a launch and size, under a header that names the
// units.
func SweepCSV(w io.Writer, s *result.Sweep) error {
	cw := newCSV(w)
	if err := cw.Write([]string{"host", "goarch", "kernel", "tier", "pages", "launch", "bytes", "bytes_per_s", "passes"}); err != nil {
		return err
	}
	for _, x := range s.Samples {
		err := cw.Write([]string{
			s.Host.Hostname, s.Tool.GOARCH, s.Kernel.Name, s.Kernel.Tier, s.Pages, strconv.Itoa(x.Launch), strconv.FormatInt(x.Bytes, 10),
			strconv.FormatFloat(x.Rate, 'f', 0, 64), strconv.FormatInt(x.Passes, 10),
		})
		if err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}

// SweepFigure shows the bandwidth over the size of the memory, a line a
// record.
func SweepFigure(records ...*result.Sweep) *plot.Figure {
	heads := make([]*result.CurveHead, len(records))
	for i, s := range records {
		heads[i] = &s.CurveHead
	}
	names := curveNames(heads, func(i int) string { return records[i].Kernel.Name + "/" + records[i].Kernel.Tier })
	part := &plot.XY{X: plot.Axis{Label: "size", Scale: plot.Log2, Format: plot.BytesText}, Y: plot.Axis{Label: "one process, GB/s"}, Height: 300, Marks: cacheBytesMarks(heads)}
	var said []string
	for i, s := range records {
		line := plot.Line{Name: names[i], Markers: true}
		for j := range s.Points {
			addPoint(&line, float64(s.Points[j].Bytes), s.Points[j].Rate, gb)
		}
		part.Lines = append(part.Lines, line)
		for _, text := range sweepSteps(s) {
			said = append(said, names[i]+": "+strings.TrimSuffix(text, "."))
		}
	}
	return &plot.Figure{Title: "Bandwidth by size of the memory", Desc: describe(said), Parts: []plot.Part{part}}
}
