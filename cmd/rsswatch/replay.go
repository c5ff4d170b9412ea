package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
	"wordsize/internal/tui"
)

const replayHelp = `replay shows a recording on the live screen, with pause, single steps forward
and back, jumps, and at another speed; ? lists the keys. Patterns choose
processes, as for rsswatch itself. On no terminal, or with -b, it prints the
ticks instead, as fast as they can be read.

  rsswatch replay r.jsonl.gz
  rsswatch replay --from 90 --speed 4 r.jsonl.gz nginx
  rsswatch replay -b -n 1 --from 1m30s --group program r.jsonl.gz
  rsswatch replay --format csv r.jsonl.gz > ticks.csv`

// replayFlags are the command line of replay: that of rsswatch as far as it
// fits, and where to begin and how fast.
type replayFlags struct {
	flags
	from  string
	speed float64
}

func newReplayCommand(stdin io.Reader, stdout io.Writer) *cobra.Command {
	f := replayFlags{flags: flags{delay: "1", pssBudget: "2%", pssTimeout: "5", whatIf: "2%", cpuMode: "one"}}
	cmd := &cobra.Command{
		Use:           "replay [flags] FILE [REGEX...]",
		Short:         "Show a recording on the live screen",
		Long:          replayHelp,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, args, stdin, stdout)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVarP(&f.batch, "batch", "b", false, "print ticks instead of the live screen; the default when standard output is no terminal")
	fl.IntVarP(&f.count, "count", "n", 0, "number of ticks, 0 for all; implies --batch")
	fl.StringVar(&f.from, "from", "0", "where to begin: seconds into the recording, fractions allowed; also 500ms, 90s, 2h")
	fl.Float64Var(&f.speed, "speed", 1, "how many times as fast as it was recorded")
	fl.StringVar(&f.format, "format", "table", "table, csv, json or jsonl; the last three imply --batch")
	fl.StringSliceVarP(&f.pids, "pid", "p", nil, "only these PIDs")
	fl.StringVarP(&f.group, "group", "g", "", "sums instead of processes, by program, cmd, user, cgroup, tree or regex (what the patterns match)")
	fl.StringVarP(&f.sort, "sort", "s", "", "column to sort by, +NAME ascending, -NAME descending (default RES, PSS for groups)")
	fl.StringVarP(&f.columns, "columns", "c", "", "columns to show, comma-separated (default: what fits); \"all\" for all")
	fl.IntVar(&f.top, "top", 0, "show only the first N rows; 0 for all")
	fl.StringVar(&f.minRSS, "min-rss", "", "only processes with at least this RES, such as 10M (2^20 bytes)")
	fl.StringVar(&f.cpuMode, "cpu-mode", "one", "%CPU in terms of one CPU, or of the total of all CPUs")
	fl.IntVarP(&f.width, "width", "w", 0, "cut batch lines at this width (default: the terminal's, else none)")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) == 0 {
		return usagef("replay: want a recording, such as: rsswatch replay r.jsonl (rsswatch record makes one)")
	}
	opt, err := f.flags.options(args[1:], cmd.Flags().Changed, isTerminal(stdout))
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("count") {
		opt.count = 0 // all, on no terminal too
	}
	from, err := parseSeconds(f.from)
	if err != nil || from < 0 {
		return usagef("--from %s: give seconds from 0, such as 90, or a time with its unit, such as 1m30s", f.from)
	}
	if !(f.speed >= tui.SlowestReplay && f.speed <= tui.FastestReplay) {
		return usagef("--speed %g: give a number from %g to %g", f.speed, tui.SlowestReplay, tui.FastestReplay)
	}
	c, err := newReplayCollector(opt, args[0], stdin)
	if err != nil {
		return err
	}
	defer c.close()
	c.replay.speed = f.speed
	if err := c.replay.begin(cmd.Context(), c, from); err != nil {
		return usagef("replay: %s: %v", args[0], err)
	}
	if !opt.batch {
		return runLive(cmd.Context(), c, stdin, stdout)
	}
	if err := runBatch(cmd.Context(), c, stdout, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if cut := c.replay.src.Cut(); cut != nil {
		say(cmd.ErrOrStderr(), "warning: %s %v", args[0], cut)
	}
	return nil
}

// newReplayCollector makes a collector over a recording.
func newReplayCollector(opt *options, path string, stdin io.Reader) (*collector, error) {
	open := func() (*result.RecordingReader, error) { return result.OpenRecording(path) }
	if path == "-" { // to be read again from its beginning
		all, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		open = func() (*result.RecordingReader, error) {
			rr, err := result.NewRecordingReader(bytes.NewReader(all))
			if err != nil {
				return nil, &result.ReadError{Name: "standard input", Err: err}
			}
			return rr, nil
		}
	}
	src, err := procstat.NewReplay(open)
	if err != nil {
		return nil, usagef("replay: %v", result.ExplainNoRecording(path, err))
	}
	h := src.Header()
	opt.whatIfBudget = h.WhatIf
	opt.pssBudget, opt.delay, opt.proc, opt.recorded = h.PSS, time.Duration(h.IntervalNS), "", true
	c := &collector{opt: opt, src: src, users: src.UserName, host: h.Host, mem: h.Host.Memory, replay: &replayer{src: src, speed: 1}}
	c.sampler = procstat.NewSampler(src, procstat.Config{Interval: opt.delay})
	c.setRecorder()
	return c, nil
}

// replayer moves through a recording.
type replayer struct {
	src   *procstat.Replay
	speed float64
	again bool // the next frame is of the same tick
}

// begin goes to the first tick to show: the next Scan yields it.
func (r *replayer) begin(ctx context.Context, c *collector, from time.Duration) error {
	r.src.Measure(measureTime)
	number := r.src.Find(ctx, int64(from))
	if number == 0 {
		return errors.New("holds no complete tick")
	}
	if _, lastNS, all := r.src.Last(); all && int64(from) > lastNS {
		return fmt.Errorf("ends after %.1f s, before --from %s", float64(lastNS)/1e9, from)
	}
	return r.warm(ctx, c, number)
}

// measureTime is how long a reader may wait for the length of the recording to
// be known.
const measureTime = 150 * time.Millisecond

// warm reads what the figures of a tick rest on, up to the one before it.
func (r *replayer) warm(ctx context.Context, c *collector, number int64) error {
	scans, err := r.src.GoTo(number)
	if err != nil {
		return err
	}
	c.sampler.Close()
	c.sampler = procstat.NewSampler(r.src, procstat.Config{Interval: c.opt.delay})
	for range scans - 1 {
		if _, _, err := c.sampler.Next(ctx, &procstat.Selection{}); err != nil {
			return err
		}
	}
	r.again = false
	return nil
}

// host sets what the recording knows of its host.
func (r *replayer) host(c *collector, t *result.WatchTick) {
	k := r.src.Tick()
	t.Load = slices.Clone(k.Load)
	if k.Available.Known {
		v := k.Available.Value
		c.mem.AvailableBytes = &v
	}
	if k.SwapFree.Known {
		v := k.SwapFree.Value
		c.mem.SwapFreeBytes = &v
	}
	if r.src.Header().Host.UptimeSeconds == nil {
		t.UptimeNS = result.Bytes{}
	}
}

// complete sets what is known of the recorder.
func (r *replayer) complete(t *result.WatchTick) {
	k := r.src.Tick()
	t.Self = result.WatchSelf{CPUDeltaNS: k.SelfCPUNS, RSSBytes: k.SelfRSSBytes}
	if k.Unreadable.Known {
		t.Counts.Unreadable = int(k.Unreadable.Value)
	}
}

// replayBackend supplies the screen from a recording.
type replayBackend struct{ *liveBackend }

// Frame moves as the request says and shows the tick that is there.
func (b *replayBackend) Frame(ctx context.Context, q *tui.Request) (*tui.Frame, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return nil, errClosed
	}
	r := b.c.replay
	note, err := r.move(ctx, b.c, q)
	if err != nil {
		return nil, err
	}
	plain := *q
	plain.Threads = false // a recording has none
	f, err := b.frame(ctx, &plain)
	if procstat.AtEnd(err) { // there was none behind the last one
		r.again = true
		f, err = b.frame(ctx, &plain)
	}
	r.again = false
	if err != nil {
		return nil, err
	}
	f.Replay = r.position(ctx)
	f.Replay.Note = note
	return f, nil
}

// Details tells what was recorded of a process.
func (b *replayBackend) Details(ctx context.Context, pid int32, start uint64) (*tui.Details, error) {
	in := b.c.replay.src.Inspect(pid)
	d := &tui.Details{Problems: in.Problems, Facts: in.Status}
	if in.Cgroup != "" {
		d.Facts = append(d.Facts, [2]string{"cgroup", in.Cgroup})
	}
	return d, nil
}

// move goes to where the request wants the recording; note says what was in
// the way.
func (r *replayer) move(ctx context.Context, c *collector, q *tui.Request) (note string, err error) {
	t := r.src.Tick()
	if t == nil {
		return "", nil // the first frame: the next Scan yields it
	}
	target := t.Number
	switch {
	case q.Seek != "":
		at, err := r.seekTime(ctx, q.Seek, t.AtNS)
		if err != nil {
			return err.Error(), r.stay()
		}
		target = r.src.Find(ctx, at)
	case q.Step > 0:
		target += int64(q.Step)
	default:
		target = max(1, target+int64(q.Step))
	}
	switch {
	case target == t.Number:
		return "", r.stay()
	case target == t.Number+1:
		return "", nil
	}
	err = r.warm(ctx, c, target)
	if procstat.AtEnd(err) { // beyond the last one, which is known now
		last, _, _ := r.src.Last()
		if last == t.Number {
			return "", r.stay()
		}
		err = r.warm(ctx, c, last)
	}
	return "", err
}

// stay shows the same tick again.
func (r *replayer) stay() error {
	r.again = true
	return nil
}

// seekTime reads where to go: seconds, 1m30s or 1:30 from the beginning, with
// a sign from here; a percentage; or end.
func (r *replayer) seekTime(ctx context.Context, s string, now int64) (int64, error) {
	s = strings.TrimSpace(s)
	end := func() int64 {
		r.src.Find(ctx, math.MaxInt64)
		_, at, _ := r.src.Last()
		return at
	}
	if s == "end" {
		return end(), nil
	}
	if p, ok := strings.CutSuffix(s, "%"); ok {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || !(v >= 0 && v <= 100) {
			return 0, fmt.Errorf("%q: give a percentage from 0 to 100", s)
		}
		return int64(v / 100 * float64(end())), nil
	}
	number, base := s, int64(0)
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
		base, number = now, s[1:]
	}
	d, err := parseClock(number)
	if err != nil {
		return 0, fmt.Errorf("%q: give seconds, 1m30s, 1:30, +10, -10, 50%% or end", s)
	}
	if s[0] == '-' {
		d = -d
	}
	return max(0, base+int64(d)), nil
}

// parseClock reads seconds, a duration with its units, or 1:30 and 1:02:03.
func parseClock(s string) (time.Duration, error) {
	if !strings.Contains(s, ":") {
		d, err := parseSeconds(s)
		if err == nil && d < 0 {
			err = strconv.ErrRange
		}
		return d, err
	}
	sum := 0.0
	parts := strings.Split(s, ":")
	for i, p := range parts {
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || v < 0 || i > 0 && v >= 60 || len(parts) > 3 {
			return 0, strconv.ErrSyntax
		}
		sum = 60*sum + v
	}
	return time.Duration(sum * float64(time.Second)), nil
}

// position says where the screen is.
func (r *replayer) position(ctx context.Context) *tui.ReplayPosition {
	t := r.src.Tick()
	p := &tui.ReplayPosition{Number: t.Number, AtNS: t.AtNS, Speed: r.speed}
	r.src.Find(ctx, t.AtNS) // reads one tick on, to know whether there is one
	last, at, all := r.src.Last()
	if all {
		p.Ticks, p.LengthNS = last, at
		p.End = t.Number == last
	}
	if cut := r.src.Cut(); all && p.End && cut != nil {
		p.Cut = cut.Error()
	}
	if next, ok := r.src.TimeOf(t.Number + 1); ok {
		p.NextNS = next - t.AtNS
	}
	return p
}
