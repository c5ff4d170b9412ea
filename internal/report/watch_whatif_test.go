package report

import (
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

func whatIfFiguresOf(mid, low, high int64) result.WhatIfFigures {
	f := result.WhatIfFigures{Low: low << 20, High: high << 20}
	if mid > 0 {
		f.Value = result.Some(mid << 20)
	}
	return f
}

func TestWhatIfCells(t *testing.T) {
	col, err := FindColumn(ProcessColumns, "whatif32")
	if err != nil {
		t.Fatal(err)
	}
	age := result.Some(int64(4 * time.Second))
	for _, tc := range []struct {
		row   result.Process
		want  string
		exact string
		off   bool
	}{
		{result.Process{WhatIf: &result.WhatIfRES{WhatIfFigures: whatIfFiguresOf(66, 60, 70)}}, "66m", "69206016", false},
		{result.Process{WhatIf: &result.WhatIfRES{WhatIfFigures: whatIfFiguresOf(66, 60, 70), AgeNS: age}}, "66m'4s", "69206016", false},
		{result.Process{WhatIf: &result.WhatIfRES{WhatIfFigures: whatIfFiguresOf(0, 50, 96), AgeNS: age}}, "50m-96m~'4s", "", false},
		{result.Process{Refused: result.RefusedWhatIf}, "?", "", false},
		{result.Process{}, ".", "", false},
		{result.Process{}, "-", "", true},
		{result.Process{NoWhatIf: true}, "-", "", false},
		{result.Process{Kernel: true}, "-", "", false},
		{result.Process{State: "Z"}, "-", "", false},
	} {
		c := &WatchContext{WhatIfOff: tc.off}
		got, width := col.Cell(c, &tc.row, nil)
		if string(got) != tc.want || width != len(tc.want) {
			t.Errorf("%+v: %q of width %d, want %q", tc.row.WhatIf, got, width, tc.want)
		}
		if got := string(col.Exact(c, &tc.row, nil)); got != tc.exact {
			t.Errorf("%+v: exactly %q, want %q", tc.row.WhatIf, got, tc.exact)
		}
	}
	// Unknown ones come last; undecided ones are sorted by their middle.
	a, b := &result.Process{WhatIf: &result.WhatIfRES{WhatIfFigures: whatIfFiguresOf(0, 50, 96)}}, &result.Process{WhatIf: &result.WhatIfRES{WhatIfFigures: whatIfFiguresOf(66, 60, 70)}}
	if c := (&WatchContext{}); col.Compare(c, a, b, true) >= 0 || col.Compare(c, b, &result.Process{}, false) >= 0 {
		t.Error("the order is wrong")
	}
}

func TestWhatIfGroupCells(t *testing.T) {
	some := whatIfFiguresOf(66, 60, 70)
	both := whatIfFiguresOf(0, 50, 96)
	for _, tc := range []struct {
		sum  *result.WhatIfSum
		want [4]string // WHATIF32, LOW32, HIGH32, NO32
	}{
		{&result.WhatIfSum{WhatIfFigures: &some, Processes: 3}, [4]string{"66m", "60m", "70m", "0"}},
		{&result.WhatIfSum{WhatIfFigures: &some, Processes: 3, Missing: 2}, [4]string{"66m+", "60m", "70m", "2"}},
		{&result.WhatIfSum{WhatIfFigures: &both, Processes: 3, Missing: 2, OldestNS: result.Some(int64(time.Minute))}, [4]string{"50m-96m~+'1m", "50m", "96m", "2"}},
		{&result.WhatIfSum{Missing: 2}, [4]string{".", ".", ".", "2"}},
		{&result.WhatIfSum{Missing: 2, Refused: 1}, [4]string{"?", "?", "?", "2"}},
		{nil, [4]string{"-", "-", "-", "-"}},
	} {
		for i, name := range WhatIfColumns {
			col, err := FindColumn(GroupColumns, name)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := col.Cell(&WatchContext{}, &result.Group{WhatIf: tc.sum}, nil); string(got) != tc.want[i] {
				t.Errorf("%s of %+v: %q, want %q", name, tc.sum, got, tc.want[i])
			}
		}
	}
}

func TestWhatIfHeader(t *testing.T) {
	both := whatIfFiguresOf(0, 50, 96)
	tick := &result.WatchTick{
		Counts: result.WatchCounts{WhatIfRead: 2, WhatIfRefused: 1, WhatIfPending: 3},
		Total:  &result.Group{WhatIf: &result.WhatIfSum{WhatIfFigures: &both, Processes: 2, Missing: 4}},
	}
	if s := strings.Join(headCounts(tick, false), "  "); !strings.HasSuffix(s, "  WHATIF32 of 2, 1 refused, 3 not read") {
		t.Errorf("%q", s)
	}
	notes := WatchNotes(tick)
	if len(notes) != 1 || !strings.Contains(notes[0], "leaves out 4 processes") || !strings.Contains(notes[0], "undecided") {
		t.Errorf("%q", notes)
	}
	if s := strings.Join(headCounts(&result.WatchTick{}, false), " "); strings.Contains(s, WhatIfName) {
		t.Errorf("%q", s)
	}
}

func TestWithWhatIf(t *testing.T) {
	cols := WithWhatIf(DefaultGroupColumns(80, true))
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	if s := strings.Join(names, ","); !strings.HasSuffix(s, ",WHATIF32,GROUP") {
		t.Error(s)
	}
	if again := WithWhatIf(cols); len(again) != len(cols) {
		t.Error("twice")
	}
}

func TestWhatIfGrid(t *testing.T) {
	known := &result.WhatIfUsage{RESBytes: 100 << 20, WhatIfFigures: whatIfFiguresOf(66, 60, 70)}
	both := &result.WhatIfUsage{RESBytes: 100 << 20, WhatIfFigures: whatIfFiguresOf(0, 50, 96)}
	g := whatIfGrid("program", []result.GroupUsage{
		{Name: "a", WhatIf: &result.UsageWhatIf{Processes: 2, Missing: 0.25, Avg: known, End: both}},
		{Name: "b", WhatIf: &result.UsageWhatIf{Missing: 1}},
		{Name: "c"},
	})
	want := []string{
		"a|2.0|0.2|100.0|66.0|60.0 to 70.0|-34 %|100.0|~|50.0 to 96.0|-50 % to -4 %",
		"b|0.0|1.0|-|-|-|-|-|-|-|-",
	}
	if len(g.rows) != len(want) {
		t.Fatalf("%d rows", len(g.rows))
	}
	for i, row := range g.rows {
		if got := strings.Join(row, "|"); got != want[i] || len(row) != len(g.header) {
			t.Errorf("%s, want %s", got, want[i])
		}
	}
	r := &result.UsageReport{GroupBy: "program", Labels: []result.LabelUsage{{Total: result.GroupUsage{WhatIf: &result.UsageWhatIf{Processes: 2, Avg: both}}, Groups: []result.GroupUsage{}}}}
	var out strings.Builder
	if err := UsageCSV(&out, r); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, ",whatif_bytes_avg,") || !strings.Contains(s, ",2,0,104857600,,52428800,100663296,,,,,\n") {
		t.Error(s)
	}
	r.Labels[0].Total.WhatIf = nil
	if cols := whatIfColumnsOf(r); cols != nil {
		t.Errorf("%d columns without estimates", len(cols))
	}
}
