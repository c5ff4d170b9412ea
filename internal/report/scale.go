package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// SummarizeScale derives the points and the knee from the launches.
func SummarizeScale(s *result.Scale) {
	s.Points = s.Points[:0]
	fit := stats.Scaling{}
	for _, n := range s.Counts {
		p, aggregates, ok := scalePoint(s, n)
		if !ok {
			continue
		}
		s.Points = append(s.Points, p)
		if len(aggregates) > 0 {
			fit.N, fit.Values = append(fit.N, float64(n)), append(fit.Values, aggregates)
		}
	}
	added(s.Points)
	s.Knee = nil
	if k, ok := stats.FitKnee(fit); ok {
		s.Knee = knee(k)
		s.Knee.Text = kneeText(s.Knee, s.Points)
	}
}

// scalePoint summarizes one count; ok is false when it was never measured.
func scalePoint(s *result.Scale, n int) (p result.ScalePoint, aggregates []float64, ok bool) {
	var processes, fairness, efficiency []float64
	for i := range s.Launches {
		sum := summaryOf(&s.Launches[i], n)
		if sum == nil {
			continue
		}
		processes, fairness = append(processes, sum.PerProcess.Median), append(fairness, sum.Fairness)
		if sum.Aggregate == nil {
			continue
		}
		aggregates = append(aggregates, *sum.Aggregate)
		if one := summaryOf(&s.Launches[i], 1); one != nil && one.Aggregate != nil {
			efficiency = append(efficiency, *sum.Aggregate/(float64(n)**one.Aggregate))
		}
	}
	if len(processes) == 0 {
		return p, nil, false
	}
	p = result.ScalePoint{
		Processes: n, PerProcess: estimate(stats.Summarize(processes)), Fairness: result.SpreadOf(fairness).Median,
	}
	if len(aggregates) > 0 {
		p.Aggregate = new(estimate(stats.Summarize(aggregates)))
	}
	if len(efficiency) > 0 {
		p.Efficiency = new(result.SpreadOf(efficiency).Median)
	}
	return p, aggregates, true
}

// summaryOf returns the summary of one count in a launch; nil without one.
func summaryOf(l *result.Launch, n int) *result.PhaseSummary {
	for i := range l.Phases {
		if l.Phases[i].Processes == n {
			return l.Phases[i].Summary
		}
	}
	return nil
}

// added fills in what each further process brings.
func added(points []result.ScalePoint) {
	if len(points) == 0 || points[0].Processes != 1 || points[0].Aggregate == nil {
		return
	}
	for i := 1; i < len(points); i++ {
		a, b := &points[i-1], &points[i]
		if a.Aggregate == nil || b.Aggregate == nil {
			continue
		}
		each := (b.Aggregate.Median - a.Aggregate.Median) / float64(b.Processes-a.Processes)
		b.Added = new(each / points[0].Aggregate.Median)
	}
}

const (
	strongEvidence = 10  // of the BIC (Kass and Raftery)
	saturated      = 0.5 // slope after over slope before, at a knee
)

func knee(k stats.Knee) *result.Knee {
	r := &result.Knee{Verdict: result.KneeNone, Processes: k.At, Slope: k.Slope, After: k.After, Evidence: k.Evidence}
	steep := k.After < saturated*k.Slope
	switch {
	case k.Evidence < strongEvidence && steep:
		r.Verdict = result.KneeUnclear
	case k.Evidence < strongEvidence || k.After >= k.Slope:
	case steep:
		r.Verdict = result.KneeFound
	default:
		r.Verdict = result.KneeBend
	}
	if !math.IsNaN(k.Lo) {
		r.Lo, r.Hi = &k.Lo, &k.Hi
	}
	return r
}

// kneeText says it in a sentence or two.
func kneeText(k *result.Knee, points []result.ScalePoint) string {
	last := &points[len(points)-1]
	all := fmt.Sprintf("%d processes", last.Processes)
	if last.Aggregate != nil {
		all += fmt.Sprintf(" reach %.1f GB/s together", last.Aggregate.Median/gb)
	}
	if last.Efficiency != nil {
		all += fmt.Sprintf(", %.0f %% of %d times one", 100**last.Efficiency, last.Processes)
	}
	where := fmt.Sprintf("%s %s", tenths(k.Processes), processWord(k.Processes))
	if k.Lo != nil && tenths(*k.Lo) != tenths(*k.Hi) {
		where += fmt.Sprintf(" (95 %%: %s to %s)", tenths(*k.Lo), tenths(*k.Hi))
	}
	slopes := fmt.Sprintf("up to "+tenths(k.Processes)+" each brings %.1f GB/s, beyond it %.1f", k.Slope/gb, math.Round(k.After/gb*10)/10+0) // never -0
	switch k.Verdict {
	case result.KneeFound:
		return fmt.Sprintf("The knee is at about %s: %s. %s.", where, slopes, all)
	case result.KneeBend:
		return fmt.Sprintf("No knee up to %d processes, but a bend at about %s: %s. %s.", last.Processes, where, slopes, all)
	case result.KneeNone:
		return fmt.Sprintf("No knee up to %d %s: %s.", last.Processes, processWord(float64(last.Processes)), all)
	}
	return fmt.Sprintf("Whether there is a knee up to %d processes cannot be told: %s, but launches scatter so that a straight line fits no worse. %s.", last.Processes, slopes, all)
}

// tenths writes small numbers of processes with one decimal, unless it is 0.
func tenths(n float64) string {
	if n < 10 {
		return trimFloat(math.Round(n*10) / 10)
	}
	return fmt.Sprintf("%.0f", n)
}

func processWord(n float64) string {
	if n == 1 {
		return "process"
	}
	return "processes"
}

// ScaleTable writes a row a count, the plot, and what it shows in words.
func ScaleTable(w io.Writer, s *result.Scale, screen Screen) error {
	if err := plainTable(w, scaleHeader, scaleRows(s)); err != nil {
		return err
	}
	lines := append(wrapWords(strings.Join(scaleNotes(s), " "), screen), "")
	if g := scaleGraph(s).lines(screen); len(g) > 0 {
		lines = append(append(lines, g...), "")
	}
	if s.Knee != nil {
		lines = append(lines, wrapWords(s.Knee.Text, screen)...)
	}
	if err := writeLines(w, lines); err != nil {
		return err
	}
	return Warnings(w, s.Warnings)
}

// ScaleMarkdown writes the table for a ticket.
func ScaleMarkdown(w io.Writer, s *result.Scale) error {
	notes := scaleNotes(s)
	if s.Knee != nil {
		notes = append(notes, s.Knee.Text)
	}
	return tableMarkdown(w, scaleHeader, scaleRows(s), notes, warningLines(s.Warnings))
}

var scaleHeader = []string{"processes", "aggregate", "95 % interval", "each", "efficiency", "added", "fairness"}

func scaleRows(s *result.Scale) (rows [][]string) {
	percent := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.0f %%", 100**v)
	}
	for i := range s.Points {
		p := &s.Points[i]
		aggregate, interval := "-", "-"
		if p.Aggregate != nil {
			aggregate, interval = number(p.Aggregate.Median/gb, "%.2f"), rateInterval(*p.Aggregate)
		}
		rows = append(rows, []string{
			strconv.Itoa(p.Processes), aggregate, interval, number(p.PerProcess.Median/gb, "%.2f"),
			percent(p.Efficiency), percent(p.Added), number(p.Fairness, "%.3f"),
		})
	}
	return rows
}

func rateInterval(e result.Estimate) string {
	if e.Lo == nil || e.Hi == nil {
		return fmt.Sprintf("[n < %d]", stats.MinForInterval)
	}
	return fmt.Sprintf("[%.2f, %.2f]", *e.Lo/gb, *e.Hi/gb)
}

func scaleNotes(s *result.Scale) []string {
	return []string{
		fmt.Sprintf("GB/s (10^9 bytes) of %s/%s over %s MiB each, %.3g s; medians over", s.Kernel.Name, s.Kernel.Tier, trimFloat(float64(s.Args.ChunkBytes)/(1<<20)), float64(s.Args.MinTimeNS)/1e9),
		countOf(len(s.Launches), "launch") + ", each of all counts in rotating order. each: the median process;",
		"efficiency: of so many times one process; added: by each further process, of what one",
		"alone reaches; fairness: slowest over fastest.",
	}
}

func scaleGraph(s *result.Scale) *termGraph {
	var all, each termSeries
	all.name, each.name = "aggregate", "each process"
	for i := range s.Points {
		p := &s.Points[i]
		y := math.NaN()
		if p.Aggregate != nil {
			y = p.Aggregate.Median / gb
		}
		n := float64(p.Processes)
		all.x, all.y = append(all.x, n), append(all.y, y)
		each.x, each.y = append(each.x, n), append(each.y, p.PerProcess.Median/gb)
	}
	return &termGraph{title: "GB/s", xLabel: "processes", xFormat: trimFloat, series: []termSeries{each, all}}
}

// ScaleCSV writes a row a launch and count, under a header that names the
// units. Cells of absent values are empty.
func ScaleCSV(w io.Writer, s *result.Scale) error {
	cw := newCSV(w)
	if err := cw.Write([]string{"host", "goarch", "kernel", "tier", "chunk_bytes", "launch", "processes", "aggregate_bytes_per_s", "slowest_bytes_per_s", "median_bytes_per_s", "fastest_bytes_per_s", "fairness"}); err != nil {
		return err
	}
	rate := func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
	for l := range s.Launches {
		for i := range s.Launches[l].Phases {
			p := &s.Launches[l].Phases[i]
			if p.Summary == nil {
				continue
			}
			aggregate := ""
			if p.Summary.Aggregate != nil {
				aggregate = rate(*p.Summary.Aggregate)
			}
			each := p.Summary.PerProcess
			err := cw.Write([]string{
				s.Host.Hostname, s.Tool.GOARCH, s.Kernel.Name, s.Kernel.Tier, strconv.FormatInt(s.Args.ChunkBytes, 10), strconv.Itoa(l), strconv.Itoa(p.Processes),
				aggregate, rate(each.Min), rate(each.Median), rate(each.Max), strconv.FormatFloat(p.Summary.Fairness, 'f', 4, 64),
			})
			if err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}
