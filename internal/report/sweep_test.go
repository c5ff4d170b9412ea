package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// caches are claims of sysfs and CPUID.
func caches(sources []string, bytes ...int64) (all []result.Cache) {
	for _, s := range sources {
		for i, n := range bytes {
			all = append(all, result.Cache{Level: i + 1, Type: "Unified", Bytes: n, Source: s})
		}
	}
	return append(all, result.Cache{Level: 1, Type: "Instruction", Bytes: 32 << 10, Source: "sysfs"})
}

// sweepRecord makes launches of a machine with caches of 48 KiB, 1 and 32 MiB.
func sweepRecord(launches int) *result.Sweep {
	call := 1.5
	s := &result.Sweep{
		CurveHead: result.CurveHead{Kind: result.SweepKind, Schema: 1, Tool: result.Tool{GOARCH: "amd64"}, Host: result.Host{Hostname: "host-a"}, Warnings: []result.Warning{}},
		Kernel:    result.Kernel{Name: "read", Tier: "avx2"}, Pages: "default", CallNS: &call,
	}
	for e := 12.0; e <= 27; e += 0.5 {
		s.Sizes = append(s.Sizes, int64(math.Exp2(e)))
	}
	for l := range launches {
		for i, n := range s.Sizes {
			rate := 200.0
			for _, c := range []float64{48 << 10, 1 << 20, 32 << 20} {
				if float64(n) > c {
					rate /= 2
				}
			}
			rate *= gb * (1 + 0.008*float64((l*7+i*5)%6))
			s.Samples = append(s.Samples, result.SweepSample{Launch: l, Bytes: n, Rate: rate, Passes: 9})
		}
	}
	return s
}

func TestSweepSteps(t *testing.T) {
	s := sweepRecord(6)
	s.Host.Caches = caches([]string{"sysfs", "cpuid"}, 48<<10, 1<<20, 32<<20)
	SummarizeSweep(s)
	if len(s.Points) != len(s.Sizes) || len(s.Steps) != 3 || len(s.Unseen) != 0 {
		t.Fatalf("%d points, steps %+v, unseen %+v", len(s.Points), s.Steps, s.Unseen)
	}
	for i, want := range []int64{48 << 10, 1 << 20, 32 << 20} {
		st := s.Steps[i]
		if r := float64(st.AtBytes) / float64(want); r < 0.9 || r > 1.45 || len(st.Claims) != 2 || st.Claims[0].Bytes != want || st.Before < 1.9*st.After {
			t.Errorf("step %d: %+v, want one at %d", i, st, want)
		}
	}
	if c := s.Points[0].CallShare; c == nil || math.Abs(*c-1.5*s.Points[0].Rate.Median/1e9/4096) > 1e-9 {
		t.Errorf("share of calls %v", c)
	}
	if c := s.Points[len(s.Points)-1].CallShare; *c > 1e-4 {
		t.Errorf("share of calls of a large size %v: each gets 4 MiB", *c)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Error(err)
	}
}

// What a virtual machine claims may be nothing, or nonsense.
func TestSweepBesideClaims(t *testing.T) {
	text := func(s *result.Sweep) string {
		SummarizeSweep(s)
		return strings.Join(sweepSteps(s), "\n")
	}
	s := sweepRecord(6)
	if got := text(s); !strings.Contains(got, "Neither sysfs nor CPUID claims any cache") || strings.Count(got, "Nobody claims a cache of that size") != 3 {
		t.Errorf("no claims:\n%s", got)
	}
	s.Host.Caches = caches([]string{"sysfs"}, 48<<10, 8<<20, 508<<20)
	got := text(s)
	for _, want := range []string{"L1 is claimed to have 48 KiB (sysfs)", "No step near 8 MiB, the size of the L2 cache as sysfs has it", "Nobody claims"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if strings.Contains(got, "508") {
		t.Errorf("the curve does not reach that far:\n%s", got)
	}
	flat := sweepRecord(6)
	for i := range flat.Samples {
		flat.Samples[i].Rate = 10 * gb
	}
	if got := text(flat); !strings.Contains(got, "No step") {
		t.Errorf("a flat curve:\n%s", got)
	}
}

func TestSweepOutputs(t *testing.T) {
	s := sweepRecord(6)
	s.Host.Caches = caches([]string{"sysfs", "cpuid"}, 48<<10, 1<<20, 32<<20)
	SummarizeSweep(s)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"sweep.txt": func(b *bytes.Buffer) error { return SweepTable(b, s, Screen{Width: 80}) },
		"sweep.md":  func(b *bytes.Buffer) error { return SweepMarkdown(b, s) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	var b bytes.Buffer
	if err := SweepCSV(&b, s); err != nil || strings.Count(b.String(), "\n") != 1+6*len(s.Sizes) {
		t.Errorf("%v: want a row a launch and size:\n%s", err, b.String())
	}
	other := sweepRecord(2)
	other.Host.Hostname = "host-b"
	SummarizeSweep(other)
	var svg bytes.Buffer
	if err := SweepFigure(s, other).WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"host-a", "host-b", "L3, claimed", "Step at"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
}

// The report cannot import what measures, but its constant is the loops'.
func TestLoopBlockIsTheKernels(t *testing.T) {
	if loopBlock != kernel.Block {
		t.Errorf("a call gets %d bytes, the report reckons with %d", kernel.Block, loopBlock)
	}
}
