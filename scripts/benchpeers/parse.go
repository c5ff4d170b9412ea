package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

const mib = 1 << 20

// Rates are bytes a second. Every parser knows which megabyte its program
// means: likwid-bench and memtest 10^6, the others 2^20 (stress-ng prints
// "MB" for it).

func parseLikwid(out string) (float64, error) {
	return figure(out, regexp.MustCompile(`MByte/s:\s+([\d.]+)`), 1e6)
}

func parseSysbench(out string) (float64, error) {
	return figure(out, regexp.MustCompile(`\(([\d.]+) MiB/sec\)`), mib)
}

// parseMbw reads one method's average, which counts each byte copied once.
func parseMbw(out string) (float64, error) {
	return figure(out, regexp.MustCompile(`AVG\s+Method: \w+\s.*Copy: ([\d.]+) MiB/s`), mib)
}

var streamLine = regexp.MustCompile(`(?m)^(Copy|Scale|Add|Triad):\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)`)

// parseStream returns the rates of STREAM's four kernels: "best", which it
// prints (in 10^6 bytes), and "mean", from its average time.
func parseStream(out string) (best, mean map[string]float64, err error) {
	best, mean = make(map[string]float64), make(map[string]float64)
	for _, m := range streamLine.FindAllStringSubmatch(out, -1) {
		var v [3]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(m[2+i], 64); err != nil || v[i] <= 0 {
				return nil, nil, fmt.Errorf("figure %q of STREAM's %s: %v", m[2+i], m[1], err)
			}
		}
		name := strings.ToLower(m[1])
		best[name] = v[0] * 1e6
		mean[name] = best[name] * v[2] / v[1] // least time over average time
	}
	if len(best) != 4 {
		return nil, nil, fmt.Errorf("not STREAM's four figures in output %.200q", out)
	}
	return best, mean, nil
}

var tinyLine = regexp.MustCompile(`(?m)^\s*(.*\bcopy\b.*|standard memcpy)\s+:\s+([\d.]+) MB/s`)

// parseTiny returns tinymembench's best copy, in bytes read and written: it
// counts each byte copied once, and its MB are 10^6 bytes. What copies in two
// passes by a buffer in the cache is none of the kind.
func parseTiny(out string) (float64, error) {
	best := 0.0
	for _, m := range tinyLine.FindAllStringSubmatch(out, -1) {
		if strings.Contains(m[1], "2-pass") {
			continue
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return 0, err
		}
		best = max(best, 2*v*1e6)
	}
	if best == 0 {
		return 0, fmt.Errorf("no copies in tinymembench's output %.200q", out)
	}
	return best, nil
}

func figure(out string, re *regexp.Regexp, unit float64) (float64, error) {
	m := re.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("no %s in output %.200q", re, out)
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || v <= 0 {
		return 0, fmt.Errorf("figure %q in output: %v", m[1], err)
	}
	return v * unit, nil
}

var stressLine = regexp.MustCompile(`memrate\s+([\d.]+) (\w+) MB per sec`)

// parseStress returns each method's rate, for one of the instances.
func parseStress(out string) (map[string]float64, error) {
	rates := make(map[string]float64)
	for _, m := range stressLine.FindAllStringSubmatch(out, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return nil, err
		}
		rates[m[2]] = v * mib
	}
	if len(rates) == 0 {
		return nil, fmt.Errorf("no memrate figures in output %.200q", out)
	}
	return rates, nil
}

// stressWrites are stress-ng's methods of ordinary stores.
func stressWrites(method string) bool {
	return strings.HasPrefix(method, "write") && !strings.Contains(method, "sto") && !strings.HasSuffix(method, "nt")
}

func parseMemtest(out string) ([]*result.Run, error) {
	runs, err := result.ParseRuns([]byte(out))
	if err != nil {
		return nil, fmt.Errorf("memtest's record %w", err)
	}
	return runs, nil
}

// bestPass returns the rate of all N processes at their best: each one's
// fastest pass while it was counted, as STREAM reports of its threads.
func bestPass(r *result.Run) (float64, bool) {
	for _, l := range r.Launches {
		for _, p := range l.Phases {
			if p.Name != result.PhaseParallel {
				continue
			}
			sum := 0.0
			for _, w := range p.Workers {
				if w.PassStride != 1 || int64(len(w.PassEndNS)) < w.Passes {
					return 0, false
				}
				last, least := w.StartNS, int64(math.MaxInt64)
				for _, end := range w.PassEndNS[:w.Passes] {
					least, last = min(least, end-last), end
				}
				sum += float64(w.BytesPerPass) / float64(least) * 1e9
			}
			return sum, sum > 0
		}
	}
	return 0, false
}

// aggregate returns the rate of all N processes.
func aggregate(r *result.Run) (float64, error) {
	if rates := r.Aggregates(result.PhaseParallel); len(rates) > 0 {
		return rates[0], nil
	}
	return 0, fmt.Errorf("memtest's record has no aggregate")
}

// cost is what a run of memtest took beyond its work.
type cost struct {
	extraRSS int64 // bytes of a worker beyond its chunk, the most
	extraNS  int64 // of the command beyond touching, passes and verification
}

func costOf(r *result.Run) cost {
	c := cost{extraNS: r.ElapsedNS}
	for _, l := range r.Launches {
		for _, p := range l.Phases {
			var work int64
			for _, w := range p.Workers {
				mine := w.FirstTouchNS + w.WarmupNS + (w.StopNS - w.StartNS)
				if w.VerifyNS != nil {
					mine += *w.VerifyNS
				}
				work = max(work, mine)
				if w.ProcessRSS != nil {
					c.extraRSS = max(c.extraRSS, *w.ProcessRSS-r.Args.ChunkBytes)
				}
			}
			c.extraNS -= work
		}
	}
	return c
}
