package membench

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// fakes is an executor without processes: its workers answer at once, with
// passes of a fixed length, so that records are exact.
type fakes struct {
	passNS int64           // of worker 0; worker i takes i+1 times as long
	break_ func(*fakeConn) // changes a worker before it speaks
	specs  []spec          // as they were set up
	conns  []*fakeConn
}

type fakeConn struct {
	f        *fakes
	index    int
	msgs     chan message
	protocol int
	mute     bool
	dieAt    string // the op at which it dies
	failAt   string // the op that it answers with an error
	mismatch *Mismatch
	how      exit

	failThread int // the thread whose setup it answers with an error
	spec       spec
	start      int64
	closed     bool
}

func (f *fakes) start(i int) (conn, error) {
	c := &fakeConn{f: f, index: i, msgs: make(chan message, 10), protocol: protocolVersion, how: exit{ok: true}}
	if f.break_ != nil {
		f.break_(c)
	}
	f.conns = append(f.conns, c)
	if !c.mute {
		c.msgs <- message{Kind: msgHello, Protocol: c.protocol, PID: 1000 + i, NowNS: now()}
	}
	return c, nil
}

func (c *fakeConn) send(cmd command) error {
	switch {
	case cmd.Op == c.dieAt:
		c.end()
		return nil
	case cmd.Op == c.failAt:
		c.msgs <- message{Kind: msgError, Error: "out of luck", Mismatch: c.mismatch}
		return nil
	}
	switch cmd.Op {
	case "setup":
		c.spec = *cmd.Spec
		c.f.specs = append(c.f.specs, c.spec)
		if c.failThread > 0 && c.spec.Index == c.failThread {
			c.msgs <- message{Kind: msgError, Thread: c.spec.Index, Error: "out of luck"}
			return nil
		}
		c.msgs <- message{Kind: msgReady}
	case "go":
		c.start = cmd.StartNS
		c.msgs <- message{Kind: msgDone, Passes: c.passes()}
	case "stop":
		c.msgs <- message{Kind: msgResult, Worker: c.result()}
	}
	return nil
}

func (c *fakeConn) passNS() int64 { return c.f.passNS * int64(c.index+1) }

func (c *fakeConn) passes() int64 {
	if c.spec.Passes > 0 {
		return c.spec.Passes
	}
	return max(1, (c.spec.MinTimeNS+c.passNS()-1)/c.passNS())
}

func (c *fakeConn) result() *result.Worker {
	w := &result.Worker{Index: c.index, PID: 1000 + c.index, StartNS: c.start, Passes: c.passes(), PassStride: 1, BytesPerPass: c.spec.ChunkBytes, Mappings: 1}
	for i := int64(1); i <= w.Passes; i++ {
		w.PassEndNS = append(w.PassEndNS, c.start+i*c.passNS())
	}
	w.EndNS = c.start + w.Passes*c.passNS()
	w.StopNS = w.EndNS
	if c.spec.Hold {
		w.StopNS += 1000 * c.passNS()
		w.HeldPasses = 1000
	}
	return w
}

func (c *fakeConn) messages() <-chan message { return c.msgs }
func (c *fakeConn) pid() int                 { return 1000 + c.index }
func (c *fakeConn) close() exit              { c.end(); return c.how }

func (c *fakeConn) end() {
	if !c.closed {
		c.closed = true
		close(c.msgs)
	}
}

func fakeRun(t *testing.T, f *fakes, change func(*Config)) (*result.Run, error) {
	t.Helper()
	c := config(t, 3)
	c.ChunkBytes = 1 << 20
	c.MinTime = 95 * time.Millisecond
	if change != nil {
		change(&c)
	}
	e := env(t, f)
	e.Host.Caches = nil
	return Run(t.Context(), c, e)
}

func TestRunPhasesAndPasses(t *testing.T) {
	f := &fakes{passNS: 10e6}
	run, err := fakeRun(t, f, func(c *Config) { c.Repeat = 2 })
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Launches) != 2 {
		t.Fatalf("%d launches, want 2", len(run.Launches))
	}
	for _, l := range run.Launches {
		single, parallel := l.Phases[0], l.Phases[1]
		if single.Name != result.PhaseSingle || single.Processes != 1 || single.Passes != 10 {
			t.Errorf("single: %s, %d processes, %d passes; want 10 passes, the first that reach 95 ms", single.Name, single.Processes, single.Passes)
		}
		if parallel.Name != result.PhaseParallel || parallel.Processes != 3 || parallel.Passes != single.Passes {
			t.Errorf("parallel: %s, %d processes, %d passes; want as many as the single one made", parallel.Name, parallel.Processes, parallel.Passes)
		}
		if s := parallel.Summary; s == nil || s.Fairness < 0.33 || s.Fairness > 0.34 {
			t.Errorf("parallel: summary %+v, want fairness 1/3", s)
		}
	}
	if len(f.specs) != 8 || f.specs[0].Hold || !f.specs[1].Hold || f.specs[1].Passes != 10 || f.specs[0].Passes != 0 {
		t.Errorf("specs %+v", f.specs)
	}
}

func TestClassicDoesNotHold(t *testing.T) {
	f := &fakes{passNS: 10e6}
	if _, err := fakeRun(t, f, func(c *Config) { c.Held = false }); err != nil {
		t.Fatal(err)
	}
	for _, s := range f.specs {
		if s.Hold {
			t.Errorf("worker told to hold the load: %+v", s)
		}
	}
}

func TestTwiceTheTimeTwiceThePasses(t *testing.T) {
	f := &fakes{passNS: 10e6}
	passes := func(d time.Duration) int64 {
		run, err := fakeRun(t, f, func(c *Config) { c.MinTime = d })
		if err != nil {
			t.Fatal(err)
		}
		return run.Launches[0].Phases[1].Passes
	}
	if a, b := passes(200*time.Millisecond), passes(400*time.Millisecond); a != 20 || b != 40 {
		t.Errorf("%d and %d passes", a, b)
	}
	if n := passes(0); n != 1 {
		t.Errorf("T = 0 makes %d passes, want 1", n)
	}
}

func TestFailingWorkers(t *testing.T) {
	for name, c := range map[string]struct {
		break_ func(*fakeConn)
		want   string
	}{
		"other protocol":  {func(c *fakeConn) { c.protocol = 99 }, "protocol 99"},
		"dies at start":   {func(c *fakeConn) { c.dieAt = "setup" }, "worker 0 (pid 1000) failed in phase \"single\": it ended before its time"},
		"dies when timed": {func(c *fakeConn) { c.dieAt, c.how = "go", exit{how: "signal: killed", killed: true} }, "signal: killed; not by the kernel's OOM killer"},
		"complains":       {func(c *fakeConn) { c.failAt = "setup" }, "out of luck"},
		"last words": {func(c *fakeConn) {
			c.dieAt, c.how = "stop", exit{how: "exit status 2", stderr: "noise\npanic: at the disco\n"}
		}, "it said: panic: at the disco"},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := fakeRun(t, &fakes{passNS: 1e6, break_: c.break_}, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if run == nil || run.Launches == nil || len(run.Launches) != 0 {
				t.Errorf("record %+v, want one without launches", run)
			}
		})
	}
}

func TestFailureInSecondPhaseKeepsTheFirst(t *testing.T) {
	f := &fakes{passNS: 1e6, break_: func(c *fakeConn) {
		if c.index == 2 {
			c.dieAt, c.how = "go", exit{how: "signal: killed", killed: true}
		}
	}}
	run, err := fakeRun(t, f, nil)
	var we *WorkerError
	if !errors.As(err, &we) || we.Worker != 2 || we.PID != 1002 || we.Phase != result.PhaseParallel {
		t.Fatalf("error %v, want a *WorkerError that names worker 2", err)
	}
	if len(run.Launches[0].Phases) != 1 {
		t.Errorf("%d complete phases in the record, want 1", len(run.Launches[0].Phases))
	}
	for _, c := range f.conns {
		if !c.closed {
			t.Errorf("worker %d was left running", c.index)
		}
	}
}

func TestMismatchNamesPlace(t *testing.T) {
	want := &Mismatch{Worker: 0, Offset: 4096, Expected: 1, Found: 3}
	_, err := fakeRun(t, &fakes{passNS: 1e6, break_: func(c *fakeConn) { c.failAt, c.mismatch = "stop", want }}, nil)
	var got *Mismatch
	if !errors.As(err, &got) || *got != *want {
		t.Errorf("error %v, want %v", err, want)
	}
}

func TestMuteRunnerTimesOut(t *testing.T) {
	old := helloTimeout
	helloTimeout = 50 * time.Millisecond
	defer func() { helloTimeout = old }()
	_, err := fakeRun(t, &fakes{passNS: 1e6, break_: func(c *fakeConn) { c.mute = true }}, nil)
	if err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("error %v, want one that says the worker did not answer", err)
	}
}

func TestInterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := env(t, &fakes{passNS: 1e6})
	e.PhaseDone = func(int, *result.Phase) { cancel() }
	run, err := Run(ctx, config(t, 2), e)
	if !errors.Is(err, ErrInterrupted) || !run.Interrupted || len(run.Launches[0].Phases) != 1 {
		t.Errorf("error %v, record %+v; want ErrInterrupted and the complete phase", err, run.Launches)
	}
}

func TestTooMuchIsRefusedBeforeAnythingStarts(t *testing.T) {
	f := &fakes{passNS: 1e6}
	_, err := fakeRun(t, f, func(c *Config) { c.ChunkBytes = 1 << 50 })
	var fe *FitError
	if !errors.As(err, &fe) || len(f.conns) != 0 {
		t.Errorf("error %v, %d workers started; want a *FitError and none", err, len(f.conns))
	}
	if _, err := fakeRun(t, f, func(c *Config) { c.ChunkBytes, c.Force = 1<<50, true }); err != nil {
		t.Errorf("forced: %v", err)
	}
}

// On a kernel with HIGHMEM its zones are recorded around each phase, and
// chunks that do not reach beyond 4 GiB are warned about.
func TestZonesOfAHighmemKernel(t *testing.T) {
	e := env(t, &fakes{passNS: 1e6})
	tree := filepath.Join("..", "hostinfo", "testdata", "i386-pae")
	e.FS = hostinfo.FS{Proc: filepath.Join(tree, "proc"), Sys: filepath.Join(tree, "sys")}
	run, err := Run(t.Context(), config(t, 2), e)
	if err != nil {
		t.Fatal(err)
	}
	z := run.Launches[0].Phases[1].Zones
	if z == nil || z.Before.HighTotalBytes < 1<<30 || z.Touched != z.Before || z.After.LowFreeBytes == 0 {
		t.Fatalf("zones %+v, want those of the captured tree", z)
	}
	if !slices.Contains(codes(run.Warnings), result.WarnHighUnused) {
		t.Errorf("warnings %v lack %s", codes(run.Warnings), result.WarnHighUnused)
	}
}

func TestAssignCPUs(t *testing.T) {
	show := func(cpus []*int) (s []int) {
		for _, c := range cpus {
			if c == nil {
				s = append(s, -1)
			} else {
				s = append(s, *c)
			}
		}
		return s
	}
	if got := show(assignCPUs([]int{4, 6}, 3)); got[0] != 4 || got[1] != 6 || got[2] != 4 {
		t.Errorf("round the list: %v", got)
	}
	if got := show(assignCPUs(nil, 2)); got[0] != -1 || got[1] != -1 {
		t.Errorf("no list: %v", got)
	}
	e := env(t, nil)
	e.Host.CPU.Allowed = []int{0, 1}
	for name, c := range map[string]Config{
		"more than CPUs": {Processes: 3},
		"none":           {Processes: 1, Pin: Pin{Mode: PinNone}},
		"runner":         {Processes: 1, Runner: []string{"taskset"}},
	} {
		if order := cpuOrder(&c, &e); order != nil {
			t.Errorf("%s: pinned to %v, want not at all", name, order)
		}
	}
	if order := cpuOrder(&Config{Processes: 2}, &e); len(order) != 2 {
		t.Errorf("two on two CPUs: %v", order)
	}
}
