package procstat

import (
	"regexp"
	"slices"
	"testing"
	"time"
)

// at makes a sample of a process that is known in full.
func at(pid int32, start uint64, now, cpu time.Duration, res int64) Sample {
	return Sample{
		Ident: Ident{PID: pid, Start: start}, Have: HasStat | HasCPU | HasMemory | HasShared | HasUID,
		State: 'S', PPID: 1, PGRP: pid, Threads: 1, Comm: "p", Resident: res, Shared: res / 2, Virtual: 2 * res,
		Counters: Counters{User: cpu}, ReadAt: now,
	}
}

func tickAt(now time.Duration, samples ...Sample) *Tick {
	return &Tick{Mono: now, Time: time.Unix(0, 0).Add(now), Samples: samples, Seen: len(samples)}
}

func TestTrackerCPU(t *testing.T) {
	tr := NewTracker()
	s := tr.Update(tickAt(0, at(7, 50, 0, 900*time.Second, 100)))
	if _, ok := s.Procs[0].CPU(); ok {
		t.Error("the first sample has a CPU share")
	}
	// The real time is that between the two reads, not between the ticks.
	s = tr.Update(tickAt(time.Second, at(7, 50, 1100*time.Millisecond, 902200*time.Millisecond, 100)))
	if share, ok := s.Procs[0].CPU(); !ok || share != 2 {
		t.Errorf("share %v %v, want 2", share, ok)
	}
	// CPU time that goes back by a tick is no negative share.
	s = tr.Update(tickAt(2*time.Second, at(7, 50, 2*time.Second, 902190*time.Millisecond, 100)))
	if share, ok := s.Procs[0].CPU(); !ok || share != 0 {
		t.Errorf("share %v %v, want 0", share, ok)
	}
}

func TestTrackerPIDReuse(t *testing.T) {
	tr := NewTracker()
	tr.Update(tickAt(0, at(7, 50, 0, 900*time.Second, 100)))
	tr.snap.Procs[0].Detail = Detail{Have: HasTitle, Title: "old"}
	s := tr.Update(tickAt(time.Second, at(7, 99, time.Second, time.Second, 100)))
	if _, ok := s.Procs[0].CPU(); ok {
		t.Error("a CPU share across two processes with one PID")
	}
	if s.Procs[0].Detail.Have != 0 {
		t.Error("the new process has the old one's title")
	}
	if len(s.Exits) != 1 || s.Exits[0].Start != 50 || s.Started != 1 {
		t.Errorf("exits %v, started %d", s.Exits, s.Started)
	}
}

func TestTrackerExitAndReturn(t *testing.T) {
	tr := NewTracker()
	tr.Update(tickAt(0, at(7, 50, 0, 0, 100), at(8, 51, 0, 0, 100)))
	s := tr.Update(tickAt(time.Second, at(8, 51, time.Second, 0, 100)))
	if len(s.Exits) != 1 || s.Exits[0].PID != 7 || len(s.Procs) != 1 {
		t.Errorf("%+v", s)
	}
	// Unreadable on one tick: no share from a gap, and no exit.
	s = tr.Update(tickAt(2*time.Second, Sample{Ident: Ident{PID: 8}, Denied: HasStat | HasCPU}))
	if len(s.Exits) != 0 {
		t.Errorf("exits %v", s.Exits)
	}
	s = tr.Update(tickAt(3*time.Second, at(8, 51, 3*time.Second, time.Second, 100)))
	if _, ok := s.Procs[0].CPU(); ok {
		t.Error("a share over a tick that could not be read")
	}
}

func TestTrackerExec(t *testing.T) {
	tr := NewTracker()
	s := tr.Update(tickAt(0, at(7, 50, 0, 0, 100)))
	s.Procs[0].Detail = Detail{Have: HasArch | HasTitle, Arch: Arch{64, "x86-64"}}
	next := at(7, 50, time.Second, 0, 100)
	next.Image = 77
	s = tr.Update(tickAt(time.Second, next))
	if s.Procs[0].Detail.Have&HasArch != 0 {
		t.Error("the word size is not read again after an exec")
	}
}

func TestGrowth(t *testing.T) {
	tr := NewTracker()
	var s *Snapshot
	for i := range 200 {
		now := time.Duration(i) * time.Second
		s = tr.Update(tickAt(now, at(7, 50, now, 0, int64(1000*i))))
		if _, _, ok := s.Procs[0].Growth(); ok != (i > 0) {
			t.Fatalf("tick %d: growth known: %v", i, ok)
		}
	}
	bytes, over, _ := s.Procs[0].Growth()
	if over > 63*time.Second || over < 55*time.Second || bytes != int64(over/time.Second)*1000 {
		t.Errorf("%d bytes over %v", bytes, over)
	}
	hist := s.Procs[0].History(nil)
	if len(hist) < 30 || !slices.IsSorted(hist) || hist[len(hist)-1] != 199000 {
		t.Errorf("history %v", hist)
	}
}

func TestSelection(t *testing.T) {
	tr := NewTracker()
	a, b, c := at(7, 50, 0, 0, 100), at(8, 51, 0, 0, 5000), at(9, 52, 0, 0, 100)
	b.UID, c.Have = 33, HasUID
	s := tr.Update(tickAt(0, a, b, c))
	s.Procs[0].Detail = Detail{Have: HasTitle, Title: "nginx:\x00worker -d"}
	s.Procs[1].Detail = Detail{Have: HasCgroup, Cgroup: "/a/b"}
	for _, tc := range []struct {
		name string
		sel  Selection
		want []int32
	}{
		{"all", Selection{}, []int32{7, 8, 9}},
		{"title", Selection{Patterns: []*regexp.Regexp{regexp.MustCompile(`^nginx: worker -d$`)}}, []int32{7}},
		{"comm only where there is no title", Selection{Patterns: []*regexp.Regexp{regexp.MustCompile(`^p$`)}}, []int32{8, 9}},
		{"either pattern", Selection{Patterns: []*regexp.Regexp{regexp.MustCompile(`nginx`), regexp.MustCompile(`^p$`)}}, []int32{7, 8, 9}},
		{"user", Selection{UIDs: []uint32{33}}, []int32{8}},
		{"size; unknown is not large", Selection{MinRSS: 1000}, []int32{8}},
		{"cgroup itself", Selection{Cgroup: "/a/b"}, []int32{8}},
		{"cgroup above", Selection{Cgroup: "/a/"}, []int32{8}},
		{"no part of a name", Selection{Cgroup: "/a/bb"}, nil},
		{"root cgroup", Selection{Cgroup: "/"}, []int32{8}},
		{"not itself", Selection{Patterns: []*regexp.Regexp{regexp.MustCompile(`.`)}, Self: 8}, []int32{7, 9}},
		{"itself by PID", Selection{Patterns: []*regexp.Regexp{regexp.MustCompile(`.`)}, PIDs: []int32{8}, Self: 8}, []int32{8}},
		{"itself without patterns", Selection{Self: 8}, []int32{7, 8, 9}},
		{"both must hold", Selection{PIDs: []int32{7, 8}, UIDs: []uint32{33}}, []int32{8}},
	} {
		var got []int32
		for _, p := range tc.sel.Pick(s, nil) {
			got = append(got, p.PID)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestTreeKeepsAdopted(t *testing.T) {
	tr := NewTracker()
	child := func(pid, ppid, pgrp int32) Sample {
		s := at(pid, uint64(pid), 0, 0, 100)
		s.PPID, s.PGRP = ppid, pgrp
		return s
	}
	sel := Selection{Trees: []int32{10}}
	pick := func(now time.Duration, samples ...Sample) (pids []int32) {
		for _, p := range sel.Pick(tr.Update(tickAt(now, samples...)), nil) {
			pids = append(pids, p.PID)
		}
		return pids
	}
	init, root := child(1, 0, 1), child(10, 1, 10)
	if got := pick(0, init, root, child(11, 10, 10), child(12, 11, 12), child(20, 1, 20)); !slices.Equal(got, []int32{10, 11, 12}) {
		t.Errorf("got %v", got)
	}
	// 11 dies, init adopts 12. 13 was forked by a parent that no tick saw, and
	// is in the root's process group; 21 is in another's.
	got := pick(time.Second, init, root, child(12, 1, 12), child(13, 1, 10), child(14, 12, 14), child(20, 1, 20), child(21, 1, 20))
	if !slices.Equal(got, []int32{10, 12, 13, 14}) {
		t.Errorf("got %v", got)
	}
	// A new process with the root's PID is not the root.
	reused := child(10, 1, 10)
	reused.Start = 5000
	if got := pick(2*time.Second, init, reused, child(12, 1, 12)); !slices.Equal(got, []int32{12}) {
		t.Errorf("got %v", got)
	}
}

func TestProgram(t *testing.T) {
	for _, tc := range []struct{ comm, title, want string }{
		{"bash", "-bash", "bash"},
		{"gunicorn-long-n", "/usr/bin/python3\x00/usr/bin/gunicorn-long-name\x00app", "gunicorn-long-name"},
		{"exactly15charac", "/bin/exactly15charac\x00x", "exactly15charac"},
		{"gunicorn: maste", "gunicorn: master [app]", "gunicorn"},
		{"django '/galler", "django '/gallery/3329236/0/'", "django"},
		{"tmux: server", "tmux\x00new-session", "tmux"},
		{"Web Content", "/usr/lib/firefox/firefox\x00-contentproc", "Web Content"},
		{"postgres:", "postgres: a b", "postgres"}, {": x", "", ": x"}, {":", "", ":"},
	} {
		p := Proc{Sample: Sample{Comm: tc.comm}, Detail: Detail{Title: tc.title}}
		if got := p.Program(); got != tc.want {
			t.Errorf("%q %q: %q, want %q", tc.comm, tc.title, got, tc.want)
		}
	}
	k := Proc{Sample: Sample{Comm: "kworker/0:1", Kernel: true}}
	if k.Program() != "[kernel]" || k.DisplayTitle() != "[kworker/0:1]" {
		t.Error(k.Program(), k.DisplayTitle())
	}
}

// Orphans of a session's leader, and of a group that a subreaper adopted, are
// its descendants; siblings of the leader in a pipeline are not.
func TestTreeOrphans(t *testing.T) {
	tr := NewTracker()
	proc := func(pid, ppid, pgrp, session int32) Sample {
		s := at(pid, uint64(pid), 0, 0, 100)
		s.PPID, s.PGRP, s.Session = ppid, pgrp, session
		return s
	}
	sel := Selection{Trees: []int32{10}}
	var got []int32
	for _, p := range sel.Pick(tr.Update(tickAt(0,
		proc(1, 0, 1, 1), proc(5, 1, 5, 5), // init, and a subreaper
		proc(10, 5, 10, 10), // the root leads a group and a session
		proc(11, 5, 10, 10), // a sibling in the root's group
		proc(12, 1, 10, 10), // adopted by init, same group
		proc(13, 1, 77, 10), // adopted, its group's leader is dead, same session
		proc(14, 1, 88, 5),  // somebody else's
	)), nil) {
		got = append(got, p.PID)
	}
	if !slices.Equal(got, []int32{10, 12, 13}) {
		t.Errorf("got %v, want 10, 12 and 13", got)
	}
}

// With ticks further apart than the span, growth is over one interval.
func TestGrowthOverLongIntervals(t *testing.T) {
	var h history
	h.add(0, 100)
	h.add(10*time.Minute, 700)
	if grown, over, ok := h.growth(); !ok || grown != 600 || over != 10*time.Minute {
		t.Errorf("%d in %v, %v; want 600 in ten minutes", grown, over, ok)
	}
}
