package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/procstat"
	"wordsize/internal/record"
	"wordsize/internal/report"
	"wordsize/internal/result"
)

// recordOptions are the validated command line of record.
type recordOptions struct {
	output    string
	overwrite bool
	quiet     bool
	config    record.Config
}

// Bounds of the interval of a recording.
const (
	recordFastest = 10 * time.Millisecond
	recordSlowest = 24 * time.Hour
)

// options validates the flags. changed reports whether a flag was given.
func (f *recordFlags) options(args []string, changed func(string) bool) (*recordOptions, error) {
	o := &recordOptions{output: f.output, overwrite: f.overwrite, quiet: f.quiet}
	c := &o.config
	c.Command, c.WaitAll, c.Exits, c.Env = args, f.waitAll, f.exits, os.Environ()
	if changed("output") && f.output == "" || f.output == "-" {
		return nil, usagef("-o: want a file's name; standard output is the command's")
	}
	for _, step := range []func(*record.Config, func(string) bool) error{f.times, f.selection, f.labelList} {
		if err := step(c, changed); err != nil {
			return nil, err
		}
	}
	switch {
	case len(args) == 0 && c.Watch == nil:
		return nil, usagef("record: want a command behind --, or processes to watch (--watch, --pid, --tree, --user, --cgroup)")
	case len(args) == 0 && f.waitAll:
		return nil, usagef("--wait-all: there is no command to wait for")
	}
	if len(args) == 0 && f.exits == result.ExitsPtrace {
		return nil, usagef("--exits ptrace: is for a command and its descendants, not for running processes")
	}
	for _, m := range record.ExitsMethods {
		if f.exits == m {
			return o, nil
		}
	}
	return nil, usagef("--exits %s: use one of %s", f.exits, strings.Join(record.ExitsMethods, ", "))
}

func (f *recordFlags) times(c *record.Config, changed func(string) bool) (err error) {
	if c.Interval, err = parseSeconds(f.delay); err != nil || c.Interval < recordFastest || c.Interval > recordSlowest {
		return usagef("-d %s: give seconds from 0.01 to 86400, such as 0.2, or a time with its unit, such as 500ms", f.delay)
	}
	if changed("for") {
		if c.For, err = parseSeconds(f.duration); err != nil || c.For <= 0 {
			return usagef("--for %s: give seconds above 0, such as 60, or a time with its unit, such as 24h", f.duration)
		}
	}
	if c.PSSBudget, err = parseShare(f.pssBudget); err != nil {
		return usagef("--pss-budget %s: give a share of the time from 0 to 100%%, such as 2%%", f.pssBudget)
	}
	return f.estimates(c, changed)
}

// selection checks which running processes to record.
func (f *recordFlags) selection(c *record.Config, changed func(string) bool) error {
	given := false
	for _, flag := range []struct {
		name  string
		empty bool
	}{
		{"watch", blank(f.watch)}, {"pid", blank(f.pids)}, {"tree", blank(f.tree)}, {"user", blank(f.users)}, {"cgroup", f.cgroup == ""},
	} {
		if !changed(flag.name) {
			continue
		}
		if given = true; flag.empty {
			return usagef("--%s is empty: give a value, or leave the flag out", flag.name)
		}
	}
	if !given {
		return nil
	}
	// The same flags as those of the live screen, checked by the same code.
	view := flags{pids: f.pids, users: f.users, tree: f.tree, cgroup: f.cgroup}
	o := options{patterns: f.watch}
	if err := view.selection(&o); err != nil {
		return err
	}
	o.sel.Self = int32(os.Getpid())
	c.Watch = &o.sel
	c.WatchedBy = &result.WatchedBy{Patterns: f.watch, PIDs: o.sel.PIDs, Trees: o.sel.Trees, Users: f.users, Cgroup: o.sel.Cgroup}
	return nil
}

// labelList reads labels such as strategy=thread,conns=64.
func (f *recordFlags) labelList(c *record.Config, _ func(string) bool) error {
	seen := map[string]bool{}
	for _, list := range f.labels {
		for part := range strings.SplitSeq(list, ",") {
			name, value, named := strings.Cut(strings.TrimSpace(part), "=")
			if !named {
				name, value = "", name
			}
			switch {
			case value == "" || named && name == "":
				return usagef("--label %q: give NAME=VALUE or a word, several separated by commas, such as strategy=thread,conns=64", list)
			case named && seen[name]:
				return usagef("--label %q: %s is given twice", list, name)
			}
			seen[name] = true
			c.Labels = append(c.Labels, result.Label{Name: name, Value: value})
		}
	}
	return nil
}

// runRecord records and returns the command's exit status as an error.
func runRecord(ctx context.Context, opt *recordOptions, stderr io.Writer) (err error) {
	c := &opt.config
	if len(c.Command) > 0 {
		if c.Path, err = record.Find(c.Command[0], os.Getenv("PATH")); err != nil {
			return startFailure(err)
		}
	}
	if err := checkWatched(ctx, c.Watch); err != nil {
		return err
	}
	c.FS = hostinfo.DefaultFS()
	c.Host = hostinfo.Read(ctx, c.FS)
	c.Tool = result.Tool{Name: "rsswatch", Version: version(), Go: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, WordBits: hostinfo.BuildBits()}
	file, err := createRecording(opt)
	if err != nil {
		return err
	}
	c.Out = file
	c.Warn = func(msg string) { say(stderr, "%s: %s", file.Path(), msg) }
	if c.TookSignals = releaseSignals; len(c.Command) == 0 {
		c.Stop = stopOnSignal(ctx)
	}
	// One goroutine does nearly all of the work: more processors would only look
	// for some.
	runtime.GOMAXPROCS(min(2, runtime.GOMAXPROCS(0)))
	out, err := record.Run(context.WithoutCancel(ctx), c)
	if err != nil {
		discardRecording(file)
		return usagef("%v", err)
	}
	if out.StartErr != nil {
		discardRecording(file)
		return startFailure(out.StartErr)
	}
	return finishRecord(opt, file, out, stderr)
}

// finishRecord closes the file, says what is to be said, and makes the exit
// status.
func finishRecord(opt *recordOptions, file *recordFile, out *record.Outcome, stderr io.Writer) error {
	if err := file.Close(); err != nil && out.WriteErr == nil {
		out.WriteErr = err
		say(stderr, "%s: cannot write the recording: %v", file.Path(), err)
	}
	if out.WriteErr == nil { // else it was said how far the recording goes
		for _, note := range caveats(out) {
			say(stderr, "%s: note: %s", file.Path(), note)
		}
		if !opt.quiet {
			say(stderr, "%s", summary(file.Path(), out))
		}
	}
	switch {
	case out.Status != 0:
		return &statusError{code: out.Status}
	case len(opt.config.Command) == 0 && out.WriteErr != nil:
		return &statusError{code: exitFailure} // it was said when it happened
	}
	return nil
}

// startFailure makes the exit status of a command that cannot be run.
func startFailure(err error) error {
	var start *record.StartError
	if errors.As(err, &start) {
		return &statusError{start.Status, err}
	}
	return fmt.Errorf("start the command: %w", err)
}

// checkWatched makes sure that the processes named by their PIDs exist.
func checkWatched(ctx context.Context, sel *procstat.Selection) error {
	if sel == nil {
		return nil
	}
	src, err := procstat.Open("")
	if err != nil {
		return err
	}
	c := collector{opt: &options{sel: *sel}, src: src}
	defer src.Close()
	return c.checkRoots(ctx)
}

// printable is text from outside as it may be shown.
func printable(s string) string {
	b, _ := report.WatchText{}.Append(nil, s, 0)
	return string(b)
}

// stopOnSignal returns what is closed by the first signal that ends a run, or
// with ctx; a second signal kills. To end a recording of running processes so
// is the usual way, and takes the time that it takes.
func stopOnSignal(ctx context.Context) <-chan struct{} {
	stop := make(chan struct{})
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endSignals...)
	releaseSignals()
	go func() {
		select {
		case <-signals:
			signal.Stop(signals)
		case <-ctx.Done():
		}
		close(stop)
	}()
	return stop
}
