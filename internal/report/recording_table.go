package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"wordsize/internal/result"
)

const mib = 1 << 20

// UsageTable writes what recordings used as text.
func UsageTable(w io.Writer, r *result.UsageReport) error {
	for i := range r.Labels {
		l := &r.Labels[i]
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := writeLines(w, usageHead(l)); err != nil {
			return err
		}
		if err := writeGrids(w, usageGrids(r, l)); err != nil {
			return err
		}
		if err := writeLines(w, usageFoot(l)); err != nil {
			return err
		}
	}
	return writeLines(w, usageLegend(r))
}

// UsageMarkdown writes it for a ticket.
func UsageMarkdown(w io.Writer, r *result.UsageReport) error {
	var lines []string
	for i := range r.Labels {
		l := &r.Labels[i]
		head := usageHead(l)
		lines = append(lines, "**"+markdown(head[0])+"**", "")
		lines = append(append(lines, markdownItems(head[1:])...), "")
		for _, g := range usageGrids(r, l) {
			lines = append(lines, markdown(g.title), "")
			lines = append(append(lines, markdownTable(g.header, g.rows)...), "")
		}
		lines = append(append(lines, markdownItems(usageFoot(l))...), "")
	}
	return writeLines(w, append(lines, markdown(strings.Join(usageLegend(r), " "))))
}

// usageHead says what was recorded.
func usageHead(l *result.LabelUsage) []string {
	first := &l.Recordings[0]
	title := printable(l.Label)
	if len(l.Recordings) > 1 {
		title += ": " + countOf(len(l.Recordings), "recording")
	}
	lines := []string{title}
	if len(first.Command) > 0 {
		lines = append(lines, "command: "+commandLine(first.Command))
	}
	ns, ticks := int64(0), int64(0)
	for i := range l.Recordings {
		ns += l.Recordings[i].ElapsedNS
		ticks += l.Recordings[i].Ticks
	}
	where := orUnknown(printable(first.Host.Hostname))
	if k := printable(first.Host.Kernel); k != "" {
		where += ", " + first.Host.OS + " " + k
	}
	lines = append(lines, fmt.Sprintf("recorded: %s in %s of %s on %s, %s UTC", spanText(ns), countOf(int(ticks), "tick"), spanText(first.IntervalNS), where, first.Started.UTC().Format("2006-01-02 15:04:05")))
	if s := recorderCost(l); s != "" {
		lines = append(lines, s)
	}
	return lines
}

// recorderCost says what recording cost, on average.
func recorderCost(l *result.LabelUsage) string {
	cpu, ns, peak, tick, ticks := int64(0), int64(0), int64(0), int64(0), int64(0)
	for i := range l.Recordings {
		r := &l.Recordings[i]
		if !r.SelfCPUNS.Known {
			return ""
		}
		cpu, ns = cpu+r.SelfCPUNS.Value, ns+r.ElapsedNS
		peak = max(peak, r.SelfPeakBytes.Value)
		tick, ticks = tick+r.SelfTickNS.Value*r.Ticks, ticks+r.Ticks
	}
	if ns <= 0 {
		return ""
	}
	s := fmt.Sprintf("recorder: %.2f %% of one CPU (%s in all)", 100*float64(cpu)/float64(ns), spanText(cpu))
	if peak > 0 {
		s += fmt.Sprintf(", peak %s MiB", mibText(float64(peak)))
	}
	if ticks > 0 && tick > 0 {
		s += fmt.Sprintf(", %s a tick", milliseconds(float64(tick)/float64(ticks)))
	}
	return s
}

// mostCommand is how much of a command line is shown.
const mostCommand = 160

func commandLine(args []result.RawText) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = string(a)
		if words[i] == "" || strings.ContainsAny(words[i], " \t\n'\"$\\") {
			words[i] = "'" + strings.ReplaceAll(words[i], "'", `'\''`) + "'"
		}
	}
	b, _ := WatchText{}.Append(nil, strings.Join(words, " "), mostCommand)
	return string(b)
}

// spanText writes a length of time with about three digits.
func spanText(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.3g s", d.Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// usageGrids makes the tables of one label.
func usageGrids(r *result.UsageReport, l *result.LabelUsage) []grid {
	what := r.GroupBy
	memory := grid{title: "Memory, MiB (2^20 bytes), average/highest:", header: []string{what, "bits", "processes", "PSS", "USS", "RES", "VIRT", "HWM sum"}}
	use := grid{
		title:  fmt.Sprintf("CPU in %% of one CPU, MB/s (10^6 bytes); average/highest over %s:", spanText(l.Total.WindowNS)),
		header: []string{what, "in all", "CPU", "p95", "CPU s", "user", "system", "read", "written"},
	}
	disk := moved(l.Total.DiskRead) || moved(l.Total.DiskWrite)
	if disk {
		use.header = append(use.header, "disk read", "disk written")
	}
	groups := l.Groups
	if len(groups) != 1 {
		groups = append(append([]result.GroupUsage(nil), groups...), l.Total)
	}
	for i := range groups {
		g := &groups[i]
		memory.rows = append(memory.rows, memoryRow(g))
		use.rows = append(use.rows, useRow(g, disk))
	}
	grids := []grid{memory, use}
	if d := spreadGrid(l); len(d.rows) > 0 {
		grids = append(grids, d)
	}
	if w := whatIfGrid(what, groups); len(w.rows) > 0 {
		grids = append(grids, w)
	}
	return grids
}

// mostName is the width of a group's name in tables.
const mostName = 20

func groupName(g *result.GroupUsage) string {
	b, _ := WatchText{}.Append(nil, string(g.Name), mostName)
	if len(b) == 0 {
		return "all"
	}
	return string(b)
}

func memoryRow(g *result.GroupUsage) []string {
	pair := func(d *result.Distribution, mark string) string {
		if d == nil {
			return "-"
		}
		return shortMiB(d.Avg) + "/" + shortMiB(d.Max) + mark
	}
	estimate := ""
	if g.PSSEstimated > 0.01 {
		estimate = "~"
	}
	return []string{
		groupName(g), bitsText(g), processesText(g), pair(g.PSS, estimate), pair(g.USS, estimate), pair(g.Resident, ""), pair(g.Virtual, ""), peakText(g),
	}
}

// bitsText lists the word sizes.
func bitsText(g *result.GroupUsage) string {
	var bits []string
	for _, a := range g.Arch {
		word, _, _ := strings.Cut(a, " ")
		if len(bits) == 0 || bits[len(bits)-1] != word {
			bits = append(bits, word)
		}
	}
	if len(bits) == 0 {
		return "?"
	}
	return strings.Join(bits, "+")
}

// processesText is the number at once: least/average/most.
func processesText(g *result.GroupUsage) string {
	p := g.Processes
	switch {
	case p == nil:
		return "-"
	case p.Min == p.Max:
		return fmt.Sprintf("%.0f", p.Max)
	}
	return fmt.Sprintf("%.0f/%.1f/%.0f", p.Min, p.Avg, p.Max)
}

func peakText(g *result.GroupUsage) string {
	if !g.PeakSum.Known {
		return "-"
	}
	s := mibText(float64(g.PeakSum.Value))
	if g.PeakAtLeast > 0 {
		return ">" + s
	}
	return s
}

// mibText writes bytes in MiB: to a hundredth below 10, else to a tenth.
func mibText(v float64) string {
	if v /= mib; v < 9.995 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

// shortMiB is mibText without the tenths that three digits do not need: the
// table is to fit 80 columns.
func shortMiB(v float64) string {
	if v/mib >= 99.95 {
		return fmt.Sprintf("%.0f", v/mib)
	}
	return mibText(v)
}

// moved says whether there is anything to show of a rate.
func moved(r *result.Rate) bool { return r != nil && r.Bytes > 0 }

func useRow(g *result.GroupUsage, disk bool) []string {
	cpu, p95 := "-", "-"
	if d := g.CPU; d != nil {
		cpu, p95 = fmt.Sprintf("%.1f/%.1f", d.Avg, d.Max), fmt.Sprintf("%.1f", d.P95)
	}
	total := cpuTime(g.CPUNS())
	if g.CPUAtLeast > 0 {
		total = ">" + total
	}
	inAll := fmt.Sprint(g.Started)
	if g.Unseen > 0 {
		inAll += fmt.Sprintf(" (%d unseen)", g.Unseen)
	}
	row := []string{groupName(g), inAll, cpu, p95, total, cpuTime(g.UserNS), cpuTime(g.SystemNS), rateText(g.Read), rateText(g.Write)}
	if disk {
		row = append(row, rateText(g.DiskRead), rateText(g.DiskWrite))
	}
	return row
}

// cpuTime writes seconds: to a millisecond where there are few.
func cpuTime(ns int64) string {
	if ns < 1e9 {
		return fmt.Sprintf("%.3f", float64(ns)/1e9)
	}
	return fmt.Sprintf("%.2f", float64(ns)/1e9)
}

// rateText is average/highest in MB/s.
func rateText(r *result.Rate) string {
	if r == nil {
		return "-"
	}
	mb := func(v float64) string {
		if v /= 1e6; v < 9.95 && v > 0 {
			return fmt.Sprintf("%.2f", v)
		}
		return fmt.Sprintf("%.0f", v)
	}
	return mb(r.Avg) + "/" + mb(r.Max)
}

// spreadGrid is the distribution of the total over time.
func spreadGrid(l *result.LabelUsage) grid {
	g := grid{title: "All together over time:", header: []string{"", "min", "avg", "p50", "p95", "p99", "max"}}
	t := &l.Total
	row := func(name string, d *result.Distribution, format func(float64) string) {
		if d != nil {
			g.rows = append(g.rows, []string{name, format(d.Min), format(d.Avg), format(d.P50), format(d.P95), format(d.P99), format(d.Max)})
		}
	}
	row("PSS, MiB", t.PSS, mibText)
	row("USS, MiB", t.USS, mibText)
	row("RES, MiB", t.Resident, mibText)
	row("VIRT, MiB", t.Virtual, mibText)
	if t.Swap != nil && t.Swap.Max > 0 {
		row("swap, MiB", t.Swap, mibText)
	}
	one := func(v float64) string { return fmt.Sprintf("%.1f", v) }
	row("CPU, %", t.CPU, one)
	row("processes", t.Processes, func(v float64) string { return strings.TrimSuffix(one(v), ".0") })
	return g
}
