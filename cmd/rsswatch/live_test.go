package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/report"
	"wordsize/internal/tui"
)

// slowSource takes its time in every call, and counts those that come after
// it was closed.
type slowSource struct {
	procstat.Source
	entered chan struct{}
	closed  atomic.Bool
	late    atomic.Int32
}

func (s *slowSource) linger() {
	s.entered <- struct{}{}
	time.Sleep(50 * time.Millisecond)
	if s.closed.Load() {
		s.late.Add(1)
	}
}

func (s *slowSource) Scan(ctx context.Context, t *procstat.Tick) error {
	s.linger()
	return s.Source.Scan(context.WithoutCancel(ctx), t)
}

func (s *slowSource) Inspect(pid int32) procstat.Inspection {
	s.linger()
	return s.Source.Inspect(pid)
}

func (s *slowSource) Close() error {
	s.closed.Store(true)
	return s.Source.Close()
}

// liveTest returns a backend over this host, and a request for everything.
func liveTest(t *testing.T, args ...string) (*liveBackend, *tui.Request, context.Context) {
	t.Helper()
	f := flags{format: "table", delay: "0.05", pssTimeout: "5", pssBudget: "50", whatIf: "2", cpuMode: "one", proc: "/proc"}
	opt, err := f.options(args, func(string) bool { return false }, true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c, err := newCollector(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string) *report.ProcessColumn {
		col, err := report.FindColumn(report.ProcessColumns, name)
		if err != nil {
			t.Fatal(err)
		}
		return col
	}
	r := &tui.Request{Delay: opt.delay, Sort: find("RES"), Descending: true, Limit: 30}
	for _, name := range []string{"PID", "ARCH", "PSS", "COMMAND"} {
		r.Columns = append(r.Columns, find(name))
	}
	return &liveBackend{c: c, sel: opt.sel, cancel: cancel}, r, ctx
}

// The screen is left while the backend is in a call: the call ends before the
// collector is closed, and later ones do not touch it.
func TestCloseDuringCalls(t *testing.T) {
	b, r, ctx := liveTest(t)
	slow := &slowSource{Source: b.c.src, entered: make(chan struct{}, 8)}
	b.c.src = slow
	b.c.sampler = procstat.NewSampler(slow, procstat.Config{Interval: r.Delay, PSSBudget: 0.5})
	if _, err := b.Frame(ctx, r); err != nil {
		t.Fatal(err)
	}
	<-slow.entered
	done := make(chan struct{}, 2)
	go func() { b.Frame(ctx, r); done <- struct{}{} }()
	<-slow.entered
	go func() { b.Details(ctx, 1, 0); done <- struct{}{} }()
	<-slow.entered
	b.close()
	b.c.close()
	<-done
	<-done
	if n := slow.late.Load(); n != 0 {
		t.Errorf("%d calls were under way when the source was closed", n)
	}
	if _, err := b.Frame(ctx, r); !errors.Is(err, errClosed) {
		t.Errorf("a frame after the end: %v", err)
	}
	if _, err := b.Details(ctx, 1, 0); !errors.Is(err, errClosed) {
		t.Errorf("details after the end: %v", err)
	}
}

// Below a process with many threads, the rows that are on the screen have
// their second tier read.
func TestThreadsShown(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if _, noProc := os.Stat("/proc/self/task"); noProc != nil || err != nil {
		t.Skip("threads are shown on Linux only, and sleep(1) plays the child processes")
	}
	stop := make(chan struct{})
	defer close(stop)
	for range 20 {
		ready := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(ready)
			<-stop
		}()
		<-ready
	}
	for range 8 {
		c := exec.Command(sleep, "100")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { c.Process.Kill(); c.Wait() }()
	}
	b, r, ctx := liveTest(t)
	defer b.c.close()
	defer b.close()
	b.sel.Trees = []int32{int32(os.Getpid())}
	r.Threads, r.Limit = true, 1 // the sleeps are not read at first
	f, err := b.Frame(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	r.Limit = 5
	r.First = len(f.Tick.Processes) - r.Limit
	if r.First < 20 {
		t.Fatalf("%d rows", len(f.Tick.Processes))
	}
	if f, err = b.Frame(ctx, r); err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Tick.Processes[r.First:min(r.First+r.Limit, len(f.Tick.Processes))] {
		if p.TID == 0 && p.Bits == 0 {
			t.Errorf("row of %d has no ARCH", p.PID)
		}
	}
}
