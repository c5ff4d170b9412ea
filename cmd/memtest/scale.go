package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/plot"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

const scaleHelp = `Measure how bandwidth grows with the number of processes, and where it ceases
to.

Each launch measures 1, 2, 3 ... processes up to --max (all counts up to 8, then
powers of two and the steps halfway), and each launch begins with another count,
so that a drift of the host does not look like scaling. Two lines that meet are
fitted to the aggregate: where they meet is the knee, if the second is less than
half as steep and the data prefer two lines to one.`

const scaleExamples = `  memtest scale                       up to as many processes as CPUs
  memtest scale --max 40 --kernel read
  memtest scale --repeat 10 --plot scale.svg -o scale.json
  memtest report host1.json host2.json -o scale.html   several hosts in one figure`

type scaleFlags struct {
	curveFlags
	max                 int
	mb, seconds, kernel string
	pages               string
	noVerify            bool
}

func newScaleCommand(stdout, stderr io.Writer) *cobra.Command {
	var f scaleFlags
	cmd := &cobra.Command{
		Use:     "scale",
		Short:   "Measure bandwidth by number of processes, and find the knee",
		Long:    scaleHelp,
		Example: scaleExamples,
		Args:    noArguments("scale"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), stdout, stderr)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.IntVar(&f.max, "max", 0, "the largest `NUMBER` of processes (the allowed CPUs)")
	fl.StringVar(&f.mb, "mb", "", "memory of each process in `MB` of 2^20 bytes (four last-level caches, from 128 up to 1024)")
	fl.StringVar(&f.seconds, "seconds", "0.5", "time of each count")
	fl.StringVar(&f.kernel, "kernel", kernel.Default, "the loop: `NAME` or NAME/TIER (see memtest kernels)")
	fl.StringVar(&f.pages, "pages", string(membench.PagesDefault), "`KIND` of pages: default, 4k, thp or hugetlb")
	fl.BoolVar(&f.noVerify, "no-verify", false, "do not read back what was written")
	f.curveFlags.add(fl, 6)
	return cmd
}

// noArguments refuses arguments of a subcommand that has none.
func noArguments(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("%s: want no arguments; got %s", name, quoted(args))
		}
		return nil
	}
}

// config validates the flags. The chunk is 0 when none was asked for.
func (f *scaleFlags) config(allowed []int) (cfg membench.ScaleConfig, err error) {
	if cfg.Config, cfg.Limit, err = f.curveFlags.config(allowed); err != nil {
		return cfg, err
	}
	largest := f.max
	if largest == 0 {
		largest = max(1, len(allowed))
	}
	const most = 10000
	if largest < 1 || largest > most {
		return cfg, usagef("--max: %d is not right: want a number of processes from 1 to %d", f.max, most)
	}
	cfg.Counts, cfg.Processes = membench.ScaleCounts(largest), largest
	if f.mb != "" {
		if cfg.ChunkBytes, err = membench.ParseChunk(unshield(f.mb)); err != nil {
			return cfg, renamed(err, "--mb")
		}
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
	cfg.KernelSpec, cfg.Held, cfg.Verify = f.kernel, true, !f.noVerify
	return cfg, nil
}

// renamed gives an argument's error the name of the flag that it came by.
func renamed(err error, flag string) error {
	var arg *membench.ArgError
	if errors.As(err, &arg) {
		arg.Name = flag
	}
	return err
}

func oneKernel(spec string) (kernel.Variant, error) {
	v, err := kernel.Select(spec)
	if err != nil {
		return v, fmt.Errorf("--kernel: %w", err)
	}
	return v, nil
}

func (f *scaleFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := f.config(hostinfo.AllowedCPUs())
	if err != nil {
		return err
	}
	return f.curveFlags.run(ctx, curveJob{
		name: "scale",
		measure: func(ctx context.Context, env membench.CurveEnv) (result.Curve, error) {
			if cfg.ChunkBytes == 0 {
				cfg.ChunkBytes = membench.ScaleChunk(env.Host, membench.ReadRoom(env.Host, cfg.Pages), cfg.Processes)
			}
			return membench.Scale(ctx, cfg, env)
		},
		show: func(c result.Curve) curveView { return scaleView(c.(*result.Scale)) },
	}, stdout, stderr)
}

func scaleView(s *result.Scale) curveView {
	report.SummarizeScale(s)
	return curveView{
		table:    func(w io.Writer, screen report.Screen) error { return report.ScaleTable(w, s, screen) },
		markdown: func(w io.Writer) error { return report.ScaleMarkdown(w, s) },
		csv:      func(w io.Writer) error { return report.ScaleCSV(w, s) },
		figure:   func() *plot.Figure { return report.ScaleFigure(s) },
	}
}
