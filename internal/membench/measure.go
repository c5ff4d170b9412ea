package membench

import (
	"context"
	"slices"
	"unsafe"

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
func Measure(ctx context.Context, chunkBytes int64) ([]KernelRate, error) {
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

// timeRound makes whole passes for at least minRoundNS.
func (c *chunk) timeRound(v kernel.Variant, pat uint32) float64 {
	start := now()
	for bytes := int64(0); ; {
		c.blocks(func(p unsafe.Pointer, n uintptr, _ int64) bool { v.Fill(p, n, pat); return true })
		v.Fence()
		bytes += c.bytes
		if ns := now() - start; ns >= minRoundNS {
			return float64(bytes) / float64(ns) * 1e9
		}
	}
}
