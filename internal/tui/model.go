package tui

import (
	"context"
	"regexp"
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// mode is what the keys go to.
type mode int

const (
	modeRows mode = iota
	modeFilter
	modeDelay
	modeSave
	modeHelp
	modeColumns
	modeDetails
	modeSeek
)

// Model is the screen's state.
type Model struct {
	ctx     context.Context
	backend Backend
	cfg     Config
	styles  styles

	width, height int
	mode          mode
	input         textinput.Model
	note          string // shown in the last line until the next key
	noteBad       bool

	frame  *Frame
	rows   []*result.Process // filtered and sorted
	groups []*result.Group
	table  report.WatchTable[result.Process]
	gtable report.WatchTable[result.Group]

	req      Request
	columns  []*report.ProcessColumn // chosen, nil for what fits
	filter   string
	paused   bool
	busy     bool // a frame is on its way
	again    bool // and another is wanted as soon as it is here
	urgent   bool // the timer runs for a frame that was asked for
	schedule int  // number of the timer that counts
	last     time.Time
	timer    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd

	cursor   int
	selected [3]uint64 // identity of the selected row, followed over frames
	hasSel   bool
	top      int // first row on the screen

	chooser int // cursor of the column chooser
	details *Details
	detail  *result.Process
	reading bool      // details are on their way
	rested  time.Time // not before then the next
	scroll  int

	speed float64 // of a recording
	step  int     // ticks to move that were asked for while a frame was on its way
	seek  string  // likewise
}

type (
	frameMsg struct {
		frame *Frame
		err   error
	}
	timerMsg   int
	detailsMsg struct {
		ident   [3]uint64 // whose details they are
		took    time.Duration
		details *Details
		err     error
	}
)

// New returns the screen. Contexts end the calls to the backend.
func New(ctx context.Context, b Backend, cfg Config) *Model {
	m := &Model{ctx: ctx, backend: b, cfg: cfg, styles: newStyles(cfg.Color), width: 80, height: 24, columns: cfg.Columns}
	m.req = Request{
		Delay: cfg.Delay, Sort: cfg.Sort, Descending: cfg.Descending, Threads: cfg.Threads,
		Group: cfg.Group, GroupSort: cfg.GroupSort, GroupDescending: cfg.GroupDescending,
	}
	m.table.Sticky, m.gtable.Sticky = true, true
	m.input = textinput.New()
	m.input.SetStyles(textinput.Styles{}) // no colours, no blinking
	m.timer = tea.Tick
	m.layout()
	return m
}

// Init asks for the first frame.
func (m *Model) Init() tea.Cmd { return m.fetchNow() }

// minInterval is the least time between two frames: rates over less would be
// noise, and someone who types need not pay a tick for each letter.
const minInterval = 300 * time.Millisecond

// fetch asks for a frame as soon as may be; while one is on its way, for
// another after it.
func (m *Model) fetch() tea.Cmd {
	if m.busy {
		m.again = true
		return nil
	}
	if m.cfg.Replay { // costs nothing, and is of the same tick
		return m.fetchNow()
	}
	if since := time.Since(m.last); since < min(minInterval, m.req.Delay) {
		m.urgent = true
		return m.wait(min(minInterval, m.req.Delay) - since)
	}
	return m.fetchNow()
}

func (m *Model) fetchNow() tea.Cmd {
	m.urgent = false
	m.busy, m.again = true, false
	m.layout()
	req := m.req
	m.takeMoves(&req)
	return func() tea.Msg {
		f, err := m.backend.Frame(m.ctx, &req)
		return frameMsg{f, err}
	}
}

// wait starts the timer to the next frame; earlier timers count no more.
func (m *Model) wait(d time.Duration) tea.Cmd {
	m.schedule++
	n := m.schedule
	return m.timer(d, func(time.Time) tea.Msg { return timerMsg(n) })
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.table.Reset()
		m.gtable.Reset()
		m.arrange()
		return m, m.fetchUnlessPaused()
	case frameMsg:
		return m, m.takeFrame(msg)
	case timerMsg:
		if int(msg) != m.schedule || m.busy || m.paused && !m.urgent {
			return m, nil
		}
		m.step += m.stepTicks()
		return m, m.fetchNow()
	case detailsMsg:
		return m, m.takeDetails(msg)
	case tea.ResumeMsg:
		return m, m.fetchUnlessPaused()
	case tea.KeyPressMsg:
		m.note = ""
		return m, m.key(msg)
	case tea.MouseMsg:
		return m, m.mouse(msg)
	}
	if m.prompting() {
		var cmd tea.Cmd
		m.input, cmd = m.input.Update(msg)
		return m, cmd
	}
	return m, nil
}

func (m *Model) say(note string, bad bool) { m.note, m.noteBad = note, bad }

func (m *Model) takeFrame(msg frameMsg) tea.Cmd {
	m.busy, m.last = false, time.Now()
	if msg.err != nil {
		m.say(msg.err.Error(), true)
	} else {
		m.frame = msg.frame
		m.arrived()
		m.table.Context, m.gtable.Context = msg.frame.Context, msg.frame.Context
		m.arrange()
	}
	if m.again {
		return m.fetch()
	}
	var cmds []tea.Cmd
	if m.mode == modeDetails && m.detail != nil {
		if !time.Now().Before(m.rested) {
			cmds = append(cmds, m.fetchDetails())
		}
	}
	if m.cfg.Replay {
		return tea.Batch(append(cmds, m.waitReplay())...)
	}
	return tea.Batch(append(cmds, m.wait(m.req.Delay))...)
}

// fetchDetails asks for the details of the process that is looked at, one
// process at a time.
func (m *Model) fetchDetails() tea.Cmd {
	if m.reading || m.detail == nil {
		return nil
	}
	m.reading = true
	pid, ident := m.detail.PID, m.detail.Ident()
	return func() tea.Msg {
		begin := time.Now()
		d, err := m.backend.Details(m.ctx, pid, ident[2])
		return detailsMsg{ident, time.Since(begin), d, err}
	}
}

// takeDetails shows details, unless another process is looked at by now. The
// next are read after the interval, or later to stay within the PSS budget.
func (m *Model) takeDetails(msg detailsMsg) tea.Cmd {
	m.reading = false
	if m.mode != modeDetails || m.detail == nil {
		return nil
	}
	if m.detail.Ident() != msg.ident {
		return m.fetchDetails()
	}
	rest := m.req.Delay * 9 / 10 // frames come a little early at times
	if m.cfg.PSSBudget > 0 {
		rest = max(rest, time.Duration(float64(msg.took)/m.cfg.PSSBudget))
	} else {
		rest = max(rest, 100*msg.took)
	}
	m.rested = time.Now().Add(rest)
	if msg.err != nil {
		m.mode, m.detail, m.details = modeRows, nil, nil
		m.say(msg.err.Error(), true)
		return nil
	}
	m.details = msg.details
	return nil
}

// arrange filters and sorts the frame's rows as the screen wants them now,
// and finds the selected row again.
func (m *Model) arrange() {
	m.layout()
	if m.frame == nil {
		return
	}
	if m.req.Group != "" {
		m.groups = slices.Clone(m.frame.Tick.Groups)
		slices.SortStableFunc(m.groups, func(a, b *result.Group) int {
			return m.req.GroupSort.Compare(&m.gtable.Context, a, b, m.req.GroupDescending)
		})
		if m.frame.Tick.Total != nil {
			m.groups = append([]*result.Group{m.frame.Tick.Total}, m.groups...)
		}
	} else {
		m.arrangeRows()
	}
	m.followSelection()
}

func (m *Model) arrangeRows() {
	m.rows = m.rows[:0]
	var threads []*result.Process
	for _, r := range m.frame.Tick.Processes {
		switch {
		case r.TID != 0:
			threads = append(threads, r)
		case m.req.Filter == nil || m.req.Filter.MatchString(matchText(r)):
			m.rows = append(m.rows, r)
		}
	}
	slices.SortStableFunc(m.rows, func(a, b *result.Process) int {
		return m.req.Sort.Compare(&m.table.Context, a, b, m.req.Descending)
	})
	if m.req.Tree {
		m.rows = report.TreeOrder(m.rows)
	} else {
		for _, r := range m.rows {
			r.Depth = 0
		}
	}
	if len(threads) > 0 && m.req.Threads {
		m.rows = withThreads(m.rows, threads)
	}
}

// withThreads puts threads below their processes.
func withThreads(rows, threads []*result.Process) (all []*result.Process) {
	of := map[int32][]*result.Process{}
	for _, t := range threads {
		of[t.PID] = append(of[t.PID], t)
	}
	for _, r := range rows {
		all = append(all, r)
		for _, t := range of[r.PID] {
			t.Depth = r.Depth + 1
			all = append(all, t)
		}
	}
	return all
}

// matchText is what the filter is matched against: the title, or comm.
func matchText(r *result.Process) string {
	if r.Cmdline == "" {
		return string(r.Comm)
	}
	return string(r.Command)
}

// count returns the number of rows there are.
func (m *Model) count() int {
	if m.req.Group != "" {
		return len(m.groups)
	}
	return len(m.rows)
}

// followSelection keeps the cursor on the process that it was on.
func (m *Model) followSelection() {
	if m.req.Group == "" && m.hasSel {
		for i, r := range m.rows {
			if r.Ident() == m.selected {
				m.cursor = i
				break
			}
		}
	}
	m.move(0)
}

// move moves the cursor by n rows and scrolls so that it is seen.
func (m *Model) move(n int) {
	m.cursor = max(0, min(m.cursor+n, m.count()-1))
	if n != 0 && m.req.Group == "" && m.cursor < len(m.rows) {
		// The first row is a place, the others are processes: whoever did not
		// move wants to see the top of the list.
		m.hasSel = m.cursor > 0
		m.selected = m.rows[m.cursor].Ident()
	}
	body := m.bodyHeight()
	m.top = max(0, min(m.top, m.cursor))
	if m.cursor >= m.top+body {
		m.top = m.cursor - body + 1
	}
	m.top = max(0, min(m.top, m.count()-body))
	m.req.First, m.req.Limit = m.top, max(1, body)
}

// current returns the selected process, nil when there is none.
func (m *Model) current() *result.Process {
	if m.req.Group != "" || m.cursor >= len(m.rows) {
		return nil
	}
	return m.rows[m.cursor]
}

// layout chooses the columns for the width of the screen.
func (m *Model) layout() {
	m.table.Width, m.gtable.Width = m.width, m.width
	cols := m.columns
	if cols == nil {
		cols = report.DefaultProcessColumns(m.width, m.cfg.PSS)
	}
	if !slices.Equal(cols, m.table.Columns) {
		m.table.Columns = cols
		m.table.Reset()
	}
	gcols := m.cfg.GroupColumns
	if gcols == nil {
		gcols = report.DefaultGroupColumns(m.width, m.cfg.PSS)
		if wantsWhatIf(cols) {
			gcols = report.WithWhatIf(gcols)
		}
	}
	if !slices.Equal(gcols, m.gtable.Columns) {
		m.gtable.Columns = gcols
		m.gtable.Reset()
	}
	m.table.Sort, m.gtable.Sort = m.req.Sort, m.req.GroupSort
	m.req.Columns, m.req.GroupColumns = cols, gcols
	m.req.First, m.req.Limit = m.top, max(1, m.bodyHeight())
}

// setFilter compiles the filter; one that does not compile leaves the last.
func (m *Model) setFilter(text string) error {
	if text == "" {
		m.filter, m.req.Filter = "", nil
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return err
	}
	m.filter, m.req.Filter = text, re
	return nil
}
