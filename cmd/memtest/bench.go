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
	cfg, err := f.config(args, hostinfo.AllowedCPUs())
	if err != nil {
		return err
	}
	file, err := newOutputFile(f.output, f.overwrite)
	if err != nil {
		return err
	}
	defer file.discard()
	executor, err := membench.NewProcesses(cfg.Runner, stderr)
	if err != nil {
		return err
	}
	fs := hostinfo.DefaultFS()
	host := hostinfo.Read(ctx, fs)
	env := membench.Env{Executor: executor, FS: fs, Host: &host, Tool: tool("memtest")}
	if isTerminal(stderr) && !f.quiet {
		bar := newProgress(stderr)
		defer bar.clear()
		cfg.Progress, env.Progress = true, bar.show
	}
	out := newRunWriter(f, stdout)
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
	run, runErr := membench.Run(ctx, cfg, env)
	if out.err != nil && errors.Is(runErr, membench.ErrInterrupted) && !f.keeps() {
		return out.err
	}
	if env.Progress != nil {
		clearLine(stderr)
	}
	if runErr != nil {
		run.Error = runErr.Error()
	}
	report.FillTexts(run.Warnings)
	// Whatever is complete is printed and saved, however the run ended; a
	// run that never began has nothing to print.
	if runErr == nil || run.ElapsedNS > 0 {
		if out.warnsElsewhere() && !f.classicByName {
			report.Warnings(stderr, run.Warnings) // the record has them too
		}
		return firstError(runErr, out.finish(run), file.save(run), f.keep(run, stderr))
	}
	return runErr
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
	w      io.Writer
	format string
	phases int
	err    error
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

// phase prints test-mem's lines as soon as a phase is complete.
func (o *runWriter) phase(p *result.Phase) {
	if (o.format == "text" || o.format == "classic") && o.err == nil {
		o.err = report.Classic(o.w, p, o.phases == 0)
	}
	o.phases++
}

// finish prints what can only be known at the end.
func (o *runWriter) finish(run *result.Run) error {
	if o.err != nil {
		return o.err
	}
	switch o.format {
	case "json":
		return result.WriteJSON(o.w, run)
	case "csv":
		return report.RunCSV(o.w, run)
	case "text":
		return o.summary(run)
	}
	return nil
}

func (o *runWriter) summary(run *result.Run) error {
	if o.phases > 0 {
		if _, err := io.WriteString(o.w, "\n"); err != nil {
			return err
		}
		if err := report.RunTable(o.w, run); err != nil {
			return err
		}
		if err := report.MeasuredOn(o.w, run); err != nil {
			return err
		}
		if err := report.Placement(o.w, run); err != nil {
			return err
		}
	}
	return report.Warnings(o.w, run.Warnings)
}
