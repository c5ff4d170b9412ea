package report

import (
	"bytes"
	"strings"
	"testing"

	"wordsize/internal/result"
)

// footprintRecord has a structure with all figures, one without resident
// sizes, and one that did not fit.
func footprintRecord(arch string, bits int, each int64) *result.Footprint {
	f := &result.Footprint{Elements: []int64{1000, 2_500_000}, Repeat: 2, Tool: result.Tool{GOARCH: arch, WordBits: bits, Go: "go1.26"}}
	size := func(n int64, residents ...int64) result.FootprintSize {
		s := result.FootprintSize{Elements: n, Copies: 2}
		for _, r := range residents {
			s.Samples = append(s.Samples, result.FootprintSample{HeapBytes: each * n * 2, ResidentBytes: new(r), Source: result.SourceRollup, HugeOff: true})
		}
		s.Summarize()
		return s
	}
	unknown := size(1000, 1, 2)
	for i := range unknown.Samples {
		unknown.Samples[i].ResidentBytes = nil
	}
	unknown.Summarize()
	f.Structures = []result.FootprintStructure{
		{Name: "list", Group: "lists", Type: "*T", Shape: "a|b", Sizes: []result.FootprintSize{size(1000, each*2100, each*2200), size(2_500_000, each*5_000_000, each*5_000_000)}},
		{Name: "tree", Group: "trees", Type: "*T", Shape: "balanced", Sizes: []result.FootprintSize{unknown, {Elements: 2_500_000, Copies: 1, Missing: "may need 9 MiB while it is built"}}},
	}
	f.Warnings = []result.Warning{{Code: result.WarnSwapped, Values: map[string]float64{"samples": 2}}}
	return f
}

func TestFootprintOutputs(t *testing.T) {
	f := footprintRecord("amd64", 64, 16)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"footprint.txt": func(b *bytes.Buffer) error { return FootprintTable(b, f) },
		"footprint.md":  func(b *bytes.Buffer) error { return FootprintMarkdown(b, f) },
		"footprint.csv": func(b *bytes.Buffer) error { return FootprintCSV(b, f) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func TestFootprintPair(t *testing.T) {
	wide, narrow := footprintRecord("amd64", 64, 16), footprintRecord("386", 32, 8)
	// A build that cannot hold the larger size has no figure for it.
	narrow.Structures[0].Sizes[1] = result.FootprintSize{Elements: 2_500_000, Missing: "the address space leaves 3 MiB"}
	p := result.PairFootprints(wide, narrow)
	p.Warnings = append(p.Warnings, "[swapped] amd64: some words")
	if len(p.Rows) != 4 || *p.Rows[0].HeapRatio != 0.5 || p.Rows[1].ResidentRatio != nil || p.Rows[1].WideResident == nil || p.Rows[2].ResidentRatio != nil || *p.Rows[2].HeapRatio != 0.5 {
		t.Errorf("rows %+v", p.Rows)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"footprint_pair.txt": func(b *bytes.Buffer) error { return FootprintPairTable(b, p) },
		"footprint_pair.md":  func(b *bytes.Buffer) error { return FootprintPairMarkdown(b, p) },
		"footprint_pair.csv": func(b *bytes.Buffer) error { return FootprintPairCSV(b, p) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

// Where no resident size is known at all, Go's own figures are shown, and
// called so.
func TestFootprintPairWithoutResidents(t *testing.T) {
	wide, narrow := footprintRecord("amd64", 64, 16), footprintRecord("386", 32, 8)
	wide.Structures, narrow.Structures = wide.Structures[1:], narrow.Structures[1:]
	var b bytes.Buffer
	if err := FootprintPairTable(&b, result.PairFootprints(wide, narrow)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "on the heap") || strings.Contains(b.String(), "Resident") || !strings.Contains(b.String(), "0.50") {
		t.Errorf("not the heap's figures:\n%s", b.String())
	}
}

func TestFootprintWarningsHaveSentences(t *testing.T) {
	for _, code := range []string{result.WarnNoResident, result.WarnStatm, result.WarnHugeOn, result.WarnSwapped, result.WarnUserMode} {
		s := WarningText(&result.Warning{Code: code, Subject: "386 on aarch64", Values: map[string]float64{"samples": 3}})
		if strings.Contains(s, "does not know") || len(s) < 40 {
			t.Errorf("%s: %q", code, s)
		}
	}
}

func TestDecimal(t *testing.T) {
	for n, want := range map[int64]string{1: "1", 999: "999", 1000: "1k", 1500: "1500", 100_000: "100k", 1_000_000: "1M", 1_500_000: "1500k", 1e12: "1000000M"} {
		if got := decimal(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
