package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"wordsize/internal/result"
)

// reportOf records a command and returns its report.
func reportOf(t *testing.T, helper string, args ...string) *result.LabelUsage {
	t.Helper()
	r := newRecorder(t, "r.jsonl.gz", helper, args...)
	if code := r.run(t); code != 0 && code != 7 {
		t.Fatalf("exit %d: %s", code, r.out.String())
	}
	code, stdout, stderr := execute(t, context.Background(), "report", "--format", "json", r.path)
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var rep result.UsageReport
	if err := json.Unmarshal([]byte(stdout), &rep); err != nil {
		t.Fatal(err)
	}
	return &rep.Labels[0]
}

// A command of 50 ms has its peak and its CPU time in the report.
func TestReportShortCommand(t *testing.T) {
	needSh(t)
	l := reportOf(t, "", "--", "sh", "-c", "sleep 0.05; exit 7")
	if l.Total.PeakProcess.Value < 100<<10 || l.Total.Started < 1 || !l.Recordings[0].SelfPercent.Known {
		t.Errorf("%+v", l)
	}
}

// Peaks are within 1 % of what was allocated, but for what the program itself
// takes.
func TestReportSteps(t *testing.T) {
	base := reportOf(t, "steps 1", "-d", "0.02", "--", os.Args[0]).Total.PeakProcess.Value - 1<<20
	for _, mb := range []string{"100", "200"} {
		l := reportOf(t, "steps "+mb, "-d", "0.02", "--", os.Args[0])
		want := float64(base) + map[string]float64{"100": 100 << 20, "200": 200 << 20}[mb]
		if got := float64(l.Total.PeakSum.Value); math.Abs(got-want) > want/100+2<<20 { // a run-time system differs by that from run to run
			t.Errorf("%s MiB: peak %.1f MiB, want %.1f", mb, got/(1<<20), want/(1<<20))
		}
		// A busy host may miss the step, or the whole process.
		if l.Total.Resident != nil && l.Total.Resident.Max > float64(l.Total.PeakSum.Value) {
			t.Errorf("%s MiB: %+v, peak %d", mb, l.Total.Resident, l.Total.PeakSum.Value)
		}
	}
}

// Of 200 short children each is counted where the kernel tells of all ends;
// elsewhere the report says that some are missing.
func TestReportShortChildren(t *testing.T) {
	l := reportOf(t, "spawn 200", "--", os.Args[0])
	complete := true
	for _, n := range l.Warnings {
		complete = complete && n.Code != result.UsageMissed
	}
	if complete && l.Total.Started < 201 {
		t.Errorf("%d processes, want 201, or a warning: %+v", l.Total.Started, l.Warnings)
	}
	if l.Total.CPUNS() <= 0 {
		t.Errorf("%+v", l.Total)
	}
}
