package main

import (
	"encoding/json"
	"fmt"
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

func parseMemtest(out string) (*result.Run, error) {
	var r result.Run
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return nil, fmt.Errorf("memtest's record: %w", err)
	}
	return &r, nil
}

// aggregate returns the rate of all N processes.
func aggregate(r *result.Run) (float64, error) {
	for _, l := range r.Launches {
		for _, p := range l.Phases {
			if p.Name == result.PhaseParallel && p.Summary != nil && p.Summary.Aggregate != nil {
				return *p.Summary.Aggregate, nil
			}
		}
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
