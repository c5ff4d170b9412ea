package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestSteadyWarnings(t *testing.T) {
	type values = map[string]float64
	for _, c := range []struct {
		w    result.Warning
		want string
	}{
		{result.Warning{Code: result.WarnUntil, Subject: result.StopRepeat, Values: values{"launches": 100, "wanted_percent": 1, "half_width_percent": 3.14}},
			"the interval of the median is still ±3.1 % after 100 launches (±1 % was asked for): take a quieter host, a larger T, or a larger --repeat"},
		{result.Warning{Code: result.WarnUntil, Subject: result.StopTime, Values: values{"launches": 28, "wanted_percent": 0.5, "half_width_percent": 140}},
			"the interval of the median is still ±140 % after 28 launches (±0.5 % was asked for): take a quieter host, or a larger --until-time"},
		{result.Warning{Code: result.WarnUntil, Subject: result.StopTime, Values: values{"launches": 1, "wanted_percent": 1}},
			"no interval of the median after 1 launch (±1 % was asked for, and 6 are the least): take a larger --until-time"},
		{result.Warning{Code: result.WarnLaunchDrift, Phase: "parallel", Values: values{"launches": 12, "change": -0.0423}},
			"the aggregate drifts by -4.23 % of its median over 12 launches (phase parallel): the host did not stay in one state, and the median depends on when you look"},
		{result.Warning{Code: result.WarnLaunchHeaps, Phase: "parallel", Values: values{"launches": 12, "low": 11e9, "high": 19e9}},
			"the aggregates of 12 launches fall into two heaps, around 11.00 and 19.00 GB/s (phase parallel): the median may be of neither"},
		{result.Warning{Code: result.WarnLaunchOutliers, Phase: "single", Values: values{"launches": 12, "outliers": 1, "launch": 5, "change": -0.3}},
			"1 of 12 launches lies far from the others (phase single), launch 5 by -30 % of the median: trust the median, not the extremes"},
		{result.Warning{Code: result.WarnPassDrift, Phase: "parallel", Values: values{"launch": 3, "worker": 1, "change": -0.2, "times": 12, "of": 40, "launches": 20}},
			"the passes of worker 1 became 20 % slower from the first quarter to the last (phase parallel, launch 3; such were 12 of 40 workers of all launches): take a larger T, or look for heat and other load"},
		{result.Warning{Code: result.WarnPassLevels, Phase: "parallel", Values: values{"launch": 1, "worker": 0, "low": 5.1e9, "high": 9.8e9, "low_share": 0.62, "times": 1, "of": 2, "launches": 1}},
			"the passes of worker 0 are at two levels, 5.10 and 9.80 GB/s, 62 % of them at the lower (phase parallel; such were 1 of 2 workers): its rate is a mixture, as when CPUs share a core for a while"},
		{result.Warning{Code: result.WarnPassOutliers, Phase: "single", Values: values{"launch": 1, "worker": 0, "share": 0.032, "worst": 9.12, "time_share": 0.074, "times": 1, "of": 1, "launches": 1}},
			"3.2 % of the passes of worker 0 took more than twice the median pass, up to 9.12 times, which cost 7 % of its time (phase single)"},
	} {
		if got := WarningText(&c.w); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.w.Code, got, c.want)
		}
	}
}

func TestUntilState(t *testing.T) {
	for want, got := range map[string]string{
		"8 launches: interval of the median ±1.9 %, want ±1 %; at this spread about 29 launches in all":     UntilState(8, 1.9, 1, 29),
		"8 launches: interval of the median ±12 %, want ±0.2 %; at this spread about 2900 launches in all":  UntilState(8, 12.3, 0.2, 2880),
		"6 launches: no interval of the median yet":                                                         UntilState(6, math.Inf(1), 1, 0),
		"6 launches: interval of the median ±90 %, want ±1 %; at this spread that takes over 6000 launches": UntilState(6, 90, 1, 48600),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// untilRun is the seed's run as if --until had made it of so many launches.
func untilRun(kernel, stop string, single, parallel float64) *result.Run {
	run := seedRun()
	run.Kernel.Name, run.Args.Repeat, run.Args.UntilPercent = kernel, 100, new(1.0)
	run.Until = &result.Until{Reached: single <= 1 && parallel <= 1, Stop: stop, Launches: 14, Phases: []result.UntilPhase{
		{Name: result.PhaseSingle, HalfWidthPercent: &single}, {Name: result.PhaseParallel, HalfWidthPercent: &parallel},
	}}
	return run
}

func TestUntil(t *testing.T) {
	say := func(runs ...*result.Run) string {
		var b bytes.Buffer
		if err := Until(&b, runs); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got, want := say(untilRun("write", result.StopReached, 0.31, 0.8)), "--until 1% reached: interval of the median ±0.8 % after 14 launches (1 process ±0.31 %, 4 processes ±0.8 %).\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	two := []*result.Run{untilRun("read", result.StopReached, 0.3, 0.8), untilRun("triad", result.StopReached, 0.95, 0.2)}
	if got, want := say(two...), "--until 1% reached: interval of the median ±0.95 % after 14 launches (the widest: triad, 1 process).\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	if got := say(untilRun("write", result.StopEarly, 0.3, 4)); !strings.HasPrefix(got, "--until 1% ended early: interval of the median ±4 %") {
		t.Errorf("%q", got)
	}
	if got := say(untilRun("write", result.StopRepeat, 0.3, 4)) + say(seedRun()); got != "" {
		t.Errorf("%q, which a warning says", got)
	}
	// The table tells the launches that were made, not the most.
	var b bytes.Buffer
	if err := KernelTable(&b, two); err != nil || !strings.Contains(b.String(), "Medians over 14 launches,") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
