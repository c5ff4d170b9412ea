package tui

import tea "charm.land/bubbletea/v2"

// mouse: the wheel moves, a click on a header sorts, on a row selects.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.mode != modeRows && m.mode != modeDetails {
		return nil
	}
	e := msg.Mouse()
	step := 0
	switch e.Button {
	case tea.MouseWheelUp:
		step = -3
	case tea.MouseWheelDown:
		step = 3
	}
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		if m.mode == modeDetails {
			m.scroll += step
		} else {
			m.move(step)
		}
		return nil
	}
	if _, ok := msg.(tea.MouseClickMsg); !ok || e.Button != tea.MouseLeft || m.mode != modeRows {
		return nil
	}
	head := m.headHeight()
	switch {
	case e.Y == head:
		return m.clickHeader(e.X)
	case e.Y > head && e.Y <= head+m.bodyHeight():
		m.move(m.top + e.Y - head - 1 - m.cursor)
	}
	return nil
}

func (m *Model) clickHeader(x int) tea.Cmd {
	if m.req.Group != "" {
		if c := m.gtable.ColumnAt(x); c != nil {
			m.req.GroupDescending = c != m.req.GroupSort && c.Descending || c == m.req.GroupSort && !m.req.GroupDescending
			m.req.GroupSort = c
		}
	} else if c := m.table.ColumnAt(x); c != nil {
		m.req.Descending = c != m.req.Sort && c.Descending || c == m.req.Sort && !m.req.Descending
		m.req.Sort = c
	}
	m.arrange()
	return m.fetchUnlessPaused()
}
