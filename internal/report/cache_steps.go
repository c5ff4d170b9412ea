package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wordsize/internal/plot"
	"wordsize/internal/result"
	"wordsize/internal/stats"
)

const (
	levelSpan  = 1.0  // doublings: a shorter level is a slope between two
	leastStep  = 1.2  // from a level to the next
	leastNoise = 0.02 // of a median, as a part of it: pages lie differently in each process
	claimNear  = 2    // a step is a cache's that is said to be so many times larger or smaller at most: a shared one is partly others'
)

// cacheSteps finds the steps of a curve over sizes in bytes, which are the
// medians of samples.
func cacheSteps(bytes []int64, samples [][]float64, rising bool) []result.CacheStep {
	x, y := make([]float64, len(bytes)), make([]float64, len(bytes))
	for i := range bytes {
		x[i], y[i] = math.Log2(float64(bytes[i])), math.Log(result.SpreadOf(samples[i]).Median)
	}
	found := stats.Steps(x, y, stats.StepRules{Rising: rising, Span: levelSpan, Least: math.Log(leastStep), Noise: noises(samples)})
	steps := []result.CacheStep{}
	for _, s := range found {
		steps = append(steps, result.CacheStep{
			FromBytes: int64(math.Round(math.Exp2(s.From))), AtBytes: int64(math.Round(math.Exp2(s.At))), ToBytes: int64(math.Round(math.Exp2(s.To))),
			Before: math.Exp(s.Before), After: math.Exp(s.After), Claims: []result.Cache{},
		})
	}
	return steps
}

// claimed gives each claim about a cache to the step that is nearest to its
// size, and returns the claims that no step is near to and that lie within the
// curve.
func claimed(steps []result.CacheStep, caches []result.Cache, sizes []int64) []result.Cache {
	unseen := []result.Cache{}
	for _, c := range caches {
		if c.Type == "Instruction" || c.Bytes <= 0 {
			continue
		}
		best, far := -1, math.Log(claimNear)+1e-9
		for i, s := range steps {
			// A step is of every size from its beginning to its middle.
			d := max(0, math.Log(float64(s.FromBytes)/float64(c.Bytes)), math.Log(float64(c.Bytes)/float64(s.AtBytes)))
			if d < far {
				best, far = i, d
			}
		}
		switch {
		case best >= 0:
			steps[best].Claims = append(steps[best].Claims, c)
		case len(sizes) > 0 && c.Bytes <= sizes[len(sizes)-1]:
			unseen = append(unseen, c)
		}
	}
	return unseen
}

// stepLines says where the steps are and what is claimed of caches. unit writes
// a value of the curve.
func stepLines(steps []result.CacheStep, unseen, caches []result.Cache, unit func(float64) string) []string {
	var lines []string
	for _, s := range steps {
		lines = append(lines, fmt.Sprintf("Step at %s (from %s to %s): %s, then %s. %s.",
			Bytes(s.AtBytes), Bytes(s.FromBytes), Bytes(s.ToBytes), unit(s.Before), unit(s.After), claimWords(s.Claims)))
	}
	if len(steps) == 0 {
		lines = append(lines, "No step: as far as this curve goes, one level.")
	}
	for _, group := range groupClaims(unseen) {
		lines = append(lines, fmt.Sprintf("No step near %s, the size of the L%d cache as %s has it.", Bytes(group.bytes), group.level, strings.Join(group.sources, " or ")))
	}
	if !slices.ContainsFunc(caches, func(c result.Cache) bool { return c.Type != "Instruction" && c.Bytes > 0 }) {
		lines = append(lines, "Neither sysfs nor CPUID claims any cache here.")
	}
	return lines
}

func claimWords(claims []result.Cache) string {
	if len(claims) == 0 {
		return "Nobody claims a cache of that size"
	}
	var words []string
	for _, g := range groupClaims(claims) {
		words = append(words, fmt.Sprintf("L%d is claimed to have %s (%s)", g.level, Bytes(g.bytes), strings.Join(g.sources, ", ")))
	}
	return strings.Join(words, "; ")
}

// claimGroup is one size of one level, and who says so.
type claimGroup struct {
	level   int
	bytes   int64
	sources []string
}

func groupClaims(claims []result.Cache) (groups []claimGroup) {
	for _, c := range claims {
		i := slices.IndexFunc(groups, func(g claimGroup) bool { return g.level == c.Level && g.bytes == c.Bytes })
		if i < 0 {
			groups = append(groups, claimGroup{c.Level, c.Bytes, nil})
			i = len(groups) - 1
		}
		if !slices.Contains(groups[i].sources, c.Source) {
			groups[i].sources = append(groups[i].sources, c.Source)
		}
	}
	return groups
}

// Bytes writes a size in binary units with up to four digits.
func Bytes(n int64) string { return plot.BytesText(float64(n)) }

// noises returns the relative standard deviation of each size's median, from
// how its launches differ; of a few launches that is itself uncertain, so that
// the neighbours have a say.
func noises(samples [][]float64) []float64 {
	const ofMedian, ofMean, neighbours = 1.4826, 1.2533, 2 // a normal distribution's deviation over its median absolute one; a median's error over a mean's
	own := make([]float64, len(samples))
	for i, v := range samples {
		mid := result.SpreadOf(v).Median
		apart := make([]float64, len(v))
		for j := range v {
			apart[j] = math.Abs(v[j]/mid - 1)
		}
		own[i] = ofMedian * ofMean * result.SpreadOf(apart).Median / math.Sqrt(float64(len(v)))
	}
	all := make([]float64, len(samples))
	for i := range all {
		all[i] = max(leastNoise, result.SpreadOf(own[max(0, i-neighbours):min(len(own), i+neighbours+1)]).Median)
	}
	return all
}

// cacheBytesMarks marks the claimed sizes of caches on an axis of bytes, one
// mark a size.
func cacheBytesMarks(heads []*result.CurveHead) (marks []plot.Mark) {
	for _, h := range heads {
		for _, g := range groupClaims(h.Host.Caches) {
			m := plot.Mark{X: float64(g.bytes), Label: fmt.Sprintf("L%d, claimed", g.level)}
			instruction := !slices.ContainsFunc(h.Host.Caches, func(c result.Cache) bool { return c.Level == g.level && c.Bytes == g.bytes && c.Type != "Instruction" })
			if !instruction && !slices.Contains(marks, m) {
				marks = append(marks, m)
			}
		}
	}
	return marks
}
