package record

import (
	"testing"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

func TestDecodeStatus(t *testing.T) {
	for _, tc := range []struct {
		status int32
		code   result.Bytes
		signal result.Bytes
		core   bool
		exit   int
	}{
		{0, result.Some[int64](0), result.Bytes{}, false, 0},
		{7 << 8, result.Some[int64](7), result.Bytes{}, false, 7},
		{255 << 8, result.Some[int64](255), result.Bytes{}, false, 255},
		{9, result.Bytes{}, result.Some[int64](9), false, 137},
		{11 | 0x80, result.Bytes{}, result.Some[int64](11), true, 139},
	} {
		code, signal, core := decodeStatus(tc.status)
		if code != tc.code || signal != tc.signal || core != tc.core || exitStatus(tc.status) != tc.exit {
			t.Errorf("%#x: %v %v %v %d", tc.status, code, signal, core, exitStatus(tc.status))
		}
	}
}

// Of which figure the peak is made, and when it is only bounded.
func TestExitPeak(t *testing.T) {
	const floor = 10 << 20
	child := func(faults uint64) *procstat.Sample {
		return &procstat.Sample{Have: procstat.HasFaults, ChildFaults: faults}
	}
	waitOf := func(max int64, faults uint64) *waited {
		return &waited{rusage: &result.Rusage{MaxRSS: max}, stat: child(faults)}
	}
	for name, tc := range map[string]struct {
		p          life
		peak, most int64
		from       string
	}{
		"taskstats":                       {life{peak: 5, sum: taskStats{peak: 7}, end: &ending{stats: true}}, 7, 0, result.PeakFromTaskstats},
		"ptrace":                          {life{peak: 5, fin: &final{peak: 6}, end: &ending{}}, 6, 0, result.PeakFromPtrace},
		"tick alone":                      {life{peak: 5, end: &ending{}}, 5, 0, result.PeakFromTick},
		"nothing":                         {life{end: &ending{}}, 0, 0, ""},
		"command above the recorder":      {life{role: result.RoleCommand, peak: 5, end: &ending{wait: waitOf(floor+1, 0)}}, floor + 1, 0, result.PeakFromRusage},
		"command below the recorder":      {life{role: result.RoleCommand, peak: 5, end: &ending{wait: waitOf(floor, 0)}}, 5, floor, result.PeakFromTick},
		"command with children":           {life{role: result.RoleCommand, peak: 5, end: &ending{wait: waitOf(floor+1, 1)}}, 5, floor + 1, result.PeakFromTick},
		"orphan, whose parent may be big": {life{role: result.RoleChild, peak: 5, end: &ending{wait: waitOf(floor+1, 0)}}, 5, floor + 1, result.PeakFromTick},
		"bound reached":                   {life{role: result.RoleChild, peak: 9, end: &ending{wait: waitOf(9, 1)}}, 9, 0, result.PeakFromRusage},
	} {
		var x result.RecordedExit
		exitPeak(&tc.p, floor, &x)
		if x.Peak.Value != tc.peak || x.Peak.Known != (tc.peak > 0) || x.PeakAtMost.Value != tc.most || x.PeakFrom != tc.from {
			t.Errorf("%s: %+v", name, x)
		}
	}
}
