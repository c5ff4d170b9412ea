package procstat

import (
	"context"
	"time"
)

// Config sets up a Sampler.
type Config struct {
	Interval time.Duration // between ticks; the PSS budget is a share of it
	// PSSBudget is the share of real time that reading PSS may take, 0.02 for
	// 2 %; 0 reads none.
	PSSBudget float64
	Threads   bool // sample the threads of selected processes too
	// Estimate makes estimates for another word size, WhatIfBudget is the share
	// of real time that it may take; nil or 0 makes none.
	Estimate     EstimateFunc
	WhatIfBudget float64
}

// Sampler takes ticks from a source. It is not for concurrent use.
type Sampler struct {
	src     Source
	cfg     Config
	tracker *Tracker
	tick    Tick
	reader  *smapsReader
	whatIf  *whatIfReader
	picked  []*Proc
	threads []Sample
}

// NewSampler returns a sampler over src, which it does not close.
func NewSampler(src Source, cfg Config) *Sampler {
	return &Sampler{src: src, cfg: cfg, tracker: NewTracker()}
}

// Close waits for reads that are under way.
func (s *Sampler) Close() {
	s.closePSS()
	if s.whatIf != nil {
		s.whatIf.stop()
		s.whatIf = nil
	}
}

func (s *Sampler) closePSS() {
	if s.reader != nil {
		s.reader.stop()
		s.reader = nil
	}
}

// Configure changes interval, budgets and threads from the next tick on.
func (s *Sampler) Configure(cfg Config) {
	if cfg.PSSBudget != s.cfg.PSSBudget || cfg.Interval != s.cfg.Interval {
		s.closePSS()
	}
	s.cfg = cfg
}

// Next takes a tick and returns it with the selected processes. Both are
// valid until the next call. Titles are read once for every new process, and
// on every tick where the selection needs them.
func (s *Sampler) Next(ctx context.Context, sel *Selection) (*Snapshot, []*Proc, error) {
	if err := s.src.Scan(ctx, &s.tick); err != nil {
		return nil, nil, err
	}
	snap := s.tracker.Update(&s.tick)
	if needs := sel.Needs(); needs != 0 {
		for _, p := range snap.Procs { // all of them anew, however many
			s.src.Read(&p.Sample, needs, &p.Detail)
		}
	}
	s.picked = sel.Pick(snap, s.picked[:0])
	if s.cfg.Threads {
		s.threads = s.threads[:0]
		for _, p := range s.picked {
			s.threads = s.src.Threads(&p.Sample, s.threads)
		}
		s.tracker.UpdateThreads(s.threads)
	}
	return snap, s.picked, nil
}

// Again picks anew from the last tick, as Next did, without taking another. It
// must not be called before Next.
func (s *Sampler) Again(sel *Selection) (*Snapshot, []*Proc) {
	snap := &s.tracker.snap
	if needs := sel.Needs(); needs != 0 {
		for _, p := range snap.Procs {
			s.src.Read(&p.Sample, needs, &p.Detail)
		}
	}
	s.picked = sel.Pick(snap, s.picked[:0])
	return snap, s.picked
}

// Titles of up to titleAlways rows are read anew on every tick. Among more,
// a process none of whose figures moved since the last tick has its title
// read on every titleEvery-th tick: it may have changed its title and gone
// back to sleep within a clock tick, but hardly ever has.
const (
	titleAlways = 256
	titleEvery  = 8
)

// Fill reads second-tier fields, except PSS, of the given processes. An
// architecture that is known is not read again until the process executes
// another program.
func (s *Sampler) Fill(procs []*Proc, want Fields) {
	many := len(procs) > titleAlways
	for _, p := range procs {
		w := want
		if (p.Detail.Have|p.Detail.Denied)&HasArch != 0 {
			w &^= HasArch
		}
		if many && p.quiet && p.Detail.Have&HasTitle != 0 && (uint64(p.PID)+s.tracker.snap.Number)%titleEvery != 0 {
			w &^= HasTitle
		}
		if w != 0 && p.TID == 0 {
			s.src.Read(&p.Sample, w, &p.Detail)
		}
	}
}
