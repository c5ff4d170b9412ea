package procstat

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"wordsize/internal/result"
)

// openFixture opens a captured tree, whose pages are 4096 bytes.
func openFixture(t testing.TB, root string) *linuxSource {
	t.Helper()
	src, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	s := src.(*linuxSource)
	s.pageSize = 4096
	return s
}

const allDetails = HasTitle | HasStatus | HasArch | HasCgroup

func fixtureRecords(t *testing.T) map[int32]result.Process {
	t.Helper()
	s := NewSampler(openFixture(t, "testdata/basic"), Config{Interval: time.Second})
	defer s.Close()
	snap, procs, err := s.Next(context.Background(), &Selection{})
	if err != nil {
		t.Fatal(err)
	}
	s.Fill(procs, allDetails)
	if missed := s.PSSNow(context.Background(), procs, time.Minute); missed != 0 {
		t.Fatalf("%d not reached", missed)
	}
	rc := Recorder{CPUScale: 100}
	out := map[int32]result.Process{}
	for _, p := range procs {
		var r result.Process
		rc.Record(snap, p, &r)
		out[p.PID] = r
	}
	return out
}

func TestFixture(t *testing.T) {
	recs := fixtureRecords(t)
	if len(recs) != 9 {
		t.Fatalf("%d processes", len(recs))
	}
	known := func(b result.Bytes, want int64, what string) {
		t.Helper()
		if !b.Known || b.Value != want {
			t.Errorf("%s is %+v, want %d", what, b, want)
		}
	}
	absent := func(b result.Bytes, what string) {
		t.Helper()
		if b.Known {
			t.Errorf("%s is %d, want none", what, b.Value)
		}
	}
	evil := recs[100]
	if evil.Comm != ") (R 1 (x" || evil.State != "S" || evil.Bits != 32 || evil.Machine != "i386" || evil.Command != "evil ) (" {
		t.Errorf("%+v", evil)
	}
	known(evil.AgeNS, int64(4980250*time.Millisecond), "age")
	if recs[101].Comm != "new\nline" || recs[101].Machine != "arm" {
		t.Errorf("%+v", recs[101])
	}
	for _, pid := range []int32{2, 102} { // kernel thread and zombie
		r := recs[pid]
		absent(r.Resident, "RES")
		absent(r.PSS, "PSS")
		absent(r.Peak, "PEAK")
		if r.Refused != 0 || r.Bits != 0 {
			t.Errorf("%d: %+v", pid, r)
		}
	}
	if !recs[2].Kernel || recs[2].Command != "[kthreadd]" || recs[102].State != "Z" || recs[102].Command != "[defunct]" {
		t.Errorf("%+v %+v", recs[2], recs[102])
	}
	known(recs[103].Virtual, 51677046505472, "47 TB of VIRT")
	if recs[103].Cgroup != "/docker/abc:def" {
		t.Error(recs[103].Cgroup)
	}
	known(recs[104].Virtual, 6144000000, "VIRT above 4 GiB")
	known(recs[104].HugeTLB, 2<<30, "HugeTLB")
	known(recs[104].PSS, 100000<<10, "PSS")
	if string(recs[104].Cmdline) != "hugedb: writer" || recs[104].PSSDoubt {
		t.Errorf("%+v", recs[104])
	}
	if !recs[105].PSSDoubt {
		t.Error("a PSS below what is private is believed")
	}
	known(recs[1].SwapPSS, 4<<10, "SwapPss")
	if recs[106].Program != "gunicorn-long-name" {
		t.Error(recs[106].Program)
	}
}

func TestFixtureGroups(t *testing.T) {
	s := NewSampler(openFixture(t, "testdata/basic"), Config{Interval: time.Second})
	defer s.Close()
	snap, procs, err := s.Next(context.Background(), &Selection{})
	if err != nil {
		t.Fatal(err)
	}
	s.Fill(procs, allDetails)
	// One process is left without PSS, as if it could not be read.
	var without []*Proc
	for _, p := range procs {
		if p.PID != 104 {
			without = append(without, p)
		}
	}
	s.PSSNow(context.Background(), without, time.Minute)
	g := Grouper{By: ByRegexp, Patterns: []*regexp.Regexp{regexp.MustCompile(`^(thp32|asan|hugedb)|asan`)}, CPUScale: 100}
	groups, total := g.Group(snap, procs)
	byName := map[result.RawText]*result.Group{}
	for _, g := range groups {
		byName[g.Name] = g
	}
	huge := byName["hugedb"]
	if huge.PSSMissing != 1 || huge.WithPSS != 0 || huge.PSS.Value != 50000*4096 {
		t.Errorf("the estimate of one unread process is its RES: %+v", huge)
	}
	if byName["thp32"].PSSDoubt != 1 {
		t.Errorf("%+v", byName["thp32"])
	}
	// init, kthreadd and the others: the two without memory are counted, and
	// are no zero in the smallest RES.
	other := byName["(no match)"]
	if other.Processes != 6 || other.WithRES != 4 || other.MinRES.Value != 409600 || other.PSSMissing != 0 {
		t.Errorf("%+v", other)
	}
	if total.Processes != 9 || total.PSSMissing != 1 || total.WithPSS != 6 {
		t.Errorf("%+v", total)
	}
}

// A tree in which nothing may be read, as with hidepid=1, is a row of unknown
// values, not an error, and hides nothing else.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may read everything: unreadable files are directories here")
	}
	root := t.TempDir()
	for _, f := range []string{"1/stat", "1/statm", "7/stat/x", "7/statm/x"} {
		path := filepath.Join(root, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "1 (init)" + statTail
		if filepath.Base(f) == "statm" {
			text = "10 5 2\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := openFixture(t, root)
	var tk Tick
	for range 2 {
		if err := s.Scan(context.Background(), &tk); err != nil {
			t.Fatal(err)
		}
	}
	if tk.Seen != 2 || tk.Unreadable != 1 || len(tk.Samples) != 2 {
		t.Fatalf("%+v", tk)
	}
	if bad := tk.Samples[1]; bad.PID != 7 || bad.Have != HasUID || bad.Denied&HasMemory == 0 {
		t.Errorf("%+v", bad)
	}
	if tk.Samples[0].Resident != 5*4096 {
		t.Errorf("%+v", tk.Samples[0])
	}
}

// Garbage in one process's files is that process's problem.
func TestMalformed(t *testing.T) {
	root := t.TempDir()
	os.MkdirAll(filepath.Join(root, "5"), 0o755)
	os.WriteFile(filepath.Join(root, "5/stat"), []byte("garbage"), 0o644)
	os.WriteFile(filepath.Join(root, "5/statm"), []byte("10 5 2\n"), 0o644)
	s := openFixture(t, root)
	var tk Tick
	if err := s.Scan(context.Background(), &tk); err != nil {
		t.Fatal(err)
	}
	p := tk.Samples[0]
	if p.Have&HasStat != 0 || p.PID != 5 || !tk.Hidden {
		t.Errorf("%+v", p)
	}
}

// The steady state allocates nothing, however many processes there are.
func TestNoAllocations(t *testing.T) {
	s := openFixture(t, "testdata/basic")
	tr := NewTracker()
	var tk Tick
	var sel Selection
	var picked []*Proc
	pass := func() {
		if err := s.Scan(context.Background(), &tk); err != nil {
			t.Fatal(err)
		}
		picked = sel.Pick(tr.Update(&tk), picked[:0])
		for _, p := range picked {
			s.Read(&p.Sample, HasTitle, &p.Detail)
		}
	}
	pass()
	pass()
	if n := testing.AllocsPerRun(100, pass); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}
