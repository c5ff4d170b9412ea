package main

import (
	"strings"
	"testing"
)

func TestLastNumber(t *testing.T) {
	for text, want := range map[string]float64{"94.25\n": 94.25, "chase: 3 threads\n 91.0 ns\n": 91, "x 5 0 -": 5} {
		if got, err := lastNumber(text); err != nil || got != want {
			t.Errorf("%q: %g, %v; want %g", text, got, err, want)
		}
	}
	if v, err := lastNumber("no idea"); err == nil {
		t.Errorf("%g out of nothing", v)
	}
}

func TestParseLatency(t *testing.T) {
	if ns, err := parseLatency([]byte(`{"kind":"memtest-latency","samples":[{"ns":93.5}]}`)); err != nil || ns != 93.5 {
		t.Errorf("%g, %v", ns, err)
	}
	if _, err := parseLatency([]byte(`{"samples":[]}`)); err == nil {
		t.Error("a record without a sample")
	}
}

func TestLatencyTable(t *testing.T) {
	var b strings.Builder
	l := latencies{"memtest latency": {100, 102, 104}, "loop": {99, 100, 103}, "far": {50, 50, 50}}
	l.write(&b, 64, "thp")
	for _, want := range []string{"| memtest latency | 102.00 |", "| loop | 100.00 | 99.00 | 103.00 | 1.020 | 1.010 | within 3 % met |", "| far | 50.00 | 50.00 | 50.00 | 2.040 | 2.040 | within 3 % missed |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing:\n%s", want, b.String())
		}
	}
}
