package membench

import (
	"context"
	"errors"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// Env is what a run happens in.
type Env struct {
	Executor Executor
	FS       hostinfo.FS
	Host     *result.Host
	Tool     result.Tool
	// Progress and PhaseDone, where set, are called from Run's own goroutine.
	Progress  func(Progress)
	PhaseDone func(launch int, p *result.Phase)
}

// Run carries out a validated request. On ErrInterrupted, and on a failing
// worker, the record holds the phases that were complete.
//
// Errors: *ArgError for more processes than the CPUs can take turns in,
// *FitError when the chunks don't fit, ErrInterrupted when ctx was
// done, *Mismatch for memory that held something else than was written,
// *WorkerError for a worker that ended or failed, *NoRateError.
func Run(ctx context.Context, cfg Config, env Env) (*result.Run, error) {
	started := time.Now()
	run := &result.Run{
		Schema: result.RunSchema, Kind: result.RunKind, Tool: env.Tool, Started: started.UTC(),
		Args: cfg.args(), Host: *env.Host, Launches: []result.Launch{}, Warnings: []result.Warning{},
		Kernel: result.Kernel{
			Name: cfg.Kernel.Kernel.Name, Tier: cfg.Kernel.Tier.Name, WriteAllocate: cfg.Kernel.Tier.WriteAllocate,
			BytesPerPass: cfg.Kernel.Kernel.BytesMoved(cfg.ChunkBytes),
		},
	}
	if !cfg.Force {
		if err := checkCrowd(cfg.Processes, len(env.Host.CPU.Allowed)); err != nil {
			return run, err
		}
		if err := checkDescriptors(cfg.Processes, openFileLimit()); err != nil {
			return run, err
		}
		if err := ReadRoom(env.Host, cfg.Pages).Fit(cfg.Processes, cfg.ChunkBytes); err != nil {
			return run, err
		}
	}
	err := runLaunches(ctx, &cfg, &env, run)
	run.Interrupted = errors.Is(err, ErrInterrupted)
	run.ElapsedNS = int64(time.Since(started))
	run.Warnings = append(run.Warnings, findWarnings(&cfg, run)...)
	return run, err
}

func runLaunches(ctx context.Context, cfg *Config, env *Env, run *result.Run) error {
	order := cpuOrder(cfg, env)
	for l := range cfg.Repeat {
		single, err := runPhase(ctx, cfg, env, l, phase{name: result.PhaseSingle, cpus: assignCPUs(order, 1)})
		if err != nil {
			return err
		}
		run.Launches = append(run.Launches, result.Launch{Phases: []result.Phase{*single}})
		launch := &run.Launches[l]
		if env.PhaseDone != nil {
			env.PhaseDone(l, single)
		}
		parallel, err := runPhase(ctx, cfg, env, l, phase{name: result.PhaseParallel, cpus: assignCPUs(order, cfg.Processes), passes: single.Passes, hold: cfg.Held})
		if err != nil {
			return err
		}
		launch.Phases = append(launch.Phases, *parallel)
		if env.PhaseDone != nil {
			env.PhaseDone(l, parallel)
		}
	}
	return nil
}

func runPhase(ctx context.Context, cfg *Config, env *Env, launch int, p phase) (*result.Phase, error) {
	if ctx.Err() != nil {
		return nil, ErrInterrupted
	}
	p.cfg, p.executor, p.fs = cfg, env.Executor, env.FS
	if b := env.Host.Pages.HugeBytes; b != nil {
		p.huge = *b
	}
	if env.Progress != nil {
		p.observe = func(pr Progress) {
			pr.Launch, pr.Launches = launch, cfg.Repeat
			env.Progress(pr)
		}
	}
	return p.run(ctx)
}

// cpuOrder returns the CPUs that workers are bound to, in order; nil for no
// pinning. "auto" leaves workers alone behind a runner, which may have come
// to pin them itself, and when there are more of them than CPUs.
func cpuOrder(cfg *Config, env *Env) []int {
	switch allowed := env.Host.CPU.Allowed; {
	case cfg.Pin.Mode == PinList:
		return cfg.Pin.CPUs
	case cfg.Pin.Mode == PinNone, len(cfg.Runner) > 0, cfg.Processes > len(allowed):
		return nil
	default:
		return env.FS.Topology(allowed)
	}
}

// assignCPUs gives each of n workers a CPU, around the list where it is
// shorter.
func assignCPUs(order []int, n int) []*int {
	cpus := make([]*int, n)
	if len(order) == 0 {
		return cpus
	}
	for i := range cpus {
		cpus[i] = new(order[i%len(order)])
	}
	return cpus
}

func (c *Config) args() result.Args {
	return result.Args{
		Processes: c.Processes, MinTimeNS: int64(c.MinTime), ChunkBytes: c.ChunkBytes, Kernel: c.KernelSpec,
		Pin: c.Pin.String(), Pages: string(c.Pages), Repeat: c.Repeat, Warmup: c.Warmup, SeedPattern: c.Seed,
		Held: c.Held, Verify: c.Verify, Forced: c.Force, Runner: c.Runner,
	}
}
