package usage

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s: %g, want %g within %g", what, got, want, tolerance)
	}
}

// A program that takes 100, 200 and 400 MiB for the same time each.
func TestSteps(t *testing.T) {
	tp := newTape(t, time.Second)
	p := tp.start(101, "load", 100*mib)
	for _, res := range []int64{100, 200, 400} {
		size(p, res*mib)
		tp.takes(10)
	}
	tp.end()
	l := tp.label(Options{By: ByProgram})
	g := groupNamed(t, l, "load")
	near(t, "RES avg", g.Resident.Avg/mib, (9.5*100+10*200+9.5*400)/29, 0.01)
	near(t, "RES max", g.Resident.Max/mib, 400, 0)
	near(t, "RES p50", g.Resident.P50/mib, 200, 2)
	near(t, "RES p99", g.Resident.P99/mib, 400, 4)
	near(t, "PSS peak", g.PSS.Max/mib, 399.5, 0)
	near(t, "USS min", g.USS.Min/mib, 99, 0)
	near(t, "VmHWM", float64(g.PeakSum.Value)/mib, 400, 0)
	near(t, "estimated", g.PSSEstimated, 0, 0)
	if g.Arch[0] != "64 x86-64" || g.SeenNS != 29e9 || g.Started != 1 || g.PeakPID != 101 {
		t.Errorf("%+v", g)
	}
}

// PSS that was read before a step counts with what RES less SHR grew by, and
// is called an estimate.
func TestOldPSS(t *testing.T) {
	tp := newTape(t, time.Second)
	p := tp.start(101, "load", 100*mib)
	tp.take()
	read := result.Some[int64](0)
	for range 10 {
		p.Resident = result.Some[int64](300 * mib)
		p.PSSAtNS = read
		tp.take()
	}
	tp.end()
	g := groupNamed(t, tp.label(Options{By: ByProgram}), "load")
	near(t, "PSS peak", g.PSS.Max/mib, 299.5, 0)
	near(t, "PSS age", float64(g.PSSAgeMaxNS.Value), 10e9, 0)
	if g.PSSEstimated < 0.5 {
		t.Errorf("estimated: %g", g.PSSEstimated)
	}
}

// A process without PSS counts with RES less SHR, and the largest SHR once.
func TestMissingPSS(t *testing.T) {
	tp := newTape(t, time.Second)
	for i, res := range []int64{10, 20, 30} {
		p := tp.start(int32(101+i), "load", res*mib)
		if i > 0 {
			p.PSS, p.USS = result.Bytes{}, result.Bytes{}
		}
	}
	tp.takes(12)
	tp.end()
	l := tp.label(Options{By: ByProgram})
	near(t, "PSS", l.Total.PSS.Avg/mib, 9.5+19+29+1, 0.001)
	if !hasCode(l, result.UsagePSSEstimate) {
		t.Errorf("no warning: %+v", l.Warnings)
	}
	off := newTape(t, time.Second, func(h *result.RecordingHeader) { h.PSS = 0 })
	p := off.start(101, "load", 10*mib)
	p.PSS, p.USS = result.Bytes{}, result.Bytes{}
	off.takes(12)
	off.end()
	if l := off.label(Options{By: ByProgram}); l.Total.PSS != nil || l.Total.USS != nil || !hasCode(l, result.UsagePSSOff) {
		t.Errorf("%+v", l)
	}
}

func hasCode(l *result.LabelUsage, code string) bool {
	return slices.ContainsFunc(l.Warnings, func(n result.Note) bool { return n.Code == code })
}

// CPU time is counted once: before the recording not at all, by ticks and by
// the exit together, and not again in the parent that waited.
func TestCPUTime(t *testing.T) {
	tp := newTape(t, time.Second)
	old := tp.start(100, "parent", 10*mib)
	old.StartedNS, old.UserNS = result.Some[int64](-5e9), result.Some[int64](7e9)
	tp.take()
	kid := tp.start(101, "kid", 10*mib)
	kid.UserNS = result.Some[int64](3e8)
	tp.take()
	kid.UserNS = result.Some[int64](9e8)
	tp.take()
	old.UserNS, old.ChildUserNS = result.Some[int64](7.5e9), result.Some[int64](1.2e9)
	tp.take(gone(kid, 2500*time.Millisecond, 1.2e9, 11*mib), unseen(102, "kid", 2600*time.Millisecond, 2700*time.Millisecond, 5e7, 2*mib))
	tp.takes(2)
	tp.end()
	l := tp.label(Options{By: ByProgram})
	near(t, "kid", float64(groupNamed(t, l, "kid").CPUNS()), 1.25e9, 0)
	near(t, "parent", float64(groupNamed(t, l, "parent").CPUNS()), 5e8, 0)
	near(t, "all", float64(l.Total.CPUNS()), 1.75e9, 0)
	near(t, "average", l.Total.CPU.Avg, 100*1.75/5, 1e-9)
	near(t, "most", l.Total.CPU.Max, 100*(0.3+0.05+0.5), 1e-9) // the third second
	if k := groupNamed(t, l, "kid"); k.Started != 2 || k.Unseen != 1 || l.Total.Started != 3 || l.Total.WindowNS != 1e9 {
		t.Errorf("%+v", l)
	}
}

// What a child read is in its parent's counters once that has waited for it.
func TestIO(t *testing.T) {
	tp := newTape(t, time.Second)
	parent := tp.start(100, "parent", 10*mib)
	kid := tp.start(101, "kid", 10*mib)
	tp.take()
	kid.ReadChars, parent.ReadChars = result.Some[int64](50e6), result.Some[int64](1e6)
	tp.take()
	parent.ReadChars = result.Some[int64](63e6) // 2 MB of its own, 61 MB of the child
	e := gone(kid, 1500*time.Millisecond, 0, 10*mib)
	e.ReadChars = result.Some[int64](60e6)
	e2 := unseen(102, "short", 1600*time.Millisecond, 1700*time.Millisecond, 0, mib)
	e2.ReadChars = result.Some[int64](1e6)
	tp.take(e, e2)
	tp.end()
	l := tp.label(Options{By: ByProgram})
	for name, want := range map[string]int64{"parent": 2e6, "kid": 60e6, "short": 1e6} {
		if got := groupNamed(t, l, name).Read.Bytes; got != want {
			t.Errorf("%s read %d, want %d", name, got, want)
		}
	}
	near(t, "rate", l.Total.Read.Avg, 63e6/2, 1)
	near(t, "highest", l.Total.Read.Max, 51e6, 1)
}

// The sum of VmHWM is of processes that were alive at once.
func TestPeaks(t *testing.T) {
	tp := newTape(t, time.Second)
	a := tp.start(101, "a", 10*mib)
	tp.take()
	ms := time.Millisecond
	tp.take( // two of the short ones overlap
		unseen(201, "s", 100*ms, 300*ms, 0, 5*mib), unseen(202, "s", 200*ms, 400*ms, 0, 7*mib), unseen(203, "s", 400*ms, 500*ms, 0, 9*mib))
	b := tp.start(102, "b", 30*mib)
	tp.take(gone(a, 1900*ms, 0, 14*mib))
	tp.take(gone(b, 2500*ms, 0, 30*mib))
	tp.end()
	l := tp.label(Options{By: ByProgram})
	for name, want := range map[string]int64{"a": 14 * mib, "b": 30 * mib, "s": 12 * mib} {
		if got := groupNamed(t, l, name).PeakSum.Value; got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if l.Total.PeakSum.Value != 30*mib || l.Total.PeakProcess.Value != 30*mib || l.Total.PeakAtLeast != 0 {
		t.Errorf("%+v", l.Total)
	}
}

// The peak of a process that just was gone is at least what the last tick saw.
func TestPeakAtLeast(t *testing.T) {
	tp := newTape(t, time.Second)
	p := tp.start(101, "a", 10*mib)
	tp.takes(2)
	tp.take(&result.RecordedExit{PID: 101, Start: 101, AtNS: 2e9, Method: result.ExitsTicks, Role: p.Role})
	tp.end()
	l := tp.label(Options{By: ByProgram})
	if g := groupNamed(t, l, "a"); g.PeakAtLeast != 1 || g.CPUAtLeast != 1 || g.PeakSum.Value != 10*mib {
		t.Errorf("%+v", g)
	}
	if !hasCode(l, result.UsagePeaks) || !hasCode(l, result.UsageCPU) {
		t.Errorf("%+v", l.Warnings)
	}
}

// A process that executes another program goes over to its group with what it
// has, and its CPU time is not counted twice.
func TestExec(t *testing.T) {
	tp := newTape(t, time.Second)
	p := tp.start(101, "sh", 10*mib)
	p.UserNS = result.Some[int64](1e8)
	tp.take()
	p.Program, p.Comm, p.Execs, p.UserNS = "worker", "worker", 1, result.Some[int64](4e8)
	tp.takes(3)
	tp.end()
	l := tp.label(Options{By: ByProgram})
	near(t, "sh", float64(groupNamed(t, l, "sh").CPUNS()), 1e8, 0)
	near(t, "worker", float64(groupNamed(t, l, "worker").CPUNS()), 3e8, 0)
	if l.Total.Started != 1 || l.Total.Processes.Max != 1 {
		t.Errorf("%+v", l.Total)
	}
}

func TestGroupsBy(t *testing.T) {
	tp := newTape(t, time.Second)
	a, b := tp.start(101, "a", 10*mib), tp.start(102, "b", 10*mib)
	a.Role, b.Bits, b.Machine, a.Cgroup = result.RoleCommand, 32, "i386", "/x"
	tp.takes(2)
	tp.take(unseen(103, "a", 1100*time.Millisecond, 1200*time.Millisecond, 0, mib))
	tp.end()
	for by, want := range map[By][]string{
		ByProgram: {"a", "b"}, ByPID: {"101 a", "102 b", "103 a"}, ByRole: {"child", "command"}, ByUser: {"?", "www-data"},
		ByArch: {"32 i386", "64 x86-64", "?"}, ByCgroup: {"/x", "?"}, ByCommand: {"[a]", "a -x", "b -x"}, ByLabel: {""},
	} {
		var names []string
		for _, g := range tp.label(Options{By: by}).Groups {
			names = append(names, string(g.Name))
		}
		if slices.Sort(names); !slices.Equal(names, want) {
			t.Errorf("by %s: %q, want %q", by, names, want)
		}
	}
	of, err := ParseOf("b")
	if err != nil {
		t.Fatal(err)
	}
	if l := tp.label(Options{By: ByProgram, Of: of}); len(l.Groups) != 1 || l.Total.Started != 1 {
		t.Errorf("%+v", l)
	}
	if of, _ = ParseOf("nothing"); !tp.read(Options{By: ByProgram, Of: of}).Empty() {
		t.Error("not empty")
	}
	if _, err := ParseBy("x"); err == nil || !strings.Contains(err.Error(), "program, pid") {
		t.Error(err)
	}
}

// A recording that is cut off is summed up as far as it goes, and says so.
func TestCut(t *testing.T) {
	tp := newTape(t, time.Second)
	tp.start(101, "a", 10*mib)
	tp.takes(20)
	whole := tp.buf.Bytes()
	for _, cut := range []int{len(whole), len(whole) - 7} {
		rr, err := result.NewRecordingReader(bytes.NewReader(whole[:cut]))
		if err != nil {
			t.Fatal(err)
		}
		l := Merge("x", []*Usage{Read(rr, "x", Options{})})
		if l.Recordings[0].Complete || l.Recordings[0].Ticks < 19 || !hasCode(&l, result.UsageCut) {
			t.Errorf("%+v", l)
		}
	}
}

func TestWarnings(t *testing.T) {
	tp := newTape(t, time.Second, func(h *result.RecordingHeader) { h.Exits = result.ExitsMethod{Method: result.ExitsWait} })
	p := tp.start(101, "a", 10*mib)
	p.PSS = result.Some[int64](mib) // below what is private
	tp.tick.Load = []float64{9, 1, 1}
	tp.takes(3)
	tp.tick.Skipped = 4
	tp.tick.Unreadable = result.Some[int64](1)
	tp.takes(2)
	tp.end(func(e *result.RecordingEnd) {
		e.Complete, e.MissedCPUNS, e.EventsLost, e.SelfCPUNS = false, result.Some[int64](2e9), 1, result.Some[int64](1e9)
		e.Running = []result.StillRunning{{PID: 101}}
		e.AtNS = 6e9
	})
	l := tp.label(Options{By: ByProgram})
	for _, code := range []string{
		result.UsageFewTicks, result.UsagePSSDoubt, result.UsageMissed, result.UsageEventsLost, result.UsageRunning, result.UsageUnreadable,
		result.UsageLate, result.UsageBusy, result.UsageOwnCost,
	} {
		if !hasCode(l, code) {
			t.Errorf("no warning %s: %+v", code, l.Warnings)
		}
	}
	if l.Total.CPUUnseen != 2e9 || l.Total.CPUNS() != 2e9 || l.Groups[0].CPUNS() != 0 {
		t.Errorf("%+v", l.Total)
	}
	quiet := newTape(t, time.Second)
	quiet.start(101, "a", 10*mib)
	quiet.takes(60)
	quiet.end()
	if l := quiet.label(Options{}); len(l.Warnings) > 0 {
		t.Errorf("%+v", l.Warnings)
	}
}

// Repeats under one label: means of what is counted up, extremes of all.
func TestMerge(t *testing.T) {
	var list []*Usage
	for _, res := range []int64{100, 200} {
		tp := newTape(t, time.Second)
		p := tp.start(101, "a", res*mib)
		tp.takes(11)
		p.UserNS = result.Some(res * 1e7)
		tp.take()
		tp.end()
		list = append(list, tp.read(Options{By: ByProgram}))
	}
	l := Merge("x", list)
	near(t, "RES avg", l.Total.Resident.Avg/mib, 150, 0.01)
	near(t, "RES max", l.Total.Resident.Max/mib, 200, 0)
	near(t, "CPU time", float64(l.Total.CPUNS()), 1.5e9, 0)
	near(t, "span", float64(l.Total.SpanNS), 11e9, 0)
	near(t, "CPU avg", l.Total.CPU.Avg, 100*3./22, 1e-9)
	if l.Total.Started != 1 || len(l.Recordings) != 2 || len(l.Groups) != 1 {
		t.Errorf("%+v", l)
	}
}

// The course of a long recording is bounded, keeps its peak, and adds up.
func TestCourse(t *testing.T) {
	tp := newTape(t, 100*time.Millisecond)
	p := tp.start(101, "big", 50*mib)
	for i := range 5000 {
		size(p, 50*mib)
		if i == 3333 {
			size(p, 90*mib)
		}
		var exits []*result.RecordedExit
		if i%10 == 1 {
			for _, q := range slices.Clone(tp.live[1:]) {
				exits = append(exits, gone(q, time.Duration(i)*100*time.Millisecond, 0, mib))
			}
			tp.start(int32(1000+i), "short", 2*mib)
		}
		tp.take(exits...)
	}
	tp.end()
	u := tp.read(Options{By: ByProgram, Course: true})
	c := u.Course
	if len(c.AtNS) > slots || len(c.AtNS) < slots/4 || c.Events != nil || len(u.grid.ticks) != slots {
		t.Fatalf("%d stretches, %d events", len(c.AtNS), len(c.Events))
	}
	near(t, "peak", slices.Max(c.Total)/mib, 89.5+1.5, 0.01)
	if len(c.Processes) != mostShown || c.Processes[0].PID != 101 {
		t.Errorf("%d processes", len(c.Processes))
	}
	for i := range c.Total {
		sum := c.Others[i]
		for _, p := range c.Processes {
			if !math.IsNaN(p.Bytes[i]) {
				sum += p.Bytes[i]
			}
		}
		near(t, "sum", sum, c.Total[i], 1)
	}
	starts := 0.0
	for _, v := range c.Starts {
		starts += v
	}
	near(t, "starts", starts, 501, 0)
}
