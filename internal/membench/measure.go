package membench

import (
	"context"
	"slices"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// KernelRate is what one variant reached, in bytes a second.
type KernelRate struct {
	Variant kernel.Variant
	Rate    result.Spread
}

const (
	measureRounds = 7
	minRoundNS    = 20_000_000
)

// Measure times every usable variant for a moment over one chunk in this
// process, in interleaved rounds, and returns them fastest (by median) first.
// The error is an *ArgError for a chunk that is too small to be divided.
func Measure(ctx context.Context, chunkBytes int64) ([]KernelRate, error) {
	for _, k := range kernel.Table() {
		c := Config{ChunkBytes: chunkBytes, Kernel: kernel.Variant{Kernel: k}}
		if err := c.checkArrays(); err != nil {
			return nil, err
		}
	}
	c, err := mapChunk(chunkBytes, PagesDefault, 0)
	if err != nil {
		return nil, err
	}
	var all []KernelRate
	for _, k := range kernel.Table() {
		for _, t := range k.Tiers {
			if t.Unusable() == "" {
				all = append(all, KernelRate{Variant: kernel.Variant{Kernel: k, Tier: t}})
			}
		}
	}
	samples := make([][]float64, len(all))
	for round := range measureRounds + 1 {
		for i := range all {
			rate := c.timeRound(all[i].Variant, uint32(round+1))
			if round > 0 { // the first touches the pages and warms up
				samples[i] = append(samples[i], rate)
			}
			if ctx.Err() != nil {
				return nil, ErrInterrupted
			}
		}
	}
	for i := range all {
		all[i].Rate = result.SpreadOf(samples[i])
	}
	slices.SortStableFunc(all, func(a, b KernelRate) int {
		switch {
		case a.Rate.Median > b.Rate.Median:
			return -1
		case a.Rate.Median < b.Rate.Median:
			return 1
		}
		return 0
	})
	return all, nil
}

// measurePattern is a word of which two make a float64 of about 1: kernels
// that calculate find whatever the one before left, and must not meet numbers
// that processors are slow with.
const measurePattern = 0x3ff00000

// timeRound makes whole passes for at least minRoundNS.
func (c *chunk) timeRound(v kernel.Variant, round uint32) float64 {
	l := c.divide(v.Kernel)
	o := kernel.Operands{Pattern: measurePattern + round}
	start := now()
	for bytes := int64(0); ; {
		l.blocks(&o, func(int64) bool { v.Run(&o); return true })
		v.Fence()
		bytes += v.Kernel.BytesMoved(l.bytes)
		if ns := now() - start; ns >= minRoundNS {
			return float64(bytes) / float64(ns) * 1e9
		}
	}
}
