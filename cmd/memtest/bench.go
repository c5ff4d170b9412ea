package main

import (
	"context"
	"errors"
	"io"
	"syscall"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// benchmark is memtest N T MB.
func benchmark(ctx context.Context, f *benchFlags, args []string, stdout, stderr io.Writer) error {
	cfgs, err := f.configs(args, hostinfo.AllowedCPUs())
	if err != nil {
		return err
	}
	file, err := newRecordFile(f.output, f.overwrite)
	if err != nil {
		return err
	}
	defer file.discard()
	executor, err := membench.NewProcesses(cfgs[0].Runner, stderr)
	if err != nil {
		return err
	}
	fs := hostinfo.DefaultFS()
	host := hostinfo.Read(ctx, fs)
	env := membench.Env{Executor: executor, FS: fs, Host: &host, Tool: tool("memtest")}
	if isTerminal(stderr) && !f.quiet {
		bar := newProgress(stderr)
		defer bar.clear()
		bar.kernels = len(cfgs)
		env.Progress = bar.show
		for i := range cfgs {
			cfgs[i].Progress = true
		}
	}
	out := newRunWriter(f, stdout)
	out.kernels = len(cfgs)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	env.PhaseDone = func(launch int, p *result.Phase) {
		if env.Progress != nil {
			clearLine(stderr)
		}
		if out.phase(p); out.err != nil && !f.keeps() {
			cancel() // nobody reads it
		}
	}
	watch := f.newWatch(&cfgs[0], stderr, func() {
		if env.Progress != nil {
			clearLine(stderr)
		}
	})
	if watch != nil {
		env.Enough = watch.Enough
	}
	runs, runErr := membench.RunKernels(ctx, cfgs, env)
	if out.err != nil && errors.Is(runErr, membench.ErrInterrupted) && !f.keeps() {
		return out.err
	}
	if env.Progress != nil {
		clearLine(stderr)
	}
	judge(runs, watch, runErr)
	for _, run := range runs {
		if runErr != nil {
			run.Error = runErr.Error()
		}
		report.FillTexts(run.Warnings)
	}
	// Whatever is complete is printed and saved, however the run ended; a
	// run that never began has nothing to print.
	if runs = begun(runs); len(runs) == 0 {
		return runErr
	}
	if out.warnsElsewhere() && !f.classicByName {
		report.KernelWarnings(stderr, runs) // the record has them too
	}
	if out.format != "text" && !f.quiet && !f.classicByName {
		report.Until(stderr, runs)
	}
	return firstError(runErr, out.finish(runs), file.saveRuns(runs), f.keep(runs, stderr))
}

// begun leaves out the runs of several kernels that had no phase before the
// end came; all without one are as good as any, and the first is kept.
func begun(runs []*result.Run) []*result.Run {
	var with, without []*result.Run
	for _, run := range runs {
		switch {
		case len(run.Launches) > 0:
			with = append(with, run)
		case run.ElapsedNS > 0:
			without = append(without, run)
		}
	}
	if len(with) == 0 && len(without) > 0 {
		return without[:1]
	}
	return with
}

// firstError joins errors, but a broken pipe counts only when it is the only
// one: then the program ends without a word, as pipes want it.
func firstError(errs ...error) error {
	var rest []error
	for _, err := range errs {
		if err != nil && !errors.Is(err, syscall.EPIPE) {
			rest = append(rest, err)
		}
	}
	if len(rest) > 0 {
		return errors.Join(rest...)
	}
	return errors.Join(errs...)
}

// runWriter writes a run to standard output in the wanted format.
type runWriter struct {
	w       io.Writer
	format  string
	kernels int
	phases  int
	err     error
}

func newRunWriter(f *benchFlags, w io.Writer) *runWriter {
	format := f.format
	if f.classic && format == "text" {
		format = "classic"
	}
	return &runWriter{w: w, format: format}
}

// warnsElsewhere says whether the format has no place for warnings.
func (o *runWriter) warnsElsewhere() bool { return o.format == "classic" || o.format == "csv" }

// phase prints test-mem's lines as soon as a phase is complete; of several
// kernels they would be too many.
func (o *runWriter) phase(p *result.Phase) {
	if o.kernels == 1 && (o.format == "text" || o.format == "classic") && o.err == nil {
		o.err = report.Classic(o.w, p, o.phases == 0)
	}
	o.phases++
}

// finish prints what can only be known at the end.
func (o *runWriter) finish(runs []*result.Run) error {
	if o.err != nil {
		return o.err
	}
	switch o.format {
	case "json":
		return result.WriteRuns(o.w, runs, o.kernels > 1)
	case "csv":
		return report.RunCSV(o.w, runs...)
	case "text":
		return o.summary(runs)
	}
	return nil
}

func (o *runWriter) summary(runs []*result.Run) error {
	run := runs[0]
	if o.phases > 0 && o.kernels > 1 {
		if err := report.KernelTable(o.w, runs); err != nil {
			return err
		}
	} else if o.phases > 0 {
		if _, err := io.WriteString(o.w, "\n"); err != nil {
			return err
		}
		if err := report.RunTable(o.w, run); err != nil {
			return err
		}
		if err := report.WriteAllocate(o.w, run); err != nil {
			return err
		}
		if err := report.Peak(o.w, run); err != nil {
			return err
		}
	}
	if err := report.Until(o.w, runs); err != nil {
		return err
	}
	if o.phases > 0 {
		if err := report.MeasuredOn(o.w, runs...); err != nil {
			return err
		}
		if err := report.Placement(o.w, run); err != nil {
			return err
		}
		if err := report.NUMAPlacement(o.w, run); err != nil {
			return err
		}
	}
	return report.KernelWarnings(o.w, runs)
}
