package procstat

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func liveSource(t testing.TB) *linuxSource {
	t.Helper()
	src, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src.(*linuxSource)
}

func scan(t *testing.T, s *linuxSource) *Tick {
	t.Helper()
	var tk Tick
	if err := s.Scan(context.Background(), &tk); err != nil {
		t.Fatal(err)
	}
	return &tk
}

func find(tk *Tick, pid int32) *Sample {
	for i := range tk.Samples {
		if tk.Samples[i].PID == pid {
			return &tk.Samples[i]
		}
	}
	return nil
}

func TestLiveMemoryAndCPU(t *testing.T) {
	hold, burn := startChild(t, "hold"), startChild(t, "burn")
	s := NewSampler(liveSource(t), Config{Interval: time.Second})
	defer s.Close()
	sel := &Selection{PIDs: []int32{hold.pid(), burn.pid()}}
	if _, procs, err := s.Next(context.Background(), sel); err != nil || len(procs) != 2 {
		t.Fatalf("%v %v", procs, err)
	}
	time.Sleep(300 * time.Millisecond)
	snap, procs, err := s.Next(context.Background(), sel)
	if err != nil {
		t.Fatal(err)
	}
	s.Fill(procs, allDetails)
	s.PSSNow(context.Background(), procs, time.Minute)
	for _, p := range procs {
		share, ok := p.CPU()
		if !ok || share < 0 || share > 64 {
			t.Errorf("%d: share %v %v", p.PID, share, ok)
		}
		if p.PID == burn.pid() && share == 0 {
			t.Error("the busy process used no CPU")
		}
		if p.UID != uint32(os.Geteuid()) || p.PPID != int32(os.Getpid()) || p.Threads < 2 {
			t.Errorf("%+v", p.Sample)
		}
		if age := snap.Tick.Uptime - p.Started; age < 0 || age > 5*time.Minute {
			t.Errorf("age %v", age)
		}
		if p.Detail.Have&HasArch == 0 || p.Detail.Have&HasTitle == 0 || p.Detail.Title != titleOf(t, p.PID) {
			t.Errorf("%+v", p.Detail)
		}
		if p.PID == hold.pid() {
			m := &p.Detail.Smaps
			if p.Resident < 64<<20 || p.Resident > 200<<20 || m.USS() < 64<<20 {
				t.Errorf("RES %d PSS %d USS %d", p.Resident, m.PSS, m.USS())
			}
			// 32-bit kernels leave huge pages out of PSS, which must be seen;
			// others must not be doubted.
			if low := m.PSS < m.USS()-4096; low && (strconv.IntSize == 64 || !m.Doubtful()) {
				t.Errorf("PSS %d below USS %d, doubted: %v", m.PSS, m.USS(), m.Doubtful())
			}
		}
	}
}

// titleOf reads a title in the simplest way.
func titleOf(t *testing.T, pid int32) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(int(pid)), "cmdline"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(string(b), "\x00")
}

func TestLiveTitleChanges(t *testing.T) {
	c := startChild(t, "idle")
	if titleOf(t, c.pid()) != os.Args[0] {
		t.Skip("an emulator runs the child, and its title is the emulator's")
	}
	s := liveSource(t)
	p := find(scan(t, s), c.pid())
	var d Detail
	for _, title := range []string{"django '/users/index/'", "django '/'"} {
		if _, err := c.in.Write([]byte(title + "\n")); err != nil {
			t.Fatal(err)
		}
		c.ready(t)
		s.Read(p, HasTitle, &d)
		if d.Title != title {
			t.Errorf("title %q, want %q", d.Title, title)
		}
	}
}

func TestLiveExit(t *testing.T) {
	c := startChild(t, "idle")
	src := liveSource(t)
	tr := NewTracker()
	var tk Tick
	tick := func() *Snapshot {
		if err := src.Scan(context.Background(), &tk); err != nil {
			t.Fatal(err)
		}
		return tr.Update(&tk)
	}
	tick()
	// Killed and not yet waited for: a zombie, without memory.
	c.Process.Kill()
	wait(t, "the zombie", func() bool { p := find(scan(t, src), c.pid()); return p != nil && p.State == 'Z' })
	tick()
	p := tr.procs[c.pid()]
	if p == nil || p.Own() || p.Have&HasMemory != 0 {
		t.Fatalf("%+v", p)
	}
	var d Detail
	src.Read(&p.Sample, allDetails, &d)
	if d.Have&(HasStatus|HasArch) != 0 || d.Denied != 0 {
		t.Errorf("%+v", d)
	}
	c.Wait()
	snap := tick()
	exited := false
	for _, e := range snap.Exits {
		exited = exited || e.PID == c.pid()
	}
	if !exited || tr.procs[c.pid()] != nil {
		t.Error("the exit is not reported")
	}
}

// A kept descriptor whose process has ended must not be believed, also when
// another process has the PID by now.
func TestStaleDescriptor(t *testing.T) {
	dead, alive := startChild(t, "idle"), startChild(t, "idle")
	s := liveSource(t)
	fds := map[string]int32{}
	for _, f := range []string{"stat", "statm", "cmdline"} {
		fd, err := unix.Open(filepath.Join("/proc", strconv.Itoa(int(dead.pid())), f), unix.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fds[f] = int32(fd)
	}
	dead.kill()
	e := &entry{pid: alive.pid(), stat: fds["stat"], statm: fds["statm"], cmdline: fds["cmdline"]}
	s.fdKept = 3
	s.entries = []*entry{e}
	tk := scan(t, s)
	p := find(tk, alive.pid())
	if p == nil || p.Have&HasMemory == 0 || p.Resident == 0 {
		t.Fatalf("%+v", p)
	}
	var d Detail
	s.Read(p, HasTitle, &d)
	if d.Title != titleOf(t, alive.pid()) {
		t.Errorf("title %q", d.Title)
	}
}

// Beyond the descriptor limit everything still works.
func TestDescriptorLimit(t *testing.T) {
	c := startChild(t, "idle")
	for _, limit := range []int{0, 1, 5} {
		s := liveSource(t)
		s.fdLimit, s.fdMost = limit, limit
		for range 3 {
			tk := scan(t, s)
			if p := find(tk, c.pid()); p == nil || p.Have&HasMemory == 0 {
				t.Fatalf("limit %d: %+v", limit, p)
			}
			if s.fdKept > limit {
				t.Fatalf("%d kept, limit %d", s.fdKept, limit)
			}
		}
	}
}

// Out of descriptors, kept ones are given back.
func TestOutOfDescriptors(t *testing.T) {
	c := startChild(t, "idle")
	s := liveSource(t)
	scan(t, s)
	kept := s.fdKept
	if kept < 4 {
		t.Fatalf("only %d kept", kept)
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	highest, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(highest)
	small := old
	small.Cur = uint64(highest)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &small); err != nil {
		t.Fatal(err)
	}
	fd, errno := s.openPID(c.pid(), "status")
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if errno != 0 {
		t.Fatalf("%v with %d kept", errno, s.fdKept)
	}
	unix.Close(fd)
	if s.fdKept > kept/2 {
		t.Errorf("%d of %d still kept", s.fdKept, kept)
	}
	// The shortage over, as many are kept again, though not at once.
	scan(t, s)
	if s.fdKept > kept/2 {
		t.Errorf("%d of %d kept on the next scan", s.fdKept, kept)
	}
	for range 2 * fdFirstPause {
		scan(t, s)
	}
	if s.fdKept < kept/2+2 {
		t.Errorf("only %d kept after the shortage, %d before", s.fdKept, kept)
	}
	if p := find(scan(t, s), c.pid()); p == nil || p.Have&HasMemory == 0 {
		t.Errorf("%+v", p)
	}
}

func TestLiveThreads(t *testing.T) {
	c := startChild(t, "burn")
	s := NewSampler(liveSource(t), Config{Interval: time.Second, Threads: true})
	defer s.Close()
	sel := &Selection{PIDs: []int32{c.pid()}}
	if _, _, err := s.Next(context.Background(), sel); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	_, procs, err := s.Next(context.Background(), sel)
	if err != nil || len(procs) != 1 {
		t.Fatal(procs, err)
	}
	var sum time.Duration
	for _, th := range procs[0].Members {
		if th.TID == 0 || th.PID != c.pid() || th.Have&HasMemory != 0 {
			t.Errorf("%+v", th.Sample)
		}
		sum += th.Deltas.User + th.Deltas.System
	}
	if len(procs[0].Members) < 2 || sum == 0 {
		t.Errorf("%d threads, %v of CPU", len(procs[0].Members), sum)
	}
}

func TestInspect(t *testing.T) {
	c := startChild(t, "hold")
	in := liveSource(t).Inspect(c.pid())
	var rss int64
	for _, m := range in.Mappings {
		rss += m.RSS
	}
	if rss < 64<<20 || len(in.Problems) != 0 || len(in.Status) < 5 || len(in.Limits) < 5 {
		t.Errorf("mappings hold %d bytes: %+v", rss, in)
	}
	c.kill()
	if in := liveSource(t).Inspect(c.pid()); len(in.Problems) == 0 || len(in.Mappings) != 0 {
		t.Errorf("of a process that has ended: %+v", in)
	}
}
