package report

import (
	"fmt"
	"strings"

	"wordsize/internal/result"
)

// usageLegend explains what needs it, once for all labels.
func usageLegend(r *result.UsageReport) []string {
	estimate, least := false, false
	for i := range r.Labels {
		l := &r.Labels[i]
		least = least || l.Total.PeakAtLeast > 0 || l.Total.CPUAtLeast > 0
		for k := range l.Groups {
			estimate = estimate || l.Groups[k].PSSEstimated > 0.01
		}
	}
	lines := []string{
		"PSS peak: the highest sum that a tick saw. HWM sum: the kernel's own peaks (VmHWM) of",
		"processes alive at once added up, shared pages counted for each. Processes: least/",
		"average/most at once; in all: with those too short for a tick (unseen).",
	}
	if estimate {
		lines = append(lines, "~: partly estimated, as RES less SHR.")
	}
	if least {
		lines = append(lines, ">: at least.")
	}
	return append(lines, whatIfLegend(r)...)
}

// usageFoot says how memory grew, and what is doubtful.
func usageFoot(l *result.LabelUsage) []string {
	t := &l.Total
	lines := append(peakLines(t), growthLines(l)...)
	for _, n := range l.Warnings {
		lines = append(lines, "Warning: "+printable(n.Text))
	}
	return lines
}

// peakLines names the peaks, in one line; none where none is known, as where
// the kernel tells neither PSS nor VmHWM.
func peakLines(t *result.GroupUsage) []string {
	if t.PSS == nil && !t.PeakSum.Known {
		return nil
	}
	var words []string
	if t.PSS != nil {
		words = append(words, "sampled peak of PSS "+mibText(t.PSS.Max)+" MiB")
	}
	if t.PeakSum.Known {
		words = append(words, "sum of VmHWM "+mibText(float64(t.PeakSum.Value))+" MiB")
	}
	if t.PeakProcess.Known {
		words = append(words, fmt.Sprintf("largest process %s MiB (PID %d)", mibText(float64(t.PeakProcess.Value)), t.PeakPID))
	}
	return []string{"Peaks: " + strings.Join(words, ", ") + "."}
}

// growthLines are the verdicts: of the total, and of groups that leak.
func growthLines(l *result.LabelUsage) (lines []string) {
	say := func(name string, g *result.Growth) {
		if g != nil {
			lines = append(lines, fmt.Sprintf("Growth of %s: %s", name, growthText(g)))
		}
	}
	said := false
	for i := range l.Groups {
		if g := l.Groups[i].Growth; g != nil && (g.Verdict == result.GrowthLeak || g.Verdict == result.GrowthMixed) {
			say(groupName(&l.Groups[i]), g)
			said = true
		}
	}
	if !said || len(l.Groups) != 1 {
		say("all", l.Total.Growth)
	}
	return lines
}

// growthText is the verdict with the slope that it rests on.
func growthText(g *result.Growth) string {
	words := map[string]string{
		result.GrowthLeak: "LEAK SUSPECTED", result.GrowthNone: "none", result.GrowthSlowing: "levels off", result.GrowthSteps: "in steps",
		result.GrowthCount: "not told", result.GrowthShort: "not told", result.GrowthMixed: "not told", result.GrowthShrinks: "shrinks",
	}
	s := words[g.Verdict]
	if s == "" {
		s = g.Verdict
	}
	why := ""
	if g.Why != "" && g.Verdict != result.GrowthNone {
		why = printable(g.Why)
	}
	switch {
	case g.PerHour == nil && why == "":
		return s + "."
	case g.PerHour == nil:
		return s + ": " + why + "."
	case why != "":
		why = "; " + why
	}
	return fmt.Sprintf("%s: %s of private memory (RES less SHR, and swap) an hour over the second half%s.", s, slopeText(g), why)
}

func slopeText(g *result.Growth) string {
	per := func(v *float64) string {
		if v == nil {
			return "?"
		}
		return fmt.Sprintf("%+.4g", *v/mib)
	}
	return fmt.Sprintf("%s MiB [%s, %s]", per(g.PerHour), per(g.Lo), per(g.Hi))
}
