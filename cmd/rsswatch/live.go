package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"wordsize/internal/procstat"
	"wordsize/internal/report"
	"wordsize/internal/tui"
)

// runLive shows the live screen until it is left.
func runLive(ctx context.Context, c *collector, stdin io.Reader, stdout io.Writer) error {
	if name := os.Getenv("TERM"); runtime.GOOS != "windows" && (name == "" || name == "dumb") {
		return usagef("TERM is %q: such a terminal cannot show the live screen; use -b", name)
	}
	if !isTerminal(stdin) { // keys come from the terminal, not from a pipe
		in, out, err := tea.OpenTTY()
		if err != nil {
			return usagef("standard input is no terminal, and there is none for the keys (%v); use -b", err)
		}
		defer in.Close()
		defer out.Close()
		stdin = in
	}
	cfg := liveConfig(c.opt)
	cfg.Replay = c.replay != nil
	defer guardTerminal(stdin, stdout)()
	bctx, cancel := context.WithCancel(ctx)
	b := &liveBackend{c: c, sel: c.opt.sel, cancel: cancel}
	defer b.close() // before the collector is
	programOpts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(stdin), tea.WithOutput(stdout), tea.WithFPS(20),
		tea.WithoutSignalHandler()} // main has one
	if !cfg.Color {
		programOpts = append(programOpts, tea.WithColorProfile(colorprofile.ASCII))
	}
	var program *tea.Program // there before a message of its own comes
	filter, stop := suspendOnSignal(func() *tea.Program { return program })
	var backend tui.Backend = b
	if c.replay != nil {
		backend = &replayBackend{b}
	}
	program = tea.NewProgram(tui.New(bctx, backend, cfg), append(programOpts, tea.WithFilter(filter))...)
	defer stop()
	_, err := program.Run()
	switch {
	case ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted):
		return errInterrupted
	case err != nil:
		return fmt.Errorf("screen: %w", err)
	}
	return nil
}

func liveConfig(o *options) tui.Config {
	cfg := tui.Config{
		Delay: o.delay, Group: string(o.group), Threads: o.threads, PSS: o.pssBudget > 0, PSSBudget: o.pssBudget, Version: version(),
		Color: os.Getenv("NO_COLOR") == "", ASCII: !utf8Locale(os.Getenv),
	}
	if !o.sel.All() {
		cfg.Selection = o.describe()
	}
	processes := *o
	if o.group != "" { // --sort and --columns are those of the groups
		processes.sort, processes.ascending = "", nil
		if o.columns != "" {
			cfg.GroupColumns, _ = report.ParseColumns(report.GroupColumns, o.columns)
		}
	} else if o.columns != "" {
		cfg.Columns, _ = report.ParseColumns(report.ProcessColumns, o.columns)
	}
	cfg.Sort, cfg.Descending = sortColumn(report.ProcessColumns, &processes, "RES")
	groups := *o
	if o.group == "" {
		groups.sort, groups.ascending = "", nil
	}
	cfg.GroupSort, cfg.GroupDescending = sortColumn(report.GroupColumns, &groups, groupDefault(o))
	for _, k := range procstat.GroupKinds {
		if k != procstat.ByRegexp || len(o.sel.Patterns) > 0 {
			cfg.GroupKinds = append(cfg.GroupKinds, string(k))
		}
	}
	return cfg
}

// liveBackend supplies the screen from this host. The screen leaves its
// commands behind when it ends, so whoever closes the collector closes the
// backend first.
type liveBackend struct {
	c      *collector
	sel    procstat.Selection // of the command line, without the screen's filter
	cancel context.CancelFunc // ends the context of the calls below

	mu     sync.RWMutex // read-locked during a call, locked to close
	closed bool
}

// errClosed is what a call gets that comes after close; nobody sees it.
var errClosed = errors.New("the screen has been left")

// close ends calls that are under way and waits for them.
func (b *liveBackend) close() {
	b.cancel()
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
}

// Frame takes a tick.
func (b *liveBackend) Frame(ctx context.Context, r *tui.Request) (*tui.Frame, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return nil, errClosed
	}
	return b.frame(ctx, r)
}

func (b *liveBackend) frame(ctx context.Context, r *tui.Request) (*tui.Frame, error) {
	c := b.c
	c.opt.sel = b.sel
	c.opt.sel.Filter = r.Filter
	c.opt.threads = r.Threads
	c.sampler.Configure(c.samplerConfig(r.Delay, r.Threads))
	v := view{
		needs: needsOf(r.Columns), sort: r.Sort, descending: r.Descending, first: r.First, limit: r.Limit, tree: r.Tree, history: true,
		group: procstat.GroupBy(r.Group), groupSort: r.GroupSort, groupOrder: r.GroupDescending,
	}
	if r.Group != "" {
		v.needs = needsOf(r.GroupColumns) & procstat.HasWhatIf
	}
	t, err := c.collect(ctx, &v)
	if err != nil {
		return nil, err
	}
	wctx := c.context()
	wctx.Text.ASCII = !utf8Locale(os.Getenv)
	host := c.host // the next tick may change it
	return &tui.Frame{Tick: t, Host: &host, Memory: c.mem, Context: wctx, PSS: c.wantsPSS(&v)}, nil
}

// Details looks at one process.
func (b *liveBackend) Details(_ context.Context, pid int32, start uint64) (*tui.Details, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return nil, errClosed
	}
	in := b.c.src.Inspect(pid)
	if ended(b.c.opt.proc, pid, start) {
		return nil, fmt.Errorf("process %d has ended", pid)
	}
	d := &tui.Details{Problems: in.Problems}
	d.Facts = append(d.Facts, in.Status...)
	if in.Cgroup != "" {
		d.Facts = append(d.Facts, [2]string{"cgroup", in.Cgroup})
	}
	for _, l := range in.Limits {
		d.Facts = append(d.Facts, [2]string{"limit " + l[0], l[1]})
	}
	for _, m := range in.Mappings {
		d.Mappings = append(d.Mappings, tui.Mapping{
			Name: m.Name, Count: m.Count, Size: m.Size, RSS: m.RSS, PSS: m.PSS, USS: m.USS(), Swap: m.Swap,
		})
	}
	return d, nil
}

// ended reports whether a process is no more, or its PID another's; false
// where there is no proc file system to tell.
func ended(proc string, pid int32, start uint64) bool {
	b, err := os.ReadFile(fmt.Sprintf("%s/%d/stat", proc, pid))
	if err != nil {
		_, noProc := os.Stat(proc + "/self/stat")
		return noProc == nil && (errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH))
	}
	// The start is field 22 (proc_pid_stat(5)); a name may hold anything.
	const fieldsAfterName = 20
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	return len(f) >= fieldsAfterName && start != 0 && f[fieldsAfterName-1] != strconv.FormatUint(start, 10)
}
