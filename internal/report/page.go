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

// FigureList names the figures of a report, in the order of the page.
func FigureList() string {
	names := make([]string, len(figures))
	for i, f := range figures {
		names[i] = f.name
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// CheckFigure returns a *FigureError when there is no figure of that name.
func CheckFigure(name string) error {
	for _, f := range figures {
		if f.name == name {
			return nil
		}
	}
	return &FigureError{name}
}

// figure is one kind of figure; draw returns nil when the records have nothing
// for it.
type figure struct {
	name string
	draw func(*book) *plot.Figure
}

var figures = []figure{
	{"bars", (*book).bars}, {"launches", (*book).launchPlot}, {"timeline", (*book).timeline}, {"placement", (*book).placement},
	{"scaling", (*book).scaling}, {"sweep", (*book).sweep}, {"latency", (*book).latency}, {"loaded", (*book).loaded},
}

// FigureError is a figure's name that is none.
type FigureError struct{ Name string }

func (e *FigureError) Error() string {
	return fmt.Sprintf("%q is no figure: want %s", e.Name, FigureList())
}

// NoFigureError is a figure that the records have nothing for.
type NoFigureError struct{ Name, Why string }

func (e *NoFigureError) Error() string { return fmt.Sprintf("no figure %q: %s", e.Name, e.Why) }

// Report is what a page is made from: records, what comparing them gave, and
// what is known of them.
type Report struct {
	Comparison *result.Comparison // of one group at least; nil when there are curves alone
	Curves     []CurveRecord
	Records    []Record
	Facts      []Fact
	Version    string // of this program
}

// Record is one run with its place.
type Record struct {
	File  string
	Group int // index into the comparison's groups
	Run   *result.Run
}

// Fact is a key of the records with its distinct values in each group.
type Fact struct {
	Path    string // such as host.cpu.microcode
	Values  [][]string
	Differs bool // between groups
}

// Figure returns one figure: a *FigureError when there is none of that name, a
// *NoFigureError when the records have nothing for it.
func Figure(r *Report, name string) (*plot.Figure, error) {
	for _, f := range figures {
		if f.name != name {
			continue
		}
		var fig *plot.Figure
		ofCurves := isCurveFigure(name)
		if ofCurves || r.Comparison != nil {
			fig = f.draw(newBook(r))
		}
		switch {
		case fig == nil && ofCurves:
			return nil, &NoFigureError{name, "no record has that curve"}
		case r.Comparison == nil && fig == nil:
			return nil, &NoFigureError{name, "there are only curves: want " + r.firstCurve()}
		case fig != nil:
			return fig, nil
		case name == "launches":
			return nil, &NoFigureError{name, "there is one launch only"}
		case name == "placement":
			return nil, &NoFigureError{name, "no record has it (it takes root, CAP_SYS_ADMIN, on Linux)"}
		}
		return nil, &NoFigureError{name, "no phase of these records is complete"}
	}
	return nil, &FigureError{name}
}

// Page writes the report as HTML.
func Page(w io.Writer, r *Report) error {
	if r.Comparison == nil {
		return curvesPage(w, r)
	}
	b := newBook(r)
	p := &page.Page{Title: "memtest: " + b.title(), Subtitle: b.subtitle(), Lead: b.verdicts()}
	add := func(id, title string, blocks ...page.Block) {
		blocks = slices.DeleteFunc(blocks, func(x page.Block) bool { return x == nil })
		if len(blocks) > 0 {
			p.Sections = append(p.Sections, page.Section{ID: id, Title: title, Blocks: blocks})
		}
	}
	add("bandwidth", "Bandwidth", b.barsBlock(), b.figuresTable())
	add("comparison", b.comparisonTitle(), b.comparisonBlocks()...)
	add("launches", "Launches in turn", b.launchesBlock())
	add("timeline", "Pass by pass", b.timelineBlocks()...)
	add("placement", "Placement in physical memory", b.placementBlocks()...)
	p.Sections = append(p.Sections, b.curveSections()...)
	add("hosts", "Hosts", b.hostBlocks()...)
	add("warnings", "Warnings", b.warningBlocks()...)
	add("records", "Records", b.recordsBlock())
	add("method", "How the figures were made", b.methodBlocks()...)
	p.Footer = r.footer()
	return p.Write(w)
}

func (r *Report) footer() string {
	return "Made by memtest " + printable(r.Version) + ". This file is complete: it asks nothing of any network."
}

// book is a report in the making.
type book struct {
	*Report
	c      *result.Comparison
	byTime [][]int // records of each group in order of time
	lines  []*timelineOf
}

func newBook(r *Report) *book {
	b := &book{Report: r, c: r.Comparison}
	if b.c == nil {
		return b
	}
	b.byTime = make([][]int, len(b.c.Groups))
	for _, i := range b.ordered() {
		g := r.Records[i].Group
		b.byTime[g] = append(b.byTime[g], i)
	}
	return b
}

// ordered returns the records in order of time.
func (b *book) ordered() []int {
	order := make([]int, len(b.Records))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return b.Records[i].Run.Started.Compare(b.Records[j].Run.Started) })
	return order
}

func (b *book) name(g int) string { return printable(b.c.Groups[g].Name) }

// base is the index of the baseline.
func (b *book) base() int {
	return max(0, slices.IndexFunc(b.c.Groups, func(g result.ComparedGroup) bool { return g.Name == b.c.Baseline }))
}

// setup is what the figures of a phase must share to stand beside each other.
type setup struct {
	loop      string
	processes int
	chunk     int64
	pages     string
	numa      string
}

func setupOf(run *result.Run) setup {
	return setup{run.Kernel.Name + "/" + run.Kernel.Tier, run.Args.Processes, run.Args.ChunkBytes, run.Args.Pages, run.Args.NUMA}
}

func (s setup) String() string {
	text := fmt.Sprintf("%s, %d x %s MiB", s.loop, s.processes, trimFloat(float64(s.chunk)/(1<<20)))
	if s.pages != "" && s.pages != "default" {
		text += ", " + s.pages + " pages"
	}
	if s.numa != "" && s.numa != result.NUMADefault {
		text += ", NUMA " + s.numa
	}
	return text
}

// setups returns the distinct ones of a group, in order of appearance.
func (b *book) setups(g int) []setup {
	var all []setup
	for _, i := range b.byTime[g] {
		if s := setupOf(b.Records[i].Run); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// together returns a group's launches of one setup as one run.
func (b *book) together(g int, s setup) *result.Run {
	all := new(result.Run)
	for _, i := range b.byTime[g] {
		if run := b.Records[i].Run; setupOf(run) == s {
			all.Launches = append(all.Launches, run.Launches...)
		}
	}
	return all
}

func (b *book) title() string {
	names := make([]string, len(b.c.Groups))
	for g := range names {
		names[g] = b.name(g)
	}
	switch {
	case len(names) == 1:
		return names[0]
	case len(names) == 2:
		base := b.base()
		return names[1-base] + " against " + names[base]
	case len(names) <= 4:
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%d groups by %s", len(names), keyWords(b.c.By))
}

func (b *book) subtitle() string {
	launches := 0
	var hosts, cpus []string
	for i := range b.Records {
		run := b.Records[i].Run
		launches += len(run.Launches)
		if h := orUnknown(printable(run.Host.Hostname)); !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
		if m := printable(run.Host.CPU.Model); m != "" && !slices.Contains(cpus, m) {
			cpus = append(cpus, m)
		}
	}
	order := b.ordered()
	first, last := b.Records[order[0]].Run.Started.UTC(), b.Records[order[len(order)-1]].Run.Started.UTC()
	when := first.Format("2006-01-02 15:04")
	if !first.Equal(last) {
		when += " to " + last.Format("2006-01-02 15:04")
	}
	text := fmt.Sprintf("%s of %s on %s, %s UTC", countOf(launches, "launch"), countOf(len(b.Records), "record"), someOf(hosts, "hosts"), when)
	if len(cpus) > 0 {
		text += "; " + someOf(cpus, "CPU models")
	}
	return text
}

// someOf names a few, and counts many.
func someOf(list []string, what string) string {
	if len(list) > 3 {
		return fmt.Sprintf("%d %s", len(list), what)
	}
	return strings.Join(list, ", ")
}

func countOf(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch") || strings.HasSuffix(what, "ss"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
