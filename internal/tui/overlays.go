package tui

import (
	"fmt"
	"slices"

	"wordsize/internal/report"
)

func (m *Model) viewHelp() []string {
	lines := []string{m.columnLine(m.fit("rsswatch " + m.cfg.Version + "   any key goes back"))}
	for _, h := range m.help() {
		if m.width < 50 {
			lines = append(lines, m.fit(h[0]+": "+h[1]))
		} else {
			lines = append(lines, m.fit(fmt.Sprintf("%-28s %s", h[0], h[1])))
		}
	}
	return append(lines, "",
		m.fit("- there is none   ? may not be read   . not reached within the PSS budget yet"),
		m.fit("' age of a PSS    ! PSS too low to be true   ~ estimate   + HugeTLB on top"),
		m.fit("of WHATIF32: ' its age   ~ undecided, both ends   + sum leaves members out"))
}

// viewColumns lists all columns with a mark at those that are shown.
func (m *Model) viewColumns() []string {
	lines := []string{m.columnLine(m.fit("columns: Space shows or hides, d what fits, Enter goes back"))}
	room := max(1, m.height-1)
	first := max(0, min(m.chooser-room/2, len(report.ProcessColumns)-room))
	for i := first; i < min(first+room, len(report.ProcessColumns)); i++ {
		col := &report.ProcessColumns[i]
		mark := " "
		if slices.Contains(m.table.Columns, col) {
			mark = "x"
		}
		line := m.fit(fmt.Sprintf("[%s] %-8s %s", mark, col.Name, col.Help))
		if i == m.chooser {
			line = m.styles.selected.Render(m.padded(line))
		}
		lines = append(lines, line)
	}
	return lines
}

// viewDetails shows one process: facts, then its mappings.
func (m *Model) viewDetails() []string {
	p := m.detail
	lines := []string{m.columnLine(m.fit(fmt.Sprintf("process %d  %s", p.PID, p.Command)))}
	if m.details == nil {
		return append(lines, m.fit("reading ..."))
	}
	body := m.detailLines()
	room := max(1, m.height-2)
	m.scroll = max(0, min(m.scroll, len(body)-room))
	lines = append(lines, body[m.scroll:min(m.scroll+room, len(body))]...)
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	foot := "Esc goes back"
	if len(body) > room {
		foot = fmt.Sprintf("Esc goes back  %d-%d of %d lines", m.scroll+1, min(m.scroll+room, len(body)), len(body))
	}
	return append(lines, m.styles.note.Render(m.fit(foot)))
}

func (m *Model) detailLines() (lines []string) {
	if p := m.detail; len(p.History) > 1 {
		lines = append(lines, m.fit(m.sparkline(p)), "")
	}
	for _, problem := range m.details.Problems {
		lines = append(lines, m.styles.bad.Render(m.fit(problem)))
	}
	lines = append(lines, m.factLines()...)
	if len(m.details.Mappings) == 0 {
		return lines
	}
	size := func(v int64) string { return string(report.AppendWatchSize(nil, v)) }
	lines = append(lines, "", m.fit(fmt.Sprintf("%5s %5s %5s %5s %5s %4s MAPPING", "RSS", "PSS", "USS", "SWAP", "SIZE", "N")))
	for _, x := range m.details.Mappings {
		lines = append(lines, m.fit(fmt.Sprintf("%5s %5s %5s %5s %5s %4d %s",
			size(x.RSS), size(x.PSS), size(x.USS), size(x.Swap), size(x.Size), x.Count, x.Name)))
	}
	return lines
}

// factLines puts short facts into two columns where the screen is wide.
func (m *Model) factLines() (lines []string) {
	const name, value = 19, 18
	var short [][2]string
	for _, f := range m.details.Facts {
		if len(f[0]) < name && len(f[1]) < value && m.width >= 2*(name+value) {
			short = append(short, f)
		}
	}
	half := (len(short) + 1) / 2
	for i := range half {
		line := fmt.Sprintf("%-*s %-*s", name, short[i][0], value, short[i][1])
		if i+half < len(short) {
			line += fmt.Sprintf(" %-*s %s", name, short[i+half][0], short[i+half][1])
		}
		lines = append(lines, m.fit(line))
	}
	for _, f := range m.details.Facts {
		if !slices.Contains(short, f) {
			lines = append(lines, m.fit(fmt.Sprintf("%-*s %s", name, f[0], f[1])))
		}
	}
	return lines
}
