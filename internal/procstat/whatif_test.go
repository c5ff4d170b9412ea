package procstat

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"wordsize/internal/result"
)

// whatIfBench is an EstimateFunc that takes until it is let go.
type whatIfBench struct {
	begun chan int32    // PIDs, as their estimates begin
	let   chan struct{} // one for each that may end
	mu    sync.Mutex
	now   int
	most  int // at once
}

func newWhatIfBench() *whatIfBench {
	return &whatIfBench{begun: make(chan int32, 100), let: make(chan struct{}, 100)}
}

func (b *whatIfBench) estimate(ctx context.Context, id Ident) (WhatIf, Outcome) {
	b.mu.Lock()
	b.now++
	b.most = max(b.most, b.now)
	b.mu.Unlock()
	b.begun <- id.PID
	select {
	case <-b.let:
	case <-ctx.Done():
	}
	b.mu.Lock()
	b.now--
	b.mu.Unlock()
	switch id.PID {
	case 3:
		return WhatIf{}, Denied
	case 4:
		return WhatIf{}, None
	}
	return WhatIf{Bytes: result.Some(int64(id.PID) << 10), Low: int64(id.PID) << 9, High: int64(id.PID) << 11}, Done
}

// whatIfSource is a number of processes whose RES the test sets.
type whatIfSource struct {
	slowSource
	now time.Duration
	res []int64
	img uint64
}

func (s *whatIfSource) Scan(_ context.Context, t *Tick) error {
	*t = Tick{Time: time.Now(), Mono: s.now, Samples: t.Samples[:0]}
	for i, res := range s.res {
		p := at(int32(i+1), 1, s.now, 0, res)
		p.Image = s.img
		t.Samples = append(t.Samples, p)
	}
	return nil
}

// An estimate that takes for ever holds up no tick, no second one is begun
// beside it, and closing ends it.
func TestWhatIfBesideTicks(t *testing.T) {
	src := &whatIfSource{res: []int64{1 << 20, 9 << 20, 2 << 20}}
	b := newWhatIfBench()
	s := NewSampler(src, Config{Interval: time.Second, Estimate: b.estimate, WhatIfBudget: 1})
	var procs []*Proc
	for range 5 {
		src.now += time.Second
		var err error
		if _, procs, err = s.Next(context.Background(), &Selection{}); err != nil {
			t.Fatal(err)
		}
		s.WhatIf(procs) // would hang if it waited
	}
	if pid := <-b.begun; pid != 2 {
		t.Errorf("process %d before the largest one", pid)
	}
	var c result.WatchCounts
	if CountWhatIf(&c, procs); c.WhatIfPending != 3 || c.WhatIfRead != 0 {
		t.Errorf("%+v", c)
	}
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Fatal("closing waits for an estimate")
	}
	if b.most != 1 {
		t.Errorf("%d at once", b.most)
	}
}

// tick takes a tick at a time and asks for estimates.
func (s *whatIfSource) tick(t *testing.T, sampler *Sampler, now time.Duration) []*Proc {
	t.Helper()
	s.now = now
	_, procs, err := sampler.Next(context.Background(), &Selection{})
	if err != nil {
		t.Fatal(err)
	}
	sampler.WhatIf(procs)
	return procs
}

// whatIfDone waits until the reader is idle.
func whatIfDone(t *testing.T, s *Sampler) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		s.whatIf.mu.Lock()
		busy := s.whatIf.busy
		s.whatIf.mu.Unlock()
		if !busy {
			return
		}
	}
	t.Fatal("estimates do not end")
}

func (b *whatIfBench) drain() (pids []int32) {
	for len(b.begun) > 0 {
		pids = append(pids, <-b.begun)
	}
	return pids
}

// Within half a minute nobody is estimated twice, unless its RES has changed
// by a tenth, or it executes another program.
func TestWhatIfHowOften(t *testing.T) {
	src := &whatIfSource{res: []int64{100 << 20, 90 << 20, 80 << 20, 70 << 20}}
	b := newWhatIfBench()
	close(b.let)
	s := NewSampler(src, Config{Interval: time.Second, Estimate: b.estimate, WhatIfBudget: 1})
	defer s.Close()
	want := func(procs []*Proc, what string, pids ...int32) {
		t.Helper()
		whatIfDone(t, s)
		if got := b.drain(); !slices.Equal(got, pids) {
			t.Errorf("%s: estimated %v, want %v", what, got, pids)
		}
	}
	want(src.tick(t, s, time.Second), "first", 1, 2, 3, 4)
	procs := src.tick(t, s, 2*time.Second)
	want(procs, "a second later")
	for pid, mark := range map[int][2]Fields{1: {HasWhatIf, 0}, 2: {HasWhatIf, 0}, 3: {0, HasWhatIf}, 4: {0, 0}} {
		d := &procs[pid-1].Detail
		if d.Have&HasWhatIf != mark[0] || d.Denied&HasWhatIf != mark[1] {
			t.Errorf("process %d: have %x, denied %x", pid, d.Have, d.Denied)
		}
	}
	var r result.Process
	(&Recorder{}).Record(&s.tracker.snap, procs[1], &r)
	if w := r.WhatIf; w == nil || w.Value.Value != 2<<10 || w.Low != 2<<9 || w.High != 2<<11 {
		t.Errorf("recorded: %+v", w)
	}
	(&Recorder{}).Record(&s.tracker.snap, procs[2], &r)
	if r.WhatIf != nil || r.Refused&result.RefusedWhatIf == 0 {
		t.Errorf("recorded: %+v, refused %x", r.WhatIf, r.Refused)
	}
	src.res[0], src.res[1] = 109<<20, 100<<20
	want(src.tick(t, s, 3*time.Second), "one changed by 9 %, one by 11 %", 2)
	src.res[2], src.res[3] = 1, 1
	want(src.tick(t, s, 4*time.Second), "those without an estimate changed")
	src.img = 7
	want(src.tick(t, s, 5*time.Second), "other programs", 1, 2, 3, 4)
	src.tick(t, s, 6*time.Second)
	want(src.tick(t, s, 40*time.Second), "half a minute later", 1, 2, 3, 4)
}

// What is over the budget waits.
func TestWhatIfBudget(t *testing.T) {
	src := &whatIfSource{res: []int64{1 << 20, 2 << 20}}
	var calls int
	slow := func(context.Context, Ident) (WhatIf, Outcome) {
		calls++
		time.Sleep(20 * time.Millisecond)
		return WhatIf{}, Done
	}
	s := NewSampler(src, Config{Interval: time.Second, Estimate: slow, WhatIfBudget: 0.001}) // 5 ms saved up
	defer s.Close()
	for i := range 4 {
		src.tick(t, s, time.Duration(i+1)*time.Second)
		whatIfDone(t, s)
	}
	if calls != 1 {
		t.Errorf("%d estimates", calls)
	}
}

func TestWhatIfNowLargestFirst(t *testing.T) {
	src := &whatIfSource{res: []int64{1 << 20, 9 << 20, 2 << 20}}
	b := newWhatIfBench()
	close(b.let)
	s := NewSampler(src, Config{Interval: time.Second, Estimate: b.estimate, WhatIfBudget: 0.02})
	_, procs, err := s.Next(context.Background(), &Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if missed := s.WhatIfNow(context.Background(), procs, -1); missed != 3 {
		t.Errorf("missed %d", missed)
	}
	if missed := s.WhatIfNow(context.Background(), procs, time.Hour); missed != 0 {
		t.Errorf("missed %d", missed)
	}
	if got := b.drain(); !slices.Equal(got, []int32{2, 3, 1}) {
		t.Errorf("order %v", got)
	}
	// The sum counts who is missing, and is absent where nobody has one.
	groups, total := (&Grouper{By: ByProgram, WhatIf: true}).Group(&s.tracker.snap, procs)
	if w := total.WhatIf; w.Processes != 2 || w.Missing != 1 || w.Refused != 1 || w.Value.Value != 3<<10 || !w.Value.Known || w.RESBytes.Value != 10<<20 {
		t.Errorf("%+v of %d groups", w, len(groups))
	}
	procs[0].Detail.WhatIf.Bytes = result.Bytes{}
	if _, total = (&Grouper{By: ByProgram, WhatIf: true}).Group(&s.tracker.snap, procs); total.WhatIf.Value.Known || total.WhatIf.Low != 3<<9 {
		t.Errorf("undecided: %+v", total.WhatIf)
	}
	if _, total = (&Grouper{By: ByProgram, WhatIf: true}).Group(&s.tracker.snap, procs[2:]); total.WhatIf.WhatIfFigures != nil || total.WhatIf.Missing != 1 {
		t.Errorf("nobody: %+v", total.WhatIf)
	}
	if _, total = (&Grouper{By: ByProgram}).Group(&s.tracker.snap, procs); total.WhatIf != nil {
		t.Errorf("not asked for: %+v", total.WhatIf)
	}
}
