package structures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"wordsize/internal/respawn"
	"wordsize/internal/result"
)

// Config is what to measure.
type Config struct {
	Structures []Structure
	Elements   []int64 // sizes, rising
	Repeat     int     // processes for each structure and size
	Force      bool    // build what seems not to fit, too
}

// Limit is a bound on memory in bytes, with its name for people; absent there
// is none.
type Limit struct {
	Bytes *int64
	Name  string
}

// Limits bound what may be built: in one process, and in all at once.
type Limits struct{ Process, Together Limit }

// Env is what measuring happens in.
type Env struct {
	Limits Limits
	Host   *result.Host
	Tool   result.Tool
	// Progress, where set, is called when a process has ended, from any
	// goroutine but never from two at once.
	Progress func(done, of int, last Task)

	ask func(context.Context, Task) (*result.FootprintSample, error) // for tests
}

// FitError says that nothing of what was asked for fits into memory.
type FitError struct{ Reason string }

func (e *FitError) Error() string { return e.Reason + "; --force overrides" }

// ErrInterrupted is the cause when measuring was stopped from outside.
var ErrInterrupted = errors.New("interrupted")

// ErrKilled is the error when a process was killed, as the kernel does when
// memory runs out: then nothing more is tried.
var ErrKilled = errors.New("a process was killed")

// Measure builds each structure at each size in processes of their own, as
// many at once as there are CPUs and memory for. What does not fit is left
// out, with the reason in its place.
//
// Errors: *FitError when nothing fits, ErrInterrupted when ctx was done,
// ErrKilled; with the last two the record holds what was complete.
func Measure(ctx context.Context, cfg Config, env Env) (*result.Footprint, error) {
	started := time.Now()
	f := &result.Footprint{
		Schema: result.RunSchema, Kind: result.FootprintKind, Tool: env.Tool, Started: started.UTC(), Host: *env.Host,
		Elements: cfg.Elements, Repeat: cfg.Repeat, Forced: cfg.Force, Structures: []result.FootprintStructure{}, Warnings: []result.Warning{},
	}
	r := newRunner(&cfg, &env, f)
	if r.jobs == nil {
		return f, &FitError{f.Structures[0].Sizes[0].Missing}
	}
	err := r.run(ctx)
	f.Interrupted = errors.Is(err, ErrInterrupted)
	for i := range f.Structures {
		for j := range f.Structures[i].Sizes {
			f.Structures[i].Sizes[j].Summarize()
		}
	}
	f.Warnings = append(f.Warnings, findWarnings(f)...)
	f.ElapsedNS = int64(time.Since(started))
	return f, err
}

// job is one process to start.
type job struct {
	task Task
	need int64 // bytes
	size *result.FootprintSize
}

type runner struct {
	env  *Env
	jobs []job

	mu   sync.Mutex // guards the record and done
	done int
}

// newRunner makes the record's skeleton, and a list of jobs in which small
// sizes come first and each repeat follows all of the last one.
func newRunner(cfg *Config, env *Env, f *result.Footprint) *runner {
	r := &runner{env: env}
	if env.ask == nil {
		env.ask = askChild
	}
	for _, s := range cfg.Structures {
		fs := result.FootprintStructure{Name: s.Name, Group: s.Group, Type: s.Type, Shape: s.Shape}
		for _, n := range cfg.Elements {
			size := result.FootprintSize{Elements: n, Copies: s.copies(n)}
			if !cfg.Force {
				size.Missing = env.Limits.refuse(s.Need(n, size.Copies))
			}
			fs.Sizes = append(fs.Sizes, size)
		}
		f.Structures = append(f.Structures, fs)
	}
	for range cfg.Repeat {
		for j := range cfg.Elements {
			for i, s := range cfg.Structures {
				if size := &f.Structures[i].Sizes[j]; size.Missing == "" {
					r.jobs = append(r.jobs, job{Task{s.Name, size.Elements, size.Copies}, s.Need(size.Elements, size.Copies), size})
				}
			}
		}
	}
	return r
}

// refuse says why so many bytes don't fit; "" when they do.
func (l Limits) refuse(need int64) string {
	for _, limit := range []Limit{l.Process, l.Together} {
		if limit.Bytes != nil && need > *limit.Bytes {
			return fmt.Sprintf("may need %s while it is built: %s leaves %s", mebibytes(need), limit.Name, mebibytes(*limit.Bytes))
		}
	}
	return ""
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// run starts the jobs in their order, each as soon as there is a CPU and
// memory for it.
func (r *runner) run(ctx context.Context) error {
	total := int64(math.MaxInt64)
	if b := r.env.Limits.Together.Bytes; b != nil {
		total = max(1, *b)
	}
	room := semaphore.NewWeighted(total)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(cpus(r.env.Host))
	for _, j := range r.jobs {
		need := min(j.need, total) // with --force it may be more
		if room.Acquire(gctx, need) != nil {
			break
		}
		g.Go(func() error {
			defer room.Release(need)
			return r.one(gctx, j)
		})
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	return err
}

func cpus(h *result.Host) int {
	if n := len(h.CPU.Allowed); n > 0 {
		return n
	}
	return runtime.NumCPU()
}

// one carries out a job and files its sample. That a structure did not fit
// after all is no error: it goes into its place.
func (r *runner) one(ctx context.Context, j job) error {
	r.mu.Lock()
	given := j.size.Missing != ""
	r.mu.Unlock()
	if given || ctx.Err() != nil {
		return ctx.Err()
	}
	sample, err := r.env.ask(ctx, j.task)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if r.env.Progress != nil {
		r.env.Progress(r.done, len(r.jobs), j.task)
	}
	if err == nil {
		j.size.Samples = append(j.size.Samples, *sample)
		return nil
	}
	j.size.Samples = nil
	var child *respawn.Error
	switch {
	case !errors.As(err, &child):
		j.size.Missing = err.Error()
		return err
	case child.Killed:
		j.size.Missing = child.Error()
		return fmt.Errorf("%w while it built %s of %d elements (%s): the rest was not tried", ErrKilled, j.task.Structure, j.task.Elements, child.How)
	case child.OutOfMemory:
		j.size.Missing = "the Go runtime got no more memory, or no more of the process' address space"
	default:
		j.size.Missing = child.Error()
	}
	return nil
}

func askChild(ctx context.Context, t Task) (*result.FootprintSample, error) {
	refuseHuge()
	var sample result.FootprintSample
	if err := child.Ask(ctx, t, &sample); err != nil {
		return nil, err
	}
	return &sample, nil
}

// findWarnings lists the reasons to doubt the figures.
func findWarnings(f *result.Footprint) (ws []result.Warning) {
	var statm, huge, swapped, absent int
	for _, s := range f.Structures {
		for _, size := range s.Sizes {
			for _, p := range size.Samples {
				switch {
				case p.ResidentBytes == nil:
					absent++
				case p.Source == result.SourceStatm:
					statm++
				}
				if p.ResidentBytes != nil && !p.HugeOff {
					huge++
				}
				if p.SwappedBytes != nil && *p.SwappedBytes > 0 {
					swapped++
				}
			}
		}
	}
	for _, w := range []struct {
		n    int
		code string
	}{{absent, result.WarnNoResident}, {statm, result.WarnStatm}, {huge, result.WarnHugeOn}, {swapped, result.WarnSwapped}} {
		if w.n > 0 {
			ws = append(ws, result.Warning{Code: w.code, Values: map[string]float64{"samples": float64(w.n)}})
		}
	}
	return ws
}
