package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wordsize/internal/record"
	"wordsize/internal/result"
)

const recordHelp = `record runs a command and records what it and all its descendants use, however
they fork, until it ends; with --watch, --pid, --tree, --user or --cgroup also
processes that run already. Without a command it records these until Ctrl-C or
--for. The command's input, output, signals and exit status pass through.

  rsswatch record -o r.jsonl -- make -j8
  rsswatch record -o r.jsonl.gz --label server=nginx --watch nginx -- ab -n 99999 URL
  rsswatch record -o day.jsonl.zst -d 1 --for 24h --tree 812
  rsswatch report r.jsonl

The file is written as it goes, compressed when its name ends in .gz or .zst,
and readable after a kill or a full disk up to there. Exit status: the
command's, 128+n when signal n killed it, 127 when there is no such command,
126 when it cannot be executed; 2 for wrong flags.`

// recordFlags are the command line of record as given.
type recordFlags struct {
	output    string
	overwrite bool
	labels    []string
	watch     []string
	pids      []string
	tree      []string
	users     []string
	cgroup    string
	delay     string
	duration  string
	waitAll   bool
	pssBudget string
	whatIf    bool
	whatShare string
	exits     string
	quiet     bool
}

func newRecordCommand() *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:           "record [flags] [-- COMMAND [ARGS...]]",
		Short:         "Run a command and record what it and its descendants use",
		Long:          recordHelp,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options(args, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return runRecord(cmd.Context(), opt, cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.SetInterspersed(false) // what follows the command's name is its own
	fl.StringVarP(&f.output, "output", "o", "", "file to write; .gz and .zst compress (default rsswatch-DATE-TIME.jsonl.gz)")
	fl.BoolVar(&f.overwrite, "overwrite", false, "replace the file when it exists")
	fl.StringArrayVarP(&f.labels, "label", "l", nil, "what this recording is of, such as strategy=thread,conns=64")
	fl.StringArrayVar(&f.watch, "watch", nil, "also record processes whose title matches this regular expression")
	fl.StringSliceVarP(&f.pids, "pid", "p", nil, "also record these PIDs")
	fl.StringSliceVar(&f.tree, "tree", nil, "also record this PID and all its descendants")
	fl.StringSliceVarP(&f.users, "user", "u", nil, "also record processes of these users, by name or number")
	fl.StringVar(&f.cgroup, "cgroup", "", "also record this control group and those below it")
	fl.StringVarP(&f.delay, "delay", "d", "0.2", "seconds between ticks, fractions allowed; also 500ms, 1m")
	fl.StringVar(&f.duration, "for", "", "stop recording after this time, such as 60s or 24h; a command goes on")
	fl.BoolVar(&f.waitAll, "wait-all", false, "record until all descendants have ended, not just the command")
	fl.StringVar(&f.pssBudget, "pss-budget", "0.2%", "share of the time that reading PSS may take; 0 reads none")
	fl.BoolVar(&f.whatIf, "whatif", false, "also estimate RES as a build of the other word size: reads the memory of the processes")
	fl.StringVar(&f.whatShare, "whatif-budget", "2%", "with --whatif, share of the time that it may take")
	fl.StringVar(&f.exits, "exits", "auto", "how to learn of processes too short for a tick: auto, taskstats, connector, ptrace or wait")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no summary line at the end")
	return cmd
}

// recordFile is the file of a recording, created before the command starts.
type recordFile struct {
	*result.RecordingFile
	made bool // it was not there before
}

// createRecording makes the file that -o names, or one with the time in its
// name.
func createRecording(opt *recordOptions) (*recordFile, error) {
	if opt.output != "" {
		f, err := result.CreateRecording(opt.output, opt.overwrite)
		switch {
		case errors.Is(err, fs.ErrExist):
			return nil, usagef("-o: %v: want another name, or --overwrite", err)
		case err != nil:
			return nil, usagef("-o: %v", err)
		}
		return &recordFile{f, true}, nil
	}
	base := "rsswatch-" + time.Now().Format("20060102-150405")
	for n := 1; ; n++ {
		name := base + ".jsonl.gz"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.jsonl.gz", base, n)
		}
		f, err := result.CreateRecording(name, false)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if err != nil {
			return nil, usagef("%v: name a file with -o", err)
		}
		return &recordFile{f, true}, nil
	}
}

// summary says in one line what was recorded.
func summary(path string, out *record.Outcome) string {
	e := &out.End
	s := fmt.Sprintf("%s: %.1f s, %s, %s", path, float64(e.AtNS)/1e9, count(e.Ticks, "tick"), count(e.Processes+e.Unseen, "process"))
	if e.Unseen > 0 {
		s += fmt.Sprintf(" (%d too short for a tick)", e.Unseen)
	}
	if e.SelfCPUNS.Known && e.AtNS > 0 {
		s += fmt.Sprintf("; recorder: %.0f ms of CPU time, %.2f%% of a CPU", float64(e.SelfCPUNS.Value)/1e6, 100*float64(e.SelfCPUNS.Value)/float64(e.AtNS))
	}
	return s
}

func count(n int64, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ss"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// caveats are what the user should know of a recording, besides the summary.
func caveats(out *record.Outcome) (notes []string) {
	e := &out.End
	if out.NeverSeen && e.Exits == 0 {
		notes = append(notes, "no process was recorded: none matched")
	}
	if n := len(e.Running); n > 0 && e.Reason == result.EndCommand {
		var names []string
		for _, p := range e.Running[:min(n, 5)] {
			names = append(names, fmt.Sprintf("%s (%d)", printable(string(p.Comm)), p.PID))
		}
		if n > 5 {
			names = append(names, "...")
		}
		notes = append(notes, fmt.Sprintf("still running when the command had ended, and no longer recorded: %s; --wait-all goes on until they end", strings.Join(names, ", ")))
	}
	if e.EventsLost > 0 {
		notes = append(notes, fmt.Sprintf("the kernel dropped process events %d times: short-lived processes may be missing", e.EventsLost))
	}
	if !e.Complete && e.MissedCPUNS.Value >= int64(50*time.Millisecond) {
		notes = append(notes, fmt.Sprintf("%.2f s of CPU time of children are in no figure: of those that came and went between two ticks, which are not listed, and of others after their last tick; --exits ptrace tells of them, and so does root outside of containers", float64(e.MissedCPUNS.Value)/1e9))
	}
	return notes
}

// say writes a line for the user; there is nobody to tell when that fails.
func say(w io.Writer, format string, args ...any) { fmt.Fprintf(w, "rsswatch: "+format+"\n", args...) }

// discardRecording removes a file in which nothing was recorded.
func discardRecording(f *recordFile) {
	f.Close()
	if f.made {
		os.Remove(f.Path())
	}
}
