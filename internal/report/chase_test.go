package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"wordsize/internal/result"
)

// chaseRecord has two caches in its curve: up to so many bytes a hop takes
// 1 ns, beyond 64 times as much.
func chaseRecord(arch string, bits int, nodeBytes int64, launches int) *result.Chase {
	c := &result.Chase{NodeBytes: nodeBytes, Tool: result.Tool{GOARCH: arch, WordBits: bits}, Repeat: launches}
	c.Host.Caches = []result.Cache{
		{Level: 2, Type: "Unified", Bytes: 64 << 10, Source: "sysfs"}, {Level: 2, Type: "Unified", Bytes: 32 << 10, Source: "cpuid"},
		{Level: 1, Type: "Data", Bytes: 8 << 10, Source: "sysfs"},
	}
	for n := int64(256); n <= 1<<15; n *= 2 {
		c.Nodes = append(c.Nodes, n)
	}
	for l := range launches {
		launch := result.ChaseLaunch{PID: 100 + l, PinnedCPU: new(1)}
		for _, n := range c.Nodes {
			ns := 1.0
			if n*nodeBytes > 64<<10 {
				ns = 64
			}
			ns *= 1 + 0.01*float64(l)
			launch.Samples = append(launch.Samples, result.ChaseSample{Nodes: n, Rounds: []float64{ns * 1.1, ns, ns * 0.9}})
		}
		c.Launches = append(c.Launches, launch)
	}
	c.Warnings = []result.Warning{{Code: result.WarnCurveCached, Subject: "sysfs", Values: map[string]float64{"list_bytes": 1 << 20, "cache_bytes": 64 << 10, "multiple": 4}}}
	return c
}

func TestChaseOutputs(t *testing.T) {
	c := chaseRecord("amd64", 64, 16, 7)
	SummarizeChase(c)
	if p := c.Points[0]; p.Min != 0.9 || math.Abs(p.NS.Median-1.03) > 1e-9 || p.NS.N != 7 || p.NS.Lo == nil || p.Bytes != 4096 {
		t.Errorf("%+v", p)
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"chase.txt": func(b *bytes.Buffer) error { return ChaseTable(b, c) },
		"chase.md":  func(b *bytes.Buffer) error { return ChaseMarkdown(b, c) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	var b bytes.Buffer
	if err := ChaseCSV(&b, c); err != nil || strings.Count(b.String(), "\n") != 1+7*8*3 {
		t.Errorf("%v: want a row a round:\n%s", err, b.String())
	}
}

func TestChasePair(t *testing.T) {
	pair := func(launches int) *result.ChasePair {
		return NewChasePair([]*result.Chase{chaseRecord("amd64", 64, 16, launches)}, []*result.Chase{chaseRecord("386", 32, 8, launches)})
	}
	p := pair(7)
	p.Warnings = append(p.Warnings, "[curve-cached] amd64, 1 of 7 launches: words")
	for name, write := range map[string]func(*bytes.Buffer) error{
		"chase_pair.txt": func(b *bytes.Buffer) error { return ChasePairTable(b, p) },
		"chase_pair.md":  func(b *bytes.Buffer) error { return ChasePairMarkdown(b, p) },
		"chase_pair.csv": func(b *bytes.Buffer) error { return ChasePairCSV(b, p) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
	text := func(p *result.ChasePair) string {
		var b bytes.Buffer
		if err := ChasePairTable(&b, p); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if s := text(pair(2)); !strings.Contains(s, "too few to tell") || strings.Contains(s, " %\n") {
		t.Errorf("two launches cannot tell:\n%s", s)
	}
	p.Emulated = "qemu"
	s := text(p)
	if !strings.HasPrefix(s, "EMULATED (qemu): compare counts and footprints, not speeds.\n") {
		t.Errorf("not marked as emulated:\n%s", s)
	}
	for line := range strings.Lines(s) {
		if f := strings.Fields(line); len(f) > 5 && strings.Contains(line, "%") && f[0] == "8192" {
			t.Errorf("a verdict on emulated speed: %s", line)
		}
	}
	var svg bytes.Buffer
	if err := ChasePairFigure(p).WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"EMULATED", "amd64, 16 bytes a node", "386, 8 bytes a node", "L2, amd64", "nodes"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
}

// The largest claim of a cache counts, and the first level none.
func TestCacheMarks(t *testing.T) {
	m := cacheMarks(chaseRecord("amd64", 64, 16, 1).Host.Caches, "amd64", 16)
	if len(m) != 1 || m[0].X != 4096 || m[0].Label != "L2, amd64" {
		t.Errorf("%+v", m)
	}
}

func TestTermPlot(t *testing.T) {
	lines := termPlot([]termSeries{{"a", 'o', []float64{1, 1024}, []float64{1, 16}}, {"b", 'x', []float64{1, 1024}, []float64{1, 256}}}, "y", "nodes")
	if len(lines) != termRows+3 {
		t.Fatalf("%d lines", len(lines))
	}
	top, bottom := lines[1], lines[termRows]
	if !strings.HasSuffix(top, "x") || !strings.Contains(bottom, "|*") || strings.Count(strings.Join(lines[1:], ""), "o") != 1+2 { // "nodes" and "logarithmic" have one each
		t.Errorf("the points are not in their places:\n%s", strings.Join(lines, "\n"))
	}
	for _, none := range [][]termSeries{nil, {{"a", 'o', []float64{5}, []float64{1}}}, {{"a", 'o', []float64{1, 2}, []float64{0, 1}}}} {
		if l := termPlot(none, "y", "x"); l != nil {
			t.Errorf("%v: %v, want nothing", none, l)
		}
	}
	if l := termPlot([]termSeries{{"a", 'o', []float64{1, 2}, []float64{3, 3}}}, "y", "x"); len(l) == 0 {
		t.Error("a flat curve is one, too")
	}
}

func TestChaseWarningsHaveSentences(t *testing.T) {
	for _, code := range []string{result.WarnCurveCached, result.WarnCurveUnknown, result.WarnLaunchStalled} {
		if s := WarningText(&result.Warning{Code: code, Subject: "sysfs", Values: map[string]float64{"launch": 3, "wall_ns": 5e8}}); strings.Contains(s, "does not know") || len(s) < 40 {
			t.Errorf("%s: %q", code, s)
		}
	}
}
