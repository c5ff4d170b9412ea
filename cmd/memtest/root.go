package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/cobra"

	"wordsize/internal/membench"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// classicName is the name under which the program behaves as test-mem did.
const classicName = "test-mem"

const longHelp = `Measure how fast memory takes sequential writes, reads and copies.

memtest N T MB: first one process writes over MB x 2^20 bytes of its own for at
least T seconds, then N processes at once, each over as much memory of its own,
make the same number of passes. --kernel chooses what they do with it. Take
N x MB beyond 4096 to reach high memory, and MB beyond four last-level caches to
measure memory rather than caches.`

const examples = `  memtest 4 10 1500          4 processes, 10 seconds, 1500 x 2^20 bytes each
  memtest 2 1 2G -o r.json   as text, and everything as JSON into a file
  memtest 1 2 1G --kernel write-nt --repeat 10
  memtest 2 1 1G --kernel read,copy,triad,triad-nt   as STREAM does, and more
  memtest 2 1 1G --until 1% --until-time 10m   launch until the median is that sure
  memtest kernels --measure  which loop is the fastest here?
  memtest info               what is known of this host
  memtest compare a.json b.json   is there a difference, and is it real?`

// benchFlags are the flags of the benchmark as given.
type benchFlags struct {
	format, output, kernel, pin, pages, seed, runner string
	parallel, peak, numa                             string
	repeat, warmup                                   int
	classic, noVerify, force, quiet, overwrite, save bool
	until                                            untilFlags
	classicByName                                    bool // old scripts want test-mem's lines and nothing else
}

func newRoot(name string, stdout, stderr io.Writer) *cobra.Command {
	var f benchFlags
	root := &cobra.Command{
		Use:           "memtest N T MB",
		Short:         "Measure memory bandwidth from one process and from N at once",
		Long:          longHelp,
		Example:       examples,
		Version:       versionText(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == classicName {
				f.classic, f.classicByName = true, true
			}
			f.until.repeatGiven, f.until.limitGiven = cmd.Flags().Changed("repeat"), cmd.Flags().Changed("until-time")
			return benchmark(cmd.Context(), &f, args, stdout, stderr)
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		// What a parser says of a number helps nobody.
		what, _, cut := strings.Cut(err.Error(), ": strconv.")
		if cut {
			return usagef("%s: want a whole number", what)
		}
		return usagef("%w; memtest --help lists the flags", err)
	})
	fl := root.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.format, "format", "text", "standard output: text, classic, json or csv")
	fl.StringVarP(&f.output, "output", "o", "", "also write the JSON record to `FILE`")
	fl.BoolVar(&f.overwrite, "overwrite", false, "let -o replace a file that exists")
	fl.BoolVar(&f.save, "save", false, "also keep the record, for memtest results and memtest compare previous last")
	fl.BoolVar(&f.classic, "classic", false, "behave as test-mem: no load is held, its lines alone are printed")
	fl.StringVar(&f.kernel, "kernel", kernel.Default, "the loop: `NAME` or NAME/TIER (see memtest kernels), several with commas, or all")
	fl.StringVar(&f.parallel, "parallel", result.ParallelProcesses, "what the N are: processes, or threads of one as with STREAM (`KIND`)")
	fl.StringVar(&f.pin, "pin", "auto", "bind workers to CPUs: auto, none or a `LIST` such as 0,2-3")
	fl.StringVar(&f.pages, "pages", string(membench.PagesDefault), "`KIND` of pages: default, 4k, thp or hugetlb")
	fl.StringVar(&f.numa, "numa", result.NUMADefault, "`WHERE` memory is to lie: default, local, remote, interleave or a node's number")
	fl.IntVar(&f.repeat, "repeat", 1, "launches of the whole benchmark, each a sample")
	fl.StringVar(&f.until.percent, "until", "", "launch until the 95 % interval of the median is within ± `PERCENT` of it, such as 1%, at most 100 times or --repeat")
	fl.DurationVar(&f.until.limit, "until-time", 0, "with --until: begin no launch later than this `DURATION`, such as 10m")
	fl.IntVar(&f.warmup, "warmup", 1, "passes between first touch and timing")
	fl.StringVar(&f.seed, "seed-pattern", "0x7e57ae37", "32-bit seed of the patterns that are written")
	fl.StringVar(&f.runner, "runner", "", "put `\"CMD ARGS\"` in front of each worker, such as \"numactl -m 0\"")
	fl.StringVar(&f.peak, "peak", "", "theoretical bandwidth in `GB/s`, such as 51.2, to show percent of it (from SMBIOS if root may read that)")
	fl.BoolVar(&f.noVerify, "no-verify", false, "do not read back what was written")
	fl.BoolVar(&f.force, "force", false, "run even if the chunks seem not to fit into memory")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on standard error")
	root.AddCommand(newKernelsCommand(stdout), newInfoCommand(stdout))
	root.AddCommand(endable(newCompareCommand(stdout, stderr)), endable(newReportCommand(stdout, stderr)), endable(newResultsCommand(stdout, stderr)))
	root.AddCommand(newFootprintCommand(stdout, stderr), newChaseCommand(stdout, stderr), newScaleCommand(stdout, stderr), newSweepCommand(stdout, stderr), newLatencyCommand(stdout, stderr), newNUMACommand(stdout, stderr))
	return root
}

// configs validates flags and arguments: one request for each kernel.
func (f *benchFlags) configs(args []string, allowed []int) ([]membench.Config, error) {
	c, err := f.config(args, allowed)
	if err != nil {
		return nil, err
	}
	specs, variants, err := membench.ParseKernels(f.kernel)
	var choice *kernel.SelectError
	if errors.As(err, &choice) {
		err = fmt.Errorf("--kernel: %w", err)
	}
	if err == nil && len(specs) > 1 && (f.classic || f.format == "classic") {
		err = &membench.ArgError{Name: "--kernel", Value: f.kernel, Want: "one loop with test-mem's lines (--classic, --format classic)"}
	}
	if err != nil {
		return nil, err
	}
	all := make([]membench.Config, len(specs))
	for i := range all {
		all[i] = c
		all[i].KernelSpec, all[i].Kernel = specs[i], variants[i]
	}
	return all, nil
}

// config is configs without the kernel.
func (f *benchFlags) config(args []string, allowed []int) (membench.Config, error) {
	c := membench.Config{
		Repeat: f.repeat, Warmup: f.warmup,
		Held: !f.classic, Verify: !f.noVerify, Force: f.force,
	}
	if len(args) != 3 {
		return c, usagef("want three arguments N T MB (processes, seconds, 2^20 bytes each), such as: memtest 4 10 1500; got %s", quoted(args))
	}
	if err := checkFormat(f.format, "text", "classic", "json", "csv"); err != nil {
		return c, err
	}
	const most = 1_000_000
	if err := checkRepeat(f.repeat, most); err != nil {
		return c, err
	}
	if err := f.untilConfig(&c); err != nil {
		return c, err
	}
	if f.warmup < 0 || f.warmup > most {
		return c, usagef("--warmup: %d is not right: want a number of passes from 0 to %d", f.warmup, most)
	}
	var err error
	if c.Processes, err = membench.ParseProcesses(unshield(args[0])); err != nil {
		return c, err
	}
	if c.MinTime, err = membench.ParseMinTime(unshield(args[1])); err != nil {
		return c, err
	}
	if c.ChunkBytes, err = membench.ParseChunk(unshield(args[2])); err != nil {
		return c, err
	}
	if c.Peak, err = membench.ParsePeak(unshield(f.peak)); err != nil {
		return c, err
	}
	if c.Threads, err = membench.ParseParallel(f.parallel); err != nil {
		return c, err
	}
	if c.Pin, err = membench.ParsePin(f.pin, allowed); err != nil {
		return c, err
	}
	if c.Pages, err = membench.ParsePages(f.pages); err != nil {
		return c, err
	}
	if c.NUMA, err = membench.ParseNUMA(unshield(f.numa)); err != nil {
		return c, err
	}
	if c.Seed, err = membench.ParseSeed(f.seed); err != nil {
		return c, err
	}
	c.Runner, err = splitRunner(f.runner)
	return c, err
}

// splitRunner splits words as a shell does, quotes included.
func splitRunner(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	words, err := shellwords.Parse(s)
	if err != nil || len(words) == 0 {
		return nil, &membench.ArgError{Name: "--runner", Value: s, Want: `a command with its arguments, such as "taskset -c 1"`}
	}
	return words, nil
}

func quoted(args []string) string {
	if len(args) == 0 {
		return "none"
	}
	return "\"" + unshield(strings.Join(args, " ")) + "\""
}

// isTerminal says whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && terminal(f)
}
