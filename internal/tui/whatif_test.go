package tui

import (
	"slices"
	"strings"
	"testing"

	"wordsize/internal/report"
)

// The estimate is chosen among the columns; then groups have its sum, too,
// and what is asked for says so.
func TestChooseWhatIf(t *testing.T) {
	b := &fakeBackend{}
	m := screen(t, b, 120, 60)
	col, err := report.FindColumn(report.ProcessColumns, report.WhatIfName)
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"c"}
	for range slices.Index(report.ColumnNames(report.ProcessColumns), col.Name) {
		keys = append(keys, "down")
	}
	press(m, append(keys, "space", "enter", "r")...)
	if text := plain(t, m); !strings.Contains(text, report.WhatIfName) {
		t.Errorf("%s", text)
	}
	if last := b.requests[len(b.requests)-1]; !slices.Contains(last.Columns, col) {
		t.Error("it is not asked for")
	}
	press(m, "g")
	last := b.requests[len(b.requests)-1]
	if text := plain(t, m); !strings.Contains(text, report.WhatIfName) || !wantsWhatIf(last.Columns) || len(last.GroupColumns) == 0 {
		t.Errorf("groups do not have it: %s", text)
	}
}
