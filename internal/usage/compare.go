package usage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// Labelled is the use of one recording with the label it goes under.
type Labelled struct {
	Label string
	Use   *Usage
}

// CompareOptions say how to compare.
type CompareOptions struct {
	Metrics       []string // none is all
	Baseline      string   // a label; "" is the first
	Of            string   // which processes were counted, for the record
	Rows, Columns string   // parts of the labels for the matrix; "" chooses
}

// The errors that are the caller's to mend.
type (
	// OneLabelError says that there is nothing to compare with.
	OneLabelError struct{ Label string }
	// BaselineError is a baseline that is no label.
	BaselineError struct {
		Name   string
		Labels []string
	}
	// PartError is a part that the labels do not have.
	PartError struct {
		Name  string
		Parts []string
	}
)

func (e *OneLabelError) Error() string {
	return fmt.Sprintf("there is one label only, %q: want two at least (rsswatch record --label, or NAME=FILES)", e.Label)
}

func (e *BaselineError) Error() string {
	return fmt.Sprintf("%q is no label: want one of %s", e.Name, strings.Join(e.Labels, "; "))
}

func (e *PartError) Error() string {
	if len(e.Parts) == 0 {
		return fmt.Sprintf("%q is no part of these labels, which have none (rsswatch record --label strategy=thread,conns=64)", e.Name)
	}
	return fmt.Sprintf("%q is no part of these labels: want one of %s", e.Name, strings.Join(e.Parts, ", "))
}

// comparison is a comparison in the making.
type comparison struct {
	*result.UsageComparison
	metrics []metric
	groups  [][]*Usage
	totals  [][]result.GroupUsage // of each group's recordings
	base    int
	blind   map[*result.ComparedCell]bool // could not be significant with so few recordings and so many tests
}

// Compare sets the recordings of two labels or more against each other; a
// sample is one recording.
func Compare(in []Labelled, o CompareOptions) (*result.UsageComparison, error) {
	list, err := findMetrics(o.Metrics)
	if err != nil {
		return nil, err
	}
	k := &comparison{UsageComparison: &result.UsageComparison{Schema: result.UsageComparisonSchema, Of: o.Of, Verdicts: []string{}, Notes: []result.Note{}}, metrics: list}
	for _, l := range in {
		g := slices.IndexFunc(k.Groups, func(g result.ComparedGroup) bool { return g.Name == l.Label })
		if g < 0 {
			g = len(k.Groups)
			k.Groups = append(k.Groups, result.ComparedGroup{Name: l.Label})
			k.groups, k.totals = append(k.groups, nil), append(k.totals, nil)
		}
		k.Groups[g].Files = append(k.Groups[g].Files, l.Use.Recording.File)
		k.Groups[g].Samples++
		k.groups[g] = append(k.groups[g], l.Use)
		k.totals[g] = append(k.totals[g], l.Use.total.usage())
	}
	if len(k.Groups) < 2 {
		return nil, &OneLabelError{k.Groups[0].Name}
	}
	if err := k.setBaseline(o.Baseline); err != nil {
		return nil, err
	}
	for _, m := range list {
		k.addRow(m, "avg", m.avg)
		if m.max != nil {
			k.addRow(m, "max", m.max)
		}
	}
	k.correct()
	if k.Matrices, err = k.matrices(in, o); err != nil {
		return nil, err
	}
	k.verdicts()
	k.note()
	return k.UsageComparison, nil
}

func (k *comparison) setBaseline(name string) error {
	var names []string
	for i, g := range k.Groups {
		if name == "" || g.Name == name {
			k.Baseline, k.base = g.Name, i
			return nil
		}
		names = append(names, g.Name)
	}
	return &BaselineError{name, names}
}

// addRow adds one figure; one that no recording has is left out.
func (k *comparison) addRow(m metric, part string, of func(*result.GroupUsage, *result.UsedRecording) (float64, bool)) {
	row := result.UsageRow{Metric: m.name, Part: part, Unit: m.unit, Cells: make([]result.ComparedCell, len(k.Groups))}
	if m.max == nil {
		row.Part = ""
	}
	any := false
	for g := range k.groups {
		for i := range k.groups[g] {
			if v, ok := of(&k.totals[g][i], &k.groups[g][i].Recording); ok {
				row.Cells[g].Samples = append(row.Cells[g].Samples, v)
				any = true
			}
		}
	}
	if !any {
		return
	}
	base := row.Cells[k.base].Samples
	for g := range row.Cells {
		c := &row.Cells[g]
		if c.N = len(c.Samples); c.N == 0 {
			continue
		}
		s := stats.Compare(base, c.Samples)
		c.Median = &s.B.Median
		if s.B.Finite() {
			c.Lo, c.Hi = &s.B.Lo, &s.B.Hi
		}
		if g == k.base || len(base) == 0 {
			continue
		}
		if !math.IsNaN(s.Change) && !math.IsInf(s.Change, 0) {
			c.Change = &s.Change
		}
		if c.N > 1 && len(base) > 1 { // single recordings tell nothing of chance
			c.P = &s.P
		}
	}
	k.Rows = append(k.Rows, row)
}

// correct applies Holm's method to all tests.
func (k *comparison) correct() {
	var p, least []float64
	var cells []*result.ComparedCell
	for r := range k.Rows {
		for g := range k.Rows[r].Cells {
			if c := &k.Rows[r].Cells[g]; c.P != nil {
				p, cells = append(p, *c.P), append(cells, c)
				least = append(least, stats.LeastP(k.Rows[r].Cells[k.base].N, c.N))
			}
		}
	}
	k.blind = map[*result.ComparedCell]bool{}
	for i, v := range stats.Holm(least) {
		k.blind[cells[i]] = v >= stats.Alpha
	}
	k.Tests = len(p)
	for i, v := range stats.Holm(p) {
		cells[i].PHolm = &v
		cells[i].Significant = v < stats.Alpha
	}
}

// told are the figures that verdicts speak of.
var told = []struct{ metric, part, words string }{
	{"pss", "avg", "PSS"}, {"res", "avg", "RES"}, {"virt", "avg", "VIRT"}, {"vmhwm", "", "peak memory (sum of VmHWM)"}, {"cputime", "", "CPU time"},
}

// alike is the change below which single recordings are called the same.
const alike = 0.01

// verdicts say it in words, a sentence a label.
func (k *comparison) verdicts() {
	for g := range k.Groups {
		if g == k.base {
			continue
		}
		var more, same, unsure []string
		n, m := len(k.groups[g]), len(k.groups[k.base])
		tested := true
		for _, t := range told {
			c := k.cell(t.metric, t.part, g)
			if c != nil && c.Change != nil && (c.P == nil || k.blind[c]) {
				tested = false
			}
			switch {
			case c == nil || c.Change == nil:
			case c.P != nil && !k.blind[c] && !c.Significant:
				unsure = append(unsure, t.words)
			case math.Abs(*c.Change) < alike:
				same = append(same, t.words)
			case *c.Change < 0:
				more = append(more, fmt.Sprintf("%s %% less %s", part(-100**c.Change), t.words))
			default:
				more = append(more, fmt.Sprintf("%s %% more %s", part(100**c.Change), t.words))
			}
		}
		name, base := k.called(g), k.called(k.base)
		var parts []string
		if len(more) > 0 {
			parts = append(parts, fmt.Sprintf("%s takes %s than %s", name, and(more), base))
		}
		if len(same) > 0 {
			parts = append(parts, fmt.Sprintf("%s takes as much %s as %s, to 1 %%", name, and(same), base))
		}
		if len(unsure) > 0 {
			parts = append(parts, fmt.Sprintf("no significant difference between %s and %s in %s", name, base, and(unsure)))
		}
		if len(parts) == 0 {
			continue
		}
		s := strings.Join(parts, "; ")
		switch {
		case n == 1 && m == 1:
			s += " (one recording of each: not tested against chance)"
		case !tested:
			s += fmt.Sprintf(" (%d and %d recordings: too few to be tested against chance)", n, m)
		}
		k.Verdicts = append(k.Verdicts, s)
	}
}

func (k *comparison) cell(metric, part string, g int) *result.ComparedCell {
	for r := range k.Rows {
		if k.Rows[r].Metric == metric && k.Rows[r].Part == part {
			return &k.Rows[r].Cells[g]
		}
	}
	return nil
}

// called is a label with its word size, where that is one and its own.
func (k *comparison) called(g int) string {
	name := k.Groups[g].Name
	size := k.wordSize(g)
	if size == "" || strings.Contains(name, size) {
		return name
	}
	for h := range k.Groups {
		if h != g && k.wordSize(h) != size {
			return fmt.Sprintf("%s (%s-bit)", name, size)
		}
	}
	return name
}

// wordSize is that of all processes of a label, "" when mixed or unknown.
func (k *comparison) wordSize(g int) string {
	size := ""
	for i := range k.totals[g] {
		for _, a := range k.totals[g][i].Arch {
			word, _, _ := strings.Cut(a, " ")
			if size != "" && size != word {
				return ""
			}
			size = word
		}
	}
	return size
}

// part writes a percentage without decimals, but none below 100 as 100.
func part(v float64) string {
	if v >= 99 && v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
