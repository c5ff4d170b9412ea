package tui

import (
	"strings"
	"testing"
	"time"
)

// Details that come late are not shown as another process's, and no second
// read starts while one is on its way or before the budget allows it.
func TestDetailsOneAtATime(t *testing.T) {
	b := &fakeBackend{}
	m := screen(t, b, 80, 24)
	first := m.openDetails() // not run yet: a slow read
	press(m, "esc", "down", "enter")
	if b.details != 0 {
		t.Fatalf("%d reads beside the first", b.details)
	}
	pump(m, first)
	if text := plain(t, m); b.details != 2 || !strings.Contains(text, "process 128") || !strings.Contains(text, "smaps of 128") {
		t.Errorf("%d reads, %s", b.details, text)
	}
	pump(m, m.takeFrame(frameMsg{frame: m.frame}))
	if b.details != 2 {
		t.Error("read again before the budget allows it")
	}
	m.rested = time.Time{}
	pump(m, m.takeFrame(frameMsg{frame: m.frame}))
	if b.details != 3 {
		t.Errorf("%d reads", b.details)
	}
}
