package report

import (
	"fmt"
	"io"
	"math"

	"wordsize/internal/result"
)

// peak returns the theoretical bandwidth of a run's host in bytes a second
// and who says so: the one that was given goes before what firmware claims.
func peak(run *result.Run) (bytes float64, source string, ok bool) {
	if p := run.Args.Peak; p != nil && *p > 0 {
		return *p, "--peak", true
	}
	m := run.Host.Modules
	if m == nil || m.PeakBytesPerS == nil || m.Channels == nil || *m.PeakBytesPerS <= 0 {
		return 0, "", false
	}
	source = fmt.Sprintf("SMBIOS: %s x %d bits x %d MT/s", plural(*m.Channels, "channel", "channels"), m.ChannelBits, m.MegaTransfers)
	if m.ChannelsAssumed {
		source += ", a channel assumed for each module"
	}
	return float64(*m.PeakBytesPerS), source, true
}

// onBus returns a rate with write-allocate traffic, which the peak has to
// carry too; as it is counted when nobody knows that.
func onBus(run *result.Run, rate float64) float64 {
	if f, ok := busFactor(run); ok {
		return f * rate
	}
	return rate
}

// ofPeak writes a rate as a part of the peak.
func ofPeak(run *result.Run, rate float64) string {
	p, _, ok := peak(run)
	if !ok {
		return "-"
	}
	return number(100*onBus(run, rate)/p, "%.0f %%")
}

// Peak writes the line that sets a run against the theoretical bandwidth;
// nothing when that is unknown.
func Peak(w io.Writer, run *result.Run) error {
	p, source, ok := peak(run)
	single, parallel := overLaunches(run, result.PhaseSingle), overLaunches(run, result.PhaseParallel)
	if !ok || math.IsNaN(single.aggregate.Median) {
		return nil
	}
	also := ""
	if !math.IsNaN(parallel.aggregate.Median) {
		also = " and " + ofPeak(run, parallel.aggregate.Median)
	}
	_, err := fmt.Fprintf(w, "aggregate, of the theoretical peak: %s%s of %.4g GB/s (%s)%s.\n",
		ofPeak(run, single.aggregate.Median), also, p/gb, source, peakDoubt(run, p, single, parallel))
	return err
}

// peakDoubt says what a figure above the peak means.
func peakDoubt(run *result.Run, p float64, figures ...kernelFigures) string {
	for _, f := range figures {
		if onBus(run, f.aggregate.Median) > p {
			return ": above it, so that it is wrong or caches took part"
		}
	}
	return ""
}
