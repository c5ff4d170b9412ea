package usage

import (
	"fmt"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// From where on figures are doubted.
const (
	fewTicks     = 10
	estimateMost = 0.01 // part of PSS that is estimated
	costMost     = 1.0  // percent of one CPU that the recorder takes
	missedCPU    = 50e6 // ns
)

// verdictCounts lists verdicts with how often each was given.
func verdictCounts(counts map[string]int) string {
	var words []string
	for v, n := range counts {
		words = append(words, fmt.Sprintf("%s in %d", v, n))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// warnings says what is to be doubted of a label's figures.
func warnings(list []*Usage, l *result.LabelUsage) []result.Note {
	notes := []result.Note{}
	for i, u := range list {
		for _, n := range u.warn() {
			if len(list) > 1 {
				n.Text = fmt.Sprintf("%s: %s", u.Recording.File, n.Text)
			}
			if i == 0 || !hasSaid(notes, n) {
				notes = append(notes, n)
			}
		}
	}
	t := &l.Total
	say := func(code, format string, args ...any) {
		notes = append(notes, result.Note{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if t.PSS != nil && t.PSSEstimated > estimateMost {
		say(result.UsagePSSEstimate, "%.1f %% of PSS and USS is an estimate from RES less SHR, since PSS was not read at each tick: a larger --pss-budget reads more often%s", 100*t.PSSEstimated, ages(t))
	}
	if t.PeakAtLeast > 0 {
		say(result.UsagePeaks, "the peaks of %s are the last that a tick saw, and may have been higher", plural(t.PeakAtLeast, "ended process"))
	}
	if t.CPUAtLeast > 0 {
		say(result.UsageCPU, "of %s the CPU time after the last tick is not known", plural(t.CPUAtLeast, "ended process"))
	}
	return append(notes, differences(list)...)
}

// ages says how old PSS was where it matters.
func ages(t *result.GroupUsage) string {
	if t.PSSAgeMaxNS.Value <= 0 {
		return ""
	}
	return fmt.Sprintf(" (values up to %s old)", seconds(t.PSSAgeMaxNS.Value))
}

func plural(n int64, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ss"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// warn says what is to be doubted of one recording's figures.
func (u *Usage) warn() (notes []result.Note) {
	say := func(code, format string, args ...any) {
		notes = append(notes, result.Note{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	r, f, g := &u.Recording, &u.facts, u.total
	if u.Cut != nil {
		say(result.UsageCut, "it %s; the figures are of what is there", u.Cut)
	}
	if g.started == 0 {
		say(result.UsageNothing, "no process was recorded")
		return notes
	}
	if r.Ticks < fewTicks {
		say(result.UsageFewTicks, "%s only: averages and percentiles are rough; a shorter -d gives more", plural(r.Ticks, "tick"))
	}
	switch avg := g.usage(); {
	case r.PSSBudget <= 0:
		say(result.UsagePSSOff, "PSS was not read (--pss-budget 0)")
	case avg.PSS == nil && g.procs.n > 0:
		say(result.UsagePSSOff, "no PSS could be read")
	}
	if n := len(f.doubt); n > 0 {
		say(result.UsagePSSDoubt, "the PSS of %s is below what is private: the kernel under-reports it, as 32-bit kernels do with huge pages", plural(int64(n), "process"))
	}
	u.warnMissed(say)
	if f.unreadable > 0 {
		say(result.UsageUnreadable, "of %s not everything may be read", plural(f.unreadable, "process"))
	}
	u.warnMachine(say)
	return notes
}

// warnMissed says what processes may be missing.
func (u *Usage) warnMissed(say func(code, format string, args ...any)) {
	e := u.End
	switch {
	case e == nil:
		if !u.Header.Exits.Complete && len(u.Header.Command) > 0 {
			say(result.UsageMissed, "children that came and went between two ticks may be missing (exits by %s)", u.Header.Exits.Method)
		}
		return
	case e.MissedCPUNS.Known && !e.Complete && e.MissedCPUNS.Value >= missedCPU:
		say(result.UsageMissed, "%s of CPU time were used by children that came and went between two ticks: in the total, but in no program's figures; as root, or with --exits ptrace, they are listed", seconds(e.MissedCPUNS.Value))
	case !e.Complete && len(u.Header.Command) > 0 && e.MissedAtMost.Value > 0:
		say(result.UsageMissed, "up to %s that came and went between two ticks may be missing", plural(e.MissedAtMost.Value, "process"))
	case !e.Complete && len(u.Header.Command) > 0 && !e.MissedAtMost.Known:
		say(result.UsageMissed, "children that came and went between two ticks may be missing (exits by %s)", u.Header.Exits.Method)
	}
	if e.EventsLost > 0 {
		say(result.UsageEventsLost, "the kernel dropped process events %d times: short-lived processes may be missing", e.EventsLost)
	}
	if n := len(e.Running); n > 0 && e.Reason == result.EndCommand {
		say(result.UsageRunning, "%s lived on when the recording ended", plural(int64(n), "descendant"))
	}
	if e.Reason == result.EndFailure {
		say(result.UsageFailed, "the recording ended by a failure: %s", e.Error)
	}
}

// warnMachine says whether the machine, or the recorder, was too busy.
func (u *Usage) warnMachine(say func(code, format string, args ...any)) {
	r, f := &u.Recording, &u.facts
	if n := f.skipped + f.late; n > 0 && n*20 > r.Ticks {
		say(result.UsageLate, "%d of %d ticks were late or left out (the longest interval was %s, asked for were %s): the machine was too busy, or the interval is too short",
			n, r.Ticks+f.skipped, seconds(int64(f.intervals.max)), seconds(r.IntervalNS))
	}
	if online := r.Host.CPU.Online; online != nil && *online > 0 && f.loadMax > 1.5*float64(*online) {
		say(result.UsageBusy, "the machine was busy: its load reached %.1f on %d CPUs, so that CPU use and rates may be held back", f.loadMax, *online)
	}
	if r.SelfPercent.Known && r.SelfPercent.Value > costMost && r.ElapsedNS > 5e9 {
		less := "--pss-budget"
		if u.Header.WhatIf > 0 {
			less = "--whatif-budget"
		}
		say(result.UsageOwnCost, "the recorder itself took %.1f %% of a CPU: a longer -d, or a smaller %s, costs less", r.SelfPercent.Value, less)
	}
}

// differences says in what the recordings of one label differ that should be
// alike.
func differences(list []*Usage) (notes []result.Note) {
	for _, c := range conditions {
		var seen []string
		for _, u := range list {
			if v := c.of(&u.Recording); !slices.Contains(seen, v) {
				seen = append(seen, v)
			}
		}
		if len(seen) > 1 {
			notes = append(notes, result.Note{Code: result.UsageDiffer, Text: fmt.Sprintf("the recordings of this label differ in %s: %s", c.name, strings.Join(seen, ", "))})
		}
	}
	return notes
}

// conditions are what recordings should have in common to be taken together
// or compared.
var conditions = []struct {
	name string
	of   func(r *result.UsedRecording) string
}{
	{"interval", func(r *result.UsedRecording) string { return seconds(r.IntervalNS) }},
	{"host", func(r *result.UsedRecording) string { return orUnknown(r.Host.Hostname) }},
	{"kernel", func(r *result.UsedRecording) string { return orUnknown(r.Host.Kernel) }},
	{"tool version", func(r *result.UsedRecording) string { return orUnknown(r.Tool.Version) }},
	{"how ends were learned of (--exits)", func(r *result.UsedRecording) string { return orUnknown(r.Exits) }},
	{"PSS budget", func(r *result.UsedRecording) string { return fmt.Sprintf("%g %%", 100*r.PSSBudget) }},
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
