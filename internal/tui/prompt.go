package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// prompt opens the line editor.
func (m *Model) prompt(to mode, text string) tea.Cmd {
	m.mode = to
	m.input.Prompt = map[mode]string{modeFilter: "/", modeDelay: "seconds: ", modeSave: "save as: ", modeSeek: "go to (seconds, 1:30, +10, -10, 50%, end): "}[to]
	m.input.SetValue(text)
	m.input.CursorEnd()
	return m.input.Focus()
}

func (m *Model) prompting() bool {
	return m.mode == modeFilter || m.mode == modeDelay || m.mode == modeSave || m.mode == modeSeek
}

func (m *Model) keyPrompt(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		if m.mode == modeFilter {
			_ = m.setFilter("") // no filter always compiles
		}
		m.mode = modeRows
		m.input.Blur()
		m.arrange()
		return m.fetchUnlessPaused()
	case "enter":
		return m.closePrompt()
	}
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(k)
	if m.mode != modeFilter {
		return cmd
	}
	if err := m.setFilter(m.input.Value()); err != nil {
		m.say("not yet a regular expression", true)
		return cmd
	}
	m.arrange()
	return tea.Batch(cmd, m.fetchUnlessPaused())
}

func (m *Model) closePrompt() tea.Cmd {
	text, was := strings.TrimSpace(m.input.Value()), m.mode
	m.mode = modeRows
	m.input.Blur()
	switch was {
	case modeFilter:
		if err := m.setFilter(m.input.Value()); err != nil {
			m.say(strings.TrimPrefix(err.Error(), "error parsing regexp: "), true)
		}
		m.arrange()
		return m.fetchUnlessPaused()
	case modeDelay:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0.05 && v <= 86400) {
			m.say(fmt.Sprintf("%q: give seconds from 0.05 to 86400", text), true)
			return nil
		}
		m.req.Delay = time.Duration(v * float64(time.Second))
		return m.fetchUnlessPaused()
	}
	if text == "" || m.frame == nil {
		return nil
	}
	if was == modeSeek {
		m.seek = text
		return m.fetch()
	}
	if err := m.backend.Save(text, m.frame, &m.req); err != nil {
		m.say("not saved: "+err.Error(), true)
	} else {
		m.say("saved "+text, false)
	}
	return nil
}
