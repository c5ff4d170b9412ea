package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"wordsize/internal/result"
)

// kernelRuns are the seed's run taken for four kernels of different traffic.
func kernelRuns(parallel string) []*result.Run {
	var runs []*result.Run
	for i, k := range []result.Kernel{
		{Name: "read", Tier: "avx2", BytesPerPass: 1200, BusBytesPerPass: new(int64(1200)), Arrays: 1, ArrayBytes: 1200},
		{Name: "copy", Tier: "avx2", WriteAllocate: true, BytesPerPass: 1200, BusBytesPerPass: new(int64(1800)), Arrays: 2, ArrayBytes: 600},
		{Name: "triad", Tier: "avx512", WriteAllocate: true, BytesPerPass: 1200, BusBytesPerPass: new(int64(1600)), Arrays: 3, ArrayBytes: 400},
		{Name: "memmove", Tier: "go", BytesPerPass: 1200, Arrays: 2, ArrayBytes: 600},
	} {
		run := seedRun()
		run.Kernel, run.Args.Kernel, run.Args.Parallel = k, k.Name, parallel
		run.Warnings = append(run.Warnings, result.Warning{Code: result.WarnSteal, Phase: "parallel", Values: map[string]float64{"percent": float64(2 + i)}})
		runs = append(runs, run)
	}
	runs[1].Warnings = append(runs[1].Warnings, result.Warning{Code: result.WarnThrottled, Phase: "single", Values: map[string]float64{"periods": 3}})
	runs[3].Launches[0].Phases = runs[3].Launches[0].Phases[:1] // interrupted
	return runs
}

func TestKernelTable(t *testing.T) {
	var b bytes.Buffer
	runs := kernelRuns(result.ParallelProcesses)
	threads := kernelRuns(result.ParallelThreads)[:1]
	threads[0].Args.Repeat = 2
	threads[0].Launches = append(threads[0].Launches, result.Launch{Phases: []result.Phase{
		phase(result.PhaseSingle, 10000), phase(result.PhaseParallel, 30000, 31000, 32000, 33000),
	}})
	for _, write := range []func() error{
		func() error { return KernelTable(&b, runs) },
		func() error { return MeasuredOn(&b, runs...) },
		func() error { return KernelWarnings(&b, runs) },
		func() error { return KernelTable(&b, threads) },
		func() error { return MeasuredOn(&b, threads...) },
		func() error { return WriteAllocate(&b, runs[2]) },
		func() error { return WriteAllocate(&b, runs[0]) },
		func() error { return WriteAllocate(&b, runs[3]) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "run-kernels.txt", b.Bytes())
}

// Records without the key, from before it was there, tell no traffic.
func TestBusRateInCSV(t *testing.T) {
	var b bytes.Buffer
	runs := kernelRuns(result.ParallelProcesses)
	if err := RunCSV(&b, runs[1], runs[3], seedRun()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 1+5+1+5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	column := func(row []string, name string) string {
		for i, h := range rows[0] {
			if h == name {
				return row[i]
			}
		}
		t.Fatalf("no column %q", name)
		return ""
	}
	if got := column(rows[1], "bus_bytes_per_s"); got != "2871774282" { // 1.5 times 1914516188
		t.Errorf("copy: %q", got)
	}
	if got := column(rows[6], "bus_bytes_per_s") + column(rows[7], "bus_bytes_per_s"); got != "" {
		t.Errorf("unknown traffic is shown as %q", got)
	}
	if !strings.Contains(rows[1][2], "copy") || rows[6][2] != "memmove" {
		t.Errorf("kernels %q and %q", rows[1][2], rows[6][2])
	}
}
