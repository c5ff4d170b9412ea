package usage

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

// one is a recording of ten ticks of a program with so many MiB.
func one(t *testing.T, label string, at time.Time, mb int64, change ...func(*result.RecordingHeader)) Labelled {
	t.Helper()
	labels := []result.Label{}
	for part := range strings.SplitSeq(label, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			name, value = "", name
		}
		labels = append(labels, result.Label{Name: name, Value: value})
	}
	tp := newTape(t, time.Second, append(change, func(h *result.RecordingHeader) { h.Started, h.Labels = at, labels })...)
	p := tp.start(101, "a", mb*mib)
	if strings.Contains(label, "32") {
		p.Bits, p.Machine = 32, "i386"
		p.Virtual = result.Some(3 * mb * mib)
	}
	tp.takes(9)
	size(p, (mb+2)*mib)
	p.UserNS = result.Some[int64](mb * 1e7)
	tp.take()
	tp.end()
	return Labelled{label, tp.read(Options{By: ByLabel})}
}

func row(t *testing.T, c *result.UsageComparison, metric, part string) *result.UsageRow {
	t.Helper()
	for i := range c.Rows {
		if c.Rows[i].Metric == metric && c.Rows[i].Part == part {
			return &c.Rows[i]
		}
	}
	t.Fatalf("no row %s %s", metric, part)
	return nil
}

func hasNote(c *result.UsageComparison, code, words string) bool {
	for _, n := range c.Notes {
		if n.Code == code && strings.Contains(n.Text, words) {
			return true
		}
	}
	return false
}

// One recording of each: differences, but no p-value.
func TestCompareSingles(t *testing.T) {
	c, err := Compare([]Labelled{one(t, "wide", began, 100), one(t, "small32", began, 65)}, CompareOptions{Of: "all"})
	if err != nil {
		t.Fatal(err)
	}
	r := row(t, c, "res", "max")
	near(t, "change", *r.Cells[1].Change, 67./102-1, 1e-9)
	if r.Cells[1].P != nil || r.Cells[1].Significant || c.Tests != 0 || !hasNote(c, result.NoteFew, "no p-values") {
		t.Errorf("%+v %+v", r, c.Notes)
	}
	want := "small32 takes 35 % less PSS, 35 % less RES, 80 % less VIRT, 34 % less peak memory (sum of VmHWM) and 35 % less CPU time than wide (64-bit) (one recording of each: not tested against chance)"
	if len(c.Verdicts) != 1 || c.Verdicts[0] != want {
		t.Errorf("%q\nwant %q", c.Verdicts, want)
	}
	if len(c.Matrices) != 0 {
		t.Errorf("%+v", c.Matrices)
	}
}

// Six of each: a difference that is there is significant after correction, one
// that is not is not.
func TestCompareRepeats(t *testing.T) {
	var in []Labelled
	for i := range 7 {
		at := began.Add(time.Duration(i) * time.Hour)
		in = append(in, one(t, "old", at, int64(100+i%3)), one(t, "new", at.Add(time.Minute), int64(90+i%3)), one(t, "same", at.Add(2*time.Minute), int64(100+(i+1)%3)))
	}
	c, err := Compare(in, CompareOptions{Metrics: []string{"res", "duration"}, Baseline: "old"})
	if err != nil {
		t.Fatal(err)
	}
	r := row(t, c, "res", "avg")
	if n, s := &r.Cells[1], &r.Cells[2]; !n.Significant || *n.P > 0.01 || n.Lo == nil || s.Significant {
		t.Errorf("%+v", r)
	}
	if c.Tests != 6 {
		t.Errorf("%d tests", c.Tests)
	}
	want := []string{"new takes 10 % less RES than old", "no significant difference between same and old in RES"}
	if fmt.Sprint(c.Verdicts) != fmt.Sprint(want) {
		t.Errorf("%q", c.Verdicts)
	}
	if hasNote(c, result.NoteTurns, "") || hasNote(c, result.NoteFew, "") {
		t.Errorf("%+v", c.Notes)
	}
}

func TestCompareNotes(t *testing.T) {
	a := one(t, "a", began, 100)
	b := one(t, "b", began, 100, func(h *result.RecordingHeader) {
		h.Host.Hostname, h.Host.Kernel, h.Tool.Version, h.Exits.Method, h.PSS, h.IntervalNS = "host-2", "5.10", "v2", result.ExitsWait, 0.01, 2e9
	})
	tp := newTape(t, time.Second)
	tp.start(101, "a", 100*mib)
	tp.takes(30)
	tp.end()
	long := Labelled{"long", tp.read(Options{})}
	c, err := Compare([]Labelled{a, b, long}, CompareOptions{Of: "watched"})
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"interval: 1 s in a; 2 s in b", "host: host-1 in a; host-2 in b", "kernel: 6.1", "tool version: devel", "--exits", "PSS budget: 0.3 % in a; 1 % in b"} {
		if !hasNote(c, result.NoteDiffers, words) {
			t.Errorf("nothing said of %q: %+v", words, c.Notes)
		}
	}
	if !hasNote(c, noteLength, "9 s in a, 29 s in long") || !hasNote(c, noteOf, "watched") {
		t.Errorf("%+v", c.Notes)
	}
}

func TestMatrix(t *testing.T) {
	var in []Labelled
	for i, conns := range []int{400, 64, 100} {
		for k, strategy := range []string{"thread", "loop"} {
			for rep := range 3 {
				at := began.Add(time.Duration(100*i+10*k+rep) * time.Minute)
				in = append(in, one(t, fmt.Sprintf("strategy=%s,conns=%d", strategy, conns), at, int64(conns*(k+1)+rep)))
			}
		}
	}
	in = in[:len(in)-3] // no loop at 100
	c, err := Compare(in, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Matrices) != 2 || c.Matrices[0].Metric != "cpu" || c.Matrices[1].Metric != "pss" {
		t.Fatalf("%+v", c.Matrices)
	}
	m := &c.Matrices[1]
	if m.RowPart != "strategy" || fmt.Sprint(m.Rows, m.Columns) != "[thread loop] [64 100 400]" {
		t.Fatalf("%+v", m)
	}
	near(t, "max", *m.Cells[1][0].Max/mib, 2*64+1+2-0.5, 1e-6) // the median of three
	if m.Cells[1][1].N != 0 || m.Cells[1][1].Avg != nil || m.Cells[0][2].N != 3 {
		t.Errorf("%+v", m.Cells)
	}
	if c, err = Compare(in, CompareOptions{Metrics: []string{"res"}, Rows: "conns"}); err != nil || len(c.Matrices) != 1 || c.Matrices[0].ColumnPart != "strategy" {
		t.Errorf("%+v, %v", c, err)
	}
	var part *PartError
	if _, err = Compare(in, CompareOptions{Rows: "x"}); !errors.As(err, &part) || !strings.Contains(err.Error(), "strategy, conns") {
		t.Error(err)
	}
}

func TestCompareErrors(t *testing.T) {
	a, b := one(t, "a", began, 10), one(t, "b", began, 10)
	var single *OneLabelError
	if _, err := Compare([]Labelled{a, a}, CompareOptions{}); !errors.As(err, &single) {
		t.Error(err)
	}
	var base *BaselineError
	if _, err := Compare([]Labelled{a, b}, CompareOptions{Baseline: "c"}); !errors.As(err, &base) || !strings.Contains(err.Error(), "a; b") {
		t.Error(err)
	}
	if _, err := Compare([]Labelled{a, b}, CompareOptions{Metrics: []string{"x"}}); err == nil || !strings.Contains(err.Error(), "pss, uss") {
		t.Error(err)
	}
}

// Five of each cannot show anything with so many tests: nobody is told that
// half the memory is no significant difference.
func TestCompareTooFewForTheTests(t *testing.T) {
	var in []Labelled
	for i := range 5 {
		at := began.Add(time.Duration(i) * time.Hour)
		in = append(in, one(t, "old", at, int64(100+i)), one(t, "new", at.Add(time.Minute), int64(50+i)))
	}
	c, err := Compare(in, CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := row(t, c, "res", "avg"); r.Cells[1].Significant || *r.Cells[1].P > 0.01 || c.Tests < 7 {
		t.Errorf("%+v, %d tests", r, c.Tests)
	}
	if v := strings.Join(c.Verdicts, ""); strings.Contains(v, "no significant") || !strings.Contains(v, "new takes 49 % less PSS") || !strings.Contains(v, "5 and 5 recordings: too few to be tested") {
		t.Errorf("%q", v)
	}
	if !hasNote(c, result.NoteBlind, "of each, or fewer metrics") {
		t.Errorf("%+v", c.Notes)
	}
	if c, err = Compare(in, CompareOptions{Metrics: []string{"res"}}); err != nil || hasNote(c, result.NoteBlind, "") || !row(t, c, "res", "avg").Cells[1].Significant || strings.Contains(c.Verdicts[0], "too few") {
		t.Errorf("%v %+v", err, c)
	}
}
