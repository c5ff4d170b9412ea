package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode"

	"wordsize/internal/result"
)

// hostile is a name that is markup, a control sequence and a formula.
const hostile = "=1+1\\|[a](b)&lt;\x1b[2J\n\u202etxt\u2028"

// Names come from files. No format lets them be more than text.
func TestHostileNames(t *testing.T) {
	v, p, change := 1e9, 0.01, -0.1
	cell := result.ComparedCell{N: 1, Median: &v, P: &p, PHolm: &p, Change: &change, Significant: true, Regressed: true}
	c := &result.Comparison{By: hostile, Baseline: hostile, Tests: 1, Groups: []result.ComparedGroup{{Name: hostile}, {Name: "b"}},
		Rows:  []result.ComparedRow{{Kernel: hostile, Tier: "t", Phase: "single", Metric: "aggregate", Cells: []result.ComparedCell{{N: 1, Median: &v}, cell}}},
		Notes: []result.Note{{Code: result.NoteOutlier, Groups: []string{hostile}, Rows: []string{hostile}}}}
	list := &result.SavedList{Folder: hostile, Results: []result.SavedResult{{Ref: "last", File: "f", Hostname: hostile, Kernel: hostile}}}
	FillComparison(c)
	run := &result.Run{Kernel: result.Kernel{Name: hostile}, Host: result.Host{Hostname: hostile}, Launches: []result.Launch{{Phases: []result.Phase{{Summary: &result.PhaseSummary{}}}}}}
	out := map[string]string{}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"table":    func(b *bytes.Buffer) error { return CompareTable(b, c) },
		"markdown": func(b *bytes.Buffer) error { return CompareMarkdown(b, c) },
		"bench":    func(b *bytes.Buffer) error { return Bench(b, []*result.Run{run}) },
		"list":     func(b *bytes.Buffer) error { return SavedTable(b, list) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.String()
		if strings.ContainsFunc(out[name], func(r rune) bool {
			return r != '\n' && (unicode.IsControl(r) || r == '\u202e' || r == '\u2028')
		}) {
			t.Errorf("%s: control characters in %q", name, out[name])
		}
	}
	md := out["markdown"]
	for line := range strings.Lines(md) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		// A pipe with an even number of backslashes before it ends a cell.
		plain := strings.NewReplacer(`\\`, "", `\|`, "").Replace(line)
		if n := strings.Count(plain, "|"); n != 7 {
			t.Errorf("%d pipes, want 7: %s", n, line)
		}
	}
	if strings.Contains(md, "](") || strings.Contains(md, " &lt;") || !strings.Contains(md, "&amp;lt;") {
		t.Errorf("markup in %s", md)
	}
	var b bytes.Buffer
	if err := SavedCSV(&b, list); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || !strings.HasPrefix(rows[1][3], "'=") || !strings.HasPrefix(rows[1][6], "'=") {
		t.Errorf("%v, %q: a formula", err, rows)
	}
}

// No CSV has a cell that a spreadsheet takes for a formula: not the host's
// name, and not the reason why a figure is missing.
func TestHostileNamesInEveryCSV(t *testing.T) {
	host := result.Host{Hostname: hostile}
	chase := &result.Chase{Host: host, Launches: []result.ChaseLaunch{{Samples: []result.ChaseSample{{Nodes: 1, Rounds: []float64{1}}}}}}
	structure := result.FootprintStructure{Name: "map", Sizes: []result.FootprintSize{{Elements: 1, Missing: hostile}}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"chase": func(b *bytes.Buffer) error { return ChaseCSV(b, chase) },
		"chase pair": func(b *bytes.Buffer) error {
			return ChasePairCSV(b, &result.ChasePair{Emulated: hostile, Rows: []result.ChasePairRow{{Nodes: 1}}})
		},
		"footprint": func(b *bytes.Buffer) error {
			return FootprintCSV(b, &result.Footprint{Host: host, Structures: []result.FootprintStructure{structure}})
		},
		"footprint pair": func(b *bytes.Buffer) error {
			return FootprintPairCSV(b, &result.FootprintPair{Rows: []result.FootprintPairRow{{Name: "map", WideMissing: hostile}}})
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%s: %v, %d rows, want a header and a row", name, err, len(rows))
		}
		marked := false
		for _, cell := range rows[1] {
			if strings.HasPrefix(cell, "=") {
				t.Errorf("%s: %q is a formula", name, cell)
			}
			marked = marked || strings.HasPrefix(cell, "'=")
		}
		if !marked {
			t.Errorf("%s: the name is in no cell of %q", name, rows[1])
		}
	}
}
