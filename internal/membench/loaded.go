package membench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"wordsize/internal/result"
)

// LoadedConfig is a request to measure latency while other processes load the
// memory. Of the Config, Kernel, KernelSpec and ChunkBytes are theirs,
// Processes how many they are, Pages the probe's kind, Repeat the launches and
// MinTime the time of a part.
type LoadedConfig struct {
	Config
	ProbeBytes int64 // through which the pointers lead
	Limit      time.Duration
}

// loadDelays are the turns of an idle loop, about a nanosecond each, after each
// piece of 4 KiB; -1 is no load at all.
var loadDelays = []int{-1, 8000, 4000, 2000, 1200, 800, 500, 300, 150, 60, 0}

// LoadChunk returns the chunk in bytes of each loading process: twice the
// last-level cache, so that it holds none of it.
func LoadChunk(host *result.Host) int64 {
	const least, most = 64 << 20, 512 << 20
	if cache, _, ok := host.LastLevelCache(); ok {
		return min(max(least, wholeMiB(2*cache)), most)
	}
	return least
}

func (c *LoadedConfig) estimate() Estimate {
	each := c.MinTime + 2*startCost + time.Duration(c.Processes)*startCost/8 + time.Duration(float64(c.ProbeBytes+c.ChunkBytes)/linkPerSec*float64(time.Second)) + 150*time.Millisecond
	return Estimate{Time: min(c.Limit, time.Duration(c.Repeat*len(loadDelays))*each), Launches: c.Repeat, Each: plural(len(loadDelays), "load", "loads")}
}

// Loaded carries out a request. On ErrInterrupted, and on a failing worker,
// the record holds the parts that were complete. Errors are Run's; an
// *ArgError also when there is no CPU for the load.
func Loaded(ctx context.Context, cfg LoadedConfig, env CurveEnv) (*result.Latency, error) {
	p := newPace(cfg.Limit)
	as := LatencyConfig{Config: cfg.Config, Sizes: []int64{cfg.ProbeBytes}, Kinds: []Pages{cfg.Pages}, Limit: cfg.Limit}
	r := newLatency(&as, &env)
	run := newRun(&cfg.Config, &env.Env)
	r.Loaded = &result.LoadedLatency{
		Bytes: cfg.ProbeBytes, Pages: string(cfg.Pages), Processes: cfg.Processes, ChunkBytes: cfg.ChunkBytes, Kernel: run.Kernel, PieceBytes: pieceBytes,
		Points: []result.LoadedPoint{}, Samples: []result.LoadedSample{},
	}
	k := &r.Loaded.Kernel
	k.BytesPerPass, k.BusBytesPerPass, k.ArrayBytes = 0, nil, 0
	if err := cfg.check(env.Host); err != nil {
		return r, err
	}
	env.begin(cfg.estimate())
	run.Launches = []result.Launch{{}}
	err := rounds(ctx, &cfg.Config, &env, p, &r.CurveHead, len(loadDelays), func(l, i int) error {
		ph, err := cfg.delay(ctx, &env, l, loadDelays[i])
		if err != nil {
			return err
		}
		r.Loaded.Samples = append(r.Loaded.Samples, loadedSample(ph, l, loadDelays[i]))
		for j := range ph.Workers {
			ph.Workers[j].PassEndNS = nil
		}
		run.Launches[0].Phases = append(run.Launches[0].Phases, *ph)
		return nil
	}, func(i int) string {
		if loadDelays[i] < 0 {
			return "no load"
		}
		return fmt.Sprintf("delay %d", loadDelays[i])
	})
	r.Warnings = append(r.Warnings, curveWarnings(&cfg.Config, run, as.Sizes)...)
	finish(&r.CurveHead, p, err)
	return r, err
}

// check refuses what the host cannot carry: the probe beside the load.
func (c *LoadedConfig) check(host *result.Host) error {
	if n := len(host.CPU.Allowed); n > 0 && n < c.Processes+1 && !c.Force {
		want := fmt.Sprintf("at most %d with %d allowed CPUs, one of which measures; or --force", n-1, n)
		if n == 1 {
			want = "a second allowed CPU: one measures, others load; or --force"
		}
		return &ArgError{"--processes", strconv.Itoa(c.Processes), want}
	}
	all := c.Config
	all.Processes++
	all.ChunkBytes = max(c.ChunkBytes, ListBytes(c.ProbeBytes))
	return all.admit(host)
}

// delay measures one delay: worker 0 follows pointers, the others load.
func (c *LoadedConfig) delay(ctx context.Context, env *CurveEnv, l, turns int) (*result.Phase, error) {
	one := c.Config
	one.Processes++
	n := one.Processes
	name := "delay=" + strconv.Itoa(turns)
	if turns < 0 {
		n, name = 1, "idle"
	}
	return runPhase(ctx, &one, &env.Env, l, phase{
		name: name, cpus: assignCPUs(cpuOrder(&one, &env.Env), n), hold: true,
		shape: func(i int, s *spec) {
			if i == 0 {
				listSpec(s, c.ProbeBytes)
				return
			}
			// A pass with a long delay takes long: one is enough, and none to
			// warm up, for they go on until the probe is done.
			s.Pages, s.Delay, s.MinTimeNS, s.Warmup = PagesDefault, turns, 1, 0
		},
	})
}

// loadedSample returns what the probe saw, and what the others moved
// meanwhile.
func loadedSample(ph *result.Phase, l, turns int) result.LoadedSample {
	probe := &ph.Workers[0]
	s := result.LoadedSample{Launch: l, NS: nsPerLoad(probe)}
	if turns >= 0 {
		s.Delay = &turns
	}
	for i := 1; i < len(ph.Workers); i++ {
		s.Load += ph.Workers[i].BytesBetween(probe.StartNS, probe.EndNS) / float64(probe.EndNS-probe.StartNS) * 1e9
	}
	return s
}
