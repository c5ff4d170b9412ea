package main

import (
	_ "embed" // for the floor's source
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

//go:embed floor/chase.c
var floorSource []byte

// latencySizes are the sizes of the comparison, in MiB.
var latencySizes = []int{64, 1024}

// latencyGoal is how far memtest may be from a compiled loop, either way.
const latencyGoal = 0.03

// chaser is a program that prints the nanoseconds of a dependent load as the
// last number of its output. In its words {bytes} and {pages} are replaced.
type chaser struct {
	name  string
	words []string
}

// latencies are nanoseconds a load by who measured them.
type latencies map[string][]float64

// latencySuite measures all programs in turn, and writes a table of each size
// and kind of pages.
func (b *bench) latencySuite(w io.Writer, rounds int) error {
	floor := filepath.Join(b.dir, "chase")
	source := floor + ".c"
	if err := os.WriteFile(source, floorSource, 0o600); err != nil {
		return err
	}
	if out, err := exec.Command("gcc", "-O2", "-o", floor, source).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc %s: %w: %.500s", source, err, out)
	}
	chasers := []chaser{{"gcc -O2 loop", []string{floor, "{bytes}", "{pages}", fmt.Sprint(b.seconds)}}}
	if b.chaser != "" {
		words := strings.Fields(b.chaser)
		chasers = append(chasers, chaser{filepath.Base(words[0]), words})
	}
	for _, mb := range latencySizes {
		for _, pages := range []string{"thp", "4k"} {
			all := make(latencies)
			for round := range rounds {
				if err := b.latencyRound(all, chasers, mb, pages, round); err != nil {
					return err
				}
			}
			all.write(w, mb, pages)
		}
	}
	return nil
}

// latencyRound runs everything once, in an order that turns round.
func (b *bench) latencyRound(all latencies, chasers []chaser, mb int, pages string, round int) error {
	type job struct {
		name string
		run  func() (float64, error)
	}
	jobs := []job{{"memtest latency", func() (float64, error) { return b.memtestLatency(mb, pages) }}}
	for _, c := range chasers {
		jobs = append(jobs, job{c.name, func() (float64, error) { return c.run(int64(mb)*mib, pages) }})
	}
	if round%2 == 1 {
		slices.Reverse(jobs)
	}
	for _, j := range jobs {
		ns, err := j.run()
		if err != nil {
			return fmt.Errorf("%s, %d MiB, %s: %w", j.name, mb, pages, err)
		}
		all[j.name] = append(all[j.name], ns)
	}
	return nil
}

func (b *bench) memtestLatency(mb int, pages string) (float64, error) {
	size := fmt.Sprintf("%dM", mb)
	out, err := exec.Command(b.memtest, "latency", "--from", size, "--to", size, "--steps", "1", "--pages", pages, "--repeat", "1",
		"--seconds", fmt.Sprint(b.seconds), "--pin", "none", "--quiet", "--format", "json").Output()
	if err != nil {
		return 0, err
	}
	return parseLatency(out)
}

func parseLatency(out []byte) (float64, error) {
	var r result.Latency
	if err := json.Unmarshal(out, &r); err != nil {
		return 0, err
	}
	if len(r.Samples) != 1 {
		return 0, fmt.Errorf("%d samples in memtest's record, want one", len(r.Samples))
	}
	return r.Samples[0].NS, nil
}

func (c *chaser) run(bytes int64, pages string) (float64, error) {
	words := make([]string, len(c.words))
	for i, w := range c.words {
		words[i] = strings.NewReplacer("{bytes}", strconv.FormatInt(bytes, 10), "{pages}", pages).Replace(w)
	}
	out, err := exec.Command(words[0], words[1:]...).Output()
	if err != nil {
		return 0, err
	}
	return lastNumber(string(out))
}

// lastNumber returns the last word of a text that is a number above 0.
func lastNumber(text string) (float64, error) {
	for _, word := range slices.Backward(strings.Fields(text)) {
		if v, err := strconv.ParseFloat(word, 64); err == nil && v > 0 {
			return v, nil
		}
	}
	return 0, fmt.Errorf("no number in %.100q", text)
}

func (l latencies) write(w io.Writer, mb int, pages string) {
	fmt.Fprintf(w, "\nLatency over %d MiB, %s pages: nanoseconds a dependent load, median and range over the rounds\n\n", mb, pages)
	fmt.Fprintln(w, "| what | median | min | max | memtest / it | median of the rounds' | goal |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---|")
	const ours = "memtest latency"
	own := result.SpreadOf(l[ours])
	fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | | | |\n", ours, own.Median, own.Min, own.Max)
	var names []string
	for n := range l {
		if n != ours {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		s := result.SpreadOf(l[n])
		ratios := make([]float64, len(l[n]))
		for i := range ratios {
			ratios[i] = l[ours][i] / l[n][i]
		}
		rounds := result.SpreadOf(ratios).Median
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %.3f | %.3f | within 3 %% %s |\n", n, s.Median, s.Min, s.Max, own.Median/s.Median, rounds, metIf(rounds > 1-latencyGoal && rounds < 1+latencyGoal))
	}
}
