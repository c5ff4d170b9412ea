package report

import (
	"fmt"
	"io"
	"strconv"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// SummarizeChase derives the points from the launches.
func SummarizeChase(c *result.Chase) {
	c.Points = c.Points[:0]
	for _, n := range c.Nodes {
		if medians, fastest := chaseSamples(c.Launches, n); len(medians) > 0 {
			c.Points = append(c.Points, chasePoint(n, c.NodeBytes, medians, fastest))
		}
	}
}

func chasePoint(nodes, nodeBytes int64, medians []float64, fastest float64) result.ChasePoint {
	return result.ChasePoint{Nodes: nodes, Bytes: nodes * nodeBytes, Min: fastest, NS: estimate(stats.Summarize(medians))}
}

// chaseSamples returns the median round of each launch at one length, and the
// fastest round of all.
func chaseSamples(launches []result.ChaseLaunch, nodes int64) (medians []float64, fastest float64) {
	for i := range launches {
		for _, s := range launches[i].Samples {
			if s.Nodes != nodes || len(s.Rounds) == 0 {
				continue
			}
			sp := result.SpreadOf(s.Rounds)
			if len(medians) == 0 || sp.Min < fastest {
				fastest = sp.Min
			}
			medians = append(medians, sp.Median)
		}
	}
	return medians, fastest
}

// NewChasePair joins the launches of two builds; launches of one build may be
// in several records.
func NewChasePair(wide, narrow []*result.Chase) *result.ChasePair {
	w, n := wide[0], narrow[0]
	p := &result.ChasePair{
		Schema: result.RunSchema, Kind: result.ChasePairKind, Wide: w.Tool.GOARCH, Narrow: n.Tool.GOARCH,
		WideNode: w.NodeBytes, NarrowNode: n.NodeBytes, Caches: w.Host.Caches,
		Rows: []result.ChasePairRow{}, Records: []string{}, Warnings: []string{},
	}
	for _, nodes := range w.Nodes {
		a, fastestA := chaseSamples(launchesOf(wide), nodes)
		b, fastestB := chaseSamples(launchesOf(narrow), nodes)
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		c := stats.Compare(a, b)
		p.Rows = append(p.Rows, result.ChasePairRow{
			Nodes: nodes, Wide: chasePoint(nodes, w.NodeBytes, a, fastestA), Narrow: chasePoint(nodes, n.NodeBytes, b, fastestB),
			Change: c.Change, P: c.P, Samples: [2][]float64{a, b},
		})
	}
	raw := make([]float64, len(p.Rows))
	for i := range p.Rows {
		raw[i] = p.Rows[i].P
	}
	for i, corrected := range stats.Holm(raw) { // many lengths: some would differ by chance
		p.Rows[i].PHolm, p.Rows[i].Significant = corrected, corrected < stats.Alpha
	}
	return p
}

func launchesOf(records []*result.Chase) (all []result.ChaseLaunch) {
	for _, r := range records {
		all = append(all, r.Launches...)
	}
	return all
}

// ChaseTable writes a row a length, and a plot of them.
func ChaseTable(w io.Writer, c *result.Chase) error {
	if err := plainTable(w, chaseHeader, chaseRows(c)); err != nil {
		return err
	}
	lines := append(chaseFootnotes(c), "")
	lines = append(lines, termPlot([]termSeries{chaseSeries(c)}, "nanoseconds a hop", "nodes")...)
	if err := writeLines(w, lines); err != nil {
		return err
	}
	return Warnings(w, c.Warnings)
}

// ChaseMarkdown writes the table for a ticket.
func ChaseMarkdown(w io.Writer, c *result.Chase) error {
	return tableMarkdown(w, chaseHeader, chaseRows(c), chaseFootnotes(c), warningLines(c.Warnings))
}

var chaseHeader = []string{"nodes", "memory", "min", "median", "95 % interval", "launches"}

func chaseRows(c *result.Chase) (rows [][]string) {
	for i := range c.Points {
		p := &c.Points[i]
		rows = append(rows, []string{strconv.FormatInt(p.Nodes, 10), size(&p.Bytes), nanoseconds(p.Min), nanoseconds(p.NS.Median), chaseInterval(p.NS), strconv.Itoa(p.NS.N)})
	}
	return rows
}

func chaseFootnotes(c *result.Chase) []string {
	return []string{
		fmt.Sprintf("Nanoseconds a hop over a random cycle of nodes of %d bytes: a pointer and an int of this", c.NodeBytes),
		fmt.Sprintf("%d-bit build (%s). min: fastest round of all; median: of the launches' median rounds.", c.Tool.WordBits, c.Tool.GOARCH),
	}
}

// nanoseconds writes three digits, and all that stand before the point.
func nanoseconds(ns float64) string {
	switch {
	case ns < 10:
		return fmt.Sprintf("%.2f", ns)
	case ns < 100:
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}

func chaseInterval(e result.Estimate) string {
	if e.Lo == nil || e.Hi == nil {
		return fmt.Sprintf("[n < %d]", stats.MinForInterval)
	}
	return fmt.Sprintf("[%s, %s]", nanoseconds(*e.Lo), nanoseconds(*e.Hi))
}

// ChaseCSV writes a row a round, under a header that names the units.
func ChaseCSV(w io.Writer, c *result.Chase) error {
	cw := newCSV(w)
	if err := cw.Write([]string{"host", "goarch", "node_bytes", "nodes", "list_bytes", "launch", "pid", "pinned_cpu", "round", "ns_per_hop"}); err != nil {
		return err
	}
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	for i := range c.Launches {
		l := &c.Launches[i]
		for _, s := range l.Samples {
			for r, ns := range s.Rounds {
				row := []string{
					c.Host.Hostname, c.Tool.GOARCH, num(c.NodeBytes), num(s.Nodes), num(s.Nodes * c.NodeBytes), strconv.Itoa(i), strconv.Itoa(l.PID),
					maybe(l.PinnedCPU), strconv.Itoa(r), strconv.FormatFloat(ns, 'f', 4, 64),
				}
				if err := cw.Write(row); err != nil {
					return err
				}
			}
		}
	}
	cw.Flush()
	return cw.Error()
}

// chaseWarning returns the sentence of a warning that only such records have.
func chaseWarning(w *result.Warning) string {
	v := func(key string) float64 { return w.Values[key] }
	switch w.Code {
	case result.WarnCurveCached:
		return fmt.Sprintf("the curve ends at %.4g MiB, less than %g last-level caches of %.4g MiB (says %s): the end of the curve is the cache's too",
			v("list_bytes")/(1<<20), v("multiple"), v("cache_bytes")/(1<<20), w.Subject)
	case result.WarnCurveUnknown:
		return fmt.Sprintf("the last-level cache's size is unknown here: whether the end of the curve, %.4g MiB, is far beyond it cannot be told", v("list_bytes")/(1<<20))
	}
	return fmt.Sprintf("launch %g was without its CPU for %s of %s: it was stopped, or something else ran", v("launch"), milliseconds(v("waited_ns")), milliseconds(v("wall_ns")))
}
