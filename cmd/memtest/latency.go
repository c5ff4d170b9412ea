package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/plot"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const latencyHelp = `Measure how long a load takes whose address the load before it gave.

Pointers lead in random order through one place in each cache line, over sizes
from 4 KiB to far beyond the caches, with 4 KiB pages and with huge ones: what
the first take longer is the TLB's. With --loaded, at one size, while other
processes load the memory, from not at all to all that they can.`

const latencyExamples = `  memtest latency                     by size, with both kinds of pages
  memtest latency --to 1G --pages thp
  memtest latency --loaded            against the bandwidth that others take
  memtest latency --loaded --processes 3 --kernel write -o loaded.json`

type latencyFlags struct {
	curveFlags
	sizeFlags
	loaded                 bool
	pages, seconds, kernel string
	mb                     string
	processes              int
}

func newLatencyCommand(stdout, stderr io.Writer) *cobra.Command {
	var f latencyFlags
	cmd := &cobra.Command{
		Use:     "latency",
		Short:   "Measure nanoseconds a dependent load, by size or under load",
		Long:    latencyHelp,
		Example: latencyExamples,
		Args:    noArguments("latency"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"processes", "kernel", "mb"} {
				if cmd.Flags().Changed(name) && !f.loaded {
					return usagef("--%s: only with --loaded", name)
				}
			}
			for _, name := range []string{"from", "steps"} {
				if cmd.Flags().Changed(name) && f.loaded {
					return usagef("--%s: not with --loaded, which measures one size: --to", name)
				}
			}
			if f.loaded {
				return f.runLoaded(cmd.Context(), stdout, stderr)
			}
			return f.run(cmd.Context(), stdout, stderr)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.loaded, "loaded", false, "latency at one size (--to) against the bandwidth of other processes")
	fl.StringVar(&f.from, "from", "4K", "the smallest `SIZE`, such as 4K; without a unit it is MiB")
	fl.StringVar(&f.to, "to", "", "the largest `SIZE` (four last-level caches, from 128M up to 1G)")
	fl.IntVar(&f.steps, "steps", 2, "sizes for each doubling")
	fl.StringVar(&f.pages, "pages", "both", "`KIND` of pages: both (4k and thp), default, 4k, thp or hugetlb; thp with --loaded")
	fl.StringVar(&f.seconds, "seconds", "", "time of each part of a launch in `S` (0.03; 0.2 with --loaded)")
	fl.IntVar(&f.processes, "processes", 0, "with --loaded: the `NUMBER` of processes that load (the allowed CPUs but one)")
	fl.StringVar(&f.kernel, "kernel", "read", "with --loaded: their loop, `NAME` or NAME/TIER (see memtest kernels)")
	fl.StringVar(&f.mb, "mb", "", "with --loaded: memory of each of them in `MB` of 2^20 bytes (two last-level caches)")
	f.curveFlags.add(fl, 6)
	return cmd
}

// Times of each part of a launch unless told.
const (
	idleTime   = 30 * time.Millisecond
	loadedTime = 200 * time.Millisecond
)

// kinds returns the kinds of pages that were asked for; nil is both.
func (f *latencyFlags) kinds() ([]membench.Pages, error) {
	if f.pages == "both" {
		return nil, nil
	}
	p, err := membench.ParsePages(f.pages)
	if err != nil {
		return nil, &membench.ArgError{Name: "--pages", Value: f.pages, Want: "both, default, 4k, thp or hugetlb"}
	}
	return []membench.Pages{p}, nil
}

// config validates what idle and loaded latency share.
func (f *latencyFlags) config(allowed []int) (cfg membench.LatencyConfig, err error) {
	if cfg.Config, cfg.Limit, err = f.curveFlags.config(allowed); err != nil {
		return cfg, err
	}
	if cfg.MinTime = idleTime; f.loaded {
		cfg.MinTime = loadedTime
	}
	if f.seconds != "" {
		if cfg.MinTime, err = membench.ParseMinTime(unshield(f.seconds)); err != nil {
			return cfg, renamed(err, "--seconds")
		}
	}
	if cfg.Kinds, err = f.kinds(); err != nil {
		return cfg, err
	}
	cfg.Kernel, err = oneKernel(f.kernel) // that a worker wants one, whatever it does
	cfg.KernelSpec, cfg.Verify = f.kernel, true
	if err == nil {
		_, _, err = f.sizes(membench.LeastCurveSize)
	}
	return cfg, err
}

func (f *latencyFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config(hostinfo.AllowedCPUs())
	if err != nil {
		return err
	}
	return f.curveFlags.run(ctx, curveJob{
		name: "latency",
		measure: func(ctx context.Context, env membench.CurveEnv) (result.Curve, error) {
			if cfg.Kinds == nil {
				cfg.Kinds = membench.BothPages(env.Host)
			}
			sizes, free, err := f.sizes(membench.CurveEnd(env.Host, leastCurveEnd, mostCurveEnd))
			if err != nil {
				return nil, err
			}
			if free {
				sizes = membench.FitSizes(sizes, membench.ReadRoom(env.Host, cfg.Kinds[0]), membench.ListBytes)
			}
			cfg.Sizes = sizes
			r, err := membench.Latency(ctx, cfg, env)
			return r, sizeError(err)
		},
		show: func(c result.Curve) curveView { return latencyView(c.(*result.Latency)) },
	}, stdout, stderr)
}

func (f *latencyFlags) runLoaded(ctx context.Context, stdout, stderr io.Writer) error {
	allowed := hostinfo.AllowedCPUs()
	base, err := f.config(allowed)
	if err != nil {
		return err
	}
	const most = 10000
	if f.processes < 0 || f.processes > most {
		return usagef("--processes: %d is not right: want a number from 1 to %d", f.processes, most)
	}
	cfg := membench.LoadedConfig{Config: base.Config, Limit: base.Limit}
	if cfg.Processes = f.processes; cfg.Processes == 0 {
		cfg.Processes = max(1, len(allowed)-1)
	}
	if f.mb != "" {
		if cfg.ChunkBytes, err = membench.ParseChunk(unshield(f.mb)); err != nil {
			return renamed(err, "--mb")
		}
	}
	return f.curveFlags.run(ctx, curveJob{
		name: "latency",
		measure: func(ctx context.Context, env membench.CurveEnv) (result.Curve, error) {
			kinds := base.Kinds
			if kinds == nil {
				kinds = membench.BothPages(env.Host)
			}
			cfg.Pages = kinds[len(kinds)-1]
			if cfg.ChunkBytes == 0 {
				cfg.ChunkBytes = membench.LoadChunk(env.Host)
			}
			if cfg.ProbeBytes = membench.CurveEnd(env.Host, leastCurveEnd, mostCurveEnd); f.to != "" {
				if cfg.ProbeBytes, err = membench.ParseChunk(unshield(f.to)); err != nil {
					return nil, renamed(err, "--to")
				}
			}
			return membench.Loaded(ctx, cfg, env)
		},
		show: func(c result.Curve) curveView { return latencyView(c.(*result.Latency)) },
	}, stdout, stderr)
}

func latencyView(r *result.Latency) curveView {
	report.SummarizeLatency(r, membench.GotHuge)
	return curveView{
		table:    func(w io.Writer, screen report.Screen) error { return report.LatencyTable(w, r, screen) },
		markdown: func(w io.Writer) error { return report.LatencyMarkdown(w, r) },
		csv:      func(w io.Writer) error { return report.LatencyCSV(w, r) },
		figure: func() *plot.Figure {
			if r.Loaded != nil {
				return report.LoadedFigure(r)
			}
			return report.LatencyFigure(r)
		},
	}
}
