package procstat

import (
	"context"
	"slices"
	"testing"
	"time"
)

// slowSource has one process whose PSS takes until release is closed.
type slowSource struct {
	ticks   int
	release chan struct{}
	huge    int32
}

func (s *slowSource) Scan(_ context.Context, t *Tick) error {
	now := time.Duration(s.ticks) * time.Second
	s.ticks++
	*t = Tick{Time: time.Now(), Mono: now, Samples: t.Samples[:0]}
	for pid := int32(1); pid <= 3; pid++ {
		p := at(pid, uint64(pid), now, now/2, 1<<20)
		if pid == s.huge {
			p.Resident = 10 << 30
		}
		t.Samples = append(t.Samples, p)
	}
	return nil
}
func (s *slowSource) Read(*Sample, Fields, *Detail)            {}
func (s *slowSource) Threads(_ *Sample, dst []Sample) []Sample { return dst }
func (s *slowSource) Inspect(int32) Inspection                 { return Inspection{} }
func (s *slowSource) Close() error                             { return nil }
func (s *slowSource) ReadSmaps(pid int32, b []byte, m *Smaps) ([]byte, Outcome) {
	if pid == s.huge {
		<-s.release
	}
	*m = Smaps{PSS: int64(pid) << 20}
	return b, Done
}

// A process whose PSS takes forever holds up neither the tick nor the others,
// and its value arrives, with its age, when it is there.
func TestPSSBudget(t *testing.T) {
	src := &slowSource{release: make(chan struct{}), huge: 2}
	s := NewSampler(src, Config{Interval: time.Second, PSSBudget: 0.02})
	ctx := context.Background()
	next := func() (*Snapshot, []*Proc) {
		snap, procs, err := s.Next(ctx, &Selection{})
		if err != nil {
			t.Fatal(err)
		}
		s.PSS(ctx, procs)
		return snap, procs
	}
	_, procs := next() // would hang if it waited
	for _, p := range procs {
		if known := p.Detail.Have&HasSmaps != 0; known != (p.PID != 2) {
			t.Errorf("process %d: PSS known: %v", p.PID, known)
		}
	}
	if c := Counts(&s.tracker.snap, procs, true); c.PSSRead != 2 || c.PSSPending != 1 {
		t.Errorf("%+v", c)
	}
	close(src.release)
	s.Close()
	results := s.tracker.procs[2].Detail.Have & HasSmaps
	if results != 0 {
		t.Error("a result was delivered outside a tick")
	}
}

func TestPSSNowLabelsWhatItDidNotReach(t *testing.T) {
	src := &slowSource{release: make(chan struct{}), huge: 2}
	close(src.release)
	s := NewSampler(src, Config{Interval: time.Second})
	_, procs, err := s.Next(context.Background(), &Selection{})
	if err != nil {
		t.Fatal(err)
	}
	// 10 GB are expected to take 0.2 s, more than the limit.
	if missed := s.PSSNow(context.Background(), procs, 100*time.Millisecond); missed != 1 {
		t.Errorf("missed %d", missed)
	}
	_, total := (&Grouper{By: ByProgram}).Group(&s.tracker.snap, procs)
	if total.PSSMissing != 1 || total.WithPSS != 2 || total.PSS.Value != 4<<20+5<<30+5<<30 {
		t.Errorf("%+v", total)
	}
}

func TestSmapsJobsOldestFirst(t *testing.T) {
	p := func(pid int32, made bool, try time.Duration, res int64) *Proc {
		return &Proc{Sample: at(pid, 1, 0, 0, res), smapsMade: made, smapsTry: try}
	}
	zombie := p(9, false, 0, 0)
	zombie.State = 'Z'
	jobs := smapsJobs([]*Proc{p(1, true, 5, 100), p(2, true, 3, 100), p(3, false, 0, 100), p(4, false, 0, 200), zombie})
	var got []int32
	for _, j := range jobs {
		got = append(got, j.id.PID)
	}
	if len(got) != 4 || got[0] != 4 || got[1] != 3 || got[2] != 2 || got[3] != 1 {
		t.Errorf("order %v", got)
	}
}

func TestFirstSmall(t *testing.T) {
	job := func(pid int32, gib int64, fresh bool) smapsJob {
		return smapsJob{id: Ident{PID: pid}, resident: gib << 30, fresh: fresh}
	}
	order := func(jobs ...smapsJob) (pids []int32) {
		for _, j := range firstSmall(jobs, 10*time.Millisecond, smapsPerByte) {
			pids = append(pids, j.id.PID)
		}
		return pids
	}
	// On the first tick the huge process waits for the small ones.
	if got := order(job(1, 10, true), job(2, 0, true), job(3, 0, true)); !slices.Equal(got, []int32{2, 3, 1}) {
		t.Errorf("order %v", got)
	}
	// Once these are known it has its turn, however many they are.
	if got := order(job(1, 10, true), job(2, 0, false), job(3, 0, false)); !slices.Equal(got, []int32{1, 2, 3}) {
		t.Errorf("order %v", got)
	}
}
