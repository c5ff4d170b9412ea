package membench

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

func latencyConfig(t *testing.T, kinds ...Pages) LatencyConfig {
	c := LatencyConfig{Config: config(t, 1), Sizes: []int64{4096, 5632, 5 << 20}, Kinds: kinds}
	c.MinTime, c.Repeat, c.Force = 2*time.Millisecond, 2, true
	return c
}

// Real processes: a load takes a plausible time, and more in a list of 5 MiB
// than in one of 4 KiB.
func TestLatency(t *testing.T) {
	e := CurveEnv{Env: env(t, processes(t))}
	kinds := BothPages(e.Host)
	r, err := Latency(t.Context(), latencyConfig(t, kinds...), e)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples) != 3*2*len(kinds) || r.Kind != result.LatencyKind || r.LineBytes != kernel.LineBytes {
		t.Fatalf("%d samples: %+v", len(r.Samples), r)
	}
	least := make(map[int64]float64)
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.NS < 0.05 || s.Loads < hopsOfLong {
			t.Errorf("%+v", s)
		}
		if old, ok := least[s.Bytes]; !ok || s.NS < old {
			least[s.Bytes] = s.NS
		}
		if s.Pages == string(Pages4K) && s.HugeBytes != nil && *s.HugeBytes > 0 {
			t.Errorf("%+v: huge pages where none were wanted", s)
		}
	}
	if least[5<<20] < 1.5*least[4096] {
		t.Errorf("%v: 5 MiB are in no first-level cache", least)
	}
}

func TestLatencyFindsBadMemory(t *testing.T) {
	// The value of node 8, which lies behind its pointer.
	at := map[int]string{4: "516", 8: "520"}[int(kernel.NodeBytes/2)]
	t.Setenv(envCorrupt, at)
	_, err := Latency(t.Context(), latencyConfig(t, PagesDefault), CurveEnv{Env: env(t, processes(t))})
	var bad *Mismatch
	if !errors.As(err, &bad) || bad.Offset != 512 || bad.Expected != 8 {
		t.Errorf("%v, want a mismatch of line 8", err)
	}
}

func TestListBytes(t *testing.T) {
	for size, want := range map[int64]int64{4096: 2<<20 + 256, 2 << 20: 2<<20 + 128<<10, 1 << 30: 1<<30 + 64<<20} {
		if got := ListBytes(size); got != want {
			t.Errorf("%d: %d, want %d", size, got, want)
		}
	}
}

func TestBothPages(t *testing.T) {
	for enabled, want := range map[string]int{"always": 2, "madvise": 2, "never": 1, "": 1} {
		h := &result.Host{}
		h.Pages.THPEnabled = enabled
		if runtime.GOOS != "linux" {
			want = 1
		}
		if got := BothPages(h); len(got) != want {
			t.Errorf("%q: %v", enabled, got)
		}
	}
}

func TestHugeWarnings(t *testing.T) {
	h := &result.Host{}
	h.Pages.THPEnabled = "never"
	if w := hugeWarnings(h, []Pages{Pages4K}, nil); len(w) != 1 || w[0].Code != result.WarnNoHuge {
		t.Errorf("%+v", w)
	}
	h.Pages.THPEnabled = "madvise"
	samples := []result.LatencySample{
		{Bytes: 4096, Pages: "thp", HugeBytes: new(int64(2 << 20))},
		{Bytes: 4096, Pages: "thp", HugeBytes: new(int64(4096))},
		{Bytes: 4096, Pages: "thp"},
		{Bytes: 4096, Pages: "4k"},
	}
	if w := hugeWarnings(h, []Pages{Pages4K, PagesTHP}, samples); len(w) != 1 || w[0].Values["parts"] != 2 || w[0].Values["of"] != 3 {
		t.Errorf("%+v", w)
	}
}

func loadedConfig(t *testing.T) LoadedConfig {
	c := LoadedConfig{Config: config(t, 1), ProbeBytes: 1 << 20}
	c.KernelSpec, c.Kernel = "read", mustKernel(t, "read")
	c.ChunkBytes, c.MinTime, c.Repeat, c.Force = 2<<20, 5*time.Millisecond, 1, true
	return c
}

// Real processes: what the others move falls with the delay, and is nothing
// when nothing loads. A crowded machine may starve them now and then.
func TestLoaded(t *testing.T) {
	var eager, lazy float64
	for range 3 {
		r, err := Loaded(t.Context(), loadedConfig(t), CurveEnv{Env: env(t, processes(t))})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Loaded.Samples) != len(loadDelays) || !r.Usable() {
			t.Fatalf("%+v", r.Loaded.Samples)
		}
		for _, s := range r.Loaded.Samples {
			switch {
			case s.NS <= 0 || s.Load < 0 || s.Delay == nil && s.Load != 0:
				t.Errorf("%+v", s)
			case s.Delay == nil:
			case *s.Delay <= 300:
				eager += s.Load
			case *s.Delay >= 1200:
				lazy += s.Load
			}
		}
		if runtime.NumCPU() < 2 || eager > 2*lazy && lazy > 0 {
			return
		}
	}
	t.Errorf("with short pauses %g bytes a second in all, with long ones %g", eager, lazy)
}

func TestLoadedWantsACPUForTheLoad(t *testing.T) {
	c := loadedConfig(t)
	c.Force = false
	e := CurveEnv{Env: env(t, &fakes{passNS: 1e6})}
	e.Host.CPU.Allowed = []int{0}
	var arg *ArgError
	if _, err := Loaded(t.Context(), c, e); !errors.As(err, &arg) || arg.Name != "--processes" {
		t.Errorf("%v", err)
	}
	e.Host.CPU.Allowed, c.Processes = []int{0, 1}, 2
	if _, err := Loaded(t.Context(), c, e); !errors.As(err, &arg) || arg.Value != "2" {
		t.Errorf("%v", err)
	}
}

func TestLatencyKeepsWhatIsComplete(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := CurveEnv{Env: env(t, processes(t)), Step: func(s Step) {
		if s.Part == 2 {
			cancel()
		}
	}}
	if r, err := Latency(ctx, latencyConfig(t, PagesDefault), e); !errors.Is(err, ErrInterrupted) || len(r.Samples) != 2 || !r.Interrupted {
		t.Errorf("%v, %d samples", err, len(r.Samples))
	}
}
