package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// styles are the looks of the parts; without colours bold and reverse remain.
type styles struct {
	head, columns, selected, bad, note, faint, busy, grow lipgloss.Style
}

func newStyles(color bool) styles {
	s := styles{
		head: lipgloss.NewStyle(), columns: lipgloss.NewStyle().Reverse(true), selected: lipgloss.NewStyle().Bold(true).Reverse(true),
		bad: lipgloss.NewStyle().Bold(true), note: lipgloss.NewStyle(), faint: lipgloss.NewStyle(),
		busy: lipgloss.NewStyle().Bold(true), grow: lipgloss.NewStyle(),
	}
	if color {
		s.selected = lipgloss.NewStyle().Background(lipgloss.ANSIColor(4)).Foreground(lipgloss.ANSIColor(15))
		s.bad = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(1)).Bold(true)
		s.note = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(2))
		s.faint = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(8))
		s.busy = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(2))
	}
	return s
}

// headHeight is how many lines stand above the column names. Low terminals
// have room for fewer.
func (m *Model) headHeight() int {
	switch {
	case m.height >= 16:
		return 3
	case m.height >= 8:
		return 1
	}
	return 0
}

// bodyHeight is how many rows fit: between the column names and the last line.
func (m *Model) bodyHeight() int { return max(0, m.height-m.headHeight()-2) }

// View draws the screen.
func (m *Model) View() tea.View {
	var lines []string
	switch m.mode {
	case modeHelp:
		lines = m.viewHelp()
	case modeColumns:
		lines = m.viewColumns()
	case modeDetails:
		lines = m.viewDetails()
	default:
		lines = m.viewMain()
	}
	if len(lines) > m.height {
		lines = lines[:max(0, m.height)]
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "rsswatch"
	return v
}

func (m *Model) viewMain() []string {
	if m.frame == nil {
		if m.note != "" {
			return []string{m.lastLine()}
		}
		return []string{m.fit("reading processes ...")}
	}
	lines := m.viewHead()
	body := m.bodyHeight()
	if m.req.Group != "" {
		lines = append(lines, m.viewGroups(body)...)
	} else {
		lines = append(lines, m.viewRows(body)...)
	}
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	return append(lines[:max(0, m.height-1)], m.lastLine())
}

func (m *Model) viewHead() []string {
	all := report.WatchHeaderLines(m.frame.Host, &m.frame.Memory, m.frame.Tick, m.frame.PSS)
	if m.headHeight() == 1 {
		all = all[2:]
	}
	all = all[:m.headHeight()]
	lines := make([]string, len(all))
	for i, seg := range all {
		lines[i] = m.styles.head.Render(report.JoinSegments(seg, m.width))
	}
	return lines
}

// viewRows lays out the rows that are seen, and only those.
func (m *Model) viewRows(body int) []string {
	shown := m.rows[min(m.top, len(m.rows)):min(m.top+body, len(m.rows))]
	m.table.Layout(shown)
	lines := []string{m.columnLine(string(m.table.Header(nil)))}
	for i, r := range shown {
		line := string(m.table.Row(nil, i))
		switch {
		case m.top+i == m.cursor:
			line = m.styles.selected.Render(m.padded(line))
		case r.TID != 0 || r.Kernel:
			line = m.styles.faint.Render(line)
		case r.State == "Z" || r.PSSDoubt:
			line = m.styles.bad.Render(line)
		case r.CPUPercent.Value >= 1:
			line = m.styles.busy.Render(line)
		}
		lines = append(lines, line)
	}
	if len(shown) == 0 && body > 0 {
		lines = append(lines, m.styles.bad.Render(m.fit(m.nothing())))
	}
	return lines
}

// nothing says why there are no rows.
func (m *Model) nothing() string {
	switch {
	case m.filter != "":
		return fmt.Sprintf("no process matches %q; Esc ends the filter", m.filter)
	case m.cfg.Selection != "":
		return "no process " + m.cfg.Selection + ", waiting"
	}
	return "no processes"
}

func (m *Model) viewGroups(body int) []string {
	shown := m.groups[min(m.top, len(m.groups)):min(m.top+body, len(m.groups))]
	m.gtable.Layout(shown)
	lines := []string{m.columnLine(string(m.gtable.Header(nil)))}
	for i := range shown {
		line := string(m.gtable.Row(nil, i))
		if m.top+i == m.cursor {
			line = m.styles.selected.Render(m.padded(line))
		}
		lines = append(lines, line)
	}
	return lines
}

// columnLine is the line of column names, across the whole screen.
func (m *Model) columnLine(s string) string { return m.styles.columns.Render(m.padded(s)) }

// padded fills a line up to the width of the screen.
func (m *Model) padded(s string) string {
	return s + strings.Repeat(" ", max(0, m.width-lipgloss.Width(s)))
}

// fit makes text from anywhere safe and cuts it at the width of the screen.
func (m *Model) fit(s string) string {
	b, _ := report.WatchText{ASCII: m.cfg.ASCII}.Append(nil, s, m.width)
	return string(b)
}

// lastLine is the prompt, a note, or the state and the selected row.
func (m *Model) lastLine() string {
	switch {
	case m.prompting():
		m.input.SetWidth(max(1, m.width-len(m.input.Prompt)-len(m.note)-3))
		return ansi.Truncate(m.input.View()+"  "+m.styles.bad.Render(m.note), m.width, "")
	case m.note != "" && m.noteBad:
		return m.styles.bad.Render(m.fit(m.note))
	case m.note != "":
		return m.styles.note.Render(m.fit(m.note))
	}
	var seg []string
	if m.cfg.Replay {
		seg = append(seg, m.replayState())
	} else if m.paused {
		seg = append(seg, "PAUSED")
	}
	if m.filter != "" {
		text, _ := report.WatchText{ASCII: m.cfg.ASCII}.Append(nil, m.filter, 30)
		seg = append(seg, "/"+string(text))
	}
	if m.req.Group != "" {
		seg = append(seg, "by "+m.req.Group)
	}
	seg = append(seg, "? help")
	if cur := m.current(); cur != nil && len(cur.History) > 1 {
		seg = append(seg, m.sparkline(cur))
	}
	if n := m.count(); n > m.bodyHeight() {
		seg = append(seg, fmt.Sprintf("%d-%d of %d", m.top+1, min(m.top+m.bodyHeight(), n), n))
	}
	if !m.cfg.Replay {
		seg = append(seg, "every "+m.req.Delay.String())
	}
	return m.styles.note.Render(report.JoinSegments(seg, m.width))
}

// sparkline draws the selected process' RES of the last minute.
func (m *Model) sparkline(p *result.Process) string {
	lo, hi := p.History[0], p.History[0]
	for _, v := range p.History {
		lo, hi = min(lo, v), max(hi, v)
	}
	room := max(8, min(len(p.History), m.width/4))
	text := fmt.Sprintf("RES of %d %s ", p.PID, spark(p.History[max(0, len(p.History)-room):], m.cfg.ASCII))
	size := func(v int64) string { return string(report.AppendWatchSize(nil, v)) }
	if lo == hi {
		return text + size(lo)
	}
	return text + size(lo) + ".." + size(hi)
}

// spark draws values as bars between the lowest and the highest of them.
func spark(values []int64, ascii bool) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		bars = []rune("_.-~=+*#")
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	var b strings.Builder
	for _, v := range values {
		level := 0
		if hi > lo {
			level = int(float64(v-lo) / float64(hi-lo) * float64(len(bars)-1))
		}
		b.WriteRune(bars[level])
	}
	return b.String()
}
