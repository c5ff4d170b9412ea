package main

import (
	"math"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestParsers(t *testing.T) {
	for name, c := range map[string]struct {
		parse func(string) (float64, error)
		out   string
		want  float64
	}{
		"likwid":   {parseLikwid, "Size per thread:\t512000000\nMByte/s:\t\t33381.20\nCycles", 33381.20e6},
		"sysbench": {parseSysbench, "18944.00 MiB transferred (18603.25 MiB/sec)\n", 18603.25 * mib},
		"mbw":      {parseMbw, "0\tMethod: MEMCPY\tElapsed: 0.03\tMiB: 512.0\tCopy: 16026.042 MiB/s\nAVG\tMethod: MEMCPY\tElapsed: 0.03153\tMiB: 512.00000\tCopy: 16239.533 MiB/s\n", 16239.533 * mib},
	} {
		if got, err := c.parse(c.out); err != nil || math.Abs(got-c.want) > 1 {
			t.Errorf("%s: %g, %v, want %g", name, got, err, c.want)
		}
		if _, err := c.parse("Segmentation fault"); err == nil {
			t.Errorf("%s: output without a figure gives no error", name)
		}
	}
}

func TestParseStress(t *testing.T) {
	rates, err := parseStress(`stress-ng: metrc: [1] memrate            30824.14 write64stoq MB per sec (geometic mean of 1 instances)
stress-ng: metrc: [1] memrate            30257.23 write64 MB per sec (geometic mean of 1 instances)
stress-ng: metrc: [1] memrate            13792.36 read8 MB per sec (geometic mean of 1 instances)`)
	if err != nil || len(rates) != 3 || rates["write64"] != 30257.23*mib {
		t.Errorf("%v, %v", rates, err)
	}
	if !stressWrites("write64") || stressWrites("write64stoq") || stressWrites("memset") || stressWrites("write128nt") {
		t.Error("ordinary writes are told wrongly from the others")
	}
	if _, err := parseStress(""); err == nil {
		t.Error("no error for no figures")
	}
}

func TestGoals(t *testing.T) {
	s := samples{
		"memtest write": {30e9, 30e9}, "memtest write-nt": {40e9}, "memtest zero": {80e9},
		"likwid store": {31e9, 31e9}, "likwid store_avx": {28e9, 30e9}, "likwid store_mem_avx": {44e9}, "sysbench write": {26e9}, "stress-ng write64": {31e9}, "stress-ng memset": {41e9},
	}
	var b strings.Builder
	s.writeGoals(&b, 1)
	for _, want := range []string{
		"| memtest write | likwid store | 0.968 | 0.968 | >= 0.98 missed |",
		"| memtest write-nt | likwid store_mem_avx | 0.909 | 0.909 | >= 0.98 missed |",
		"| memtest zero | likwid store_mem_avx | 1.818 | 1.818 | >= 1.00 met |",
		"| memtest write | sysbench write | 1.154 | 1.154 | >= 1.00 met |",
		"| memtest write | stress-ng write64 | 0.968 | 0.968 | >= 1.00 missed |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestCost(t *testing.T) {
	w := result.Worker{FirstTouchNS: 10, WarmupNS: 5, StartNS: 0, StopNS: 100, VerifyNS: new(int64(7)), ProcessRSS: new(int64(1100))}
	r := &result.Run{ElapsedNS: 300, Args: result.Args{ChunkBytes: 1000}, Launches: []result.Launch{{Phases: []result.Phase{{Workers: []result.Worker{w}}, {Workers: []result.Worker{w}}}}}}
	if c := costOf(r); c.extraNS != 300-2*122 || c.extraRSS != 100 {
		t.Errorf("%+v", c)
	}
}
