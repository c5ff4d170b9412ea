// Command benchpeers runs memtest and its peers in turn on the same sizes and
// writes tables of medians, spreads and ratios, in Markdown. bench-peers.sh
// installs the peers and starts it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"wordsize/internal/result"
)

func main() {
	memtest := flag.String("memtest", "build/memtest", "the `BINARY` to measure")
	suite := flag.String("suite", "all", "what to compare: write, stream (reads, copies, triads), latency or all")
	rounds := flag.Int("rounds", 9, "rounds; everything runs once in each")
	mb := flag.Int("mb", 512, "megabytes (2^20 bytes) a process")
	seconds := flag.Float64("seconds", 1, "time of one run")
	preload := flag.Duration("preload", 10*time.Second, "keep both CPUs busy for so long before the runs of two processes")
	stream := flag.String("stream", "", "STREAM's `SOURCE`, stream.c, which no distribution has; it is compiled by gcc")
	tiny := flag.String("tinymembench", "", "tinymembench's `BINARY`, which no distribution has")
	chase := flag.String("chaser", "", "another program that measures latency, such as `\"multichase -m {bytes} -s 64\"`: the last number that it prints is ns a load")
	keep := flag.Int("keep", 2, "of each family of likwid's reading kernels, how many to take into the rounds")
	flag.Parse()
	if *rounds < 1 || *mb < 1 || *seconds <= 0 || *keep < 1 || flag.NArg() > 0 || suites[*suite] == nil {
		fmt.Fprintln(os.Stderr, "benchpeers: want --rounds, --mb and --keep of at least 1, --seconds above 0, --suite write, stream, latency or all, no arguments")
		os.Exit(2)
	}
	b := bench{memtest: *memtest, suite: *suite, mb: *mb, seconds: *seconds, streamSource: *stream, tiny: *tiny, chaser: *chase, keep: *keep, all: map[int]samples{1: {}, 2: {}}}
	if err := b.run(*rounds, *preload); err != nil {
		fmt.Fprintf(os.Stderr, "benchpeers: %v\n", err)
		os.Exit(1)
	}
}

// run makes all rounds and prints what came out.
func (b *bench) run(rounds int, preload time.Duration) error {
	start := time.Now()
	if err := b.prepare(); err != nil {
		return err
	}
	defer b.clean()
	if b.suite == "latency" {
		fmt.Printf("%d rounds, interleaved, %.3g s a run.\n", rounds, b.seconds)
		return b.latencySuite(os.Stdout, rounds)
	}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
		for _, n := range []int{1, 2} {
			if n > 1 {
				busy(n, preload)
			}
			if err := b.round(n, round); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d rounds, interleaved, %d MiB a process, %.3g s a run, %s in all.\n", rounds, b.mb, b.seconds, time.Since(start).Round(time.Second))
	for _, s := range b.skipped {
		fmt.Printf("Left out: %s.\n", s)
	}
	for _, n := range []int{1, 2} {
		b.all[n].writeTable(os.Stdout, n)
		b.all[n].writeGoals(os.Stdout, n)
	}
	if b.suite == "all" {
		if err := b.latencySuite(os.Stdout, rounds); err != nil {
			return err
		}
	}
	const mostRSS, mostTime = 8 * mib, 500 * time.Millisecond
	fmt.Printf("\nA worker's own memory beyond its chunk: at most %.2f MiB (8: %s). The command took at most %.2f s longer\nthan touching, passes and verification (0.5: %s).\n",
		float64(b.worst.extraRSS)/mib, metIf(b.worst.extraRSS <= mostRSS), float64(b.worst.extraNS)/1e9, metIf(b.worst.extraNS <= int64(mostTime)))
	return nil
}

// busy keeps n CPUs busy. Hypervisors put a guest's idle CPUs onto one core
// and spread them only when both have been busy for seconds; without this the
// figures of two processes are those of one core or of two, by chance.
func busy(n int, d time.Duration) {
	end := time.Now().Add(d)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for time.Now().Before(end) {
			}
		})
	}
	wg.Wait()
}

type bench struct {
	memtest string
	suite   string
	mb      int
	seconds float64
	all     map[int]samples
	worst   cost

	streamSource string
	streamBin    map[int]string // by number of threads
	tiny         string
	chaser       string
	keep         int
	dir          string
	likwid       map[string][]string // of each family, the kernels that were kept
	skipped      []string
}

// suites are the sets of subjects by name.
var suites = map[string][]func(*bench) []subject{
	"write":   {(*bench).writeSubjects},
	"stream":  {(*bench).streamSubjects},
	"latency": {}, // which is no rate
	"all":     {(*bench).writeSubjects, (*bench).streamSubjects},
}

// A subject is one thing to run; it adds its figures for n processes.
type subject struct {
	name string
	run  func(n int) (map[string]float64, error)
}

// round runs every subject once, forwards and backwards in turn, so that none
// always goes first.
func (b *bench) round(n, round int) error {
	var subjects []subject
	for _, of := range suites[b.suite] {
		subjects = append(subjects, of(b)...)
	}
	if round%2 == 1 {
		slices.Reverse(subjects)
	}
	for _, s := range subjects {
		rates, err := s.run(n)
		if err != nil {
			return fmt.Errorf("%s, %d process(es): %w", s.name, n, err)
		}
		for name, rate := range rates {
			b.all[n][name] = append(b.all[n][name], rate)
		}
	}
	return nil
}

func (b *bench) writeSubjects() []subject {
	var all []subject
	memtest := func(k string) {
		all = append(all, subject{"memtest " + k, func(n int) (map[string]float64, error) { return b.runMemtest(k, n) }})
	}
	likwid := func(kernels ...string) {
		for _, k := range kernels {
			name := "likwid " + k
			all = append(all, subject{name, func(n int) (map[string]float64, error) {
				out, err := output("likwid-bench", "-t", k, "-s", fmt.Sprint(max(1, int(b.seconds))), "-w", fmt.Sprintf("S0:%dkB:%d", b.mb*mib/1000*n, n))
				return one(name, out, err, parseLikwid)
			}})
		}
	}
	// What is compared stands side by side.
	memtest("write-int")
	likwid("store", "store_avx512", "store_avx")
	memtest("write")
	all = append(all,
		subject{"sysbench", func(n int) (map[string]float64, error) {
			out, err := output("sysbench", "memory", fmt.Sprintf("--memory-block-size=%dM", b.mb), "--memory-total-size=100T", "--memory-oper=write",
				"--memory-scope=local", fmt.Sprintf("--threads=%d", n), fmt.Sprintf("--time=%d", max(1, int(b.seconds))), "run")
			return one("sysbench write", out, err, parseSysbench)
		}},
		subject{"mbw", b.runMbw},
		subject{"stress-ng", func(n int) (map[string]float64, error) {
			// Its bytes are a total that it divides among instances.
			out, err := output("stress-ng", "--memrate", fmt.Sprint(n), "--memrate-bytes", fmt.Sprintf("%dM", b.mb*n), "--metrics-brief", "-t", "4")
			if err != nil {
				return nil, err
			}
			rates, err := parseStress(out)
			named := make(map[string]float64)
			for m, r := range rates {
				if !strings.HasPrefix(m, "read") {
					named["stress-ng "+m] = r * float64(n)
				}
			}
			return named, err
		}})
	memtest("zero/stosb")
	memtest("zero")
	likwid("store_mem", "store_mem_sse", "store_mem_avx512", "store_mem_avx")
	memtest("write-nt")
	return all
}

// runMemtest runs one kernel or several, with commas; flags are further ones.
func (b *bench) runMemtest(kernels string, n int, flags ...string) (map[string]float64, error) {
	args := append([]string{fmt.Sprint(n), fmt.Sprint(b.seconds), fmt.Sprint(b.mb), "--kernel", kernels, "--format", "json"}, flags...)
	out, err := output(b.memtest, args...)
	if err != nil {
		return nil, err
	}
	runs, err := parseMemtest(out)
	if err != nil {
		return nil, err
	}
	rates := make(map[string]float64)
	for _, run := range runs {
		if run.Args.Parallel == result.ParallelProcesses {
			c := costOf(run)
			b.worst.extraRSS, b.worst.extraNS = max(b.worst.extraRSS, c.extraRSS), max(b.worst.extraNS, c.extraNS)
		}
		name := "memtest " + run.Args.Kernel
		if len(flags) > 0 {
			name += " (" + run.Args.Parallel + ")"
		}
		if rates[name], err = aggregate(run); err != nil {
			return nil, err
		}
		if best, ok := bestPass(run); ok && run.Kernel.Arrays > 1 {
			rates[name+" best pass"] = best
		}
	}
	return rates, nil
}

// runMbw runs mbw's three methods.
func (b *bench) runMbw(n int) (map[string]float64, error) {
	rates := make(map[string]float64)
	for method, name := range mbwMethods {
		r, err := atOnce(n, parseMbw, "mbw", "-q", "-n", "10", fmt.Sprintf("-t%d", method), fmt.Sprint(b.mb))
		if err != nil {
			return nil, err
		}
		rates["mbw "+name] = r
	}
	return rates, nil
}

var mbwMethods = []string{"memcpy", "dumb", "mcblock"}

// atOnce starts n of a program that knows one process only, and adds.
func atOnce(n int, parse func(string) (float64, error), name string, args ...string) (float64, error) {
	var wg sync.WaitGroup
	rates, errs := make([]float64, n), make([]error, n)
	for i := range n {
		wg.Go(func() {
			var out string
			if out, errs[i] = output(name, args...); errs[i] == nil {
				rates[i], errs[i] = parse(out)
			}
		})
	}
	wg.Wait()
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	return sum, errors.Join(errs...)
}

func one(name, out string, err error, parse func(string) (float64, error)) (map[string]float64, error) {
	if err != nil {
		return nil, err
	}
	rate, err := parse(out)
	return map[string]float64{name: rate}, err
}

// output runs a program and returns what it wrote to either stream.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %.300s", cmd, err, out)
	}
	return string(out), nil
}
