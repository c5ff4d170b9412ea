package report

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"wordsize/internal/compare"
	"wordsize/internal/plot"
	"wordsize/internal/result"
)

// pageRun is a record of one launch: passes of even length but for those that
// stall.
type pageRun struct {
	host, arch string
	minute     int
	n, passes  int
	rate       float64 // bytes a second of each process
	stalled    int     // pass of worker 1 that takes four times as long; 0 is none
	placed     bool
	jitter     float64 // of each pass, as a part
}

func (p pageRun) run() *result.Run {
	const chunk = 64 << 20
	r := rand.New(rand.NewPCG(5, 6))
	phase := func(name string, n int) result.Phase {
		ph := result.Phase{Name: name, Processes: n, Passes: int64(p.passes), Clock: "CLOCK_MONOTONIC"}
		for i := range n {
			w := result.Worker{Index: i, PID: 100 + i, PassStride: 1, Passes: int64(p.passes), BytesPerPass: chunk}
			t := 0.0
			for j := range p.passes {
				step := chunk / p.rate * 1e9 * (1 + p.jitter*r.NormFloat64())
				if i == 1 && j == p.stalled && p.stalled > 0 {
					step *= 4
				}
				t += step
				w.PassEndNS = append(w.PassEndNS, int64(t))
			}
			w.EndNS = int64(t)
			w.StopNS = w.EndNS
			if p.placed {
				w.Placement = &result.Placement{Below4GiB: chunk / 4, Above4GiB: chunk * 3 / 4}
			}
			ph.Workers = append(ph.Workers, w)
		}
		ph.Summary = ph.Summarize()
		return ph
	}
	total := int64(8 << 30)
	return &result.Run{
		Schema: result.RunSchema, Kind: result.RunKind, Started: time.Unix(1.7e9+60*int64(p.minute), 0).UTC(), ElapsedNS: 1e9,
		Tool:     result.Tool{Name: "memtest", Version: "1.0", GOOS: "linux", GOARCH: p.arch, WordBits: 64},
		Host:     result.Host{Hostname: p.host, Kernel: "6.1.0", OS: "linux", CPU: result.CPU{Model: "A CPU"}, Memory: result.Memory{TotalBytes: &total}, Pages: result.Pages{BaseBytes: 4096}},
		Args:     result.Args{Processes: p.n, MinTimeNS: 5e7, ChunkBytes: chunk, Kernel: "write", Pages: "default", Repeat: 1, Held: true, Verify: true},
		Kernel:   result.Kernel{Name: "write", Tier: "avx2", BytesPerPass: chunk},
		Launches: []result.Launch{{Phases: []result.Phase{phase(result.PhaseSingle, 1), phase(result.PhaseParallel, p.n)}}},
		Warnings: []result.Warning{},
	}
}

// twoBuilds is n interleaved runs each of two builds, of which the second is
// slower by a part.
func twoBuilds(n int, slower float64) (in []compare.Input) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		for j, arch := range []string{"amd64", "386"} {
			p := pageRun{"host1", arch, 2*i + j, 2, 8, 10e9 * (1 - slower*float64(j)) * (1 + 0.01*r.NormFloat64()), 0, true, 0}
			if i == 2 && j == 1 {
				p.stalled = 5
			}
			in = append(in, compare.Input{Label: arch, File: fmt.Sprintf("%s-%d.json", arch, i), Run: p.run()})
		}
	}
	return in
}

// reportOf makes what cmd/memtest does of records.
func reportOf(t *testing.T, in []compare.Input, o compare.Options) *Report {
	t.Helper()
	c, err := compare.Summarize(in, o)
	if err != nil {
		t.Fatal(err)
	}
	FillComparison(c)
	r := &Report{Comparison: c, Version: "1.0"}
	for i, g := range compare.GroupOf(in, c) {
		r.Records = append(r.Records, Record{in[i].File, g, in[i].Run})
	}
	for _, f := range compare.Fields(in, c) {
		r.Facts = append(r.Facts, Fact(f))
	}
	return r
}

func pageOf(t *testing.T, in []compare.Input, o compare.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Page(&b, reportOf(t, in, o)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// styleless takes out what package page tests.
func styleless(s string) string {
	s = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(s, "<style>…</style>")
	return regexp.MustCompile(`sha256-[A-Za-z0-9+/=&#;]+`).ReplaceAllString(s, "sha256-…")
}

func TestPageGolden(t *testing.T) {
	in := twoBuilds(6, 0.2)
	in[5].Run.Warnings = []result.Warning{{Code: result.WarnSteal, Phase: "parallel", Values: map[string]float64{"percent": 3}}}
	golden(t, "page-two.html", []byte(styleless(pageOf(t, in, compare.Options{}))))
}

func TestFigureGolden(t *testing.T) {
	in := twoBuilds(6, 0.2)
	rep := reportOf(t, in, compare.Options{})
	for _, f := range figures {
		if isCurveFigure(f.name) {
			continue // which these records have nothing for
		}
		fig, err := Figure(rep, f.name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := fig.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, "figure-"+f.name+".svg", []byte(styleless(b.String())))
	}
}

// The headline says what is so, and with it what that is worth.
func TestPageVerdict(t *testing.T) {
	one := twoBuilds(6, 0)
	for i := range one {
		one[i].Run.Tool.GOARCH = "amd64"
	}
	var many []compare.Input
	for h := range 6 {
		for i := range 6 {
			rate := 10e9 * (1 + 0.001*float64(i-h))
			if h == 3 {
				rate *= 0.7
			}
			many = append(many, compare.Input{Label: "all", File: fmt.Sprint(h, i), Run: pageRun{fmt.Sprint("host", h), "amd64", i, 2, 4, rate, 0, false, 0}.run()})
		}
	}
	emulated := twoBuilds(6, 0.5)
	emulated[0].Run.Warnings = []result.Warning{{Code: result.WarnEmulated, Subject: "TCG"}}
	early := twoBuilds(6, 0)
	early[3].Run.Interrupted = true
	nothing := twoBuilds(6, 0)
	for i := range nothing {
		nothing[i].Run.Launches = nil
	}
	for _, c := range []struct {
		name string
		in   []compare.Input
		by   string
		want []string
	}{
		{"slower", twoBuilds(6, 0.2), "", []string{`class="verdict bad"`, "386 is slower than amd64: -20.", "p = 0.002"}},
		{"faster", twoBuilds(6, -0.2), "", []string{`class="verdict good"`, "386 is faster than amd64: &#43;19."}},
		{"same", twoBuilds(10, 0), "", []string{"No significant difference between 386 and amd64"}},
		{"few", twoBuilds(2, 0.5), "", []string{`class="verdict doubt"`, "Too few launches to tell 386 from amd64: 2 and 2"}},
		{"one", one, "host", []string{"write/avx2 2 x 64 MiB parallel: ", "median of 12 launches, 95 % interval", "all together write 2.00 times as much"}},
		{"many", many, "host", []string{`class="verdict bad"`, "host3 is far from the others", "Slower than host0: host3: -30."}},
		{"emulated", emulated, "", []string{`class="verdict doubt"`, "EMULATED (TCG)", "Emulated figures never count"}},
		{"early", early, "", []string{"1 record ended early", "interrupted"}},
		{"nothing", nothing, "", []string{"No phase of these records is complete"}},
	} {
		s := pageOf(t, c.in, compare.Options{By: c.by})
		for _, w := range c.want {
			if !strings.Contains(s, w) {
				t.Errorf("%s: %q is not in the page:\n%s", c.name, w, s[strings.Index(s, "<main"):strings.Index(s, "<section")])
			}
		}
	}
}

// What a record's text holds never becomes markup.
func TestPageHostile(t *testing.T) {
	for _, name := range []string{"<script>alert(1)</script>", `"'><i>&`, "\x1b[2J\u202ereversed\u2066\x07", "\xff\xfe", "</style>", "</svg><script>"} {
		in := twoBuilds(6, 0.2)
		for i := range in {
			run := in[i].Run
			in[i].File += name
			run.Host.Hostname += name
			run.Host.CPU.Model, run.Host.CPU.Microcode, run.Host.Kernel, run.Host.Distribution, run.Host.Hypervisor = name, name, name, name, name
			run.Error, run.Kernel.Name, run.Args.Pages, run.Tool.Version = name, name, name, name
			run.Args.Runner = []string{name, name}
			run.Warnings = []result.Warning{{Code: result.WarnGovernor, Subject: name}, {Code: name, Phase: name}}
			if i%2 == 0 {
				in[i].Label = name
			}
		}
		s := pageOf(t, in, compare.Options{By: compare.Argument})
		body := s[strings.Index(s, "</style>")+8:]
		for _, tag := range []string{"<script", "<i>", "</style>", "onerror"} {
			if strings.Contains(body, tag) {
				t.Errorf("%q: %s is in the page", name, tag)
			}
		}
		if open, shut := strings.Count(body, "<svg"), strings.Count(body, "</svg>"); open != shut {
			t.Errorf("%q: %d svg elements begin, %d end", name, open, shut)
		}
		for _, r := range s {
			if unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n' {
				t.Errorf("%q: %U is in the page", name, r)
				break
			}
		}
	}
}

// 300 records of 50 workers and 100 passes each are a page that a browser and
// a mail server take, and every worker is in it.
func TestPageSize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var in []compare.Input
	for h := range 10 {
		for i := range 30 {
			p := pageRun{fmt.Sprint("host", h), "amd64", i*10 + h, 50, 100, 10e9 * (1 + 0.05*r.NormFloat64()), r.IntN(100), true, 0.1}
			run := p.run()
			for w := range 50 {
				run.Warnings = append(run.Warnings, result.Warning{Code: result.WarnStalled, Phase: "parallel", Values: map[string]float64{"worker": float64(w), "waited_ns": 1e6 * float64(i+1)}})
			}
			in = append(in, compare.Input{Label: "all", File: fmt.Sprintf("h%d-%d.json", h, i), Run: run})
		}
	}
	s := pageOf(t, in, compare.Options{By: "host"})
	t.Logf("%.1f MB", float64(len(s))/1e6)
	if len(s) > 6e6 {
		t.Errorf("%.1f MB", float64(len(s))/1e6)
	}
	for _, want := range []string{"15000", "more of the kind", "All 300 records", "30 launches, 1530 worker processes, 153000 passes"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
}

// A group for each of 60 files: the page shows the time lines that say most.
func TestPageManyGroups(t *testing.T) {
	var in []compare.Input
	for i := range 60 {
		p := pageRun{"h", "amd64", i, 2, 10, 10e9, 0, false, 0}
		if i == 57 {
			p.stalled = 5
		}
		name := fmt.Sprintf("file%d", i)
		in = append(in, compare.Input{Label: name, File: name, Run: p.run()})
	}
	s := pageOf(t, in, compare.Options{By: compare.Argument})
	for want, count := range map[string]int{"Shown are the 40 of 60 groups": 1, "<figcaption><b>file57: ": 1, "<figcaption><b>file": 40, "60 groups by argument": 2} {
		if got := strings.Count(s, want); got != count {
			t.Errorf("%q is %d times in the page, want %d", want, got, count)
		}
	}
}

func TestFigureErrors(t *testing.T) {
	in := twoBuilds(1, 0)[:1]
	in[0].Run = pageRun{"h", "amd64", 0, 2, 3, 1e9, 0, false, 0}.run()
	rep := reportOf(t, in, compare.Options{})
	var none *NoFigureError
	for _, name := range []string{"launches", "placement"} {
		if _, err := Figure(rep, name); !errors.As(err, &none) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var wrong *FigureError
	if _, err := Figure(rep, "pie"); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "bars, launches, timeline, placement, scaling, sweep, latency or loaded") {
		t.Error(err)
	}
	if err := CheckFigure("bars"); err != nil {
		t.Error(err)
	}
}

func TestCells(t *testing.T) {
	w := pageRun{"h", "amd64", 0, 2, 100, 10e9, 50, false, 0}.run().Launches[0].Phases[1].Workers[1]
	passes := passesOf(&w)
	if len(passes) != 100 {
		t.Fatalf("%d passes", len(passes))
	}
	usual := passes[0].rate
	count := func(cells []plot.Cell, s plot.Shade) (n int) {
		for i, c := range cells {
			if c.Shade == s {
				n++
			}
			if i > 0 && c.From < cells[i-1].To-1e-9 {
				t.Errorf("cell %d begins before the last ends", i)
			}
		}
		return n
	}
	for _, most := range []int{100, 50, 10} {
		cells := cellsOf(passes, 0, usual, most)
		if len(cells) != most || count(cells, plot.Bad) == 0 || count(cells, plot.Bad) > 4 {
			t.Errorf("at most %d: %d cells, %d of them bad, want the one stall seen", most, len(cells), count(cells, plot.Bad))
		}
	}
	// A worker that kept each fourth end, and was stopped within a pass.
	thinned := result.Worker{StartNS: 0, PassEndNS: []int64{400, 800}, PassStride: 4, Passes: 4, HeldPasses: 5, PartialBytes: 5, BytesPerPass: 10, EndNS: 400, StopNS: 950}
	got := passesOf(&thinned)
	if len(got) != 3 || got[0].rate != 40/400e-9 || got[0].held || !got[1].held || got[2].to != 950 || got[2].rate != 15/150e-9 {
		t.Errorf("%+v", got)
	}
	if cellsOf(nil, 0, 1, 5) != nil || cellsOf(passes, 0, 0, 5) != nil {
		t.Error("cells of nothing")
	}
}

func TestToneOf(t *testing.T) {
	for text, want := range map[string]string{
		"~": "", "-4.74 %": "bad", "+4.74 %": "good", "22.72 ±1% -24.11% worst outlier": "bad", "30.15 ±2% ~ best": "", "31 ±2% +3.1%": "good", "0.033": "", "12+12": "", "-": "", "-%": "",
	} {
		if got := toneOf(text); string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
