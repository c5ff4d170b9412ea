package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wordsize/internal/result"
)

// Real records, in testdata, shortened: pass_end_ns and most of the host are
// left out.
//
// steal-*: memtest 1 0.4 256, twelve times of each in turns on a busy virtual
// machine of two CPUs, with a --runner that is exec "$@" alone ("plain" and
// "same"), or that first starts a process which stops the worker for 4 of each
// 100 ms, 5 % with the calls ("slow").
//
// builds-*: memtest 1 0.05 64 --kernel write/avx2, the 386 and the amd64 build
// twelve times in turns. builds.benchstat is what benchstat (golang.org/x/perf,
// 2026-09) printed of them:
//
//	memtest compare --format bench builds-*.json | benchstat -col goarch -format csv -

func realRecords(name string) string { return filepath.Join(home, "testdata", name+".json") }

func compareJSON(t *testing.T, args ...string) *result.Comparison {
	t.Helper()
	got := memtest(t, append([]string{"compare", "--format", "json"}, args...)...)
	var c result.Comparison
	if err := json.Unmarshal([]byte(got.stdout), &c); err != nil || got.code != exitOK {
		t.Fatalf("%v: exit %d, %v, %q", args, got.code, err, got.stderr)
	}
	return &c
}

func TestCompareRealSlowdown(t *testing.T) {
	for other, slower := range map[string]bool{"slow": true, "same": false} {
		c := compareJSON(t, realRecords("steal-plain"), realRecords("steal-"+other))
		if len(c.Rows) != 2 {
			t.Fatalf("%s: %d rows", other, len(c.Rows))
		}
		for _, r := range c.Rows {
			cell := r.Cells[1]
			if cell.N != 12 || cell.Significant != slower || slower && (*cell.Change > -0.04 || *cell.Change < -0.06) {
				t.Errorf("%s, %s: n = %d, change %.4f, p = %.3f, significant %v", other, r.Phase, cell.N, *cell.Change, *cell.P, cell.Significant)
			}
		}
		for _, n := range c.Notes {
			if n.Code == result.NoteTurns {
				t.Errorf("%s: %s", other, n.Text)
			}
		}
	}
}

// What benchstat printed of real records is in our table: medians to the last
// digit, p-values as far as it prints them.
func TestCompareRealAsBenchstatPrinted(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(home, "testdata", "builds.benchstat"))
	if err != nil {
		t.Fatal(err)
	}
	c := compareJSON(t, realRecords("builds-386"), realRecords("builds-amd64"), "--by", "arch", "--metric", "aggregate,process")
	units := map[string]string{"B/s": "aggregate", "process-B/s": "process"}
	checked, metric := 0, ""
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) < 7 {
			continue
		}
		if f[0] == "" && f[1] != "386" {
			metric = units[f[1]]
		}
		_, phase, ok := strings.Cut(f[0], "/phase=")
		if !ok {
			continue
		}
		for _, r := range c.Rows {
			if r.Phase != phase || r.Metric != metric {
				continue
			}
			checked++
			p := fmt.Sprintf("p=%.3f n=%d", *r.Cells[1].P, r.Cells[1].N)
			if f[1] != number64(*r.Cells[0].Median) || f[3] != number64(*r.Cells[1].Median) || f[6] != p {
				t.Errorf("%s of %s: benchstat has %s, %s and %s, we %g, %g and %s", metric, phase, f[1], f[3], f[6], *r.Cells[0].Median, *r.Cells[1].Median, p)
			}
		}
	}
	if checked != 4 {
		t.Errorf("%d rows of four were compared", checked)
	}
}

func number64(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
