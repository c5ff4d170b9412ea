package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// fakeBackend hands out frames of made-up processes.
type fakeBackend struct {
	requests []Request
	rows     func() []*result.Process
	saved    []string
	details  int // calls
	panics   bool
	fail     error
}

func (b *fakeBackend) Frame(_ context.Context, r *Request) (*Frame, error) {
	if b.panics && len(b.requests) > 0 {
		panic("backend")
	}
	b.requests = append(b.requests, *r)
	if b.fail != nil {
		return nil, b.fail
	}
	t := &result.WatchTick{UptimeNS: result.Some(int64(time.Hour)), IntervalNS: result.Some(int64(2e9)),
		Self: result.WatchSelf{CPUDeltaNS: result.Some(int64(1e7)), RSSBytes: result.Some(int64(8 << 20))}}
	if r.Group != "" {
		t.Groups = []*result.Group{
			{Name: "small", Processes: 2, PSS: result.Some(int64(1 << 20))}, {Name: "large\x1b[", Processes: 3, PSS: result.Some(int64(9 << 20))},
		}
		t.Total = &result.Group{Name: "TOTAL", Processes: 5, PSS: result.Some(int64(10 << 20))}
	} else {
		t.Processes = b.rows()
	}
	t.Counts.Seen, t.Counts.Selected = 40, len(t.Processes)
	total := int64(16 << 30)
	return &Frame{Tick: t, Host: &result.Host{Hostname: "web1", OS: "linux", Kernel: "6.1.0"}, Memory: result.Memory{TotalBytes: &total}, PSS: true}, nil
}

func (b *fakeBackend) Details(_ context.Context, pid int32, _ uint64) (*Details, error) {
	b.details++
	return &Details{
		Facts:    [][2]string{{"VmHWM", "100 kB"}, {"cgroup", "/a/very/long/path/that/does/not/fit/into/one/half\x1b[31m"}},
		Mappings: []Mapping{{Name: "heap", Count: 1, RSS: 5 << 20}, {Name: "/lib/evil\n.so", Count: 2, RSS: 1 << 20}},
		Problems: []string{fmt.Sprintf("smaps of %d: permission denied", pid)},
	}, nil
}

func (b *fakeBackend) Save(name string, _ *Frame, _ *Request) error {
	if strings.HasPrefix(name, "/bad") {
		return errors.New("no such directory")
	}
	b.saved = append(b.saved, name)
	return nil
}

func thirty() []*result.Process {
	var rows []*result.Process
	for i := range 30 {
		p := &result.Process{PID: int32(100 + i), Start: uint64(i), PPID: result.Some(int64(1)), User: "www", State: "S",
			Resident: result.Some(int64(i+10) << 20), Virtual: result.Some(int64(i+10) << 22), CPUPercent: result.Some(float64(30 - i)),
			CPUNS: result.Some(int64(1e9)), Comm: "worker", Cmdline: "w", Command: result.RawText(fmt.Sprintf("worker %d: /page/%d", i, i*7)),
			History: []int64{1 << 20, 2 << 20, int64(i+10) << 20}}
		rows = append(rows, p)
	}
	rows[29].PPID = result.Some(int64(100))
	rows[3].Command = "evil\x1b]0;x\x07 \u202etitle 日本語"
	return rows
}

func screen(t *testing.T, b *fakeBackend, width, height int) *Model {
	t.Helper()
	if b.rows == nil {
		b.rows = thirty
	}
	res, err := report.FindColumn(report.ProcessColumns, "RES")
	if err != nil {
		t.Fatal(err)
	}
	pss, err := report.FindColumn(report.GroupColumns, "PSS")
	if err != nil {
		t.Fatal(err)
	}
	m := New(context.Background(), b, Config{Delay: time.Hour, Sort: res, Descending: true, GroupSort: pss, GroupDescending: true,
		GroupKinds: []string{"program", "user"}, PSS: true, Selection: `matches "x"`, Version: "test"})
	m.width, m.height = width, height
	m.timer = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	pump(m, m.Init())
	return m
}

// pump runs commands and feeds their messages back.
func pump(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			pump(m, c)
		}
	case frameMsg, detailsMsg:
		_, cmd := m.Update(msg)
		pump(m, cmd)
	}
}

func press(m *Model, keys ...string) {
	special := map[string]rune{"down": tea.KeyDown, "up": tea.KeyUp, "end": tea.KeyEnd, "home": tea.KeyHome, "pgdown": tea.KeyPgDown,
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "space": tea.KeySpace, "backspace": tea.KeyBackspace}
	for _, k := range keys {
		m.last = time.Time{} // as if the last frame were long ago
		msg := tea.KeyPressMsg{Code: special[k]}
		if msg.Code == 0 {
			msg = tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
		}
		if k == "space" {
			msg.Text = " "
		}
		_, cmd := m.Update(msg)
		pump(m, cmd)
	}
}

// plain returns the screen without styles, checking that it fits and holds no
// escape sequence but those of the styles.
func plain(t *testing.T, m *Model) string {
	t.Helper()
	view := m.View().Content
	lines := strings.Split(view, "\n")
	if len(lines) > m.height {
		t.Errorf("%d lines on a screen of %d", len(lines), m.height)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > m.width {
			t.Errorf("%q takes %d columns of %d", line, w, m.width)
		}
	}
	text := ansi.Strip(view)
	if strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Errorf("control characters on the screen: %q", text)
	}
	return text
}

func TestScreen(t *testing.T) {
	m := screen(t, &fakeBackend{}, 80, 24)
	text := plain(t, m)
	lines := strings.Split(text, "\n")
	if len(lines) != 24 || !strings.HasPrefix(lines[3], "PID USER S VIRT RES*") || !strings.Contains(lines[4], "worker 29: /page/203") {
		t.Errorf("%s", text)
	}
	for _, want := range []string{"web1", "linux 6.1.0", "self 0.5% CPU 8192 RES", "? help", "1-19 of 30", "RES of 129"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestSmallScreens(t *testing.T) {
	for _, width := range []int{1, 2, 5, 10, 20, 39, 60, 80, 120, 220} {
		for _, height := range []int{1, 2, 3, 5, 8, 10, 16, 50} {
			m := screen(t, &fakeBackend{}, width, height)
			plain(t, m)
			for _, keys := range []string{"?", "c", "/", "g"} {
				press(m, keys)
				plain(t, m)
				press(m, "esc")
			}
		}
	}
}

func TestTwentyColumns(t *testing.T) {
	text := plain(t, screen(t, &fakeBackend{}, 20, 10))
	if !strings.Contains(text, "RES*") || !strings.Contains(text, "129  39m") || !strings.Contains(text, "COMMAND") {
		t.Errorf("%s", text)
	}
}

func TestSorting(t *testing.T) {
	b := &fakeBackend{}
	m := screen(t, b, 80, 24)
	first := func() int32 { return m.rows[0].PID }
	press(m, "P")
	if first() != 100 || m.req.Sort.Name != "%CPU" {
		t.Errorf("by CPU: %d", first())
	}
	press(m, "r")
	if first() != 129 {
		t.Errorf("reversed: %d", first())
	}
	press(m, "N")
	if first() != 100 {
		t.Errorf("by PID: %d", first())
	}
	press(m, "<")
	if m.req.Sort.Name != "COMMAND" {
		t.Errorf("left of PID is %s", m.req.Sort.Name)
	}
	press(m, ">")
	if m.req.Sort.Name != "PID" {
		t.Errorf("right of COMMAND is %s", m.req.Sort.Name)
	}
	if last := b.requests[len(b.requests)-1]; last.Sort.Name != "PID" || last.Limit != m.bodyHeight() {
		t.Errorf("the backend was asked for %+v", last)
	}
}

func TestFilter(t *testing.T) {
	m := screen(t, &fakeBackend{}, 80, 24)
	press(m, "/", "(", "1")
	if len(m.rows) != 30 || !strings.Contains(plain(t, m), "not yet a regular expression") {
		t.Errorf("%d rows while the filter does not compile", len(m.rows))
	}
	press(m, ")", "2", ":", "enter")
	if len(m.rows) != 1 || m.rows[0].PID != 112 || m.mode != modeRows {
		t.Errorf("%d rows", len(m.rows))
	}
	press(m, "q") // quits, and is not typed into the filter
	if m.filter != "(1)2:" {
		t.Error(m.filter)
	}
	press(m, "esc")
	if len(m.rows) != 30 {
		t.Errorf("%d rows after Esc", len(m.rows))
	}
	press(m, "/", "z", "z", "enter")
	if text := plain(t, m); !strings.Contains(text, `no process matches "zz"`) {
		t.Errorf("%s", text)
	}
}

func TestNothingSelectedWaits(t *testing.T) {
	m := screen(t, &fakeBackend{rows: func() []*result.Process { return nil }}, 80, 24)
	if text := plain(t, m); !strings.Contains(text, `no process matches "x", waiting`) {
		t.Errorf("%s", text)
	}
}

// The cursor stays on the process it was put on when the order changes.
func TestCursorFollows(t *testing.T) {
	m := screen(t, &fakeBackend{}, 80, 24)
	press(m, "down", "down")
	pid := m.current().PID
	press(m, "P")
	if m.current().PID != pid {
		t.Errorf("cursor on %d, was on %d", m.current().PID, pid)
	}
	if !strings.Contains(plain(t, m), fmt.Sprintf("%d www", pid)) {
		t.Error("the selected row is not on the screen")
	}
	press(m, "end")
	if m.cursor != 29 || m.top != 30-m.bodyHeight() {
		t.Errorf("end: cursor %d top %d", m.cursor, m.top)
	}
	press(m, "home", "pgdown")
	if m.cursor != m.bodyHeight()-1 {
		t.Errorf("page: %d", m.cursor)
	}
}
