package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/plot"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const sweepHelp = `Measure the bandwidth of one process over sizes from 4 KiB to far beyond the
caches, find the steps, and set them beside what the system claims of its
caches.

Each size is measured in a process of its own, in an order that differs from
launch to launch. On many virtual machines the claims are nothing, or nonsense:
then the steps are what can be known.`

const sweepExamples = `  memtest sweep                       what a process reads, by size
  memtest sweep --kernel write --to 1G
  memtest sweep --from 16M --to 64M --steps 8    one step closer
  memtest sweep --plot sweep.svg -o sweep.json`

type sweepFlags struct {
	curveFlags
	sizeFlags
	kernel, pages, seconds string
}

// sizeFlags say which sizes a curve has.
type sizeFlags struct {
	from, to string
	steps    int
}

// sizes returns the sizes that were asked for; with none asked for it goes to
// end, and free is true: sizes that do not fit may be left out.
func (f *sizeFlags) sizes(end int64) (sizes []int64, free bool, err error) {
	const most = 64
	if f.steps < 1 || f.steps > most {
		return nil, false, usagef("--steps: %d is not right: want a number of sizes from 1 to %d for each doubling", f.steps, most)
	}
	from, err := membench.ParseChunk(unshield(f.from))
	if err != nil {
		return nil, false, renamed(err, "--from")
	}
	to, free := max(end, 2*from), true
	if f.to != "" {
		free = false
		if to, err = membench.ParseChunk(unshield(f.to)); err != nil {
			return nil, false, renamed(err, "--to")
		}
	}
	if to < from {
		return nil, false, &membench.ArgError{Name: "--to", Value: f.to, Want: "a size that is not below --from, " + f.from}
	}
	if sizes = membench.CurveSizes(from, to, f.steps); len(sizes) == 0 {
		return nil, false, &membench.ArgError{Name: "--to", Value: f.to, Want: "a step of the curve between --from and --to: farther apart, or more --steps"}
	}
	return sizes, free, nil
}

func newSweepCommand(stdout, stderr io.Writer) *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:     "sweep",
		Short:   "Measure bandwidth by size, and find the caches",
		Long:    sweepHelp,
		Example: sweepExamples,
		Args:    noArguments("sweep"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), stdout, stderr)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.kernel, "kernel", "read", "the loop: read, write ... or `NAME`/TIER (see memtest kernels)")
	fl.StringVar(&f.from, "from", "4K", "the smallest `SIZE`, such as 4K; without a unit it is MiB")
	fl.StringVar(&f.to, "to", "", "the largest `SIZE` (four last-level caches, from 128M up to 1G)")
	fl.IntVar(&f.steps, "steps", 3, "sizes for each doubling")
	fl.StringVar(&f.seconds, "seconds", "0.03", "time of each size in a launch")
	fl.StringVar(&f.pages, "pages", string(membench.PagesDefault), "`KIND` of pages: default, 4k, thp or hugetlb")
	f.curveFlags.add(fl, 6)
	return cmd
}

// config validates the flags, but for the sizes.
func (f *sweepFlags) config(allowed []int) (cfg membench.SweepConfig, err error) {
	if cfg.Config, cfg.Limit, err = f.curveFlags.config(allowed); err != nil {
		return cfg, err
	}
	if cfg.MinTime, err = membench.ParseMinTime(unshield(f.seconds)); err != nil {
		return cfg, renamed(err, "--seconds")
	}
	if cfg.Kernel, err = oneKernel(f.kernel); err != nil {
		return cfg, err
	}
	if cfg.Pages, err = membench.ParsePages(f.pages); err != nil {
		return cfg, err
	}
	cfg.KernelSpec, cfg.Verify = f.kernel, true
	_, _, err = f.sizes(membench.LeastCurveSize)
	return cfg, err
}

const (
	leastCurveEnd = 128 << 20
	mostCurveEnd  = 1 << 30
)

func (f *sweepFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config(hostinfo.AllowedCPUs())
	if err != nil {
		return err
	}
	return f.curveFlags.run(ctx, curveJob{
		name: "sweep",
		measure: func(ctx context.Context, env membench.CurveEnv) (result.Curve, error) {
			sizes, free, err := f.sizes(membench.CurveEnd(env.Host, leastCurveEnd, mostCurveEnd))
			if err != nil {
				return nil, err
			}
			if free {
				sizes = membench.FitSizes(sizes, membench.ReadRoom(env.Host, cfg.Pages), func(size int64) int64 { return size })
			}
			cfg.Sizes, cfg.ChunkBytes = sizes, sizes[len(sizes)-1]
			s, err := membench.Sweep(ctx, cfg, env)
			return s, sizeError(err)
		},
		show: func(c result.Curve) curveView { return sweepView(c.(*result.Sweep)) },
	}, stdout, stderr)
}

// sizeError says what would fit in the words of the flags of a curve.
func sizeError(err error) error {
	var fit *membench.FitError
	if !errors.As(err, &fit) {
		return err
	}
	return usagef("--to: %s does not fit: %s leaves %s; want a smaller --to, or --force", report.Bytes(fit.ChunkBytes), fit.Limit, report.Bytes(fit.Room))
}

func sweepView(s *result.Sweep) curveView {
	report.SummarizeSweep(s)
	return curveView{
		table:    func(w io.Writer, screen report.Screen) error { return report.SweepTable(w, s, screen) },
		markdown: func(w io.Writer) error { return report.SweepMarkdown(w, s) },
		csv:      func(w io.Writer) error { return report.SweepCSV(w, s) },
		figure:   func() *plot.Figure { return report.SweepFigure(s) },
	}
}
