package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/plot"
	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// The kinds of pages that a record of latency has.
const (
	basePages    = "4k"
	hugePages    = "thp"
	defaultPages = "default" // whatever the system gives
)

// latencyKey is one size with one kind of pages.
type latencyKey struct {
	bytes int64
	pages string
}

// SummarizeLatency derives the points and the steps from the samples. gotHuge
// says whether a sample that was to lie in huge pages did.
func SummarizeLatency(r *result.Latency, gotHuge func(*result.LatencySample) bool) {
	by := make(map[latencyKey][]float64)
	launch := make(map[latencyKey]map[int]float64)
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Pages == hugePages && !gotHuge(s) {
			continue
		}
		k := latencyKey{s.Bytes, s.Pages}
		if by[k] = append(by[k], s.NS); launch[k] == nil {
			launch[k] = make(map[int]float64)
		}
		launch[k][s.Launch] = s.NS
	}
	r.Points = r.Points[:0]
	for _, n := range r.Sizes {
		p := result.LatencyPoint{Bytes: n}
		for _, kind := range r.PageKinds {
			if v := by[latencyKey{n, kind}]; len(v) > 0 {
				p.Kinds = append(p.Kinds, result.LatencyOfKind{Pages: kind, NS: estimate(stats.Summarize(v))})
			}
		}
		p.TLB = pairedDifference(launch[latencyKey{n, basePages}], launch[latencyKey{n, hugePages}])
		if len(p.Kinds) > 0 {
			r.Points = append(r.Points, p)
		}
	}
	latencySteps(r, by)
	summarizeLoaded(r.Loaded)
}

// pairedDifference returns the median over launches of what one is above the
// other; nil when no launch has both.
func pairedDifference(a, b map[int]float64) *float64 {
	var all []float64
	for l, v := range a {
		if w, ok := b[l]; ok {
			all = append(all, v-w)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return new(result.SpreadOf(all).Median)
}

// latencySteps finds the steps with huge pages, where the TLB has no part in
// them, else with what there is.
func latencySteps(r *result.Latency, by map[latencyKey][]float64) {
	r.StepsOf = ""
	for _, kind := range r.PageKinds {
		if n := countKind(r, kind); r.StepsOf == "" && n > 0 || kind == hugePages && 2*n > len(r.Points) {
			r.StepsOf = kind
		}
	}
	var sizes []int64
	var samples [][]float64
	for _, n := range r.Sizes {
		if v := by[latencyKey{n, r.StepsOf}]; len(v) > 0 {
			sizes, samples = append(sizes, n), append(samples, v)
		}
	}
	r.Steps = cacheSteps(sizes, samples, true)
	r.Unseen = claimed(r.Steps, r.Host.Caches, sizes)
}

func countKind(r *result.Latency, kind string) (n int) {
	for i := range r.Points {
		if ofKind(&r.Points[i], kind) != nil {
			n++
		}
	}
	return n
}

// ofKind returns a point's figures with one kind of pages; nil without them.
func ofKind(p *result.LatencyPoint, kind string) *result.Estimate {
	for i := range p.Kinds {
		if p.Kinds[i].Pages == kind {
			return &p.Kinds[i].NS
		}
	}
	return nil
}

func summarizeLoaded(l *result.LoadedLatency) {
	if l == nil {
		return
	}
	l.Points = l.Points[:0]
	key := func(d *int) int {
		if d == nil {
			return math.MaxInt
		}
		return *d
	}
	ns, load := make(map[int][]float64), make(map[int][]float64)
	var delays []int
	for i := range l.Samples {
		s := &l.Samples[i]
		d := key(s.Delay)
		if len(ns[d]) == 0 {
			delays = append(delays, d)
		}
		ns[d], load[d] = append(ns[d], s.NS), append(load[d], s.Load)
	}
	slices.Sort(delays)
	for _, d := range slices.Backward(delays) {
		p := result.LoadedPoint{Load: estimate(stats.Summarize(load[d])), NS: estimate(stats.Summarize(ns[d]))}
		if d != math.MaxInt {
			p.Delay = &d
		}
		l.Points = append(l.Points, p)
	}
}

// pageWord names a kind of pages.
func pageWord(kind string) string {
	switch kind {
	case basePages:
		return "4 KiB pages"
	case hugePages:
		return "huge pages"
	case defaultPages:
		return "default pages"
	}
	return kind
}

// LatencyTable writes the tables, the plot, and what they show in words.
func LatencyTable(w io.Writer, r *result.Latency, screen Screen) error {
	header, rows := latencyRows(r)
	if err := plainTable(w, header, rows); err != nil {
		return err
	}
	lines := append(wrapWords(strings.Join(latencyNotes(r), " "), screen), "")
	if g := latencyGraph(r).lines(screen); len(g) > 0 {
		lines = append(append(lines, g...), "")
	}
	for _, l := range latencyWords(r) {
		lines = append(lines, wrapWords(l, screen)...)
	}
	if err := writeLines(w, lines); err != nil {
		return err
	}
	return Warnings(w, r.Warnings)
}

// LatencyMarkdown writes the table for a ticket.
func LatencyMarkdown(w io.Writer, r *result.Latency) error {
	header, rows := latencyRows(r)
	return tableMarkdown(w, header, rows, append(latencyNotes(r), latencyWords(r)...), warningLines(r.Warnings))
}

func latencyRows(r *result.Latency) (header []string, rows [][]string) {
	if r.Loaded != nil {
		return loadedRows(r.Loaded)
	}
	header = []string{"size"}
	for _, k := range r.PageKinds {
		column := pageWord(k)
		if k == defaultPages {
			column = "ns"
		}
		header = append(header, column, "95 % interval")
	}
	both := len(r.PageKinds) > 1
	if both {
		header = append(header, "TLB")
	}
	for i := range r.Points {
		p := &r.Points[i]
		row := []string{Bytes(p.Bytes)}
		for _, k := range r.PageKinds {
			if e := ofKind(p, k); e != nil {
				row = append(row, nanoseconds(e.Median), chaseInterval(*e))
			} else {
				row = append(row, "-", "-")
			}
		}
		if both {
			row = append(row, tlbCell(p))
		}
		rows = append(rows, row)
	}
	return header, rows
}

// apart says whether the intervals of the kinds of pages do not overlap; false
// when there are none.
func apart(p *result.LatencyPoint) bool {
	base, huge := ofKind(p, basePages), ofKind(p, hugePages)
	if base == nil || huge == nil || base.Lo == nil || huge.Lo == nil {
		return false
	}
	return *base.Lo > *huge.Hi || *base.Hi < *huge.Lo
}

// tlbCell writes a difference in nanoseconds: "-" when there is none, with a
// question mark where chance may have made it.
func tlbCell(p *result.LatencyPoint) string {
	if p.TLB == nil {
		return "-"
	}
	cell := "0.0"
	if math.Abs(*p.TLB) >= 0.05 {
		cell = fmt.Sprintf("%+.1f", *p.TLB)
	}
	if apart(p) {
		return cell
	}
	return cell + "?"
}

func loadedRows(l *result.LoadedLatency) (header []string, rows [][]string) {
	header = []string{"delay", "load GB/s", "ns", "95 % interval", "against idle"}
	var idle *float64
	for i := range l.Points {
		p := &l.Points[i]
		delay, against := "no load", "-"
		if p.Delay != nil {
			delay = strconv.Itoa(*p.Delay)
		} else {
			idle = &p.NS.Median
		}
		if idle != nil {
			against = fmt.Sprintf("%.2fx", p.NS.Median / *idle)
		}
		rows = append(rows, []string{delay, number(p.Load.Median/gb, "%.2f"), nanoseconds(p.NS.Median), chaseInterval(p.NS), against})
	}
	return header, rows
}

func latencyNotes(r *result.Latency) []string {
	launches := 0
	for i := range r.Samples {
		launches = max(launches, r.Samples[i].Launch+1)
	}
	l := r.Loaded
	if l == nil {
		notes := []string{
			fmt.Sprintf("Nanoseconds a load: each load's address comes out of the one before; one place in each %d bytes, in random order; native pointers (%s).", r.LineBytes, r.Tool.GOARCH),
			fmt.Sprintf("Medians over %s.", countOf(launches, "launch")),
		}
		if len(r.PageKinds) > 1 {
			notes = append(notes, "TLB: what 4 KiB pages cost more than huge ones in the same launch; ?: their intervals overlap, or there are too few launches.")
		}
		return notes
	}
	for i := range l.Samples {
		launches = max(launches, l.Samples[i].Launch+1)
	}
	return []string{
		fmt.Sprintf("Nanoseconds a dependent load of one process over %s (%s), while %s of %s/%s over %s each pause after every %s.",
			Bytes(l.Bytes), pageWord(l.Pages), countOf(l.Processes, "process"), l.Kernel.Name, l.Kernel.Tier, Bytes(l.ChunkBytes), Bytes(l.PieceBytes)),
		"delay: the pause in turns of an idle loop, about a nanosecond each; load: what they moved meanwhile, GB/s (10^9 bytes).",
		fmt.Sprintf("Medians over %s.", countOf(launches, "launch")),
	}
}

// latencyWords says what the figures show.
func latencyWords(r *result.Latency) []string {
	if r.Loaded != nil {
		return loadedWords(r.Loaded)
	}
	lines := stepLines(r.Steps, r.Unseen, r.Host.Caches, func(ns float64) string { return nanoseconds(ns) + " ns" })
	if len(r.PageKinds) > 1 && r.StepsOf == hugePages {
		lines = append([]string{"With huge pages:"}, lines...)
	}
	for i := len(r.Points) - 1; i >= 0; i-- {
		p := &r.Points[i]
		if base, huge := ofKind(p, basePages), ofKind(p, hugePages); base != nil && huge != nil && p.TLB != nil {
			text := fmt.Sprintf("At %s a load takes %s ns with huge pages and %s with 4 KiB ones", Bytes(p.Bytes), nanoseconds(huge.Median), nanoseconds(base.Median))
			switch {
			case !apart(p):
				text += ": launches scatter too much to tell the TLB's cost."
			case *p.TLB > 0:
				text += fmt.Sprintf(": the TLB costs %s ns of that.", nanoseconds(*p.TLB))
			default:
				text += "."
			}
			lines = append(lines, text)
			break
		}
	}
	return lines
}

func loadedWords(l *result.LoadedLatency) []string {
	if len(l.Points) < 2 || l.Points[0].Delay != nil {
		return nil
	}
	idle, most := &l.Points[0], &l.Points[0]
	for i := range l.Points {
		if l.Points[i].Load.Median > most.Load.Median {
			most = &l.Points[i]
		}
	}
	return []string{fmt.Sprintf("Idle, a load takes %s ns; under %.1f GB/s of other processes %s ns, %.2f times as long.",
		nanoseconds(idle.NS.Median), most.Load.Median/gb, nanoseconds(most.NS.Median), most.NS.Median/idle.NS.Median)}
}

func latencyGraph(r *result.Latency) *termGraph {
	if l := r.Loaded; l != nil {
		var t termSeries
		for i := range l.Points {
			t.x, t.y = append(t.x, l.Points[i].Load.Median/gb), append(t.y, l.Points[i].NS.Median)
		}
		return &termGraph{title: "ns a load", xLabel: "GB/s of others", xFormat: func(v float64) string { return fmt.Sprintf("%.3g", v) }, series: []termSeries{t}}
	}
	g := &termGraph{title: "ns a load", xLabel: "size (dotted: steps)", xFormat: plot.BytesText, xLog: true, yLog: true}
	for _, kind := range r.PageKinds {
		t := termSeries{name: pageWord(kind)}
		if len(r.PageKinds) == 1 {
			t.name = ""
		}
		for i := range r.Points {
			if e := ofKind(&r.Points[i], kind); e != nil {
				t.x, t.y = append(t.x, float64(r.Points[i].Bytes)), append(t.y, e.Median)
			}
		}
		g.series = append(g.series, t)
	}
	for _, s := range r.Steps {
		g.uprights = append(g.uprights, float64(s.AtBytes))
	}
	return g
}

// LatencyCSV writes a row a launch and size, or delay, under a header that
// names the units. Cells of absent values are empty.
func LatencyCSV(w io.Writer, r *result.Latency) error {
	cw := newCSV(w)
	ns := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	rows := [][]string{{"host", "goarch", "launch", "bytes", "pages", "ns_per_load", "loads", "chunk_huge_bytes"}}
	for i := range r.Samples {
		s := &r.Samples[i]
		rows = append(rows, []string{r.Host.Hostname, r.Tool.GOARCH, strconv.Itoa(s.Launch), num(s.Bytes), s.Pages, ns(s.NS), num(s.Loads), maybe(s.HugeBytes)})
	}
	if l := r.Loaded; l != nil {
		rows = [][]string{{"host", "goarch", "launch", "bytes", "pages", "kernel", "tier", "processes", "delay", "load_bytes_per_s", "ns_per_load"}}
		for i := range l.Samples {
			s := &l.Samples[i]
			rows = append(rows, []string{r.Host.Hostname, r.Tool.GOARCH, strconv.Itoa(s.Launch), num(l.Bytes), l.Pages, l.Kernel.Name, l.Kernel.Tier, strconv.Itoa(l.Processes), maybe(s.Delay), strconv.FormatFloat(s.Load, 'f', 0, 64), ns(s.NS)})
		}
	}
	for _, row := range rows {
		if err := cw.Write(row); err != nil {
			return err
		}
	}
	cw.Flush()
	return cw.Error()
}
