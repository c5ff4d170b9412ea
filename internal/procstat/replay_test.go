package procstat

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"wordsize/internal/result"
)

// tape records what a source yields and plays it back.
type tape struct {
	Source
	ticks   []Tick
	details []map[int32]Detail
	at      int
}

func (t *tape) Recorded() bool { return true }

func (t *tape) Scan(_ context.Context, tk *Tick) error {
	*tk = t.ticks[t.at]
	tk.Samples = slices.Clone(tk.Samples)
	t.at++
	return nil
}

func (t *tape) Read(s *Sample, want Fields, d *Detail) {
	rec := t.details[t.at-1][s.PID]
	if want&HasSmaps != 0 {
		d.Smaps, d.SmapsAt = rec.Smaps, rec.SmapsAt
	}
	if want&HasTitle != 0 {
		d.Title = rec.Title
	}
	d.Have |= rec.Have & want
	d.Denied |= rec.Denied & want
}

// A recording played back through the same path gives the same figures.
func TestReplay(t *testing.T) {
	live := &slowSource{release: make(chan struct{}), huge: -1}
	record := &tape{}
	s := NewSampler(live, Config{Interval: time.Second, PSSBudget: 0.5})
	defer s.Close()
	figures := func(s *Sampler, tamper func(*Tick)) (all [][]result.Process) {
		rc := Recorder{CPUScale: 100}
		for range 4 {
			snap, procs, err := s.Next(context.Background(), &Selection{})
			if err != nil {
				t.Fatal(err)
			}
			s.Fill(procs, HasTitle)
			s.PSS(context.Background(), procs)
			rows := make([]result.Process, len(procs))
			for i, p := range procs {
				rc.Record(snap, p, &rows[i])
			}
			if tamper != nil {
				tamper(snap.Tick)
			}
			all = append(all, rows)
		}
		return all
	}
	first := figures(s, func(tk *Tick) {
		kept := *tk
		kept.Samples = slices.Clone(tk.Samples)
		record.ticks = append(record.ticks, kept)
		details := map[int32]Detail{}
		for _, p := range s.tracker.procs {
			details[p.PID] = p.Detail
		}
		record.details = append(record.details, details)
	})
	if !first[1][0].CPUPercent.Known || !first[1][0].PSS.Known {
		t.Fatalf("%+v", first[1][0])
	}
	second := figures(NewSampler(record, Config{Interval: time.Minute}), nil)
	if !reflect.DeepEqual(first, second) {
		t.Errorf("live\n%+v\nreplayed\n%+v", first, second)
	}
}
