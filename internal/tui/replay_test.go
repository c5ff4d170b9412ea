package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wordsize/internal/report"
)

// fakeRecording plays 100 ticks of a second each.
type fakeRecording struct {
	fakeBackend
	number int64
	cut    string
}

func (b *fakeRecording) Frame(ctx context.Context, r *Request) (*Frame, error) {
	f, err := b.fakeBackend.Frame(ctx, r)
	note := ""
	switch {
	case b.number == 0:
		b.number = 1
	case r.Seek == "0":
		b.number = 1
	case r.Seek == "+10":
		b.number += 10
	case r.Seek == "-10":
		b.number -= 10
	case r.Seek != "":
		note = r.Seek + ": give seconds"
	default:
		b.number += int64(r.Step)
	}
	b.number = min(max(1, b.number), 100)
	f.Replay = &ReplayPosition{Number: b.number, AtNS: (b.number - 1) * 1e9, NextNS: 1e9, Ticks: 100, LengthNS: 99e9, Speed: 1, Note: note, Cut: b.cut}
	if f.Replay.End = b.number == 100; f.Replay.End {
		f.Replay.NextNS = 0
	}
	return f, err
}

// player is a screen over it; waits holds the times that its timer was set to.
func player(t *testing.T, b *fakeRecording, width, height int) (m *Model, waits *[]time.Duration) {
	t.Helper()
	b.rows = thirty
	res, err := report.FindColumn(report.ProcessColumns, "RES")
	if err != nil {
		t.Fatal(err)
	}
	pss, err := report.FindColumn(report.GroupColumns, "PSS")
	if err != nil {
		t.Fatal(err)
	}
	m = New(context.Background(), b, Config{Delay: time.Second, Sort: res, Descending: true, GroupSort: pss, PSS: true, Replay: true, Version: "test"})
	m.width, m.height = width, height
	waits = new([]time.Duration)
	m.timer = func(d time.Duration, _ func(time.Time) tea.Msg) tea.Cmd {
		*waits = append(*waits, d)
		return nil
	}
	pump(m, m.Init())
	return m, waits
}

// tick lets the timer run out.
func tickOver(m *Model) {
	_, cmd := m.Update(timerMsg(m.schedule))
	pump(m, cmd)
}

func arrow(m *Model, code rune) {
	_, cmd := m.Update(tea.KeyPressMsg{Code: code})
	pump(m, cmd)
}

func TestReplayKeys(t *testing.T) {
	b := &fakeRecording{}
	m, waits := player(t, b, 100, 24)
	at := func(want int64) {
		t.Helper()
		if b.number != want {
			t.Fatalf("at tick %d, want %d", b.number, want)
		}
	}
	at(1)
	if len(*waits) != 1 || (*waits)[0] != time.Second {
		t.Fatalf("waits %v", *waits)
	}
	tickOver(m)
	at(2)
	press(m, "P") // another order is of the same tick
	at(2)
	arrow(m, tea.KeyRight)
	at(3)
	if !m.paused || !strings.Contains(m.lastLine(), "replay 2.0s of 1:39.0 tick 3/100 PAUSED") {
		t.Errorf("%q", m.lastLine())
	}
	n := len(*waits)
	tickOver(m) // does nothing while paused
	at(3)
	arrow(m, tea.KeyLeft)
	arrow(m, tea.KeyLeft)
	arrow(m, tea.KeyLeft)
	at(1)
	press(m, "]")
	at(11)
	press(m, "[", "]", "]")
	at(21)
	press(m, "M", "t", "/", "w", "enter") // works while paused, and moves nothing
	at(21)
	if len(*waits) != n {
		t.Errorf("the timer ran while paused: %v", *waits)
	}
	press(m, "space")
	at(22)
	if m.paused || len(*waits) != n+1 {
		t.Errorf("paused %v, waits %v", m.paused, *waits)
	}
	press(m, "s", "x", "enter")
	at(22)
	if !strings.Contains(m.lastLine(), "x: give seconds") {
		t.Errorf("%q", m.lastLine())
	}
	press(m, "H")
	if m.req.Threads || !strings.Contains(m.lastLine(), "no threads") {
		t.Errorf("%q", m.lastLine())
	}
	press(m, "d")
	if m.mode != modeRows {
		t.Error("the interval can be changed")
	}
}

func TestReplaySpeed(t *testing.T) {
	b := &fakeRecording{}
	m, waits := player(t, b, 100, 24)
	press(m, "+", "+")
	if last := (*waits)[len(*waits)-1]; last != 250*time.Millisecond || !strings.Contains(m.lastLine(), " x4") {
		t.Errorf("%v %q", last, m.lastLine())
	}
	press(m, "+", "+", "+", "+") // x64: a frame shows the ticks of 50 ms
	if wait, ticks := m.pace(); ticks != 4 || wait != 62500*time.Microsecond {
		t.Errorf("%v for %d ticks", wait, ticks)
	}
	tickOver(m)
	if b.number != 5 {
		t.Errorf("at tick %d", b.number)
	}
	press(m, strings.Split(strings.Repeat("-", 40), "")...)
	if m.speed != SlowestReplay {
		t.Errorf("speed %g", m.speed)
	}
}

// At the end the screen stands; Space begins anew.
func TestReplayEnd(t *testing.T) {
	b := &fakeRecording{number: 99, cut: "is cut off after 100 ticks"}
	m, waits := player(t, b, 120, 24)
	m.paused = false
	n := len(*waits)
	for range 5 {
		tickOver(m)
	}
	if b.number != 100 || !strings.Contains(m.lastLine(), "END (is cut off after 100 ticks)") {
		t.Errorf("tick %d, %q", b.number, m.lastLine())
	}
	if len(*waits) != n {
		t.Errorf("the timer runs on: %v", *waits)
	}
	press(m, "space")
	press(m, "space")
	if b.number != 1 {
		t.Errorf("at tick %d", b.number)
	}
}

func TestReplayHelp(t *testing.T) {
	m, _ := player(t, &fakeRecording{}, 80, 24)
	press(m, "?")
	text := strings.Join(m.viewHelp(), "\n")
	for _, want := range []string{"a tick on, back", "go to a time", "twice, half as fast"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "change the interval") || len(m.viewHelp()) > 24 {
		t.Errorf("%d lines:\n%s", len(m.viewHelp()), text)
	}
}

func TestClock(t *testing.T) {
	for ns, want := range map[int64]string{0: "0.0s", 12_340_000_000: "12.3s", 62_300_000_000: "1:02.3", 3723_000_000_000: "1:02:03"} {
		if got := clock(ns); got != want {
			t.Errorf("%d: %q, want %q", ns, got, want)
		}
	}
}
