package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

func TestTreeAndThreads(t *testing.T) {
	b := &fakeBackend{rows: func() []*result.Process {
		rows := thirty()
		return append(rows, &result.Process{PID: 100, TID: 777, Command: "a thread"})
	}}
	m := screen(t, b, 80, 50)
	if strings.Contains(plain(t, m), "a thread") {
		t.Error("threads are shown though they are off")
	}
	press(m, "t", "H")
	text := plain(t, m)
	if !strings.Contains(text, "`- worker 29") || !strings.Contains(text, "`- a thread") || !strings.Contains(text, "+777") {
		t.Errorf("%s", text)
	}
	press(m, "t")
	if strings.Contains(plain(t, m), "`- worker") {
		t.Error("the tree's indentation is left over")
	}
}

func TestGroups(t *testing.T) {
	b := &fakeBackend{}
	m := screen(t, b, 80, 24)
	press(m, "g")
	text := plain(t, m)
	if b.requests[len(b.requests)-1].Group != "program" || !strings.Contains(text, "by program") {
		t.Errorf("%s", text)
	}
	total, large, small := strings.Index(text, "TOTAL"), strings.Index(text, `large\x1b[`), strings.Index(text, "small")
	if total < 0 || large < total || small < large {
		t.Errorf("order: %s", text)
	}
	press(m, "g", "g")
	if m.req.Group != "" || len(m.rows) != 30 {
		t.Errorf("after all kinds: %q, %d rows", m.req.Group, len(m.rows))
	}
	press(m, "G")
	if m.req.Group != "user" {
		t.Error(m.req.Group)
	}
}

func TestPauseIsQuiet(t *testing.T) {
	b := &fakeBackend{}
	m := screen(t, b, 80, 24)
	press(m, "space")
	asked := len(b.requests)
	_, cmd := m.Update(timerMsg(m.schedule))
	pump(m, cmd)
	press(m, "P", "H", "H", "/", "w", "enter", "esc")
	m.last = time.Time{}
	_, cmd = m.Update(tea.WindowSizeMsg{Width: 80, Height: 30})
	pump(m, cmd)
	if len(b.requests) != asked || !strings.Contains(plain(t, m), "PAUSED") || m.rows[0].PID != 100 {
		t.Errorf("%d frames while paused", len(b.requests)-asked)
	}
	press(m, "space")
	if len(b.requests) != asked+1 {
		t.Error("no frame after the pause")
	}
}

func TestIntervalAndSave(t *testing.T) {
	b := &fakeBackend{}
	m := screen(t, b, 80, 24)
	clear := func() {
		for range 40 {
			press(m, "backspace")
		}
	}
	press(m, "d")
	clear()
	press(m, "0", "enter")
	if m.req.Delay != time.Hour || !strings.Contains(plain(t, m), "0.05") {
		t.Errorf("an interval of 0 gives %v", m.req.Delay)
	}
	press(m, "d")
	clear()
	press(m, "5", "enter")
	if m.req.Delay != 5*time.Second {
		t.Error(m.req.Delay)
	}
	press(m, "w")
	clear()
	press(m, "a", ".", "c", "s", "v", "enter")
	if len(b.saved) != 1 || b.saved[0] != "a.csv" || !strings.Contains(plain(t, m), "saved a.csv") {
		t.Errorf("%q", b.saved)
	}
	press(m, "w")
	clear()
	press(m, "/", "b", "a", "d", "enter")
	if !strings.Contains(plain(t, m), "not saved: no such directory") {
		t.Errorf("%s", plain(t, m))
	}
}

func TestColumnsChooser(t *testing.T) {
	m := screen(t, &fakeBackend{}, 80, 40)
	press(m, "c", "down", "space", "enter") // PPID
	if !strings.Contains(plain(t, m), "PID PPID USER") {
		t.Errorf("%s", plain(t, m))
	}
	press(m, "c", "d", "enter")
	if strings.Contains(plain(t, m), "PPID") {
		t.Error("the usual columns are not back")
	}
}

func TestDetails(t *testing.T) {
	m := screen(t, &fakeBackend{}, 80, 24)
	press(m, "enter")
	text := plain(t, m)
	for _, want := range []string{"process 129", "VmHWM", "100 kB", `half\x1b[31m`, "heap", `/lib/evil\n.so`, "permission denied"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	press(m, "down", "esc")
	if m.mode != modeRows {
		t.Error("Esc does not go back")
	}
}

func TestMouse(t *testing.T) {
	m := screen(t, &fakeBackend{}, 80, 24)
	m.View()
	m.Update(tea.MouseClickMsg{X: 2, Y: m.headHeight(), Button: tea.MouseLeft})
	if m.req.Sort.Name != "PID" {
		t.Errorf("a click on the header sorts by %s", m.req.Sort.Name)
	}
	m.Update(tea.MouseClickMsg{X: 2, Y: m.headHeight(), Button: tea.MouseLeft})
	if !m.req.Descending {
		t.Error("a second click does not reverse")
	}
	m.Update(tea.MouseClickMsg{X: 2, Y: m.headHeight() + 4, Button: tea.MouseLeft})
	if m.cursor != 3 {
		t.Errorf("a click selects row %d", m.cursor)
	}
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if m.cursor != 6 {
		t.Errorf("the wheel goes to %d", m.cursor)
	}
}

func TestBackendError(t *testing.T) {
	m := screen(t, &fakeBackend{fail: errors.New("too many open files")}, 80, 24)
	if !strings.Contains(plain(t, m), "too many open files") {
		t.Errorf("%s", plain(t, m))
	}
}

func TestSpark(t *testing.T) {
	if got := spark([]int64{0, 5, 10}, false); got != "▁▄█" {
		t.Error(got)
	}
	if got := spark([]int64{7, 7}, true); got != "__" {
		t.Error(got)
	}
}

// A panic in the backend leaves the terminal as it was: out of the alternate
// screen, with the cursor and without mouse reports.
func TestPanicRestoresTerminal(t *testing.T) {
	b := &fakeBackend{rows: thirty, panics: true}
	res, _ := report.FindColumn(report.ProcessColumns, "RES")
	m := New(context.Background(), b, Config{Delay: 200 * time.Millisecond, Sort: res})
	var out bytes.Buffer
	in, stop := io.Pipe()
	defer stop.Close()
	p := tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(&out), tea.WithoutSignals(), tea.WithWindowSize(80, 24),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	if _, err := p.Run(); !errors.Is(err, tea.ErrProgramKilled) {
		t.Errorf("error %v", err)
	}
	text := out.String()
	if enter, leave := strings.LastIndex(text, "\x1b[?1049h"), strings.LastIndex(text, "\x1b[?1049l"); enter < 0 || leave < enter {
		t.Errorf("the alternate screen was entered and not left: %q", text)
	}
}
