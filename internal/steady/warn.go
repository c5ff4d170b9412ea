package steady

import (
	"math"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// Thresholds of relevance; docs/method.md gives the reasons.
const (
	minLaunches   = 6    // fewer launches say nothing of each other
	driftMatters  = 0.02 // of the median, from the first launch to the last
	launchMatters = 0.05 // of the median, for a launch to lie apart
	waitExplains  = 0.05 // of a worker's time without its CPU: that is why its passes are uneven
	passesMatter  = 0.05 // of a phase's workers over all launches, in which passes are uneven
)

// Warnings lists where launches, or the passes of a phase, were not of one
// steady speed.
func Warnings(run *result.Run) (list []result.Warning) {
	for _, name := range phases {
		list = append(list, launchWarnings(name, run.Aggregates(name))...)
	}
	for _, name := range phases {
		list = append(list, passWarnings(run, name)...)
	}
	return list
}

// launchWarnings looks at the aggregates of launches, in order of time.
func launchWarnings(phase string, rates []float64) (list []result.Warning) {
	n := len(rates)
	if n < minLaunches {
		return nil
	}
	add := func(code string, v map[string]float64) {
		v["launches"] = float64(n)
		list = append(list, result.Warning{Code: code, Phase: phase, Values: v})
	}
	if change, drifts := stats.Drift(rates); drifts && math.Abs(change) >= driftMatters {
		add(result.WarnLaunchDrift, map[string]float64{"change": change})
	}
	if low, high, two := stats.Modes(rates); two {
		add(result.WarnLaunchHeaps, map[string]float64{"low": low, "high": high})
		return list // of two heaps the smaller one looks outlying
	}
	middle := stats.Median(rates)
	far, worst := 0, 0
	for _, i := range stats.Outlying(rates) {
		if off := math.Abs(rates[i] - middle); off >= launchMatters*middle {
			if far++; far == 1 || off > math.Abs(rates[worst]-middle) {
				worst = i
			}
		}
	}
	if far > 0 {
		add(result.WarnLaunchOutliers, map[string]float64{"outliers": float64(far), "launch": float64(worst + 1), "change": rates[worst]/middle - 1})
	}
	return list
}

// found is what one kind of unevenness was found in.
type found struct {
	times  int
	weight float64 // of the worst
	worst  result.Warning
}

func (f *found) add(weight float64, w result.Warning) {
	if f.times++; f.times == 1 || weight > f.weight {
		f.weight, f.worst = weight, w
	}
}

// passWarnings looks at the passes of each worker in each launch that had its
// CPU, and tells of the worst case, unless cases are so few among many that
// noise may make them.
func passWarnings(run *result.Run, phase string) (list []result.Warning) {
	var drift, levels, slow found
	looked := 0
	for l := range run.Launches {
		for i := range run.Launches[l].Phases {
			p := &run.Launches[l].Phases[i]
			if p.Name != phase {
				continue
			}
			for j := range p.Workers {
				if waited(&p.Workers[j]) > waitExplains {
					continue // another warning says so
				}
				looked++
				lookAtPasses(&p.Workers[j], l, phase, &drift, &levels, &slow)
			}
		}
	}
	for _, f := range []found{drift, levels, slow} {
		if f.times > 0 && float64(f.times) >= passesMatter*float64(looked) {
			v := f.worst.Values
			v["times"], v["of"], v["launches"] = float64(f.times), float64(looked), float64(len(run.Launches))
			list = append(list, f.worst)
		}
	}
	return list
}

// waited returns which part of its counted passes a worker was without its
// CPU; 0 when that is unknown.
func waited(w *result.Worker) float64 {
	wall := float64(w.EndNS - w.StartNS)
	if w.CPUNS == nil || wall <= 0 {
		return 0
	}
	return 1 - float64(*w.CPUNS)/wall
}

func lookAtPasses(w *result.Worker, launch int, phase string, drift, levels, slow *found) {
	rates := w.PassRates()
	warning := func(code string, v map[string]float64) result.Warning {
		v["launch"], v["worker"] = float64(launch+1), float64(w.Index)
		return result.Warning{Code: code, Phase: phase, Values: v}
	}
	if l, two := stats.FindLevels(rates); two {
		levels.add(l.High/l.Low, warning(result.WarnPassLevels, map[string]float64{"low": l.Low, "high": l.High, "low_share": l.LowShare}))
	} else if change, trends := stats.Trend(rates); trends { // one step is not a slope, too
		drift.add(math.Abs(change), warning(result.WarnPassDrift, map[string]float64{"change": change}))
	}
	if s, costly := stats.FindSlow(rates); costly {
		slow.add(s.TimeShare, warning(result.WarnPassOutliers, map[string]float64{"share": s.Share, "worst": s.Worst, "time_share": s.TimeShare}))
	}
}
