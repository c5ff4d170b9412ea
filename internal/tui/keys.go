package tui

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"wordsize/internal/report"
)

// help lists the keys as they are handled below.
var help = [][2]string{
	{"up down PgUp PgDn Home End", "move"},
	{"Enter", "details of the selected process"},
	{"< >", "sort by the column to the left, right"},
	{"r", "reverse the order"},
	{"M P T N", "sort by RES, %CPU, TIME+, PID"},
	{"/", "filter titles by a regular expression; Esc ends it"},
	{"t", "tree"},
	{"g G", "next, previous kind of groups"},
	{"H", "threads on or off"},
	{"Space", "pause"},
	{"d", "change the interval"},
	{"c", "choose columns"},
	{"w", "save what is shown, as CSV or JSON"},
	{"Ctrl-Z", "suspend"},
	{"? h", "this help"},
	{"q", "quit"},
}

// key handles a key in the present mode.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		return tea.Quit
	case "ctrl+z":
		return tea.Suspend
	case "ctrl+l":
		return tea.ClearScreen
	}
	switch m.mode {
	case modeFilter, modeDelay, modeSave, modeSeek:
		return m.keyPrompt(k)
	case modeHelp:
		m.mode = modeRows
		return nil
	case modeColumns:
		return m.keyColumns(k)
	case modeDetails:
		return m.keyDetails(k)
	}
	if m.keyMove(k.String()) {
		return nil
	}
	return m.keyRows(k.String())
}

// keyMove handles the keys that move the cursor.
func (m *Model) keyMove(key string) bool {
	page := max(1, m.bodyHeight()-1)
	switch key {
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup", "ctrl+b":
		m.move(-page)
	case "pgdown", "ctrl+f":
		m.move(page)
	case "home":
		m.move(-m.count())
	case "end":
		m.move(m.count())
	default:
		return false
	}
	return true
}

func (m *Model) keyRows(key string) tea.Cmd {
	if cmd, ok := m.keyReplay(key); ok {
		return cmd
	}
	switch key {
	case "q":
		return tea.Quit
	case "?", "h", "f1":
		m.mode = modeHelp
	case "esc":
		if m.filter != "" {
			_ = m.setFilter("") // no filter always compiles
			m.arrange()
			return m.fetchUnlessPaused()
		}
	case "enter":
		return m.openDetails()
	case "/":
		return m.prompt(modeFilter, m.filter)
	case "d":
		return m.prompt(modeDelay, strconv.FormatFloat(m.req.Delay.Seconds(), 'f', -1, 64))
	case "w":
		return m.prompt(modeSave, "rsswatch-"+time.Now().Format("20060102-150405")+".csv")
	case "c":
		if m.req.Group == "" {
			m.mode = modeColumns
		} else {
			m.say("columns are chosen for processes; leave the groups with G", true)
		}
	case "space", " ":
		m.paused = !m.paused
		if m.cfg.Replay {
			return m.resumeReplay()
		}
		if !m.paused {
			return m.fetch()
		}
	case "t":
		m.req.Tree = !m.req.Tree
		m.arrange()
	case "H":
		m.req.Threads = !m.req.Threads
		m.arrange()
		if m.paused && m.req.Threads {
			m.say("paused: threads come with the next frame", false)
		}
		return m.fetchUnlessPaused()
	case "g":
		return m.cycleGroup(1)
	case "G":
		return m.cycleGroup(-1)
	default:
		return m.keySort(key)
	}
	return nil
}

// keySort handles the keys that change the order. Sorting is done at once,
// and the next frame reads what the new rows need.
func (m *Model) keySort(key string) tea.Cmd {
	switch key {
	case "<", ",":
		m.shiftSort(-1)
	case ">", ".":
		m.shiftSort(1)
	case "r", "R", "I":
		if m.req.Group != "" {
			m.req.GroupDescending = !m.req.GroupDescending
		} else {
			m.req.Descending = !m.req.Descending
		}
	case "M":
		m.sortBy("RES")
	case "P":
		m.sortBy("%CPU")
	case "T":
		m.sortBy("TIME+")
	case "N":
		m.sortBy("PID")
	default:
		return nil
	}
	m.arrange()
	return m.fetchUnlessPaused()
}

func (m *Model) fetchUnlessPaused() tea.Cmd {
	if m.paused && !m.cfg.Replay {
		return nil
	}
	return m.fetch()
}

// sortBy sorts by the column of a name, the same for processes and groups
// where both have it.
func (m *Model) sortBy(name string) {
	if m.req.Group != "" {
		if col, err := report.FindColumn(report.GroupColumns, name); err == nil {
			m.req.GroupSort, m.req.GroupDescending = col, col.Descending
		}
		return
	}
	if col, err := report.FindColumn(report.ProcessColumns, name); err == nil {
		m.req.Sort, m.req.Descending = col, col.Descending
	}
}

// shiftSort moves the sort to a neighbouring column on the screen.
func (m *Model) shiftSort(by int) {
	if m.req.Group != "" {
		m.req.GroupSort, m.req.GroupDescending = neighbour(m.gtable.Columns, m.req.GroupSort, by)
		return
	}
	m.req.Sort, m.req.Descending = neighbour(m.table.Columns, m.req.Sort, by)
}

func neighbour[R any](cols []*report.WatchColumn[R], cur *report.WatchColumn[R], by int) (*report.WatchColumn[R], bool) {
	i := slices.Index(cols, cur)
	if i < 0 {
		i = -min(by, 0)
	} else {
		i = (i + by + len(cols)) % len(cols)
	}
	return cols[i], cols[i].Descending
}

// cycleGroup goes to the next kind of groups; no groups is one of them.
func (m *Model) cycleGroup(by int) tea.Cmd {
	kinds := append([]string{""}, m.cfg.GroupKinds...)
	i := (max(0, slices.Index(kinds, m.req.Group)) + by + len(kinds)) % len(kinds)
	m.req.Group = kinds[i]
	m.cursor, m.top = 0, 0
	m.groups, m.rows = nil, nil
	m.gtable.Reset()
	return m.fetch()
}

// keyColumns handles the column chooser.
func (m *Model) keyColumns(k tea.KeyPressMsg) tea.Cmd {
	all := report.ProcessColumns
	switch k.String() {
	case "up", "k":
		m.chooser = (m.chooser + len(all) - 1) % len(all)
	case "down", "j":
		m.chooser = (m.chooser + 1) % len(all)
	case "space", " ":
		m.toggleColumn(&all[m.chooser])
	case "d":
		m.columns = nil
		m.arrange()
	case "esc", "enter", "c", "q":
		m.mode = modeRows
		m.arrange()
		return m.fetchUnlessPaused()
	}
	return nil
}

// toggleColumn shows or hides a column, keeping the usual order.
func (m *Model) toggleColumn(col *report.ProcessColumn) {
	shown := slices.Clone(m.table.Columns)
	if i := slices.Index(shown, col); i >= 0 {
		if len(shown) > 1 {
			shown = slices.Delete(shown, i, i+1)
		}
	} else {
		shown = append(shown, col)
	}
	m.columns = nil
	for i := range report.ProcessColumns {
		if c := &report.ProcessColumns[i]; slices.Contains(shown, c) {
			m.columns = append(m.columns, c)
		}
	}
	m.arrange()
}

func (m *Model) openDetails() tea.Cmd {
	cur := m.current()
	if cur == nil {
		return nil
	}
	m.mode, m.details, m.scroll = modeDetails, nil, 0
	copied := *cur
	copied.History = slices.Clone(cur.History) // the backend reuses the other
	m.detail = &copied
	return m.fetchDetails()
}

func (m *Model) keyDetails(k tea.KeyPressMsg) tea.Cmd {
	page := max(1, m.height-2)
	switch k.String() {
	case "up", "k":
		m.scroll--
	case "down", "j":
		m.scroll++
	case "pgup":
		m.scroll -= page
	case "pgdown", "space", " ":
		m.scroll += page
	case "home":
		m.scroll = 0
	case "esc", "enter", "q":
		m.mode, m.detail, m.details = modeRows, nil, nil
	}
	return nil
}
