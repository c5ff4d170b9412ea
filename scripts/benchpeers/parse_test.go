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

// STREAM's output as version 5.10 prints it.
func TestParseStream(t *testing.T) {
	best, mean, err := parseStream(`Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:           30000.0     0.020000     0.010000     0.030000
Scale:          20000.0     0.010000     0.010000     0.010000
Add:            24000.0     0.012500     0.010000     0.030000
Triad:          25000.0     0.020000     0.010000     0.030000
Solution Validates: avg error less than 1.000000e-13 on all three arrays`)
	if err != nil || best["copy"] != 30e9 || mean["copy"] != 15e9 || mean["scale"] != 20e9 || math.Abs(mean["add"]-19.2e9) > 1 {
		t.Errorf("%v, %v, %v", best, mean, err)
	}
	for _, out := range []string{"", "Copy: 0.0 1 1 1", "Copy: 1.0 1.0 1.0 1.0\n"} {
		if _, _, err := parseStream(out); err == nil {
			t.Errorf("%q gives no error", out)
		}
	}
}

func TestParseTiny(t *testing.T) {
	got, err := parseTiny(`tinymembench v0.4.9 (simple benchmark for memory throughput and latency)
== Note 1: 1MB = 1000000 bytes                                          ==
 C copy backwards                                     :   7266.0 MB/s (0.2%)
 C 2-pass copy                                        :  99999.0 MB/s
 C fill                                               :  12000.0 MB/s
 standard memcpy                                      :  12151.6 MB/s (0.3%)
 SSE2 nontemporal copy                                :  12500.5 MB/s
`)
	if err != nil || math.Abs(got-2*12500.5e6) > 1 {
		t.Errorf("%g, %v", got, err)
	}
	if _, err := parseTiny(" C fill   :  12000.0 MB/s"); err == nil {
		t.Error("no copy gives no error")
	}
}

func TestStreamGoals(t *testing.T) {
	s := samples{
		"memtest read": {30e9}, "likwid load_avx": {30e9}, "likwid load_mem": {31e9},
		"memtest copy": {40e9}, "memtest copy-nt": {50e9}, "likwid copy_avx": {35e9}, "likwid copy_mem_avx": {52e9}, "mbw both memcpy": {45e9},
		"memtest triad": {38e9}, "likwid stream_avx": {37e9}, "likwid stream_mem_avx": {60e9}, "STREAM triad": {39e9},
	}
	var b strings.Builder
	s.writeGoals(&b, 1)
	for _, want := range []string{
		"| memtest read | likwid load_mem | 0.968 | 0.968 | >= 0.98 missed |",
		"| memtest copy | likwid copy_avx | 1.143 |", "| memtest copy-nt | likwid copy_mem_avx | 0.962 |",
		"| memtest triad | likwid stream_avx | 1.027 |", "| memtest triad | STREAM triad | 0.974 |", "| memtest copy-nt | mbw both memcpy | 1.111 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "tinymembench") || strings.Contains(b.String(), "sysbench") {
		t.Errorf("goals without figures:\n%s", b.String())
	}
}

func TestBestPass(t *testing.T) {
	w := result.Worker{StartNS: 0, PassEndNS: []int64{20, 30, 50, 51}, PassStride: 1, Passes: 3, BytesPerPass: 100}
	r := &result.Run{Launches: []result.Launch{{Phases: []result.Phase{{Name: result.PhaseParallel, Workers: []result.Worker{w, w}}}}}}
	if got, ok := bestPass(r); !ok || got != 20e9 {
		t.Errorf("%g, %v; want two times 100 bytes in 10 ns", got, ok)
	}
}

func TestCost(t *testing.T) {
	w := result.Worker{FirstTouchNS: 10, WarmupNS: 5, StartNS: 0, StopNS: 100, VerifyNS: new(int64(7)), ProcessRSS: new(int64(1100))}
	r := &result.Run{ElapsedNS: 300, Args: result.Args{ChunkBytes: 1000}, Launches: []result.Launch{{Phases: []result.Phase{{Workers: []result.Worker{w}}, {Workers: []result.Worker{w}}}}}}
	if c := costOf(r); c.extraNS != 300-2*122 || c.extraRSS != 100 {
		t.Errorf("%+v", c)
	}
}
