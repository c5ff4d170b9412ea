package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// latencyRecord makes launches of a machine with caches of 48 KiB, 1 and
// 32 MiB, and a TLB for 8 MiB of small pages that costs 20 ns beyond.
func latencyRecord(launches int) *result.Latency {
	r := &result.Latency{
		CurveHead: result.CurveHead{Kind: result.LatencyKind, Schema: 1, Tool: result.Tool{GOARCH: "amd64"}, Host: result.Host{Hostname: "host-a"}, Warnings: []result.Warning{}},
		LineBytes: 64, PageKinds: []string{"4k", "thp"},
	}
	r.Host.Caches = caches([]string{"sysfs"}, 48<<10, 1<<20, 32<<20)
	for e := 12.0; e <= 28; e += 0.5 {
		r.Sizes = append(r.Sizes, int64(math.Exp2(e)))
	}
	for l := range launches {
		for i, n := range r.Sizes {
			for k, kind := range r.PageKinds {
				ns := 1.0
				for _, c := range []float64{48 << 10, 1 << 20, 32 << 20} {
					if float64(n) > c {
						ns *= 4
					}
				}
				if kind == "4k" && n > 8<<20 {
					ns += 20
				}
				r.Samples = append(r.Samples, result.LatencySample{Launch: l, Bytes: n, Pages: kind, NS: ns * (1 + 0.004*float64((l*7+i*5+k)%6))})
			}
		}
	}
	return r
}

func got(*result.LatencySample) bool { return true }

func loadedRecord() *result.Latency {
	r := latencyRecord(0)
	r.Loaded = &result.LoadedLatency{Bytes: 128 << 20, Pages: "thp", Processes: 7, ChunkBytes: 64 << 20, PieceBytes: 4096, Kernel: result.Kernel{Name: "read", Tier: "avx2"}}
	for l := range 6 {
		for i, d := range []int{-1, 0, 100, 1000} {
			s := result.LoadedSample{Launch: l, NS: []float64{100, 250, 140, 110}[i] + float64(l)/10, Load: []float64{0, 60, 50, 10}[i] * gb}
			if d >= 0 {
				s.Delay = &d
			}
			r.Loaded.Samples = append(r.Loaded.Samples, s)
		}
	}
	return r
}

func TestSummarizeLatency(t *testing.T) {
	r := latencyRecord(6)
	SummarizeLatency(r, got)
	if len(r.Steps) != 3 || r.StepsOf != "thp" || len(r.Unseen) != 0 {
		t.Fatalf("steps %+v of %q, unseen %+v", r.Steps, r.StepsOf, r.Unseen)
	}
	last := r.Points[len(r.Points)-1]
	if last.TLB == nil || math.Abs(*last.TLB-20) > 1.5 || len(last.Kinds) != 2 {
		t.Errorf("%+v", last)
	}
	text := strings.Join(latencyWords(r), "\n")
	for _, want := range []string{"With huge pages:", "L3 is claimed to have 32 MiB (sysfs)", "the TLB costs 19.9 ns", "At 256 MiB"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if c := tlbCell(&r.Points[0]); c != "0.0?" {
		t.Errorf("in the first cache: %q", c)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// Samples that were to lie in huge pages and did not are none of theirs.
// The column of default pages is headed ns; in a sentence that is no kind.
func TestLatencyOfDefaultPages(t *testing.T) {
	r := latencyRecord(1)
	r.PageKinds = []string{"default"}
	if header, _ := latencyRows(r); header[1] != "ns" {
		t.Errorf("the column is headed %q", header[1])
	}
	r = loadedRecord()
	r.Loaded.Pages = "default"
	if notes := latencyNotes(r); !strings.Contains(notes[0], "over 128 MiB (default pages), while") {
		t.Errorf("%q", notes[0])
	}
}

func TestLatencyWithoutHugePages(t *testing.T) {
	r := latencyRecord(6)
	SummarizeLatency(r, func(*result.LatencySample) bool { return false })
	if r.StepsOf != "4k" || len(r.Points) != len(r.Sizes) || r.Points[0].TLB != nil || len(r.Points[0].Kinds) != 1 {
		t.Errorf("steps of %q, %+v", r.StepsOf, r.Points[0])
	}
	if text := strings.Join(latencyWords(r), "\n"); strings.Contains(text, "TLB") || strings.Contains(text, "With huge") {
		t.Errorf("words of what was not measured:\n%s", text)
	}
	r = latencyRecord(2)
	SummarizeLatency(r, got)
	if text := strings.Join(latencyWords(r), "\n"); !strings.Contains(text, "scatter too much") {
		t.Errorf("two launches tell nothing of the TLB:\n%s", text)
	}
}

func TestLatencyOutputs(t *testing.T) {
	r, l := latencyRecord(6), loadedRecord()
	SummarizeLatency(r, got)
	SummarizeLatency(l, got)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"latency.txt": func(b *bytes.Buffer) error { return LatencyTable(b, r, Screen{Width: 80}) },
		"latency.md":  func(b *bytes.Buffer) error { return LatencyMarkdown(b, r) },
		"loaded.txt":  func(b *bytes.Buffer) error { return LatencyTable(b, l, Screen{Width: 80}) },
		"loaded.csv":  func(b *bytes.Buffer) error { return LatencyCSV(b, l) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	var b bytes.Buffer
	if err := LatencyCSV(&b, r); err != nil || strings.Count(b.String(), "\n") != 1+6*2*len(r.Sizes) {
		t.Errorf("%v: want a row a launch, size and kind:\n%s", err, b.String())
	}
	other := latencyRecord(1)
	other.Tool.GOARCH = "386"
	SummarizeLatency(other, got)
	for want, figure := range map[string]*plot.Figure{"386, huge pages": LatencyFigure(r, l, other), "Idle, a load takes": LoadedFigure(r, l)} {
		var b bytes.Buffer
		if err := figure.WriteSVG(&b); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v: the figure lacks %q", err, want)
		}
	}
	if LatencyFigure(l) != nil || LoadedFigure(r) != nil {
		t.Error("figures of what was not measured")
	}
}
