package main

import (
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wordsize/internal/procstat"
	"wordsize/internal/report"
)

// flags are the command line as given.
type flags struct {
	batch      bool
	count      int
	delay      string
	format     string
	pids       []string
	users      []string
	tree       []string
	cgroup     string
	group      string
	sort       string
	columns    string
	top        int
	minRSS     string
	threads    bool
	pssBudget  string
	pssTimeout string
	whatIf     string
	cpuMode    string
	width      int
	proc       string
}

const longHelp = `rsswatch shows processes with what they hold in memory, and counts shared
memory once. Patterns are regular expressions on the title (the command line);
a process that matches any of them is shown, all without patterns. On a
terminal it is a live screen, else it prints one tick and ends.

  rsswatch nginx gunicorn            live, two programs
  rsswatch -b -n 1 --group program   what takes my memory?
  rsswatch -b -n 3 -d 1 nginx        three ticks, one second apart
  rsswatch --tree 812 --threads      a process and all it started
  rsswatch --format jsonl | jq .     for machines; exact, in bytes
  rsswatch -- -d                     a pattern that starts with a dash
  rsswatch record -- ab -n 9999 URL  run a command and record what it uses
  rsswatch report r.jsonl            what it took; see also compare and replay
  rsswatch -- record                 a pattern that is a command's name

Sizes are KiB, or m, g, t for 2^20, 2^30, 2^40 bytes. Absent values: - there
is none, ? may not be read, . not reached within the budget yet.`

func newCommand(stdin io.Reader, stdout io.Writer) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:           "rsswatch [flags] [REGEX...]",
		Short:         "Watch what processes hold in memory",
		Long:          longHelp,
		Version:       version(),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt, err := f.options(args, cmd.Flags().Changed, isTerminal(stdout))
			if err != nil {
				return err
			}
			return watch(cmd.Context(), opt, stdin, stdout, cmd.ErrOrStderr())
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v (see rsswatch --help)", err) })
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.AddCommand(newRecordCommand(), newReportCommand(stdin, stdout), newCompareCommand(stdin, stdout), newReplayCommand(stdin, stdout))
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVarP(&f.batch, "batch", "b", false, "print ticks instead of the live screen; the default when standard output is no terminal, then with -n 1")
	fl.IntVarP(&f.count, "count", "n", 0, "number of ticks, 0 for no end; implies --batch")
	fl.StringVarP(&f.delay, "delay", "d", "2", "seconds between ticks, fractions allowed; also 500ms, 1m")
	fl.StringVar(&f.format, "format", "table", "table, csv, json or jsonl; the last three imply --batch")
	fl.StringSliceVarP(&f.pids, "pid", "p", nil, "only these PIDs")
	fl.StringSliceVarP(&f.users, "user", "u", nil, "only processes of these users, by name or number")
	fl.StringSliceVar(&f.tree, "tree", nil, "only this PID and all its descendants, adopted ones too")
	fl.StringVar(&f.cgroup, "cgroup", "", "only this control group and those below it, such as /system.slice")
	fl.StringVarP(&f.group, "group", "g", "", "sums instead of processes, by program, cmd, user, cgroup, tree or regex (what the patterns match)")
	fl.StringVarP(&f.sort, "sort", "s", "", "column to sort by, +NAME ascending, -NAME descending (default RES, PSS for groups)")
	fl.StringVarP(&f.columns, "columns", "c", "", "columns to show, comma-separated (default: what fits); \"all\" for all but WHATIF32, LOW32, HIGH32: the estimate of RES as a 32-bit build")
	fl.IntVar(&f.top, "top", 0, "show only the first N rows; 0 for all")
	fl.StringVar(&f.minRSS, "min-rss", "", "only processes with at least this RES, such as 10M (2^20 bytes)")
	fl.BoolVarP(&f.threads, "threads", "H", false, "also show the threads of each process")
	fl.StringVar(&f.pssBudget, "pss-budget", "2%", "share of the time that reading PSS may take; 0 for no PSS")
	fl.StringVar(&f.pssTimeout, "pss-timeout", "5", "with -n 1, PSS is read for all rows in at most this many seconds, and WHATIF32")
	fl.StringVar(&f.whatIf, "whatif-budget", "2%", "share of the time that estimates for the column WHATIF32 may take; 0 for none")
	fl.StringVar(&f.cpuMode, "cpu-mode", "one", "%CPU in terms of one CPU, or of the total of all CPUs")
	fl.IntVarP(&f.width, "width", "w", 0, "cut batch lines at this width (default: the terminal's, else none)")
	fl.StringVar(&f.proc, "proc", "/proc", "where the proc file system is mounted")
	cmd.AddCommand(newWhatIf())
	cmd.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true}) // help is a pattern like any other
	return cmd
}

// options are the validated command line.
type options struct {
	batch      bool
	count      int // 0 for no end
	delay      time.Duration
	format     string
	sel        procstat.Selection
	group      procstat.GroupBy
	sort       string // column name, "" for the default
	ascending  *bool  // nil for the column's own direction
	columns    string // "" for what fits
	top        int
	threads    bool
	pssBudget  float64
	pssTimeout time.Duration
	cpuTotal   bool
	width      int
	proc       string
	patterns   []string
	recorded   bool // from a recording: PSS costs nothing

	whatIfBudget float64 // share of the time that estimates for WHATIF32 may take
}

// options validates the flags. changed reports whether a flag was given.
func (f *flags) options(args []string, changed func(string) bool, terminal bool) (*options, error) {
	o := &options{
		count: f.count, format: f.format, top: f.top, threads: f.threads, width: f.width, proc: f.proc, patterns: args,
	}
	o.batch = f.batch || changed("count") || f.format != "table" || !terminal
	if !terminal && !f.batch && !changed("count") {
		o.count = 1
	}
	// An empty list is most likely a lookup that found nothing: it must not
	// select everything.
	for _, given := range []struct {
		name  string
		empty bool
	}{
		{"pid", blank(f.pids)}, {"user", blank(f.users)}, {"tree", blank(f.tree)}, {"cgroup", f.cgroup == ""}, {"group", f.group == ""}, {"min-rss", f.minRSS == ""},
	} {
		if changed(given.name) && given.empty {
			return nil, usagef("--%s is empty: give a value, or leave the flag out", given.name)
		}
	}
	for _, step := range []func(*options) error{f.numbers, f.selection, f.view} {
		if err := step(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (f *flags) numbers(o *options) (err error) {
	if f.count < 0 {
		return usagef("-n %d: give a number of ticks, 0 for no end", f.count)
	}
	if f.top < 0 {
		return usagef("--top %d: give a number of rows, 0 for all", f.top)
	}
	if f.width < 0 {
		return usagef("--width %d: give a number of columns, 0 for the terminal's", f.width)
	}
	if !slices.Contains([]string{"table", "csv", "json", "jsonl"}, f.format) {
		return usagef("--format %s: use table, csv, json or jsonl", f.format)
	}
	if o.delay, err = parseSeconds(f.delay); err != nil || o.delay < 50*time.Millisecond || o.delay > 24*time.Hour {
		return usagef("-d %s: give seconds from 0.05 to 86400, such as 0.5, or a time with its unit, such as 500ms", f.delay)
	}
	if o.pssTimeout, err = parseSeconds(f.pssTimeout); err != nil || o.pssTimeout <= 0 {
		return usagef("--pss-timeout %s: give seconds above 0, such as 5", f.pssTimeout)
	}
	if o.pssBudget, err = parseShare(f.pssBudget); err != nil {
		return usagef("--pss-budget %s: give a share of the time from 0 to 100%%, such as 2%%", f.pssBudget)
	}
	if o.whatIfBudget, err = parseShare(f.whatIf); err != nil {
		return usagef("--whatif-budget %s: give a share of the time from 0 to 100%%, such as 2%%", f.whatIf)
	}
	switch f.cpuMode {
	case "one":
	case "total":
		o.cpuTotal = true
	default:
		return usagef("--cpu-mode %s: use one (100 %% is one CPU) or total (100 %% is all CPUs)", f.cpuMode)
	}
	return nil
}

func (f *flags) selection(o *options) (err error) {
	for _, p := range o.patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return usagef("pattern %q: %s", p, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		o.sel.Patterns = append(o.sel.Patterns, re)
	}
	if o.sel.PIDs, err = parsePIDs("-p", f.pids); err != nil {
		return err
	}
	if o.sel.Trees, err = parsePIDs("--tree", f.tree); err != nil {
		return err
	}
	if len(f.users) > 0 {
		users := procstat.LoadUsers("/etc/passwd")
		for _, name := range f.users {
			id, err := users.ID(name)
			if err != nil {
				return usagef("-u %s: %v", name, err)
			}
			o.sel.UIDs = append(o.sel.UIDs, id)
		}
	}
	if f.cgroup != "" {
		path := strings.TrimPrefix(f.cgroup, "/sys/fs/cgroup")
		if !strings.HasPrefix(path, "/") {
			return usagef("--cgroup %s: give the path as in /proc/PID/cgroup, starting with /", f.cgroup)
		}
		o.sel.Cgroup = path
	}
	if f.minRSS != "" {
		if o.sel.MinRSS, err = parseSize(f.minRSS); err != nil {
			return usagef("--min-rss %s: give a size such as 512K, 10M, 2GiB or 10MB", f.minRSS)
		}
	}
	return nil
}

// view checks group, sort and columns.
func (f *flags) view(o *options) (err error) {
	if f.group != "" {
		if o.group, err = procstat.ParseGroupBy(f.group); err != nil {
			return usagef("--group: %v", err)
		}
		if o.group == procstat.ByRegexp && len(o.sel.Patterns) == 0 {
			return usagef("--group regex needs a pattern: its first submatch, or match, names the group")
		}
	}
	o.sort = f.sort
	if name, ok := strings.CutPrefix(f.sort, "+"); ok {
		o.sort, o.ascending = name, new(true)
	} else if name, ok := strings.CutPrefix(f.sort, "-"); ok {
		o.sort, o.ascending = name, new(false)
	}
	check := func(find func(string) error, flag, list string) error {
		if list == "" {
			return nil
		}
		for name := range strings.SplitSeq(list, ",") {
			if err := find(name); err != nil {
				return usagef("%s: %v", flag, err)
			}
		}
		return nil
	}
	find := func(name string) error { _, err := report.FindColumn(report.ProcessColumns, name); return err }
	if o.group != "" {
		find = func(name string) error { _, err := report.FindColumn(report.GroupColumns, name); return err }
	}
	if o.sort != "" {
		if err := find(o.sort); err != nil {
			return usagef("--sort: %v", err)
		}
	}
	all := report.ColumnNames(report.ProcessColumns)
	if o.group != "" {
		all = report.ColumnNames(report.GroupColumns)
	}
	o.columns = allColumns(f.columns, all)
	return check(find, "--columns", o.columns)
}

// parseSeconds reads seconds, or a duration with its unit.
func parseSeconds(s string) (time.Duration, error) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		if math.IsNaN(v) || math.Abs(v) > 1e9 {
			return 0, strconv.ErrRange
		}
		return time.Duration(v * float64(time.Second)), nil
	}
	return time.ParseDuration(s)
}

// parseShare reads "2%", "2" (percent) or "0".
func parseShare(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(s, "%")), 64)
	if err != nil {
		return 0, err
	}
	if !(v >= 0 && v <= 100) {
		return 0, strconv.ErrRange
	}
	return v / 100, nil
}

// parseSize reads bytes: K, M, G, T and KiB... are powers of 1024, kB, MB...
// powers of 1000.
func parseSize(s string) (int64, error) {
	number := strings.TrimRight(s, "KMGTkmgtiB ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, err
	}
	unit, base := strings.ToUpper(strings.TrimSpace(s[len(number):])), 1024.0
	if len(unit) == 2 && unit[1] == 'B' {
		base = 1000
	}
	switch strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I") {
	case "":
		base = 1
	case "K":
	case "M":
		base *= base
	case "G":
		base = base * base * base
	case "T":
		base = base * base * base * base
	default:
		return 0, strconv.ErrSyntax
	}
	if v *= base; !(v >= 0 && v < 1<<62) {
		return 0, strconv.ErrRange
	}
	return int64(v), nil
}

// blank says whether a list holds nothing but blanks.
func blank(list []string) bool { return strings.TrimSpace(strings.Join(list, "")) == "" }

// parsePIDs reads lists separated by commas, or by blanks as pidof prints them.
func parsePIDs(flag string, list []string) (pids []int32, err error) {
	for _, s := range strings.Fields(strings.Join(list, " ")) {
		pid, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		if err != nil || pid < 1 {
			return nil, usagef("%s %s: give a process id, a whole number above 0", flag, s)
		}
		pids = append(pids, int32(pid))
	}
	return pids, nil
}
