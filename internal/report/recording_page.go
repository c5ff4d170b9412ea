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

// UsagePage writes the report as one HTML file.
func UsagePage(w io.Writer, r *result.UsageReport, courses []LabelCourse, version string) error {
	p := &page.Page{Title: "rsswatch: " + usageTitle(r), Subtitle: usageSubtitle(r)}
	for i := range r.Labels {
		l := &r.Labels[i]
		p.Lead = append(p.Lead, leadVerdict(r, l))
		id := fmt.Sprintf("label-%d", i+1)
		blocks := courseBlocks(l, &courses[i])
		for _, g := range usageGrids(r, l) {
			t := &page.Table{Caption: strings.TrimSuffix(g.title, ":"), Header: g.header}
			for _, row := range g.rows {
				t.Rows = append(t.Rows, page.Cells(row...))
			}
			blocks = append(blocks, t)
		}
		var foot []string
		for _, s := range usageFoot(l) {
			foot = append(foot, printable(s))
		}
		blocks = append(blocks, page.List(foot), recordingFacts(l))
		p.Sections = append(p.Sections, page.Section{ID: id, Title: printable(l.Label), Blocks: blocks})
	}
	p.Sections = append(p.Sections, page.Section{ID: "method", Title: "How the figures are made", Blocks: []page.Block{page.List(append([]string{strings.Join(usageLegend(r), " ")}, usageMethod...))}})
	p.Footer = "Made by rsswatch " + printable(version) + ". This file is complete: it asks nothing of any network."
	return p.Write(w)
}

// usageMethod explains the figures.
var usageMethod = []string{
	"Averages and percentiles of memory are over the time in which the group had a process; a sample stands for half the time to each of its neighbours. CPU use and MB/s are what was used from the group's first process to the end of its last, over that time.",
	"The highest CPU use and rates are over any window of the length that the table names: CPU time comes in steps of 10 ms, so that shorter ones would be noise.",
	"CPU time is each process' own, from the ticks and from what the kernel tells at its end; that of children is not added again to their parents'. The kernel adds a child's I/O to its parent's when that waits for it; it is taken out again.",
	"PSS of a process that has not been read yet is taken as RES less SHR; one that was read before the tick has changed by what RES less SHR has since. In the drawing each stretch of time shows the tick with the highest sum.",
	"Growth is that of private memory (RES less SHR, and swap) over the second half: Theil and Sen's slope through the medians of up to 24 stretches. A leak is called one when the slope's 95 % interval is above 0, the growth came neither in one step nor slowed down, and the number of processes stayed the same, or single processes grew.",
}

func usageTitle(r *result.UsageReport) string {
	var names []string
	for i := range r.Labels {
		names = append(names, printable(r.Labels[i].Label))
	}
	if len(names) > 4 {
		return fmt.Sprintf("%d labels", len(names))
	}
	return strings.Join(names, ", ")
}

func usageSubtitle(r *result.UsageReport) string {
	n, ns := 0, int64(0)
	var hosts []string
	for i := range r.Labels {
		for k := range r.Labels[i].Recordings {
			rec := &r.Labels[i].Recordings[k]
			n++
			ns += rec.ElapsedNS
			if h := orUnknown(printable(rec.Host.Hostname)); !slices.Contains(hosts, h) {
				hosts = append(hosts, h)
			}
		}
	}
	first := r.Labels[0].Recordings[0].Started.UTC().Format("2006-01-02 15:04")
	return fmt.Sprintf("%s of %s in all on %s, %s UTC", countOf(n, "recording"), spanText(ns), someOf(hosts, "hosts"), first)
}

// leadVerdict is what a reader in a hurry takes away of one label.
func leadVerdict(r *result.UsageReport, l *result.LabelUsage) page.Block {
	t := &l.Total
	v := &page.Verdict{Tone: page.Plain, Text: printable(l.Label) + ": " + usageSentence(t)}
	if len(r.Labels) == 1 {
		v.Text = usageSentence(t)
	}
	v.More = append(peakLines(t), growthLines(l)...)
	if n := len(l.Warnings); n > 0 {
		v.More = append(v.More, countOf(n, "warning")+": see below.")
	}
	tones := map[string]page.Tone{result.GrowthLeak: page.Bad, result.GrowthNone: page.Good, result.GrowthSlowing: page.Good, result.GrowthShrinks: page.Good}
	worst := page.Doubt
	if t.Growth != nil && tones[t.Growth.Verdict] != "" {
		worst = tones[t.Growth.Verdict]
	}
	for i := range l.Groups {
		if g := l.Groups[i].Growth; g != nil && g.Verdict == result.GrowthLeak {
			worst = page.Bad
		}
	}
	v.Tone = worst
	return v
}

// usageSentence sums up a label.
func usageSentence(t *result.GroupUsage) string {
	words := []string{countOf(int(t.Started), "process") + " in all"}
	if t.Processes != nil {
		words[0] += fmt.Sprintf(", %.0f at once at most", t.Processes.Max)
	}
	switch {
	case t.PSS != nil:
		words = append(words, fmt.Sprintf("PSS %s MiB on average, %s at most", mibText(t.PSS.Avg), mibText(t.PSS.Max)))
	case t.Resident != nil:
		words = append(words, fmt.Sprintf("RES %s MiB on average, %s at most (shared pages counted for each)", mibText(t.Resident.Avg), mibText(t.Resident.Max)))
	}
	if t.CPU != nil {
		words = append(words, fmt.Sprintf("CPU %.1f %% on average, %.1f %% at most", t.CPU.Avg, t.CPU.Max))
	}
	return strings.Join(words, "; ") + "."
}

func courseBlocks(l *result.LabelUsage, c *LabelCourse) []page.Block {
	const most = 8
	var blocks []page.Block
	for i, course := range c.Courses {
		if course == nil || i >= most {
			continue
		}
		caption := "Each of the largest processes, and all others together; dashed: a process starts or ends."
		if course.Events == nil {
			caption = "Each of the largest processes, and all others together."
		}
		if len(c.Courses) > 1 {
			caption = printable(l.Recordings[i].File) + ". " + caption
		}
		blocks = append(blocks, &page.Figure{Caption: caption, Plot: func(float64) *plot.Figure { return UsageFigure(l, course) }})
	}
	if n := len(c.Courses); n > most {
		blocks = append(blocks, page.Text(fmt.Sprintf("The other %d recordings are not drawn.", n-most)))
	}
	return blocks
}

// recordingFacts is a table of the recordings of a label.
func recordingFacts(l *result.LabelUsage) page.Block {
	t := &page.Table{Caption: "Recordings", Align: "llr", Header: []string{"file", "command", "length", "ticks", "interval", "PSS budget", "ends by", "recorder's CPU", "host", "kernel", "complete"}}
	for i := range l.Recordings {
		r := &l.Recordings[i]
		cost := "-"
		if r.SelfPercent.Known {
			cost = fmt.Sprintf("%.2f %%", r.SelfPercent.Value)
		}
		complete := page.Cell{Text: "yes"}
		if !r.Complete {
			complete = page.Cell{Text: "no: cut off", Tone: page.Doubt}
		}
		command := commandLine(r.Command)
		if len(r.Command) == 0 {
			command = "-"
		}
		row := page.Cells(printable(r.File), command, spanText(r.ElapsedNS), fmt.Sprint(r.Ticks), spanText(r.IntervalNS), fmt.Sprintf("%g %%", 100*r.PSSBudget),
			printable(r.Exits), cost, orUnknown(printable(r.Host.Hostname)), orUnknown(printable(r.Host.Kernel)))
		t.Rows = append(t.Rows, append(row, complete))
	}
	return &page.Details{Summary: "Recordings: how and where they were made", Blocks: []page.Block{t, page.Text(recorderCost(l))}}
}
