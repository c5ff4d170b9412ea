package membench

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// SweepConfig is a request to measure one process over several sizes. Of the
// Config, ChunkBytes is the largest of them, Repeat the launches, and MinTime
// the time of a size.
type SweepConfig struct {
	Config
	Sizes []int64 // bytes, rising
	Limit time.Duration
}

const (
	// LeastCurveSize is the smallest size of a curve: a page, which fits into
	// every first-level cache.
	LeastCurveSize = 4096
	// sizeStep is what sizes are rounded to: whole turns of every loop.
	sizeStep = 512
)

// CurveSizes returns sizes in bytes from one to another, so many for each
// doubling: always the same ones, so that hosts and builds can be compared.
func CurveSizes(from, to int64, each int) []int64 {
	var sizes []int64
	for i := 0; ; i++ {
		exact := LeastCurveSize * math.Exp2(float64(i)/float64(each))
		size := int64(math.Round(exact/sizeStep)) * sizeStep
		if size > to {
			return sizes
		}
		if size >= from {
			sizes = append(sizes, size)
		}
	}
}

// CurveEnd returns how far a curve goes when nobody says: to four last-level
// caches, from one limit to another (bytes).
func CurveEnd(host *result.Host, least, most int64) int64 {
	end := least
	if cache, _, ok := host.LastLevelCache(); ok {
		end = max(end, cacheMultiple*cache)
	}
	return min(end, most)
}

// FitSizes leaves out, from the end, sizes that do not fit and that nobody
// asked for; need returns the bytes that one takes. One at least is left.
func FitSizes(sizes []int64, room Room, need func(size int64) int64) []int64 {
	for len(sizes) > 1 && room.Fit(1, need(sizes[len(sizes)-1])) != nil {
		sizes = sizes[:len(sizes)-1]
	}
	return sizes
}

const (
	sweepWarmNS = 3_000_000
	// batchBytes is about what a timed pass moves at least: a reading of the
	// clock costs some 40 ns, and this takes 20 µs from the fastest cache.
	batchBytes = kernel.Block
)

// estimate returns about how long the request takes.
func (c *SweepConfig) estimate() Estimate {
	var each time.Duration
	for _, size := range c.Sizes {
		each += c.MinTime + startCost + time.Duration(2*float64(size)/touchedPerSec*float64(time.Second))
	}
	return Estimate{Time: min(c.Limit, time.Duration(c.Repeat)*each), Launches: c.Repeat, Each: plural(len(c.Sizes), "size", "sizes")}
}

// Sweep carries out a request. On ErrInterrupted, and on a failing worker, the
// record holds the sizes that were complete. Errors are Run's; an *ArgError
// also for a kernel that cannot be repeated over a small size.
func Sweep(ctx context.Context, cfg SweepConfig, env CurveEnv) (*result.Sweep, error) {
	p := newPace(cfg.Limit)
	cfg.Processes = 1
	run := newRun(&cfg.Config, &env.Env)
	run.Kernel.BytesPerPass, run.Kernel.BusBytesPerPass, run.Kernel.ArrayBytes = 0, nil, 0
	s := &result.Sweep{
		CurveHead: newHead(result.SweepKind, &cfg.Config, &env.Env, cfg.Limit), Kernel: run.Kernel,
		Pages: string(cfg.Pages), MinTimeNS: int64(cfg.MinTime), Sizes: cfg.Sizes,
		Points: []result.SweepPoint{}, Steps: []result.CacheStep{}, Unseen: []result.Cache{}, Samples: []result.SweepSample{},
	}
	if !cfg.Kernel.Kernel.Repeats() {
		return s, &ArgError{"--kernel", cfg.KernelSpec, "a loop that only reads or only writes, such as read or write"}
	}
	if err := cfg.admit(env.Host); err != nil {
		return s, err
	}
	env.begin(cfg.estimate())
	run.Launches = []result.Launch{{}}
	err := rounds(ctx, &cfg.Config, &env, p, &s.CurveHead, len(cfg.Sizes), func(l, i int) error {
		ph, err := cfg.size(ctx, &env, l, cfg.Sizes[i])
		if err != nil {
			return err
		}
		w := &ph.Workers[0]
		s.Samples = append(s.Samples, result.SweepSample{Launch: l, Bytes: cfg.Sizes[i], Rate: medianPass(w), Passes: w.Passes})
		if w.CallNS != nil && (s.CallNS == nil || *w.CallNS < *s.CallNS) {
			s.CallNS = w.CallNS
		}
		w.PassEndNS = nil
		run.Launches[0].Phases = append(run.Launches[0].Phases, *ph)
		return nil
	}, func(i int) string { return sizeText(cfg.Sizes[i]) })
	s.Warnings = append(s.Warnings, curveWarnings(&cfg.Config, run, cfg.Sizes)...)
	finish(&s.CurveHead, p, err)
	return s, err
}

// rounds makes all launches of a curve of one process: each measures every
// part, in an order of its own that is the same in every run.
func rounds(ctx context.Context, cfg *Config, env *CurveEnv, p *pace, head *result.CurveHead, parts int, measure func(launch, part int) error, what func(part int) string) error {
	for l := range cfg.Repeat {
		if !p.next() {
			head.Warnings = append(head.Warnings, p.tooLate(l, cfg.Repeat))
			break
		}
		order := rand.New(rand.NewPCG(uint64(cfg.Seed), uint64(l))).Perm(parts)
		for turn, i := range order {
			if ctx.Err() != nil {
				return ErrInterrupted
			}
			env.step(Step{Launch: l, Launches: cfg.Repeat, Part: turn, Parts: parts, What: what(i)})
			if err := measure(l, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// size measures one size in a process of its own.
func (cfg *SweepConfig) size(ctx context.Context, env *CurveEnv, l int, size int64) (*result.Phase, error) {
	one := cfg.Config
	one.ChunkBytes = size
	return runPhase(ctx, &one, &env.Env, l, phase{
		name: "size=" + sizeText(size), cpus: assignCPUs(cpuOrder(&one, &env.Env), 1),
		shape: func(_ int, s *spec) {
			s.WarmNS, s.TimeCall = sweepWarmNS, true
			if size <= batchBytes {
				s.Batch = int(max(1, batchBytes/size))
			}
		},
	})
}

// medianPass returns the bytes a second of the median pass, or of the median
// of as many passes as lie between two kept timestamps: what interrupts a few
// does not matter.
func medianPass(w *result.Worker) float64 {
	rates := w.PassRates()
	if len(rates) == 0 {
		return w.Rate()
	}
	slices.Sort(rates)
	return rates[(len(rates)-1)/2] // of an even number the slower
}

// sizeText writes bytes in the unit that leaves a number below 1024.
func sizeText(bytes int64) string {
	v, units := float64(bytes), []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for v >= 1024 && len(units) > 1 {
		v, units = v/1024, units[1:]
	}
	return strconv.FormatFloat(v, 'g', 4, 64) + " " + units[0]
}

// curveWarnings lists the reasons to doubt a curve over sizes; run has its
// phases.
func curveWarnings(cfg *Config, run *result.Run, sizes []int64) []result.Warning {
	var ws warnings
	for _, w := range findWarnings(cfg, run) {
		switch w.Code {
		case result.WarnCacheSized, result.WarnCacheUnknown: // small sizes are the purpose
		case result.WarnShortWindow, result.WarnNotResident, result.WarnNotHuge: // of a run's chunk
		default:
			ws.list = append(ws.list, w)
		}
	}
	ws.aboutReach(&run.Host, sizes[len(sizes)-1])
	return worstOf(ws.list)
}

// aboutReach looks whether a curve's largest size, in bytes, is beyond the
// caches.
func (ws *warnings) aboutReach(host *result.Host, largest int64) {
	last := float64(largest)
	cache, source, ok := host.LastLevelCache()
	switch {
	case !ok:
		ws.add(result.Warning{Code: result.WarnCurveUnknown, Values: values{"list_bytes": last}}, "")
	case last < cacheMultiple*float64(cache):
		ws.add(result.Warning{Code: result.WarnCurveCached, Subject: source, Values: values{"list_bytes": last, "cache_bytes": float64(cache), "multiple": cacheMultiple}}, "")
	}
}
