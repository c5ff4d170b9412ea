// Command benchpeers runs memtest and its peers in turn on the same sizes and
// writes tables of medians, spreads and ratios, in Markdown. bench-peers.sh
// installs the peers and starts it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	memtest := flag.String("memtest", "build/memtest", "the `BINARY` to measure")
	rounds := flag.Int("rounds", 9, "rounds; everything runs once in each")
	mb := flag.Int("mb", 512, "megabytes (2^20 bytes) a process")
	seconds := flag.Float64("seconds", 1, "time of one run")
	preload := flag.Duration("preload", 10*time.Second, "keep both CPUs busy for so long before the runs of two processes")
	flag.Parse()
	if *rounds < 1 || *mb < 1 || *seconds <= 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "benchpeers: want --rounds and --mb of at least 1, --seconds above 0, no arguments")
		os.Exit(2)
	}
	b := bench{memtest: *memtest, mb: *mb, seconds: *seconds, all: map[int]samples{1: {}, 2: {}}}
	start := time.Now()
	for round := range *rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
		for _, n := range []int{1, 2} {
			if n > 1 {
				busy(n, *preload)
			}
			if err := b.round(n, round); err != nil {
				fmt.Fprintf(os.Stderr, "benchpeers: %v\n", err)
				os.Exit(1)
			}
		}
	}
	fmt.Printf("%d rounds, interleaved, %d MiB a process, %.3g s a run, %s in all.\n", *rounds, *mb, *seconds, time.Since(start).Round(time.Second))
	for _, n := range []int{1, 2} {
		b.all[n].writeTable(os.Stdout, n)
		b.all[n].writeGoals(os.Stdout, n)
	}
	const mostRSS, mostTime = 8 * mib, 500 * time.Millisecond
	fmt.Printf("\nA worker's own memory beyond its chunk: at most %.2f MiB (8: %s). The command took at most %.2f s longer\nthan touching, passes and verification (0.5: %s).\n",
		float64(b.worst.extraRSS)/mib, metIf(b.worst.extraRSS <= mostRSS), float64(b.worst.extraNS)/1e9, metIf(b.worst.extraNS <= int64(mostTime)))
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
	mb      int
	seconds float64
	all     map[int]samples
	worst   cost
}

// A subject is one thing to run; it adds its figures for n processes.
type subject struct {
	name string
	run  func(n int) (map[string]float64, error)
}

// round runs every subject once, forwards and backwards in turn, so that none
// always goes first.
func (b *bench) round(n, round int) error {
	subjects := b.subjects()
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

func (b *bench) subjects() []subject {
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

func (b *bench) runMemtest(kernel string, n int) (map[string]float64, error) {
	out, err := output(b.memtest, fmt.Sprint(n), fmt.Sprint(b.seconds), fmt.Sprint(b.mb), "--kernel", kernel, "--format", "json")
	if err != nil {
		return nil, err
	}
	run, err := parseMemtest(out)
	if err != nil {
		return nil, err
	}
	c := costOf(run)
	b.worst.extraRSS, b.worst.extraNS = max(b.worst.extraRSS, c.extraRSS), max(b.worst.extraNS, c.extraNS)
	rate, err := aggregate(run)
	return map[string]float64{"memtest " + kernel: rate}, err
}

// runMbw starts n of them at once, for it knows one process only, and adds.
func (b *bench) runMbw(n int) (map[string]float64, error) {
	rates := make(map[string]float64)
	for method, name := range []string{"mbw memcpy", "mbw dumb", "mbw mcblock"} {
		var wg sync.WaitGroup
		outs, errs := make([]string, n), make([]error, n)
		for i := range n {
			wg.Go(func() {
				outs[i], errs[i] = output("mbw", "-q", "-n", "10", fmt.Sprintf("-t%d", method), fmt.Sprint(b.mb))
			})
		}
		wg.Wait()
		for i := range n {
			r, err := one(name, outs[i], errs[i], parseMbw)
			if err != nil {
				return nil, err
			}
			rates[name] += r[name]
		}
	}
	return rates, nil
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
