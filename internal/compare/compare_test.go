package compare

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wordsize/internal/report"
	"wordsize/internal/result"
)

// fakeRun is a run of one launch whose parallel aggregate is rate.
func fakeRun(host, arch string, minute int, rate float64) *result.Run {
	phase := func(name string, n int, rate float64) result.Phase {
		workers := make([]result.Worker, n)
		return result.Phase{Name: name, Processes: n, Workers: workers, Summary: &result.PhaseSummary{
			PerProcess: result.Spread{Min: rate, Median: rate, Max: rate}, Fairness: 0.9, Aggregate: &rate,
		}}
	}
	return &result.Run{
		Schema: result.RunSchema, Kind: result.RunKind, Started: time.Unix(1.7e9+60*int64(minute), 0),
		Tool: result.Tool{Version: "1", GOARCH: arch}, Host: result.Host{Hostname: host, Kernel: "6.1"},
		Args:     result.Args{Processes: 2, ChunkBytes: 256 << 20, Pages: "default", Verify: true, Held: true},
		Kernel:   result.Kernel{Name: "write", Tier: "avx2", BytesPerPass: 256 << 20},
		Launches: []result.Launch{{Phases: []result.Phase{phase(result.PhaseSingle, 1, rate/2), phase(result.PhaseParallel, 2, rate)}}},
	}
}

// interleaved is n runs of each group, in turns, around the given rates.
func interleaved(r *rand.Rand, n int, noise float64, rates map[string]float64, order ...string) []Input {
	var in []Input
	for i := range n {
		for j, name := range order {
			rate := rates[name] * (1 + noise*r.NormFloat64())
			in = append(in, Input{name, fmt.Sprintf("%s%d.json", name, i), fakeRun("h", "amd64", i*len(order)+j, rate)})
		}
	}
	return in
}

func mustCompare(t *testing.T, in []Input, o Options) *result.Comparison {
	t.Helper()
	c, err := Compare(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func notes(c *result.Comparison, code string) (texts []string) {
	for _, n := range c.Notes {
		if n.Code == code {
			texts = append(texts, report.NoteText(&n))
		}
	}
	return texts
}

func TestTwoGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	c := mustCompare(t, interleaved(r, 10, 0.01, map[string]float64{"old": 50e9, "new": 45e9}, "old", "new"), Options{})
	if c.By != Argument || c.Baseline != "old" || len(c.Rows) != 2 || c.Rows[0].Phase != result.PhaseSingle || c.Tests != 2 {
		t.Fatalf("%+v", c)
	}
	cell := c.Rows[1].Cells[1]
	if cell.N != 10 || !cell.Significant || *cell.Change > -0.08 || *cell.Change < -0.12 || *cell.PHolm < *cell.P || cell.Lo == nil {
		t.Errorf("%+v, want 10 %% less, significant", cell)
	}
	if len(c.Geomeans) != 2 && len(c.Geomeans) != 1 || c.Geomeans[0].Change > -0.08 {
		t.Errorf("geomeans %+v", c.Geomeans)
	}
	if len(c.Notes) != 0 {
		t.Errorf("notes without reason: %v", c.Notes)
	}
	if n := Gate(c, 0.05); n != 2 || !c.Rows[0].Cells[1].Regressed || c.Rows[0].Cells[0].Regressed {
		t.Errorf("the gate found %d: %+v", n, c.Rows[0].Cells)
	}
	if report.FillComparison(c); len(c.Regressed) != 2 || !strings.Contains(c.Regressed[0], "new is ") {
		t.Errorf("the gate says %q", c.Regressed)
	}
	if n := Gate(c, 0.2); n != 0 || c.Rows[0].Cells[1].Regressed {
		t.Errorf("a gate at 20 %% found %d", n)
	}
}

// As the whole comparison, of two rows each: false claims stay below one in
// twenty, and a shift of 3 % at 1 % of noise is seen.
func TestErrorRates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const trials = 2000
	any := func(rate float64) bool {
		in := interleaved(r, 10, 0.01, map[string]float64{"a": 1e9, "b": rate}, "a", "b")
		k := &comparison{Comparison: &result.Comparison{Groups: make([]result.ComparedGroup, 2)}, in: in}
		for i := range in {
			k.groupOf = append(k.groupOf, b2i(in[i].Label == "b"))
		}
		k.addRows(Aggregate)
		k.correct()
		return slices.ContainsFunc(k.Rows, func(r result.ComparedRow) bool { return r.Cells[1].Significant })
	}
	falsely, rightly := 0, 0
	for range trials {
		if any(1e9) {
			falsely++
		}
		if any(1.03e9) {
			rightly++
		}
	}
	t.Logf("%d comparisons each: %.4f without a difference and %.4f with 3 %% are significant", trials, float64(falsely)/trials, float64(rightly)/trials)
	if float64(falsely)/trials > 0.06 || float64(rightly)/trials < 0.95 {
		t.Errorf("of %d comparisons %d without a difference and %d with 3 %% are significant", trials, falsely, rightly)
	}
}

func TestManyHosts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var in []Input
	for h := range 6 {
		for i := range 6 {
			rate := 50e9 * (1 + 0.005*r.NormFloat64() + 0.004*float64(h))
			if h == 4 {
				rate *= 0.7
			}
			run := fakeRun(fmt.Sprintf("host%d", h), "amd64", i, rate)
			run.Host.CPU.Microcode = "0x2"
			if h == 4 {
				run.Host.CPU.Microcode = "0x1"
			}
			file := fmt.Sprintf("%d-%d.json", h, i)
			in = append(in, Input{file, file, run})
		}
	}
	c := mustCompare(t, in, Options{Baseline: "host1"})
	if c.By != "host.hostname" || len(c.Groups) != 6 || c.Baseline != "host1" || c.Tests != 10 {
		t.Fatalf("by %s, %d groups, baseline %s, %d tests", c.By, len(c.Groups), c.Baseline, c.Tests)
	}
	if cells := c.Rows[1].Cells; !cells[4].Worst || cells[4].Best || cells[1].P != nil || !cells[4].Significant {
		t.Errorf("%+v", cells[4])
	}
	out := notes(c, result.NoteOutlier)
	if len(out) != 2 || !strings.Contains(out[0], "host4 is far below") || !strings.Contains(out[0], "microcode 0x1 (others: 0x2)") {
		t.Errorf("outliers %q", out)
	}
	if d := notes(c, result.NoteDiffers); len(d) != 1 || !strings.Contains(d[0], "0x1 in host4") {
		t.Errorf("differences %q", d)
	}
	if n := notes(c, result.NoteTurns); len(n) != 0 {
		t.Errorf("hosts need not take turns: %q", n)
	}
}

func TestNotes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	rates := map[string]float64{"a": 5e10, "b": 5e10}
	for name, c := range map[string]struct {
		n    int
		edit func(i int, in *Input)
		code string
		says string
	}{
		"few":         {5, func(int, *Input) {}, result.NoteFew, "n = 5"},
		"version":     {6, func(i int, in *Input) { in.Run.Tool.Version = in.Label }, result.NoteDiffers, "memtest version"},
		"T":           {6, func(i int, in *Input) { in.Run.Args.MinTimeNS = int64(len(in.Label) + i%2) }, result.NoteDiffers, "T (ns)"},
		"no verify":   {6, func(i int, in *Input) { in.Run.Args.Verify = in.Label == "a" }, result.NoteDiffers, "verification"},
		"MB":          {6, func(i int, in *Input) { in.Run.Args.ChunkBytes = []int64{256 << 20, 64 << 20}[i%2] }, result.NoteDiffers, "MB"},
		"and no row":  {6, func(i int, in *Input) { in.Run.Args.Processes = 2 + i%2 }, result.NoteUnmatched, "not measured in"},
		"page size":   {6, func(i int, in *Input) { in.Run.Host.Pages.BaseBytes = 4096 << (i % 2) }, result.NoteDiffers, "page size"},
		"limit":       {6, func(i int, in *Input) { limit(in.Run, int64(i%2+1)<<30) }, result.NoteDiffers, "memory limit"},
		"not turns":   {6, func(i int, in *Input) { in.Run.Started = in.Run.Started.Add(time.Duration(i%2) * time.Hour) }, result.NoteTurns, "take turns"},
		"doubted":     {6, func(i int, in *Input) { in.Run.Warnings = []result.Warning{{Code: "steal"}} }, result.NoteDoubted, "all groups"},
		"emulated":    {6, func(i int, in *Input) { in.Run.Warnings = []result.Warning{{Code: "emulated", Subject: "qemu"}} }, result.NoteEmulated, "qemu"},
		"interrupted": {6, func(i int, in *Input) { in.Run.Interrupted = true }, result.NoteInterrupted, "a0.json"},
		"bimodal":     {10, func(i int, in *Input) { scale(in.Run, 1+float64(i/2%2)) }, result.NoteBimodal, "two heaps"},
		"drift":       {10, func(i int, in *Input) { scale(in.Run, 1+float64(i)/100) }, result.NoteDrift, "drifts by +"},
	} {
		in := interleaved(r, c.n, 0.002, rates, "a", "b")
		for i := range in {
			c.edit(i, &in[i])
		}
		got := notes(mustCompare(t, in, Options{Force: true}), c.code)
		if len(got) == 0 || !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.says) }) {
			t.Errorf("%s: notes of %s are %q, want one with %q", name, c.code, got, c.says)
		}
	}
}

func limit(r *result.Run, bytes int64) { r.Host.Cgroup = &result.Cgroup{MemoryLimitBytes: &bytes} }

func scale(r *result.Run, by float64) {
	for i := range r.Launches[0].Phases {
		v := *r.Launches[0].Phases[i].Summary.Aggregate * by
		r.Launches[0].Phases[i].Summary.Aggregate = &v
	}
}

func TestEmulatedIsNeverSignificant(t *testing.T) {
	in := interleaved(rand.New(rand.NewPCG(7, 7)), 10, 0.001, map[string]float64{"a": 1e9, "b": 5e8}, "a", "b")
	in[3].Run.Warnings = []result.Warning{{Code: result.WarnEmulated, Subject: "qemu"}}
	c := mustCompare(t, in, Options{})
	if n := Gate(c, 0); n > 0 || c.Rows[0].Cells[1].Significant {
		t.Errorf("%+v", c.Rows[0])
	}
}

func TestRefusals(t *testing.T) {
	two := func() []Input {
		return interleaved(rand.New(rand.NewPCG(8, 8)), 2, 0.01, map[string]float64{"a": 1e9, "b": 1e9}, "a", "b")
	}
	edited := func(edit func(*result.Run)) []Input {
		in := two()
		edit(in[1].Run)
		return in
	}
	var meaning *MeaningError
	for name, in := range map[string][]Input{
		"write-allocate": edited(func(r *result.Run) { r.Kernel.WriteAllocate = true }),
		"bytes counted":  edited(func(r *result.Run) { r.Kernel.BytesPerPass *= 2 }),
		"classic":        edited(func(r *result.Run) { r.Args.Held = false }),
		"schema":         edited(func(r *result.Run) { r.Schema = 7 }),
	} {
		if _, err := Compare(in, Options{}); !errors.As(err, &meaning) || !strings.Contains(err.Error(), "b0.json") {
			t.Errorf("%s: %v, want a refusal that names b0.json", name, err)
		}
		if _, err := Compare(in, Options{Force: true}); err != nil {
			t.Errorf("%s, forced: %v", name, err)
		}
	}
	var one *GroupsError
	if _, err := Compare(two()[:1], Options{}); !errors.As(err, &one) {
		t.Errorf("one group: %v", err)
	}
	if _, err := Compare(two(), Options{By: "host"}); !errors.As(err, &one) || !strings.Contains(err.Error(), `"h"`) {
		t.Errorf("one host: %v", err)
	}
	var field *FieldError
	if _, err := Compare(two(), Options{By: "colour"}); !errors.As(err, &field) || !strings.Contains(err.Error(), "kernel-version") {
		t.Errorf("no such key: %v", err)
	}
	var base *BaselineError
	if _, err := Compare(two(), Options{Baseline: "c"}); !errors.As(err, &base) || !strings.Contains(err.Error(), "a, b") {
		t.Errorf("no such baseline: %v", err)
	}
}

func TestBy(t *testing.T) {
	in := interleaved(rand.New(rand.NewPCG(9, 9)), 6, 0.01, map[string]float64{"a": 1e9, "b": 1e9}, "a", "b")
	for i := range in {
		if i%2 == 1 {
			in[i].Run.Kernel.Tier, in[i].Run.Tool.GOARCH = "sse2", "386"
		}
		in[i].Run.Host.CPU.Governors = []string{"performance", "powersave"}[i%2 : i%2+1]
	}
	for by, want := range map[string]string{"tier": "avx2 sse2", "governor": "performance powersave", "arch": "amd64 386", "host.cpu.governors": "performance powersave"} {
		c := mustCompare(t, in, Options{By: by})
		if got := c.Groups[0].Name + " " + c.Groups[1].Name; got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
		if matched := c.Rows[0].Cells[0].N > 0 && c.Rows[0].Cells[1].N > 0; matched != (by == "tier") {
			t.Errorf("by %s: rows of different tiers are matched: %v", by, matched)
		}
	}
}

func TestParsePercent(t *testing.T) {
	for in, want := range map[string]float64{"5%": 5, "5 %": 5, "2.5": 2.5, "0": 0, "100%": 100} {
		if got, err := ParsePercent(in); err != nil || got != want {
			t.Errorf("%q: %g, %v", in, got, err)
		}
	}
	for _, bad := range []string{"", "x", "-1", "101", "NaN", "5%%"} {
		if _, err := ParsePercent(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A drift that the comparison finds itself is not told again as a warning of
// the record; one that it does not find is.
func TestDriftIsToldOnce(t *testing.T) {
	doubted := func(slope float64) (drift, doubts []string) {
		var in []Input
		for i, name := range []string{"a", "b"} {
			run := fakeRun("h", "amd64", i, 1e9)
			run.Launches = nil
			for l := range 10 {
				run.Launches = append(run.Launches, fakeRun("h", "amd64", 0, 1e9*(1+slope*float64(l)+0.001*float64(l%3))).Launches...)
			}
			run.Warnings = []result.Warning{{Code: result.WarnLaunchDrift}, {Code: result.WarnPassDrift}}
			in = append(in, Input{name, name + ".json", run})
		}
		c := mustCompare(t, in, Options{})
		return notes(c, result.NoteDrift), notes(c, result.NoteDoubted)
	}
	drift, doubts := doubted(0.01)
	if len(drift) != 4 || len(doubts) != 1 || !strings.Contains(doubts[0], result.WarnPassDrift) {
		t.Errorf("with a drift: %q and %q", drift, doubts)
	}
	drift, doubts = doubted(0)
	if len(drift) != 0 || len(doubts) != 2 {
		t.Errorf("without: %q and %q", drift, doubts)
	}
}
