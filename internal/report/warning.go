package report

import (
	"fmt"
	"io"

	"wordsize/internal/result"
)

// FillTexts gives each warning its sentence.
func FillTexts(list []result.Warning) {
	for i := range list {
		list[i].Text = WarningText(&list[i])
	}
}

// Warnings writes a line a warning.
func Warnings(w io.Writer, list []result.Warning) error {
	return writeLines(w, warningLines(list))
}

func warningLines(list []result.Warning) []string {
	lines := make([]string, len(list))
	for i := range list {
		lines[i] = "Warning: " + WarningText(&list[i])
	}
	return lines
}

// WarningText returns a warning's sentence: what is wrong, what it does to
// the figures and, where something can be done, what.
func WarningText(w *result.Warning) string {
	text := warningSentence(w)
	if n := w.Values["phases"]; n > 1 {
		text += fmt.Sprintf("; the worst of %g phases", n)
	}
	return text
}

func warningSentence(w *result.Warning) string {
	v := func(key string) float64 { return w.Values[key] }
	mib := func(key string) string { return fmt.Sprintf("%.4g MiB", v(key)/(1<<20)) }
	in := ""
	if w.Phase != "" {
		in = fmt.Sprintf(" (phase %s)", w.Phase)
	}
	switch w.Code {
	case result.WarnCacheSized:
		return fmt.Sprintf("a chunk of %s is less than %g last-level caches of %s (says %s): the figures are the cache's too; take MB >= %.0f",
			mib("chunk_bytes"), v("multiple"), mib("cache_bytes"), w.Subject, v("multiple")*v("cache_bytes")/(1<<20))
	case result.WarnCacheUnknown:
		return fmt.Sprintf("the last-level cache's size is unknown here: a chunk of %s may or may not be large enough to measure memory", mib("chunk_bytes"))
	case result.WarnOversubscribed:
		return fmt.Sprintf("%g processes on %g allowed CPUs: the figures include switching between them, and workers start when the scheduler lets them", v("processes"), v("cpus"))
	case result.WarnCPUQuota:
		return fmt.Sprintf("the cgroup's quota is %.4g CPUs for %g processes: they will be held back", v("cpus"), v("processes"))
	case result.WarnGovernor:
		return fmt.Sprintf("the CPU frequency governor is %q, not \"performance\": speed may change during the run", w.Subject)
	case result.WarnNUMABalancing:
		return "NUMA balancing is on: the kernel may move pages during the run (sysctl kernel.numa_balancing=0)"
	case result.WarnNotVerified:
		return "what was written was not read back (--no-verify): bad memory or a broken loop would go unnoticed"
	case result.WarnStalled:
		return fmt.Sprintf("worker %g was without its CPU for %s of %s%s, though there are CPUs for all: it was stopped, or something else ran (%.0f preemptions)",
			v("worker"), milliseconds(v("waited_ns")), milliseconds(v("wall_ns")), in, v("preemptions"))
	case result.WarnSharedCPU:
		return fmt.Sprintf("several workers ran on CPU %g%s though others are allowed: the figures include switching between them", v("cpu"), in)
	case result.WarnPurego:
		return "this build has no assembly: the loops are the Go compiler's, far from the machine's own speed"
	case result.WarnFaults:
		return fmt.Sprintf("worker %g had %g page faults inside its timed passes%s: they cost time that is not the memory's", v("worker"), v("faults"), in)
	case result.WarnNotResident:
		return fmt.Sprintf("worker %g: %s of its chunk were not in memory before timing%s: swapped out, or shared", v("worker"), mib("missing_bytes"), in)
	case result.WarnNotHuge:
		return fmt.Sprintf("worker %g got only %s in huge pages%s, though --pages %s was asked for", v("worker"), mib("huge_bytes"), in, w.Subject)
	case result.WarnPieces:
		return fmt.Sprintf("worker %g's chunk lies in %g mappings%s: no single one was large enough", v("worker"), v("mappings"), in)
	case result.WarnSteal:
		return fmt.Sprintf("the hypervisor took %.1f %% of the CPU time%s: run again when the machine is quieter", v("percent"), in)
	case result.WarnThrottled:
		return fmt.Sprintf("the cgroup's CPU quota ran out in %g periods%s", v("periods"), in)
	case result.WarnThermal:
		return fmt.Sprintf("CPUs were slowed down by heat %g times%s", v("events"), in)
	case result.WarnHighUnused:
		return fmt.Sprintf("all chunks together are %s, no more than 4 GiB: whether memory above 4 GB is slower was not asked; take N x MB > %.0f (LOWMEM has %s)", mib("chunks_bytes"), v("needed_bytes")/(1<<20), mib("low_bytes"))
	case result.WarnEmulated:
		return fmt.Sprintf("this machine is emulated in software (%s): compare counts and footprints, not speeds", w.Subject)
	case result.WarnNoWindow:
		return "the workers never all ran at once" + in + ": there is no aggregate; take a larger T or MB"
	case result.WarnShortWindow:
		return fmt.Sprintf("all workers ran together for only %s%s: such figures are noise; take a larger T or MB", milliseconds(v("window_ns")), in)
	case result.WarnNoResident, result.WarnStatm, result.WarnHugeOn, result.WarnSwapped, result.WarnUserMode:
		return footprintWarning(w)
	case result.WarnTimeLimit, result.WarnNoHuge, result.WarnSomeHuge:
		return curveWarning(w)
	case result.WarnMisplaced, result.WarnNUMAUneven, result.WarnNUMAUnknown, result.WarnNUMARemote:
		return numaWarning(w) + in
	case result.WarnCurveCached, result.WarnCurveUnknown, result.WarnLaunchStalled:
		return chaseWarning(w)
	case result.WarnUntil, result.WarnLaunchDrift, result.WarnLaunchHeaps, result.WarnLaunchOutliers, result.WarnPassDrift, result.WarnPassLevels, result.WarnPassOutliers:
		return steadyWarning(w)
	case result.WarnStartSkew:
		return fmt.Sprintf("the workers' starts were %s apart%s", milliseconds(v("skew_ns")), in)
	}
	return fmt.Sprintf("%s%s (a warning that this version does not know)", w.Code, in)
}

// milliseconds writes a duration in nanoseconds with three digits, and all
// that stand before the point.
func milliseconds(ns float64) string {
	if ms := ns / 1e6; ms < 100 {
		return fmt.Sprintf("%.3g ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ns/1e6)
}
