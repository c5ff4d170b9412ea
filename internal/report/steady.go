package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"wordsize/internal/result"
)

// steadyWarning returns the sentence of a warning about how steady launches or
// passes were.
func steadyWarning(w *result.Warning) string {
	v := func(key string) float64 { return w.Values[key] }
	launches := countOf(int(v("launches")), "launch")
	switch w.Code {
	case result.WarnUntil:
		return untilWarning(w)
	case result.WarnLaunchDrift:
		return fmt.Sprintf("the aggregate drifts by %+.3g %% of its median over %s (phase %s): the host did not stay in one state, and the median depends on when you look",
			100*v("change"), launches, w.Phase)
	case result.WarnLaunchHeaps:
		return fmt.Sprintf("the aggregates of %s fall into two heaps, around %.2f and %.2f GB/s (phase %s): the median may be of neither", launches, v("low")/gb, v("high")/gb, w.Phase)
	case result.WarnLaunchOutliers:
		verb := "lie"
		if v("outliers") == 1 {
			verb = "lies"
		}
		return fmt.Sprintf("%g of %s %s far from the others (phase %s), launch %g by %+.0f %% of the median: trust the median, not the extremes",
			v("outliers"), launches, verb, w.Phase, v("launch"), 100*v("change"))
	case result.WarnPassDrift:
		became := "faster"
		if v("change") < 0 {
			became = "slower"
		}
		return fmt.Sprintf("the passes of worker %g became %.0f %% %s from the first quarter to the last (%s): take a larger T, or look for heat and other load",
			v("worker"), 100*math.Abs(v("change")), became, whichWorkers(w))
	case result.WarnPassLevels:
		return fmt.Sprintf("the passes of worker %g are at two levels, %.2f and %.2f GB/s, %.0f %% of them at the lower (%s): its rate is a mixture, as when CPUs share a core for a while",
			v("worker"), v("low")/gb, v("high")/gb, 100*v("low_share"), whichWorkers(w))
	}
	return fmt.Sprintf("%.2g %% of the passes of worker %g took more than twice the median pass, up to %.3g times, which cost %.0f %% of its time (%s)",
		100*v("share"), v("worker"), v("worst"), 100*v("time_share"), whichWorkers(w))
}

// whichWorkers says where the worst case was, and of how many.
func whichWorkers(w *result.Warning) string {
	where := "phase " + w.Phase
	if w.Values["launches"] > 1 {
		where += fmt.Sprintf(", launch %g", w.Values["launch"])
	}
	if of := w.Values["of"]; of > 1 {
		where += fmt.Sprintf("; such were %g of %g workers", w.Values["times"], of)
		if w.Values["launches"] > 1 {
			where += " of all launches"
		}
	}
	return where
}

func untilWarning(w *result.Warning) string {
	launches := countOf(int(w.Values["launches"]), "launch")
	wanted := fmt.Sprintf("±%g %% was asked for", w.Values["wanted_percent"])
	why := "a larger T, or a larger --repeat"
	if w.Subject == result.StopTime {
		why = "a larger --until-time"
	}
	width, known := w.Values["half_width_percent"]
	if known && w.Subject == result.StopTime {
		why = "or " + why
	}
	if !known {
		return fmt.Sprintf("no interval of the median after %s (%s, and 6 are the least): take %s", launches, wanted, why)
	}
	return fmt.Sprintf("the interval of the median is still ±%s %% after %s (%s): take a quieter host, %s", narrow(width), launches, wanted, why)
}

// narrow writes a width in percent with two digits, or all before the point.
func narrow(percent float64) string {
	if percent >= 10 {
		return fmt.Sprintf("%.0f", percent)
	}
	return fmt.Sprintf("%.2g", percent)
}

// twoDigits rounds a guess.
func twoDigits(n int) float64 {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(float64(n)))-1))
	return math.Round(float64(n)/unit) * unit
}

// muchMore is how many times the launches so far are worth naming.
const muchMore = 1000

// UntilState is the line, without its end, that is said while launches go on
// until the interval is narrow enough; needed is how many may do, 0 when that
// is unknown.
func UntilState(launches int, percent, wanted float64, needed int) string {
	s := countOf(launches, "launch")
	if math.IsInf(percent, 0) {
		return s + ": no interval of the median yet"
	}
	s += fmt.Sprintf(": interval of the median ±%s %%, want ±%g %%", narrow(percent), wanted)
	switch {
	case needed > muchMore*launches:
		s += fmt.Sprintf("; at this spread that takes over %d launches", muchMore*launches)
	case needed > launches:
		s += fmt.Sprintf("; at this spread about %.0f launches in all", twoDigits(needed))
	}
	return s
}

// Until writes the line that says how narrow the interval of the median is in
// the end, of several kernels the widest; nothing without --until, and nothing
// where a warning says that it was not reached.
func Until(w io.Writer, runs []*result.Run) error {
	u := runs[0].Until
	if u == nil || u.Stop != result.StopReached && u.Stop != result.StopEarly {
		return nil
	}
	widest, of := -1.0, ""
	var each []string
	for _, run := range runs {
		for _, p := range run.Until.Phases {
			if p.HalfWidthPercent == nil {
				return nil // it was interrupted, and is told to be
			}
			name := phaseName(run, p.Name)
			each = append(each, fmt.Sprintf("%s ±%s %%", name, narrow(*p.HalfWidthPercent)))
			if *p.HalfWidthPercent > widest {
				widest, of = *p.HalfWidthPercent, run.Kernel.Name+", "+name
			}
		}
	}
	detail := strings.Join(each, ", ")
	if len(runs) > 1 {
		detail = "the widest: " + of
	}
	outcome := "reached"
	if u.Stop == result.StopEarly {
		outcome = "ended early"
	}
	_, err := fmt.Fprintf(w, "--until %g%% %s: interval of the median ±%s %% after %s (%s).\n",
		*runs[0].Args.UntilPercent, outcome, narrow(widest), countOf(u.Launches, "launch"), detail)
	return err
}

// phaseName says how many ran in a phase.
func phaseName(run *result.Run, phase string) string {
	one, many := "process", "processes"
	if run.Args.Parallel == result.ParallelThreads {
		one, many = "thread", "threads"
	}
	switch {
	case phase == result.PhaseSingle:
		return "1 " + one
	case run.Args.Processes == 1:
		return "1 " + one + " again"
	}
	return fmt.Sprintf("%d %s", run.Args.Processes, many)
}
