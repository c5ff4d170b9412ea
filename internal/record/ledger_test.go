package record

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

const (
	self = 1000 // the recorder's PID
	cmd  = 1001
	ms   = time.Millisecond
)

// stage is a ledger with a clock that the test moves.
type stage struct {
	*ledger
	clock time.Duration
	tick  uint64
}

func newStage() *stage {
	s := &stage{}
	s.ledger = newLedger(self, func() time.Duration { s.clock += ms; return s.clock })
	s.started(cmd)
	return s
}

// scan takes a tick that sees the given processes and returns the PIDs that are
// recorded.
func (s *stage) scan(procs ...*procstat.Proc) (pids []int32) {
	s.tick++
	at := s.now()
	for _, in := range s.observe(&procstat.Snapshot{Tick: &procstat.Tick{}, Procs: procs}, at, nil, nil, nil) {
		pids = append(pids, in.proc.PID)
	}
	return pids
}

func proc(pid, ppid int32, start uint64, resident int64) *procstat.Proc {
	p := &procstat.Proc{}
	p.PID, p.PPID, p.Start, p.Resident, p.State, p.Threads, p.Comm = pid, ppid, start, resident, 'S', 1, "p"
	p.Have = procstat.HasStat | procstat.HasCPU | procstat.HasMemory
	return p
}

func exitPIDs(exits []*result.RecordedExit) (pids []int32) {
	for _, x := range exits {
		pids = append(pids, x.PID)
	}
	return pids
}

func wait(pid int32, status int32, maxRSS int64) *waited {
	return &waited{pid: pid, status: status, rusage: &result.Rusage{UserNS: int64(5 * ms), MaxRSS: maxRSS},
		stat: &procstat.Sample{Have: procstat.HasStat | procstat.HasCPU | procstat.HasFaults, Ident: procstat.Ident{PID: pid}, Comm: "p"}}
}

// Descendants are found by their parents whatever the order of PIDs, adopted
// ones stay, and strangers do not come in.
func TestLedgerTree(t *testing.T) {
	s := newStage()
	got := s.scan(proc(500, 2000, 52, 1), proc(cmd, self, 50, 1), proc(2000, cmd, 51, 1), proc(3000, 1, 51, 1), proc(self, 1, 40, 1))
	if !slices.Equal(got, []int32{500, cmd, 2000}) {
		t.Errorf("first tick: %v", got)
	}
	// 2000 has ended and 500 is the recorder's now; 3000 is a parent's PID reused
	// by a younger process than its supposed child.
	got = s.scan(proc(500, self, 52, 1), proc(cmd, self, 50, 1), proc(3001, 2000, 49, 1))
	if !slices.Equal(got, []int32{500, cmd}) {
		t.Errorf("second tick: %v", got)
	}
	if x := s.collect(false); !slices.Equal(exitPIDs(x), []int32{2000}) || x[0].Method != result.ExitsTicks || x[0].Code.Known {
		t.Errorf("ends: %+v", x)
	}
}

// A PID that is given to another process makes an end and a beginning.
func TestLedgerReuse(t *testing.T) {
	s := newStage()
	s.scan(proc(cmd, self, 50, 1), proc(1002, cmd, 51, 1))
	s.scan(proc(cmd, self, 50, 1), proc(1002, cmd, 99, 1))
	x := s.collect(false)
	if len(x) != 1 || x[0].Start != 51 {
		t.Fatalf("%+v", x)
	}
	if got := s.scan(proc(cmd, self, 50, 1), proc(1002, cmd, 99, 1)); !slices.Equal(got, []int32{cmd, 1002}) {
		t.Errorf("%v", got)
	}
}

// Children that come and go between two ticks are counted by events, with the
// grandchildren whose parent ended before they did.
func TestLedgerEvents(t *testing.T) {
	s := newStage()
	s.events, s.stats = true, true
	s.scan(proc(cmd, self, 50, 1))
	for pid := int32(2000); pid < 2200; pid++ {
		if !s.fork(cmd, pid, s.now()) {
			t.Fatal("a child is a stranger")
		}
		s.named(pid, "true", result.Some[int64](33), 0, true)
		s.exit(pid, cmd, 3<<8, s.now())
		s.task(&taskStats{pid: pid, tgid: pid, ppid: cmd, uid: 33, comm: "true", last: true, status: 3 << 8, run: ms, peak: 1 << 20})
	}
	s.fork(cmd, 3000, s.now())
	s.fork(3000, 3001, s.now())
	s.exit(3000, cmd, 0, s.now())
	if s.fork(9000, 9001, s.now()) {
		t.Error("a stranger's child is ours")
	}
	s.scan(proc(cmd, self, 50, 1), proc(3001, self, 60, 7))
	x := s.collect(false)
	if len(x) != 200 { // 3000 may still be told of by taskstats
		t.Fatalf("%d ends", len(x))
	}
	if e := x[0]; e.Code != result.Some[int64](3) || e.Comm != "true" || e.Peak != result.Some[int64](1<<20) || e.PeakFrom != result.PeakFromTaskstats ||
		e.UID != result.Some[int64](33) || e.PPID != result.Some[int64](cmd) || e.UserNS != result.Some(int64(ms)) || e.ID != 0 {
		t.Errorf("%+v", e)
	}
	s.collect(false)
	if x := s.collect(false); !slices.Equal(exitPIDs(x), []int32{3000}) || x[0].Method != result.ExitsConnector {
		t.Errorf("the one without statistics: %+v", x)
	}
	if r := s.running(); len(r) != 2 {
		t.Errorf("running: %v", r)
	}
}

// A zombie whose end was told of is not a new process.
func TestLedgerZombie(t *testing.T) {
	s := newStage()
	s.events = true
	s.fork(cmd, 2000, s.now())
	s.exit(2000, cmd, 0, s.now())
	z := proc(2000, cmd, 60, 0)
	z.State = 'Z'
	for range 4 {
		s.scan(proc(cmd, self, 50, 1), z)
		s.collect(false)
	}
	s.scan(proc(cmd, self, 50, 1))
	s.collect(true)
	if s.exits != 1 {
		t.Errorf("%d ends of one process", s.exits)
	}
}

// Threads add up to their process, which ends with the last of them.
func TestLedgerThreads(t *testing.T) {
	s := newStage()
	s.events, s.stats = true, true
	s.task(&taskStats{pid: 1500, tgid: cmd, run: 2 * ms, sys: 1, peak: 5, rchar: 1024})
	if x := s.collect(false); len(x) != 0 {
		t.Fatalf("a thread's end ended its process: %+v", x)
	}
	s.task(&taskStats{pid: cmd, tgid: cmd, status: 9, run: ms, peak: 7, comm: "go"})
	s.task(&taskStats{pid: 1501, tgid: cmd, last: true, run: 4 * ms, peak: 7, elapsed: 90 * ms, ppid: self})
	s.waitedFor(wait(cmd, 9, 100))
	x := s.collect(false)
	if len(x) != 1 || x[0].Signal != result.Some[int64](9) || x[0].Peak.Value != 7 || x[0].ReadChars.Value != 1024 ||
		x[0].UserNS.Value+x[0].SystemNS.Value != int64(7*ms) || x[0].AgeNS.Value != int64(90*ms) || x[0].Role != result.RoleCommand {
		t.Errorf("%+v", x[0])
	}
}

// An orphan that only the wait told of is counted too.
func TestLedgerOrphan(t *testing.T) {
	s := newStage()
	s.waitedFor(wait(4000, 1<<8, 100))
	if x := s.collect(false); !slices.Equal(exitPIDs(x), []int32{4000}) || x[0].Method != result.ExitsWait || x[0].Role != result.RoleChild {
		t.Errorf("%+v", x)
	}
}

// What the ends do not account for is said.
func TestLedgerMissedCPU(t *testing.T) {
	s := newStage()
	if _, ok := s.missedCPU(); !ok {
		t.Error("the command is alive: its children's time is known")
	}
	w := wait(cmd, 0, 100)
	w.rusage.UserNS = int64(500 * ms) // with its children
	w.stat.Counters.User, w.stat.ChildUser = 100*ms, 400*ms
	s.waitedFor(w)
	x := s.collect(true)
	if got, ok := s.missedCPU(); !ok || got != 400*ms {
		t.Errorf("missed %v, %v", got, ok)
	}
	if x[0].UserNS.Value != int64(100*ms) || x[0].Rusage.UserNS != int64(500*ms) {
		t.Errorf("%+v", x[0])
	}
}

// What the flags name comes and goes with its title; other processes of the
// tree that they name come along.
func TestLedgerWatched(t *testing.T) {
	s := newStage()
	a, b := proc(70, 1, 5, 1), proc(71, 70, 6, 1)
	see := func(follow bool, named ...*procstat.Proc) (roles map[int32]string) {
		roles = map[int32]string{}
		snap := &procstat.Snapshot{Tick: &procstat.Tick{}, Procs: []*procstat.Proc{a, b}}
		for _, in := range s.observe(snap, s.now(), named, func(int32) bool { return follow }, nil) {
			roles[in.proc.PID] = in.role
		}
		return roles
	}
	if got := see(false, a); !reflect.DeepEqual(got, map[int32]string{70: result.RoleWatched}) {
		t.Errorf("one named: %v", got)
	}
	if got := see(false); len(got) != 0 {
		t.Errorf("none named: %v", got)
	}
	if got := see(true, a); !reflect.DeepEqual(got, map[int32]string{70: result.RoleWatched, 71: result.RoleWatched}) {
		t.Errorf("a tree named: %v", got)
	}
}

// The end of the first thread is not the end while others go on; a new program
// has a peak of its own.
func TestLedgerLeader(t *testing.T) {
	s := newStage()
	s.events = true
	p := proc(cmd, self, 50, 900)
	p.Threads, p.Image = 3, 1
	s.scan(p)
	s.exit(cmd, self, 0, s.now())
	s.scan(p)
	if x := s.collect(false); len(x) != 0 {
		t.Fatalf("%+v", x)
	}
	p.Resident, p.Image = 100, 2
	s.scan(p)
	s.scan()
	if x := s.collect(true); len(x) != 1 || x[0].Code != result.Some[int64](0) || x[0].Peak.Value != 100 {
		t.Errorf("%+v", x)
	}
}
