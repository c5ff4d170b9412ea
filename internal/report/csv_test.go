package report

import (
	"encoding/csv"
	"strings"
	"testing"
)

// No cell is a formula to a spreadsheet, numbers stay numbers, and all else
// comes back as it was.
func TestCSVCells(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"-5":                        "-5",
		"+1.5":                      "+1.5",
		"nginx: worker":             "nginx: worker",
		"=cmd|' /C calc'!A0":        "'=cmd|' /C calc'!A0",
		"@SUM(1)":                   "'@SUM(1)",
		"-bash":                     "'-bash",
		"+1+cmd|x":                  "'+1+cmd|x",
		"\t=1":                      "'\t=1",
		"a\"b,c\n=HYPERLINK(\"x\")": "a\"b,c\n=HYPERLINK(\"x\")",
	} {
		var b strings.Builder
		w := newCSV(&b)
		if err := w.Write([]string{in, "x"}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		got, err := csv.NewReader(strings.NewReader(b.String())).Read()
		if err != nil || got[0] != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}
