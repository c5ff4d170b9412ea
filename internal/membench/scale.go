package membench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"wordsize/internal/result"
)

// ScaleConfig is a request to measure several numbers of processes. Of the
// Config, Processes is the largest of them and Repeat the launches.
type ScaleConfig struct {
	Config
	Counts []int // rising, from 1
	Limit  time.Duration
}

// fewCounts is up to where every count is measured.
const fewCounts = 8

// ScaleCounts returns the numbers of processes to measure: all up to 8, then
// powers of two and the steps halfway, and the largest.
func ScaleCounts(largest int) []int {
	var counts []int
	for n := 1; n <= min(fewCounts, largest); n++ {
		counts = append(counts, n)
	}
	for n := fewCounts; n < largest; n *= 2 {
		counts = append(counts, n+n/2, 2*n)
	}
	counts = slices.DeleteFunc(counts, func(n int) bool { return n > largest })
	if counts[len(counts)-1] != largest {
		counts = append(counts, largest)
	}
	return counts
}

// The chunk of each process when none is asked for: at least so many bytes,
// and at most.
const (
	leastCurveChunk = 128 << 20
	mostCurveChunk  = 1 << 30
)

// ScaleChunk returns the chunk in bytes of each of n processes when none is
// asked for: four last-level caches, as far as there is room.
func ScaleChunk(host *result.Host, room Room, n int) int64 {
	chunk := int64(leastCurveChunk)
	if cache, _, ok := host.LastLevelCache(); ok {
		chunk = min(max(chunk, wholeMiB(cacheMultiple*cache)), mostCurveChunk)
	}
	var fit *FitError
	if errors.As(room.Fit(n, chunk), &fit) && fit.MaxChunk > 0 {
		return fit.MaxChunk
	}
	return chunk
}

// startCost is about what starting, touching and verifying cost, of one
// worker; the seconds of a chunk are of one process on a slow machine.
const (
	startCost     = 30 * time.Millisecond
	touchedPerSec = 1 << 30
)

// estimate returns about how long the request takes.
func (c *ScaleConfig) estimate() Estimate {
	each := time.Duration(0)
	for _, n := range c.Counts {
		touch := time.Duration(float64(c.ChunkBytes) / touchedPerSec * float64(time.Second))
		each += c.MinTime*11/10 + touch + startCost + time.Duration(n)*startCost/8
	}
	return Estimate{Time: min(c.Limit, time.Duration(c.Repeat)*each), Launches: c.Repeat, Each: plural(len(c.Counts), "count", "counts")}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Scale carries out a request. On ErrInterrupted, and on a failing worker, the
// record holds the phases that were complete. Errors are Run's.
func Scale(ctx context.Context, cfg ScaleConfig, env CurveEnv) (*result.Scale, error) {
	p := newPace(cfg.Limit)
	run := newRun(&cfg.Config, &env.Env)
	s := &result.Scale{
		CurveHead: newHead(result.ScaleKind, &cfg.Config, &env.Env, cfg.Limit),
		Counts:    cfg.Counts, Args: run.Args, Kernel: run.Kernel, Points: []result.ScalePoint{}, Launches: []result.Launch{},
	}
	if err := cfg.admit(env.Host); err != nil {
		return s, err
	}
	env.begin(cfg.estimate())
	err := cfg.launches(ctx, &env, s, p)
	run.Launches = s.Launches
	s.Warnings = append(s.Warnings, worstOf(findWarnings(&cfg.Config, run))...)
	finish(&s.CurveHead, p, err)
	return s, err
}

func newHead(kind string, cfg *Config, env *Env, limit time.Duration) result.CurveHead {
	return result.CurveHead{
		Schema: result.RunSchema, Kind: kind, Tool: env.Tool, Started: time.Now().UTC(), LimitNS: int64(limit),
		Repeat: cfg.Repeat, Pin: cfg.Pin.String(), Forced: cfg.Force, Host: *env.Host, Warnings: []result.Warning{},
	}
}

// finish records how a curve ended.
func finish(h *result.CurveHead, p *pace, err error) {
	h.Interrupted = errors.Is(err, ErrInterrupted)
	h.ElapsedNS = int64(time.Since(p.started))
}

// launches makes all launches, each beginning with another count.
func (cfg *ScaleConfig) launches(ctx context.Context, env *CurveEnv, s *result.Scale, p *pace) error {
	for l := range cfg.Repeat {
		if !p.next() {
			s.Warnings = append(s.Warnings, p.tooLate(l, cfg.Repeat))
			break
		}
		s.Launches = append(s.Launches, result.Launch{})
		for turn := range cfg.Counts {
			n := cfg.Counts[(l+turn)%len(cfg.Counts)]
			env.step(Step{Launch: l, Launches: cfg.Repeat, Part: turn, Parts: len(cfg.Counts), What: plural(n, "process", "processes")})
			ph, err := cfg.count(ctx, &env.Env, l, n)
			if err != nil {
				if len(s.Launches[l].Phases) == 0 {
					s.Launches = s.Launches[:l]
				}
				return err
			}
			s.Launches[l].Phases = append(s.Launches[l].Phases, *ph)
		}
	}
	return nil
}

// count measures one number of processes: each makes passes for the minimal
// time, and goes on until all have.
func (cfg *ScaleConfig) count(ctx context.Context, env *Env, l, n int) (*result.Phase, error) {
	one := cfg.Config
	one.Processes = n
	ph, err := runPhase(ctx, &one, env, l, phase{name: fmt.Sprintf("n=%d", n), cpus: assignCPUs(cpuOrder(&one, env), n), hold: true})
	if err != nil {
		return nil, err
	}
	for i := range ph.Workers { // the summary has what a curve needs of them
		ph.Workers[i].PassEndNS = []int64{}
	}
	return ph, nil
}
