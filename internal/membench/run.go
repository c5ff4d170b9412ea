package membench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench/kernel"
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
	// Enough, where set, is asked after each launch of all kernels whether it
	// was the last one.
	Enough func(runs []*result.Run) bool
}

// Run carries out a validated request. On ErrInterrupted, and on a failing
// worker, the record holds the phases that were complete.
//
// Errors: *ArgError for more processes than the CPUs can take turns in, or
// too little memory for a kernel's arrays, *FitError when the chunks don't
// fit, ErrInterrupted when ctx was done, *Mismatch or *SumMismatch for memory
// that held something else than was written, *WorkerError for a worker that
// ended or failed, *NoRateError.
func Run(ctx context.Context, cfg Config, env Env) (*result.Run, error) {
	runs, err := RunKernels(ctx, []Config{cfg}, env)
	return runs[0], err
}

// RunKernels carries out requests that differ in their kernel alone, and
// returns a record for each, as Run does. Their launches are interleaved: each
// launch begins with another kernel.
func RunKernels(ctx context.Context, cfgs []Config, env Env) ([]*result.Run, error) {
	runs := make([]*result.Run, len(cfgs))
	for i := range cfgs {
		runs[i] = newRun(&cfgs[i], &env)
	}
	for i := range cfgs {
		if err := cfgs[i].resolveNUMA(&env); err != nil {
			return runs, err
		}
		if err := cfgs[i].admit(env.Host); err != nil {
			return runs, err
		}
	}
	err := runLaunches(ctx, cfgs, &env, runs)
	for i, run := range runs {
		run.Interrupted = errors.Is(err, ErrInterrupted)
		run.Warnings = append(run.Warnings, findWarnings(&cfgs[i], run)...)
	}
	return runs, err
}

func newRun(cfg *Config, env *Env) *result.Run {
	v := cfg.Kernel
	array := v.Kernel.ArrayBytes(cfg.ChunkBytes)
	run := &result.Run{
		Schema: result.RunSchema, Kind: result.RunKind, Tool: env.Tool, Started: time.Now().UTC(),
		Args: cfg.args(), Host: *env.Host, Launches: []result.Launch{}, Warnings: []result.Warning{},
		Kernel: result.Kernel{
			Name: v.Kernel.Name, Tier: v.Tier.Name, WriteAllocate: v.Tier.WriteAllocate,
			BytesPerPass: v.Kernel.BytesMoved(array), Arrays: v.Kernel.Arrays(), ArrayBytes: array,
		},
	}
	if bus, ok := v.BusBytes(array); ok {
		run.Kernel.BusBytesPerPass = &bus
	}
	return run
}

// admit refuses what the host cannot carry.
func (c *Config) admit(host *result.Host) error {
	if err := c.checkArrays(); err != nil || c.Force {
		return err
	}
	if err := checkCrowd(c.Processes, len(host.CPU.Allowed)); err != nil {
		return err
	}
	if err := checkDescriptors(c.starts(), openFileLimit()); err != nil {
		return err
	}
	return ReadRoom(host, c.Pages).FitIn(c.starts(), c.Processes, c.ChunkBytes)
}

// checkArrays refuses a chunk that is too small to be divided.
func (c *Config) checkArrays() error {
	k := c.Kernel.Kernel
	if k.ArrayBytes(c.ChunkBytes) > 0 {
		return nil
	}
	least := int64(k.Arrays()) * kernel.ArrayStep
	return &ArgError{"MB", fmt.Sprintf("%dK", c.ChunkBytes>>10), fmt.Sprintf("at least %dK for the %d arrays of kernel %s", least>>10, k.Arrays(), k.Name)}
}

// starts returns how many processes a parallel phase starts.
func (c *Config) starts() int {
	if c.Threads {
		return 1
	}
	return c.Processes
}

func runLaunches(ctx context.Context, cfgs []Config, env *Env, runs []*result.Run) error {
	order := cpuOrder(&cfgs[0], env) // which knows nothing of kernels
	for l := range cfgs[0].Repeat {
		for turn := range cfgs {
			i := (l + turn) % len(cfgs)
			if err := runLaunch(ctx, &cfgs[i], env, runs[i], order, l); err != nil {
				return err
			}
		}
		if env.Enough != nil && env.Enough(runs) {
			break
		}
	}
	return nil
}

// runLaunch makes one launch of one kernel.
func runLaunch(ctx context.Context, cfg *Config, env *Env, run *result.Run, order []int, l int) error {
	started := time.Now()
	defer func() { run.ElapsedNS += int64(time.Since(started)) }()
	if l == 0 {
		run.Started = started.UTC()
	}
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
			pr.Launch, pr.Launches, pr.Kernel = launch, cfg.Repeat, cfg.Kernel.String()
			pr.AtMost = env.Enough != nil
			env.Progress(pr)
		}
	}
	return p.run(ctx)
}

// cpuOrder returns the CPUs that workers are bound to, in order; nil for no
// pinning. "auto" leaves workers alone behind a runner, which may have come
// to pin them itself, and when there are more of them than CPUs.
func cpuOrder(cfg *Config, env *Env) []int {
	if order, ok := cfg.numaOrder(env); ok {
		return order
	}
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
	var peak, until *float64
	var untilTime *int64
	if c.Peak > 0 {
		peak = &c.Peak
	}
	if c.Until > 0 {
		until = &c.Until
	}
	if c.UntilTime > 0 {
		untilTime = new(int64(c.UntilTime))
	}
	return result.Args{
		Peak: peak, UntilPercent: until, UntilTimeNS: untilTime,
		Processes: c.Processes, MinTimeNS: int64(c.MinTime), ChunkBytes: c.ChunkBytes, Kernel: c.KernelSpec,
		Pin: c.Pin.String(), Pages: string(c.Pages), Repeat: c.Repeat, Warmup: c.Warmup, SeedPattern: c.Seed,
		Held: c.Held, Verify: c.Verify, Forced: c.Force, Runner: c.Runner,
		Parallel: c.parallel(), NUMA: c.NUMA.String(),
	}
}
