package structures

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"wordsize/internal/respawn"
	"wordsize/internal/result"
)

func limits(process, together int64) Limits {
	return Limits{Process: Limit{&process, "the address space"}, Together: Limit{&together, "MemAvailable"}}
}

func host(cpus int) *result.Host {
	h := new(result.Host)
	h.CPU.Allowed = make([]int, cpus)
	return h
}

func config(t *testing.T, names ...string) Config {
	t.Helper()
	s, err := Select(names)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Structures: s, Elements: []int64{1000, 1_000_000, 1_000_000_000}, Repeat: 2}
}

// What does not fit is left out, with the limit that it met; what does is
// measured, as much at once as memory allows.
func TestMeasureKeepsWithinLimits(t *testing.T) {
	cfg := config(t, "slice-int", "list")
	var c counter
	const together = 200 << 20
	env := Env{Limits: limits(1<<30, together), Host: host(8)}
	env.ask = func(_ context.Context, task Task) (*result.FootprintSample, error) {
		s, _ := find(task.Structure)
		need := s.Need(task.Elements, task.Copies)
		c.enter(need)
		time.Sleep(2 * time.Millisecond)
		c.leave(need)
		return &result.FootprintSample{HeapBytes: 8 * task.Elements * task.Copies, ResidentBytes: new(10 * task.Elements * task.Copies), Source: result.SourceRollup, HugeOff: true}, nil
	}
	f, err := Measure(t.Context(), cfg, env)
	if err != nil {
		t.Fatal(err)
	}
	if c.most > together || c.atOnce < 2 {
		t.Errorf("%d processes with %d bytes at once, want several within %d", c.atOnce, c.most, int64(together))
	}
	for _, s := range f.Structures {
		for i, size := range s.Sizes {
			if fits := i < 2; fits && (len(size.Samples) != 2 || size.Heap.Median != 8 || size.Resident.Median != 10 || size.Missing != "") ||
				!fits && (size.Heap != nil || !strings.Contains(size.Missing, "the address space leaves 1024 MiB")) {
				t.Errorf("%s of %d: %+v", s.Name, size.Elements, size)
			}
		}
	}
	if len(f.Warnings) != 0 {
		t.Errorf("warnings %+v", f.Warnings)
	}
	cfg.Elements = cfg.Elements[2:]
	var fit *FitError
	if _, err := Measure(t.Context(), cfg, env); !errors.As(err, &fit) || !strings.Contains(err.Error(), "--force") {
		t.Errorf("%v: want a *FitError that names --force", err)
	}
	cfg.Force = true
	if f, err := Measure(t.Context(), cfg, env); err != nil || len(f.Structures[0].Sizes[0].Samples) != 2 {
		t.Errorf("with Force: %v", err)
	}
}

func TestMeasureFailures(t *testing.T) {
	cfg := config(t, "slice-int", "list")
	cfg.Elements, cfg.Repeat = []int64{1000}, 3
	failing := func(failure error) Env {
		asked := 0
		return Env{Host: host(1), ask: func(_ context.Context, task Task) (*result.FootprintSample, error) {
			if task.Structure == "list" {
				if asked++; asked == 2 {
					return nil, failure
				}
			}
			return &result.FootprintSample{HeapBytes: 1}, nil
		}}
	}
	f, err := Measure(t.Context(), cfg, failing(&respawn.Error{How: "exit status 2", OutOfMemory: true}))
	if list := f.Structures[1].Sizes[0]; err != nil || list.Heap != nil || !strings.Contains(list.Missing, "address space") || f.Structures[0].Sizes[0].Heap == nil {
		t.Errorf("%v, %+v: want the reason in the place of list alone", err, f.Structures)
	}
	if len(f.Warnings) != 1 || f.Warnings[0].Code != result.WarnNoResident {
		t.Errorf("warnings %+v, want that resident sizes are absent", f.Warnings)
	}
	f, err = Measure(t.Context(), cfg, failing(&respawn.Error{How: "signal: killed", Killed: true}))
	if !errors.Is(err, ErrKilled) || len(f.Structures[0].Sizes[0].Samples) != 2 {
		t.Errorf("%v, %+v: want ErrKilled and what was complete", err, f.Structures)
	}
	ctx, cancel := context.WithCancel(t.Context())
	env := failing(nil)
	env.Progress = func(done, _ int, _ Task) {
		if done == 1 {
			cancel()
		}
	}
	if f, err := Measure(ctx, cfg, env); !errors.Is(err, ErrInterrupted) || !f.Interrupted || f.Structures[0].Sizes[0].Heap == nil {
		t.Errorf("%v, %+v: want ErrInterrupted and what was complete", err, f.Structures)
	}
}

// A task that no build can carry out is an error of the child's, in words.
func TestChildRefuses(t *testing.T) {
	for _, task := range []Task{{"nosuch", 1, 1}, {"list", 0, 1}, {"list", 1 << 62, 4}} {
		if _, err := askChild(t.Context(), task); err == nil {
			t.Errorf("%+v: no error", task)
		}
	}
	var child *respawn.Error
	_, err := askChild(t.Context(), Task{"slice-int64", math.MaxInt / 2, 1})
	if !errors.As(err, &child) || !child.OutOfMemory {
		t.Errorf("%v: want that memory is short", err)
	}
}
