package membench

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

func TestCurveSizes(t *testing.T) {
	s := CurveSizes(4096, 128<<20, 3)
	if len(s) != 46 || s[0] != 4096 || s[45] != 128<<20 {
		t.Errorf("%d sizes from %d to %d", len(s), s[0], s[len(s)-1])
	}
	for i, n := range s {
		if n%sizeStep != 0 || i > 0 && (float64(n)/float64(s[i-1]) < 1.2 || float64(n)/float64(s[i-1]) > 1.32) {
			t.Errorf("size %d follows %d", n, s[max(0, i-1)])
		}
		if i%3 == 0 && n != 4096<<(i/3) {
			t.Errorf("size %d is %d, want a power of two", i, n)
		}
	}
	// Another range has the same sizes, as far as it goes.
	if part := CurveSizes(1<<20, 8<<20, 3); !slices.Equal(part, s[24:34]) {
		t.Errorf("%v, want a part of %v", part, s)
	}
	if s := CurveSizes(5000, 5100, 3); len(s) != 0 {
		t.Errorf("%v, want none between two steps", s)
	}
}

func TestCurveEndAndFit(t *testing.T) {
	host := func(bytes int64) *result.Host {
		return &result.Host{Caches: []result.Cache{{Level: 3, Type: "Unified", Bytes: bytes}}}
	}
	for _, c := range []struct {
		host *result.Host
		want int64
	}{{&result.Host{}, 128 << 20}, {host(1 << 20), 128 << 20}, {host(64 << 20), 256 << 20}, {host(508 << 20), 1 << 30}} {
		if got := CurveEnd(c.host, 128<<20, 1<<30); got != c.want {
			t.Errorf("%+v: to %d MiB, want %d", c.host.Caches, got>>20, c.want>>20)
		}
	}
	room := Room{Available: new(int64(150 << 20))}
	fit := FitSizes(CurveSizes(4096, 1<<30, 1), room, func(n int64) int64 { return n })
	if last := fit[len(fit)-1]; last != 64<<20 {
		t.Errorf("up to %d MiB in 150 MiB, want 64", last>>20)
	}
	if one := FitSizes([]int64{1 << 30}, room, func(n int64) int64 { return n }); len(one) != 1 {
		t.Errorf("%v, want the refusal left to the run", one)
	}
}

func TestMedianPass(t *testing.T) {
	w := &result.Worker{StartNS: 100, EndNS: 1000, Passes: 4, PassStride: 1, BytesPerPass: 1000, PassEndNS: []int64{200, 300, 900, 1000}}
	if got := medianPass(w); math.Abs(got-1e10) > 1 {
		t.Errorf("%g, want 1000 bytes in 100 ns: the long pass does not matter", got)
	}
	w = &result.Worker{StartNS: 0, EndNS: 1200, Passes: 6, PassStride: 2, BytesPerPass: 1000, PassEndNS: []int64{200, 400, 1200, 5000}}
	if got := medianPass(w); math.Abs(got-1e10) > 1 {
		t.Errorf("%g, want two passes in 200 ns, the held one left out", got)
	}
	w = &result.Worker{StartNS: 0, EndNS: 500, Passes: 1, PassStride: 4, BytesPerPass: 1000}
	if got := medianPass(w); math.Abs(got-2e9) > 1 {
		t.Errorf("%g, want the mean where no timestamp was kept", got)
	}
}

func sweepConfig(t *testing.T, spec string) SweepConfig {
	c := SweepConfig{Config: config(t, 1), Sizes: []int64{4096, 10240, 6 << 20}}
	c.KernelSpec, c.Kernel = spec, mustKernel(t, spec)
	c.ChunkBytes, c.MinTime, c.Repeat, c.Force = 6<<20, 2*time.Millisecond, 2, true
	return c
}

// Real processes over sizes below and above a block, verified.
func TestSweep(t *testing.T) {
	for _, spec := range []string{"read", "write", "write-nt"} {
		if _, err := kernel.Select(spec); err != nil {
			t.Logf("%s is left out: %v", spec, err) // as in a build without assembly
			continue
		}
		c := sweepConfig(t, spec)
		s, err := Sweep(t.Context(), c, CurveEnv{Env: env(t, processes(t))})
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		seen := make(map[int64]int)
		for _, x := range s.Samples {
			seen[x.Bytes]++
			if x.Rate < 1e6 || x.Rate > 1e13 || x.Passes < 1 {
				t.Errorf("%s: %+v", spec, x)
			}
		}
		if len(s.Samples) != 6 || seen[4096] != 2 || seen[6<<20] != 2 || s.CallNS == nil || *s.CallNS <= 0 || *s.CallNS > 1e5 {
			t.Errorf("%s: %+v, call %v", spec, s.Samples, s.CallNS)
		}
	}
}

func TestSweepFindsBadMemory(t *testing.T) {
	t.Setenv(envCorrupt, "4000")
	for _, spec := range []string{"read", "write"} {
		_, err := Sweep(t.Context(), sweepConfig(t, spec), CurveEnv{Env: env(t, processes(t))})
		var bad *Mismatch
		if !errors.As(err, &bad) || bad.Offset != 4000 {
			t.Errorf("%s: %v, want a mismatch at offset 4000", spec, err)
		}
	}
}

func TestSweepRefusesKernels(t *testing.T) {
	var arg *ArgError
	for _, spec := range []string{"copy", "rmw", "triad"} {
		if _, err := Sweep(t.Context(), sweepConfig(t, spec), CurveEnv{Env: env(t, &fakes{passNS: 1e6})}); !errors.As(err, &arg) || arg.Name != "--kernel" {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// Launches differ in their order, and do so alike in every run; what is
// complete when the end comes is kept.
func TestSweepOrderAndInterruption(t *testing.T) {
	c := sweepConfig(t, "read")
	c.Sizes, c.Repeat = CurveSizes(4096, 6<<20, 2), 3
	orders := make([][]int64, 2)
	for i := range orders {
		s, err := Sweep(t.Context(), c, CurveEnv{Env: env(t, &fakes{passNS: 1e6})})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range s.Samples {
			orders[i] = append(orders[i], x.Bytes)
		}
	}
	n := len(c.Sizes)
	if !slices.Equal(orders[0], orders[1]) || slices.Equal(orders[0][:n], orders[0][n:2*n]) || slices.IsSorted(orders[0][:n]) {
		t.Errorf("orders %v", orders)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := CurveEnv{Env: env(t, &fakes{passNS: 1e6}), Step: func(s Step) {
		if s.Part == 2 {
			cancel()
		}
	}}
	if s, err := Sweep(ctx, c, e); !errors.Is(err, ErrInterrupted) || !s.Interrupted || len(s.Samples) != 2 {
		t.Errorf("%v, %d samples", err, len(s.Samples))
	}
}
