package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"wordsize/internal/page"
	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// CurveRecord is one curve with its place.
type CurveRecord struct {
	File  string
	Curve result.Curve
}

// curvesOf returns the records of one type, in order of time.
func curvesOf[T result.Curve](r *Report) (all []T) {
	for i := range r.Curves {
		if c, ok := r.Curves[i].Curve.(T); ok {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b T) int { return a.Head().Started.Compare(b.Head().Started) })
	return all
}

func (b *book) scaling() *plot.Figure {
	if all := curvesOf[*result.Scale](b.Report); len(all) > 0 {
		return ScaleFigure(all...)
	}
	return nil
}

func (b *book) sweep() *plot.Figure {
	if all := curvesOf[*result.Sweep](b.Report); len(all) > 0 {
		return SweepFigure(all...)
	}
	return nil
}

func (b *book) latency() *plot.Figure {
	return LatencyFigure(curvesOf[*result.Latency](b.Report)...)
}

func (b *book) loaded() *plot.Figure { return LoadedFigure(curvesOf[*result.Latency](b.Report)...) }

// curveSection is a section of the page for one kind of curve.
type curveSection struct {
	figure, title, caption string
}

var curveSections = []curveSection{
	{"scaling", "Scaling", "Medians over launches with their 95 % intervals, where there are six. Each launch measured every count, in rotating order."},
	{"sweep", "Bandwidth by size", "Medians over launches with their 95 % intervals. Upright lines: sizes that the system claims of its caches."},
	{"latency", "Latency by size", "Each load's address comes out of the one before. Upright lines: sizes that the system claims of its caches."},
	{"loaded", "Latency under load", "One process' dependent loads, while others move as much as the axis says."},
}

func isCurveFigure(name string) bool {
	return slices.ContainsFunc(curveSections, func(s curveSection) bool { return s.figure == name })
}

// firstCurve names the figure of the first kind of curves that there is.
func (r *Report) firstCurve() string {
	b := &book{Report: r}
	for _, s := range curveSections {
		if b.curveFigure(s.figure) != nil {
			return s.figure
		}
	}
	return "none"
}

// DefaultFigure names the figure that says most.
func DefaultFigure(r *Report) string {
	if r.Comparison == nil {
		return r.firstCurve()
	}
	return "bars"
}

func (b *book) curveFigure(name string) *plot.Figure {
	for _, f := range figures {
		if f.name == name {
			return f.draw(b)
		}
	}
	return nil
}

// curveSections are those sections that have a curve: the figure of all
// records, and what each says.
func (b *book) curveSections() (all []page.Section) {
	for _, s := range curveSections {
		if b.curveFigure(s.figure) == nil {
			continue
		}
		blocks := []page.Block{&page.Figure{Caption: s.caption, Plot: func(float64) *plot.Figure { return b.curveFigure(s.figure) }}}
		all = append(all, page.Section{ID: s.figure, Title: s.title, Blocks: append(blocks, b.curveBlocks(s.figure)...)})
	}
	return all
}

// curveBlocks are what each record of a kind says in words, its table and its
// warnings.
func (b *book) curveBlocks(figure string) (blocks []page.Block) {
	for i := range b.Curves {
		v := viewCurve(b.Curves[i].Curve)
		if v.figure != figure {
			continue
		}
		h := b.Curves[i].Curve.Head()
		v.words = append(v.words, warningLines(h.Warnings)...)
		if h.Interrupted || h.Error != "" {
			v.words = append(v.words, "This record is not complete: "+orUnknown(printable(h.Error)))
		}
		t := &page.Table{Header: v.header, Align: "r", Notes: v.notes}
		for _, row := range v.rows {
			t.Rows = append(t.Rows, page.Cells(row...))
		}
		name := fmt.Sprintf("%s: %s, %s, %s", printable(b.Curves[i].File), orUnknown(printable(h.Host.Hostname)), h.Tool.GOARCH, h.Started.UTC().Format("2006-01-02 15:04"))
		blocks = append(blocks, page.Text(name), page.List(v.words), &page.Details{Summary: "The figures", Blocks: []page.Block{t}})
	}
	return blocks
}

// curveView is a record as tables and words.
type curveView struct {
	figure       string
	header       []string
	rows         [][]string
	notes, words []string
}

func viewCurve(c result.Curve) curveView {
	switch c := c.(type) {
	case *result.Scale:
		v := curveView{figure: "scaling", header: scaleHeader, rows: scaleRows(c), notes: scaleNotes(c)}
		if c.Knee != nil {
			v.words = []string{printable(c.Knee.Text)}
		}
		return v
	case *result.Sweep:
		return curveView{figure: "sweep", header: sweepHeader, rows: sweepRows(c), notes: sweepNotes(c), words: sweepSteps(c)}
	case *result.Latency:
		v := curveView{figure: "latency", notes: latencyNotes(c), words: latencyWords(c)}
		if c.Loaded != nil {
			v.figure = "loaded"
		}
		v.header, v.rows = latencyRows(c)
		return v
	}
	return curveView{}
}

// curvesPage writes a page of curves alone.
func curvesPage(w io.Writer, r *Report) error {
	b := newBook(r)
	var hosts, builds []string
	for i := range r.Curves {
		h := r.Curves[i].Curve.Head()
		if name := orUnknown(printable(h.Host.Hostname)); !slices.Contains(hosts, name) {
			hosts = append(hosts, name)
		}
		if !slices.Contains(builds, h.Tool.GOARCH) {
			builds = append(builds, h.Tool.GOARCH)
		}
	}
	p := &page.Page{
		Title:    "memtest: " + someOf(hosts, "hosts"),
		Subtitle: fmt.Sprintf("%s; %s", countOf(len(r.Curves), "curve"), strings.Join(builds, ", ")),
		Sections: b.curveSections(), Footer: r.footer(),
	}
	for i := range r.Curves {
		if s, ok := r.Curves[i].Curve.(*result.Scale); ok && s.Knee != nil {
			p.Lead = append(p.Lead, &page.Verdict{Text: orUnknown(printable(s.Host.Hostname)) + ", " + s.Tool.GOARCH + ": " + printable(s.Knee.Text)})
		}
	}
	return p.Write(w)
}
