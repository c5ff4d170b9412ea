package tui

import (
	"fmt"
	"math"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The bounds of the speed of a replay.
const (
	SlowestReplay = 1. / 64
	FastestReplay = 4096.
)

// replayFrames is the least time between two frames of a replay: what comes
// faster is shown by leaving ticks out.
const replayFrames = 50 * time.Millisecond

// ReplayPosition says where in a recording a frame is.
type ReplayPosition struct {
	Number   int64   // of the tick, from 1
	AtNS     int64   // since the start of the recording
	NextNS   int64   // until the next tick; 0 when there is none
	Ticks    int64   // in all; 0 until the end has been read
	LengthNS int64   // likewise
	End      bool    // there is none behind it
	Cut      string  // at the end of a recording that is cut off: how
	Speed    float64 // to begin with
	Note     string  // why the frame is not where it was wanted
}

// replayHelp lists the keys of a replay.
var replayHelp = [][2]string{
	{"Space", "pause, go on"},
	{"right left", "a tick on, back; pauses"},
	{"] [", "10 s on, back"},
	{"} {", "a minute on, back"},
	{"s", "go to a time"},
	{"+ -", "twice, half as fast"},
}

// notInReplay are the keys of the live screen that a recording has nothing for.
var notInReplay = []string{"Space", "H", "d"}

func (m *Model) help() [][2]string {
	if !m.cfg.Replay {
		return help
	}
	rest := slices.DeleteFunc(slices.Clone(help), func(h [2]string) bool { return slices.Contains(notInReplay, h[0]) })
	return append(slices.Clone(replayHelp), rest...)
}

// keyReplay handles the keys that move through a recording; ok is false for
// others.
func (m *Model) keyReplay(key string) (cmd tea.Cmd, ok bool) {
	if !m.cfg.Replay {
		return nil, false
	}
	switch key {
	case "right":
		return m.moveTicks(1), true
	case "left":
		return m.moveTicks(-1), true
	case "]":
		return m.moveTime("+10"), true
	case "[":
		return m.moveTime("-10"), true
	case "}":
		return m.moveTime("+60"), true
	case "{":
		return m.moveTime("-60"), true
	case "s":
		return m.prompt(modeSeek, ""), true
	case "+", "=":
		return m.setSpeed(m.speed * 2), true
	case "-":
		return m.setSpeed(m.speed / 2), true
	case "H":
		m.say("a recording has no threads", false)
		return nil, true
	case "d":
		m.say("the interval is the recording's; + and - change the speed", false)
		return nil, true
	}
	return nil, false
}

// moveTicks pauses and moves.
func (m *Model) moveTicks(n int) tea.Cmd {
	m.paused = true
	m.step += n
	return m.fetch()
}

func (m *Model) moveTime(by string) tea.Cmd {
	m.seek = by
	return m.fetch()
}

func (m *Model) setSpeed(v float64) tea.Cmd {
	m.speed = min(max(v, SlowestReplay), FastestReplay)
	if m.paused {
		return nil
	}
	return m.waitReplay()
}

// resumeReplay goes on, from the beginning when the end has been reached.
func (m *Model) resumeReplay() tea.Cmd {
	if m.paused {
		return nil
	}
	if m.frame != nil && m.frame.Replay != nil && m.frame.Replay.End {
		m.seek = "0"
		return m.fetch()
	}
	m.step++
	return m.fetch()
}

// takeMoves hands the moves that were asked for to a request. When time was
// asked for, the steps before it do not matter.
func (m *Model) takeMoves(r *Request) {
	r.Step, r.Seek = m.step, m.seek
	m.step, m.seek = 0, ""
}

// arrived takes what a frame of a recording says of itself.
func (m *Model) arrived() {
	p := m.frame.Replay
	if p == nil {
		return
	}
	if m.speed == 0 {
		m.speed = p.Speed
	}
	if p.Note != "" {
		m.say(p.Note, true)
	}
}

// pace returns how long to wait for the next frame, and how many ticks it is
// away.
func (m *Model) pace() (wait time.Duration, ticks int) {
	next := m.cfg.Delay
	if m.frame != nil && m.frame.Replay != nil && m.frame.Replay.NextNS > 0 {
		next = time.Duration(m.frame.Replay.NextNS)
	}
	wait = time.Duration(float64(next) / max(m.speed, SlowestReplay))
	ticks = 1
	if wait < replayFrames {
		ticks = int(math.Ceil(float64(replayFrames) / float64(max(wait, 1))))
		wait *= time.Duration(ticks)
	}
	return wait, ticks
}

// stepTicks is how many ticks the timer moves.
func (m *Model) stepTicks() int {
	if !m.cfg.Replay || m.urgent {
		return 0
	}
	_, ticks := m.pace()
	return ticks
}

// waitReplay starts the timer to the next frame; there is none at the end.
func (m *Model) waitReplay() tea.Cmd {
	if m.paused || m.frame == nil || m.frame.Replay == nil || m.frame.Replay.End {
		return nil
	}
	wait, _ := m.pace()
	return m.wait(wait)
}

// replayState says where the screen is in the recording.
func (m *Model) replayState() string {
	if m.frame == nil || m.frame.Replay == nil {
		return "replay"
	}
	p := m.frame.Replay
	s := "replay " + clock(p.AtNS)
	if p.Ticks > 0 {
		s += " of " + clock(p.LengthNS)
	}
	s += fmt.Sprintf(" tick %d", p.Number)
	if p.Ticks > 0 {
		s += fmt.Sprintf("/%d", p.Ticks)
	}
	if m.speed != 1 && m.speed != 0 {
		s += fmt.Sprintf(" x%.4g", m.speed)
	}
	switch {
	case p.End && p.Cut != "":
		s += " END (" + p.Cut + ")"
	case p.End:
		s += " END"
	case m.paused:
		s += " PAUSED"
	}
	return s
}

// clock writes a time within a recording: 12.3s, 1:02.3, 1:02:03.
func clock(ns int64) string {
	tenths := ns / 1e8
	switch s := tenths / 10; {
	case s < 60:
		return fmt.Sprintf("%d.%ds", s, tenths%10)
	case s < 3600:
		return fmt.Sprintf("%d:%02d.%d", s/60, s%60, tenths%10)
	default:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
}
