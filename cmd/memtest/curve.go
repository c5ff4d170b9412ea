package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/plot"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// curveFlags are the flags that memtest scale, sweep and latency share.
type curveFlags struct {
	pin, limit, format, output, plot string
	repeat                           int
	force, quiet, overwrite          bool
}

func (f *curveFlags) add(fl *pflag.FlagSet, repeat int) {
	fl.IntVar(&f.repeat, "repeat", repeat, "launches, each a sample")
	fl.StringVar(&f.limit, "limit", "300", "begin no launch that would end later than so many seconds")
	fl.StringVar(&f.pin, "pin", "auto", "bind workers to CPUs: auto, none or a `LIST` such as 0,2-3")
	fl.StringVar(&f.format, "format", "table", "standard output: table, markdown, csv or json")
	fl.StringVar(&f.plot, "plot", "", "also draw the curve into `FILE`, .svg or .png")
	fl.StringVarP(&f.output, "output", "o", "", "also write the JSON record to `FILE`")
	fl.BoolVar(&f.overwrite, "overwrite", false, "let -o and --plot replace files that exist")
	fl.BoolVar(&f.force, "force", false, "run even if the memory seems not to suffice")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no estimate and no progress on standard error")
}

// mostLaunches bounds --repeat of what measures many parts in each launch.
const mostLaunches = 10000

// checkRepeat validates a number of launches.
func checkRepeat(repeat, most int) error {
	if repeat < 1 || repeat > most {
		return usagef("--repeat: %d is not right: want a number of launches from 1 to %d", repeat, most)
	}
	return nil
}

// config validates the flags into what a benchmark shares with a curve.
func (f *curveFlags) config(allowed []int) (cfg membench.Config, limit time.Duration, err error) {
	if err := checkRepeat(f.repeat, mostLaunches); err != nil {
		return cfg, 0, err
	}
	if err := checkFormat(f.format, "table", "markdown", "csv", "json"); err != nil {
		return cfg, 0, err
	}
	if err := checkPlot(f.plot); err != nil {
		return cfg, 0, err
	}
	if limit, err = membench.ParseLimit(unshield(f.limit)); err != nil {
		return cfg, 0, err
	}
	if cfg.Pin, err = membench.ParsePin(unshield(f.pin), allowed); err != nil {
		return cfg, 0, err
	}
	cfg.Repeat, cfg.Force, cfg.Seed, cfg.Warmup = f.repeat, f.force, membench.DefaultSeed, 1
	cfg.Pages = membench.PagesDefault
	return cfg, limit, nil
}

// curveJob is one curve: how it is measured and shown.
type curveJob struct {
	name    string
	measure func(context.Context, membench.CurveEnv) (result.Curve, error)
	show    func(result.Curve) curveView
}

// curveView is the ways to show a record.
type curveView struct {
	table         func(io.Writer, report.Screen) error
	markdown, csv func(io.Writer) error
	figure        func() *plot.Figure
}

// longRun is from where the time that a curve may take is said.
const longRun = 10 * time.Second

func (f *curveFlags) run(ctx context.Context, job curveJob, stdout, stderr io.Writer) error {
	file, err := newRecordFile(f.output, f.overwrite)
	if err != nil {
		return err
	}
	defer file.discard()
	figure, err := newOutputFile("--plot", f.plot, f.overwrite)
	if err != nil {
		return err
	}
	defer figure.discard()
	executor, err := membench.NewProcesses(nil, stderr)
	if err != nil {
		return err
	}
	root := hostinfo.DefaultFS()
	host := hostinfo.Read(ctx, root)
	env := membench.CurveEnv{Env: membench.Env{Executor: executor, FS: root, Host: &host, Tool: tool("memtest")}}
	if isTerminal(stderr) && !f.quiet {
		env.Step = func(s membench.Step) {
			showLine(stderr, stepText(job.name, s))
		}
	}
	env.Begin = func(e membench.Estimate) {
		if e.Time >= longRun && !f.quiet {
			fmt.Fprintf(stderr, "memtest %s takes %s; Ctrl-C keeps what is complete.\n", job.name, e)
		}
	}
	record, runErr := job.measure(ctx, env)
	if env.Step != nil {
		clearLine(stderr)
	}
	return f.finish(job, record, runErr, stdout, stderr, file, figure)
}

// finish writes whatever is complete, however the run ended.
func (f *curveFlags) finish(job curveJob, record result.Curve, runErr error, stdout, stderr io.Writer, file, figure *outputFile) error {
	if runErr != nil {
		var arg *membench.ArgError
		var fit *membench.FitError
		var usage *usageError
		if errors.As(runErr, &arg) || errors.As(runErr, &fit) || errors.As(runErr, &usage) || record == nil {
			return runErr
		}
		runErr = fmt.Errorf("%s: %w", job.name, runErr)
		record.Head().Error = runErr.Error()
		if !record.Usable() {
			return runErr
		}
	}
	view := job.show(record)
	report.FillTexts(record.Head().Warnings)
	if f.format == "csv" {
		report.Warnings(stderr, record.Head().Warnings) // the record has them too
	}
	return firstError(runErr, f.write(stdout, record, view),
		file.save(record),
		figure.draw(view.figure()))
}

func (f *curveFlags) write(w io.Writer, record result.Curve, view curveView) error {
	switch f.format {
	case "markdown":
		return view.markdown(w)
	case "csv":
		return view.csv(w)
	case "json":
		return result.WriteJSON(w, record)
	}
	return view.table(w, report.Screen{Width: width(w), UTF8: utf8Locale(os.Getenv)})
}

func stepText(name string, s membench.Step) string {
	return fmt.Sprintf("%s: launch %d of %d, part %d of %d: %s", name, s.Launch+1, s.Launches, s.Part+1, s.Parts, s.What)
}

// utf8Locale says whether the environment's locale is UTF-8 (locale(7)).
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
