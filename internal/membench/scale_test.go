package membench

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"wordsize/internal/result"
)

func TestScaleCounts(t *testing.T) {
	for largest, want := range map[int][]int{
		1:  {1},
		2:  {1, 2},
		5:  {1, 2, 3, 4, 5},
		8:  {1, 2, 3, 4, 5, 6, 7, 8},
		10: {1, 2, 3, 4, 5, 6, 7, 8, 10},
		40: {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 40},
		64: {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64},
	} {
		if got := ScaleCounts(largest); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v, want %v", largest, got, want)
		}
	}
}

func TestScaleChunk(t *testing.T) {
	host := func(cache int64) *result.Host {
		return &result.Host{Caches: []result.Cache{{Level: 3, Type: "Unified", Bytes: cache, Source: "test"}}}
	}
	for _, c := range []struct {
		host *result.Host
		room Room
		n    int
		want int64
	}{
		{&result.Host{}, Room{}, 4, 128 << 20},
		{host(1 << 20), Room{}, 4, 128 << 20},
		{host(64 << 20), Room{}, 4, 256 << 20},
		{host(508 << 20), Room{}, 4, 1 << 30},
		{host(64 << 20), Room{Available: new(int64(1 << 30))}, 8, (1<<30-reserve(1<<30))/8>>20<<20 - workerOverhead},
	} {
		if got := ScaleChunk(c.host, c.room, c.n); got != c.want {
			t.Errorf("%+v, %d processes: %d MiB, want %d", c.host.Caches, c.n, got>>20, c.want>>20)
		}
	}
}

func fakeScale(t *testing.T, ctx context.Context, f *fakes, change func(*ScaleConfig, *CurveEnv)) (*result.Scale, error) {
	t.Helper()
	c := ScaleConfig{Config: config(t, 3), Counts: []int{1, 2, 3}}
	c.ChunkBytes, c.MinTime, c.Repeat, c.Force = 1<<20, 95*time.Millisecond, 3, true
	e := CurveEnv{Env: env(t, f)}
	e.Host.Caches = nil
	if change != nil {
		change(&c, &e)
	}
	return Scale(ctx, c, e)
}

// Each launch measures every count, and begins with another one.
func TestScaleRotates(t *testing.T) {
	s, err := fakeScale(t, t.Context(), &fakes{passNS: 10e6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var order [][]int
	for _, l := range s.Launches {
		var counts []int
		for i := range l.Phases {
			counts = append(counts, l.Phases[i].Processes)
			if p := &l.Phases[i]; p.Summary == nil || p.Summary.Aggregate == nil || len(p.Workers) != p.Processes || len(p.Workers[0].PassEndNS) != 0 {
				t.Errorf("phase %+v", p)
			}
		}
		order = append(order, counts)
	}
	if want := [][]int{{1, 2, 3}, {2, 3, 1}, {3, 1, 2}}; !slices.EqualFunc(order, want, slices.Equal[[]int]) {
		t.Errorf("order %v, want %v", order, want)
	}
	if s.Kind != result.ScaleKind || s.Args.Processes != 3 || s.ElapsedNS <= 0 || s.Interrupted || !s.Usable() {
		t.Errorf("record %+v", s)
	}
}

func TestScaleKeepsWhatIsComplete(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := fakeScale(t, ctx, &fakes{passNS: 10e6}, func(_ *ScaleConfig, e *CurveEnv) {
		e.Step = func(s Step) {
			if s.Launch == 1 && s.Part == 2 {
				cancel()
			}
		}
	})
	if !errors.Is(err, ErrInterrupted) || !s.Interrupted || len(s.Launches) != 2 || len(s.Launches[1].Phases) != 2 {
		t.Errorf("%v, %d launches", err, len(s.Launches))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := fakeScale(t, cancelled, &fakes{passNS: 10e6}, nil); !errors.Is(err, ErrInterrupted) || s.Usable() {
		t.Errorf("%v, %+v", err, s)
	}
}

func TestScaleKeepsToItsLimit(t *testing.T) {
	s, err := fakeScale(t, t.Context(), &fakes{passNS: 10e6}, func(c *ScaleConfig, e *CurveEnv) {
		c.Limit = 100 * time.Millisecond
		e.Step = func(Step) { time.Sleep(25 * time.Millisecond) }
	})
	if err != nil || len(s.Launches) != 1 || len(s.Warnings) == 0 || s.Warnings[0].Code != result.WarnTimeLimit || s.Warnings[0].Values["launches"] != 1 {
		t.Errorf("%v, %d launches, %+v", err, len(s.Launches), s.Warnings)
	}
}

func TestScaleIsRefused(t *testing.T) {
	f := &fakes{passNS: 10e6}
	_, err := fakeScale(t, t.Context(), f, func(c *ScaleConfig, e *CurveEnv) {
		c.Force = false
		e.Host.Memory.AvailableBytes = new(int64(64 << 20))
	})
	var fit *FitError
	if !errors.As(err, &fit) || fit.Processes != 3 || len(f.conns) > 0 {
		t.Errorf("%v, %d workers", err, len(f.conns))
	}
}

func TestWorstOf(t *testing.T) {
	got := worstOf([]result.Warning{
		{Code: "a", Phase: "n=1", Values: values{"skew_ns": 5}},
		{Code: "b", Values: values{"processes": 5}},
		{Code: "a", Phase: "n=2", Values: values{"skew_ns": 9}},
		{Code: "a", Phase: "n=3", Values: values{"skew_ns": 7}},
	})
	if len(got) != 2 || got[0].Phase != "n=2" || got[0].Values["phases"] != 3 || got[1].Values["phases"] != 0 {
		t.Errorf("%+v", got)
	}
}
