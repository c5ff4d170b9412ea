package membench

import (
	"slices"
	"testing"
	"time"

	"wordsize/internal/result"
	"wordsize/internal/steady"
)

// Launches of all kernels go on until enough were made, and no longer.
func TestRunsUntilEnough(t *testing.T) {
	f := &fakes{passNS: 10e6}
	cfgs := kernelConfigs(t, "read", "copy")
	for i := range cfgs {
		cfgs[i].Repeat, cfgs[i].Until, cfgs[i].UntilTime = 50, 1, time.Minute
		cfgs[i].MinTime = 100 * time.Millisecond
	}
	e := env(t, f)
	watch := steady.NewWatch(1, time.Minute, 50)
	var asked []int
	e.Enough = func(runs []*result.Run) bool {
		asked = append(asked, len(runs[0].Launches), len(runs[1].Launches))
		return watch.Enough(runs)
	}
	atMost := true
	e.Progress = func(p Progress) { atMost = atMost && p.AtMost && p.Launches == 50 }
	runs, err := RunKernels(t.Context(), cfgs, e)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(asked, []int{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}) || !atMost {
		t.Errorf("asked at %v, at most %v; want it after each launch of both, until six", asked, atMost)
	}
	watch.Finish(runs, false)
	for _, run := range runs {
		if a := run.Args; a.UntilPercent == nil || *a.UntilPercent != 1 || a.UntilTimeNS == nil || *a.UntilTimeNS != 60e9 || a.Repeat != 50 {
			t.Errorf("args %+v", a)
		}
		if u := run.Until; !u.Reached || u.Launches != 6 || *u.Phases[1].HalfWidthPercent > 1 {
			t.Errorf("%+v", u)
		}
	}
}

func TestWithoutUntilAllLaunchesAreMade(t *testing.T) {
	run, err := fakeRun(t, &fakes{passNS: 10e6}, func(c *Config) { c.Repeat = 8 })
	if err != nil || len(run.Launches) != 8 || run.Args.UntilPercent != nil || run.Args.UntilTimeNS != nil {
		t.Errorf("%d launches, args %+v, %v", len(run.Launches), run.Args, err)
	}
}
