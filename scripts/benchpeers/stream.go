package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// likwidFamilies are likwid-bench's kernels by what memtest's kernel they are
// set beside. Its "stream" is STREAM's triad; its "triad" has four arrays.
var likwidFamilies = map[string][]string{
	"load":      {"load", "load_sse", "load_avx", "load_avx512", "load_mem"},
	"copy":      {"copy", "copy_sse", "copy_avx", "copy_avx512"},
	"copy_mem":  {"copy_mem", "copy_mem_sse", "copy_mem_avx", "copy_mem_avx512"},
	"triad":     {"stream", "stream_sse", "stream_avx", "stream_avx_fma", "stream_avx512", "triad_avx"},
	"triad_mem": {"stream_mem", "stream_mem_sse", "stream_mem_avx", "stream_mem_avx_fma", "stream_mem_avx512", "triad_mem_avx"},
}

// prepare compiles STREAM and tries likwid's kernels.
func (b *bench) prepare() error {
	if b.suite == "write" {
		return nil
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "benchpeers-"); err != nil {
		return err
	}
	if b.suite == "latency" {
		return nil
	}
	if b.tiny == "" {
		b.skipped = append(b.skipped, "tinymembench (no --tinymembench BINARY)")
	}
	if err := b.compileStream(); err != nil {
		return err
	}
	b.chooseLikwid()
	return nil
}

func (b *bench) clean() { os.RemoveAll(b.dir) }

// compileStream compiles STREAM for as much memory a thread as memtest has.
func (b *bench) compileStream() error {
	if b.streamSource == "" {
		b.skipped = append(b.skipped, "STREAM (no --stream SOURCE)")
		return nil
	}
	b.streamBin = make(map[int]string)
	for _, n := range []int{1, 2} {
		bin := filepath.Join(b.dir, fmt.Sprintf("stream-%d", n))
		elements := int64(n) * int64(b.mb) * mib / 3 / 8
		// Repetitions for about as long as memtest runs, at 30 GB/s.
		times := max(5, int(b.seconds*30e9/float64(b.mb*mib)))
		cmd := exec.Command("gcc", "-O3", "-march=native", "-fopenmp", "-mcmodel=medium",
			fmt.Sprintf("-DSTREAM_ARRAY_SIZE=%d", elements), fmt.Sprintf("-DNTIMES=%d", times), "-o", bin, b.streamSource)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %.500s", cmd, err, out)
		}
		b.streamBin[n] = bin
	}
	return nil
}

// chooseLikwid runs all kernels of each family once and keeps the fastest for
// the rounds: with all of them a round would take so long that the machine
// changes meanwhile. Those without a figure are left out by name.
func (b *bench) chooseLikwid() {
	b.likwid = make(map[string][]string)
	for name, kernels := range likwidFamilies {
		rates := make(map[string]float64)
		for _, k := range kernels {
			r, err := b.runLikwid(k, 1)
			if err != nil {
				b.skipped = append(b.skipped, "likwid "+k+" (it gives no figure here)")
				continue
			}
			rates[k] = r
		}
		var order []string
		for k := range rates {
			order = append(order, k)
		}
		slices.SortFunc(order, func(x, y string) int { return cmp.Compare(rates[y], rates[x]) })
		b.likwid[name] = order[:min(b.keep, len(order))]
		fmt.Fprintf(os.Stderr, "likwid %s: of %d, %s\n", name, len(order), strings.Join(b.likwid[name], ", "))
	}
	slices.Sort(b.skipped)
}

// runLikwid has a number of iterations given, for else it takes seconds to
// find one: for as long as memtest runs, at 30 GB/s.
func (b *bench) runLikwid(kernel string, n int) (float64, error) {
	iterations := max(4, int(b.seconds*30e9/float64(b.mb*mib)))
	out, err := output("likwid-bench", "-t", kernel, "-i", fmt.Sprint(iterations), "-w", fmt.Sprintf("S0:%dkB:%d", b.mb*mib/1000*n, n))
	if err != nil {
		return 0, err
	}
	return parseLikwid(out)
}

// streamSubjects are what reads, and calculates as STREAM does. What is
// compared stands side by side.
func (b *bench) streamSubjects() []subject {
	var all []subject
	add := func(name string, run func(n int) (map[string]float64, error)) { all = append(all, subject{name, run}) }
	memtest := func(k string, flags ...string) {
		add("memtest "+k, func(n int) (map[string]float64, error) { return b.runMemtest(k, n, flags...) })
	}
	likwid := func(family string) {
		for _, k := range b.likwid[family] {
			add("likwid "+k, func(n int) (map[string]float64, error) {
				rate, err := b.runLikwid(k, n)
				return map[string]float64{"likwid " + k: rate}, err
			})
		}
	}
	memtest("read")
	likwid("load")
	likwid("copy_mem")
	memtest("copy-nt,copy")
	likwid("copy")
	add("mbw", b.runMbwBoth)
	if b.tiny != "" {
		add("tinymembench", func(n int) (map[string]float64, error) {
			rate, err := atOnce(n, parseTiny, b.tiny)
			return map[string]float64{"tinymembench copy": rate}, err
		})
	}
	memtest("scale,add,triad")
	if b.streamBin != nil {
		add("STREAM", b.runStream)
	}
	memtest("triad", "--parallel", "threads")
	likwid("triad")
	likwid("triad_mem")
	memtest("triad-nt")
	return all
}

// runMbwBoth counts what mbw copies both ways, over as much memory as
// memtest's two arrays have.
func (b *bench) runMbwBoth(n int) (map[string]float64, error) {
	rates := make(map[string]float64)
	for method, name := range mbwMethods {
		r, err := atOnce(n, parseMbw, "mbw", "-q", "-n", "8", fmt.Sprintf("-t%d", method), fmt.Sprint(max(1, b.mb/2)))
		if err != nil {
			return nil, err
		}
		rates["mbw both "+name] = 2 * r
	}
	return rates, nil
}

// runStream runs STREAM with n threads, each bound to a CPU.
func (b *bench) runStream(n int) (map[string]float64, error) {
	out, err := output("env", fmt.Sprintf("OMP_NUM_THREADS=%d", n), "OMP_PROC_BIND=true", b.streamBin[n])
	if err != nil {
		return nil, err
	}
	best, mean, err := parseStream(out)
	if err != nil {
		return nil, err
	}
	rates := make(map[string]float64)
	for k := range best {
		rates["STREAM "+k], rates["STREAM "+k+" best"] = mean[k], best[k]
	}
	return rates, nil
}
