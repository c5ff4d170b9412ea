package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

// seedWorker is a process of the original test-mem's run of 4 × 1500 MB on
// the 32-bit machine: 13 passes in so many milliseconds.
func seedWorker(index int, ms float64) result.Worker {
	const chunk = 1500 << 20
	end := int64(ms*1e6 + 0.5)
	w := result.Worker{
		Index: index, PID: 100 + index, EndNS: end, StopNS: end, Passes: 13, PassStride: 1, BytesPerPass: chunk, Mappings: 1,
		MinorFaults: new(int64(0)), MajorFaults: new(int64(0)), StartCPU: new(index), EndCPU: new(index),
		ChunkResident: new(int64(chunk)), ChunkHuge: new(int64(0)), VerifiedBytes: new(int64(chunk)),
	}
	for i := int64(1); i <= 13; i++ {
		w.PassEndNS = append(w.PassEndNS, end*i/13)
	}
	return w
}

func phase(name string, ms ...float64) result.Phase {
	p := result.Phase{Name: name, Processes: len(ms), Passes: 13, Clock: "CLOCK_MONOTONIC"}
	for i, m := range ms {
		p.Workers = append(p.Workers, seedWorker(i, m))
	}
	p.Summary = p.Summarize()
	return p
}

// seedRun is that run as a record.
func seedRun() *result.Run {
	bits := 32
	return &result.Run{
		Schema: result.RunSchema, Kind: result.RunKind, Started: time.Unix(1231718400, 0).UTC(),
		Tool:   result.Tool{Name: "memtest", Version: "1", GOARCH: "386", WordBits: 32},
		Args:   result.Args{Processes: 4, MinTimeNS: 10e9, ChunkBytes: 1500 << 20, Kernel: "write-int", Repeat: 1},
		Kernel: result.Kernel{Name: "write-int", Tier: "mov"},
		Host: result.Host{
			Hostname: "32-bit-machine", OS: "linux", Kernel: "2.6.24", KernelBits: &bits,
			CPU: result.CPU{Model: "Some CPU", Allowed: []int{0, 1, 2, 3}, Online: new(4)}, Pages: result.Pages{BaseBytes: 4096},
		},
		Launches: []result.Launch{{Phases: []result.Phase{
			phase(result.PhaseSingle, 10680.104),
			phase(result.PhaseParallel, 34514.712, 34584.651, 34607.142, 34653.662),
		}}},
		Warnings: []result.Warning{{Code: result.WarnCacheUnknown, Values: map[string]float64{"chunk_bytes": 1500 << 20}}},
	}
}

// The lines that test-mem printed, to the letter.
const seedLines = `For single process:
In 10680.104ms done 13 tests. It means 478.629 mln (read int)/sec

For 4 processes:
In 34514.712ms done 13 tests. It means 148.105 mln (read int)/sec
In 34584.651ms done 13 tests. It means 147.806 mln (read int)/sec
In 34607.142ms done 13 tests. It means 147.710 mln (read int)/sec
In 34653.662ms done 13 tests. It means 147.511 mln (read int)/sec
`

func TestClassicIsTestMemToTheLetter(t *testing.T) {
	var b bytes.Buffer
	run := seedRun()
	for i := range run.Launches[0].Phases {
		if err := Classic(&b, &run.Launches[0].Phases[i], i == 0); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != seedLines {
		t.Errorf("got\n%s\nwant\n%s", b.String(), seedLines)
	}
}

// The rate is padded to seven characters, as in the run of 10 processes with
// 512 MB each: 37 passes in 82147.174 ms.
func TestClassicPadding(t *testing.T) {
	w := result.Worker{EndNS: 82147174000, Passes: 37, BytesPerPass: 512 << 20}
	const want = "In 82147.174ms done 37 tests. It means  60.453 mln (read int)/sec"
	if got := classicLine(&w); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestRunText(t *testing.T) {
	var b bytes.Buffer
	run := seedRun()
	for _, write := range []func() error{
		func() error { return RunTable(&b, run) },
		func() error { return MeasuredOn(&b, run) },
		func() error { return Warnings(&b, run.Warnings) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "run.txt", b.Bytes())
	for line := range strings.Lines(b.String()) {
		if strings.TrimRight(line, " \n") != strings.TrimRight(line, "\n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

func TestRunTableOfSeveralLaunches(t *testing.T) {
	var b bytes.Buffer
	run := seedRun()
	run.Launches = append(run.Launches, result.Launch{Phases: []result.Phase{
		phase(result.PhaseSingle, 10000), phase(result.PhaseParallel, 30000, 31000, 32000, 33000),
	}})
	if err := RunTable(&b, run); err != nil {
		t.Fatal(err)
	}
	golden(t, "run-repeated.txt", b.Bytes())
}

// The sample is the launch: one launch in ten that was bad moves the extremes
// of the aggregate and nothing else.
func TestRunTableOfOneBadLaunch(t *testing.T) {
	run := seedRun()
	bad := result.Launch{Phases: []result.Phase{phase(result.PhaseSingle, 40000), phase(result.PhaseParallel, 90000, 95000, 99000, 99999)}}
	good := run.Launches[0]
	run.Launches = []result.Launch{good, good, bad, good, good}
	f, ok := figuresOf(run, result.PhaseParallel)
	want := good.Phases[1].Summary
	if !ok || f.perProcess != want.PerProcess || f.fairness != want.Fairness || f.aggregate.Median != *want.Aggregate || f.aggregate.Min != *bad.Phases[1].Summary.Aggregate {
		t.Errorf("%+v, want those of the good launches, %+v", f, want)
	}
	var b bytes.Buffer
	run.Launches[4].Phases = run.Launches[4].Phases[:1]
	if err := RunTable(&b, run); err != nil || !strings.Contains(b.String(), "median over 5 launches (4 in the row of 4 processes);") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

// After an interruption in the first phase there is nothing to tabulate, in
// the second there is the first.
func TestRunTableOfIncompleteRun(t *testing.T) {
	run := seedRun()
	run.Launches[0].Phases = run.Launches[0].Phases[:1]
	var b bytes.Buffer
	if err := RunTable(&b, run); err != nil || strings.Count(b.String(), "1.00x") != 2 || strings.Count(b.String(), "\n") != 6 {
		t.Errorf("%v:\n%s", err, b.String())
	}
	run.Launches[0].Phases = nil
	b.Reset()
	if err := RunTable(&b, run); err != nil || b.Len() != 0 {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

func TestPlacement(t *testing.T) {
	run := seedRun()
	p := &run.Launches[0].Phases[1]
	text := func() string {
		var b bytes.Buffer
		if err := Placement(&b, run); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := text(); !strings.Contains(got, "unknown") || !strings.Contains(got, "CAP_SYS_ADMIN") {
		t.Errorf("without the right: %q", got)
	}
	for i := range p.Workers {
		p.Workers[i].Placement = &result.Placement{Below896MiB: 100 << 20, Below4GiB: 400 << 20, Above4GiB: 1000 << 20}
	}
	p.Zones = &result.PhaseZones{
		Before:  result.Zones{HighTotalBytes: 5.4e9, HighFreeBytes: 5.3e9, LowTotalBytes: 730e6, LowFreeBytes: 700e6},
		Touched: result.Zones{HighTotalBytes: 5.4e9, HighFreeBytes: 1e9, LowTotalBytes: 730e6, LowFreeBytes: 600e6},
	}
	want := "HIGHMEM used: 4.3 of 5.4 GB; LOWMEM free: 600 of 730 MB.\n" +
		"Physical placement: below 16 MiB 0.00 %, LOWMEM (to 896 MiB) 6.67 %, to 4 GiB 26.67 %, above 66.67 %.\n"
	if got := text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRunCSV(t *testing.T) {
	var b bytes.Buffer
	run := seedRun()
	run.Launches[0].Phases[1].Workers[3].MinorFaults = nil
	if err := RunCSV(&b, run); err != nil {
		t.Fatal(err)
	}
	golden(t, "run.csv", b.Bytes())
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 6 {
		t.Fatalf("%d rows, %v; want a header and five", len(rows), err)
	}
	for i, name := range rows[0] {
		if name == "minor_faults" && (rows[5][i] != "" || rows[4][i] != "0") {
			t.Errorf("absent faults are %q, none are %q; want an empty cell and 0", rows[5][i], rows[4][i])
		}
	}
}

func TestEveryWarningHasAText(t *testing.T) {
	for _, code := range []string{
		result.WarnCacheSized, result.WarnCacheUnknown, result.WarnOversubscribed, result.WarnCPUQuota, result.WarnGovernor,
		result.WarnNUMABalancing, result.WarnNotVerified, result.WarnPurego, result.WarnFaults, result.WarnNotResident,
		result.WarnNotHuge, result.WarnPieces, result.WarnSteal, result.WarnThrottled, result.WarnThermal,
		result.WarnStalled, result.WarnSharedCPU, result.WarnHighUnused, result.WarnEmulated, result.WarnNoWindow, result.WarnShortWindow, result.WarnStartSkew,
	} {
		w := result.Warning{Code: code, Phase: "parallel"}
		if s := WarningText(&w); strings.Contains(s, "does not know") || strings.Contains(s, "%!") {
			t.Errorf("%s: %q", code, s)
		}
	}
	run := seedRun()
	FillTexts(run.Warnings)
	if run.Warnings[0].Text == "" {
		t.Error("FillTexts left a warning without its text")
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 4096: "4096 bytes", 48 << 10: "48 KiB", 32 << 20: "32 MiB", 3 << 30: "3072 MiB", 25276510208: "23.54 GiB", 1 << 47: "128 TiB", 1 << 60: "1.049e+06 TiB"} {
		if got := size(&n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := size(nil); got != "unknown" {
		t.Errorf("an unknown size is %q", got)
	}
}
