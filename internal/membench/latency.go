package membench

import (
	"context"
	"runtime"
	"time"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// LatencyConfig is a request to measure dependent loads over several sizes.
// Of the Config, Repeat is the launches and MinTime the time of a part.
type LatencyConfig struct {
	Config
	Sizes []int64 // bytes, rising
	Kinds []Pages // each size is measured with each
	Limit time.Duration
}

const latencyWarmNS = 2_000_000

// BothPages returns the kinds of pages whose difference is the TLB's: base
// pages and transparent huge ones, where the system has both.
func BothPages(host *result.Host) []Pages {
	switch {
	case runtime.GOOS != "linux":
		return []Pages{PagesDefault}
	case host.Pages.THPEnabled == "never" || host.Pages.THPEnabled == "":
		return []Pages{Pages4K}
	}
	return []Pages{Pages4K, PagesTHP}
}

// linkPerSec is about how many bytes of lines are linked in a second.
const linkPerSec = 1 << 30

func (c *LatencyConfig) estimate() Estimate {
	var each time.Duration
	for _, size := range c.Sizes {
		walk := min(float64(size), provenLines*kernel.LineBytes) / kernel.LineBytes * 50e-9
		each += c.MinTime + startCost + time.Duration((float64(size)/linkPerSec+walk)*float64(time.Second))
	}
	each *= time.Duration(len(c.Kinds))
	return Estimate{Time: min(c.Limit, time.Duration(c.Repeat)*each), Launches: c.Repeat, Each: plural(len(c.Sizes)*len(c.Kinds), "part", "parts")}
}

// Latency carries out a request. On ErrInterrupted, and on a failing worker,
// the record holds the parts that were complete. Errors are Run's.
func Latency(ctx context.Context, cfg LatencyConfig, env CurveEnv) (*result.Latency, error) {
	p := newPace(cfg.Limit)
	cfg.Processes, cfg.ChunkBytes = 1, ListBytes(cfg.Sizes[len(cfg.Sizes)-1])
	run := newRun(&cfg.Config, &env.Env)
	r := newLatency(&cfg, &env)
	if err := cfg.admit(env.Host); err != nil {
		return r, err
	}
	env.begin(cfg.estimate())
	run.Launches = []result.Launch{{}}
	kinds := len(cfg.Kinds)
	err := rounds(ctx, &cfg.Config, &env, p, &r.CurveHead, len(cfg.Sizes)*kinds, func(l, i int) error {
		size, kind := cfg.Sizes[i/kinds], cfg.Kinds[i%kinds]
		ph, err := cfg.size(ctx, &env, l, size, kind)
		if err != nil {
			return err
		}
		r.Samples = append(r.Samples, sampleOf(&ph.Workers[0], l, size, kind))
		ph.Workers[0].PassEndNS = nil
		run.Launches[0].Phases = append(run.Launches[0].Phases, *ph)
		return nil
	}, func(i int) string { return sizeText(cfg.Sizes[i/kinds]) + ", " + string(cfg.Kinds[i%kinds]) + " pages" })
	r.Warnings = append(r.Warnings, curveWarnings(&cfg.Config, run, cfg.Sizes)...)
	r.Warnings = append(r.Warnings, hugeWarnings(env.Host, cfg.Kinds, r.Samples)...)
	finish(&r.CurveHead, p, err)
	return r, err
}

func newLatency(cfg *LatencyConfig, env *CurveEnv) *result.Latency {
	r := &result.Latency{
		CurveHead: newHead(result.LatencyKind, &cfg.Config, &env.Env, cfg.Limit),
		LineBytes: kernel.LineBytes, MinTimeNS: int64(cfg.MinTime), Sizes: cfg.Sizes, PageKinds: []string{},
		Points: []result.LatencyPoint{}, Steps: []result.CacheStep{}, Unseen: []result.Cache{}, Samples: []result.LatencySample{},
	}
	for _, k := range cfg.Kinds {
		r.PageKinds = append(r.PageKinds, string(k))
	}
	return r
}

// listSpec makes a worker one that follows pointers through so many bytes.
func listSpec(s *spec, size int64) {
	s.Lines, s.ChunkBytes, s.WarmNS, s.Warmup = size/kernel.LineBytes, mappedFor(size), latencyWarmNS, 1
}

// size measures one size in a process of its own.
func (cfg *LatencyConfig) size(ctx context.Context, env *CurveEnv, l int, size int64, kind Pages) (*result.Phase, error) {
	one := cfg.Config
	one.Pages = kind
	return runPhase(ctx, &one, &env.Env, l, phase{
		name: "size=" + sizeText(size), cpus: assignCPUs(cpuOrder(&one, &env.Env), 1),
		shape: func(_ int, s *spec) { listSpec(s, size) },
	})
}

// nsPerLoad returns how long a load took, of the median pass.
func nsPerLoad(w *result.Worker) float64 { return kernel.LineBytes / medianPass(w) * 1e9 }

func sampleOf(w *result.Worker, l int, size int64, kind Pages) result.LatencySample {
	return result.LatencySample{Launch: l, Bytes: size, Pages: string(kind), NS: nsPerLoad(w), Loads: w.Passes * w.BytesPerPass / kernel.LineBytes, HugeBytes: w.ChunkHuge}
}

// GotHuge says whether a sample's memory was in huge pages, as far as can be
// told.
func GotHuge(s *result.LatencySample) bool {
	return s.HugeBytes != nil && float64(*s.HugeBytes) >= hugeShare*float64(mappedFor(s.Bytes))
}

// hugeWarnings says when there was no telling the TLB's cost apart.
func hugeWarnings(host *result.Host, kinds []Pages, samples []result.LatencySample) []result.Warning {
	if len(kinds) == 1 && kinds[0] == Pages4K && host.Pages.THPEnabled == "never" {
		return []result.Warning{{Code: result.WarnNoHuge}}
	}
	without, all := 0, 0
	for i := range samples {
		if samples[i].Pages != string(PagesTHP) {
			continue
		}
		if all++; !GotHuge(&samples[i]) {
			without++
		}
	}
	if without == 0 {
		return nil
	}
	return []result.Warning{{Code: result.WarnSomeHuge, Values: values{"parts": float64(without), "of": float64(all)}}}
}
