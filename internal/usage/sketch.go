package usage

import (
	"math"
	"slices"

	"wordsize/internal/result"
)

// gamma is the ratio of two neighbouring buckets' bounds: values within a
// bucket are at most 0.5 % from its middle.
const gamma = 1.01

// dist sums up weighted samples in bounded memory: extremes and mean exactly,
// percentiles by a histogram of logarithmic buckets (as DDSketch has it,
// Masson and others, VLDB 2019).
type dist struct {
	n        int64
	weight   float64
	sum      float64 // of value times weight
	plain    float64 // of values: the mean where no weight is known
	min, max float64
	buckets  map[int32]float64 // weights; key of 0 and below is lowest
}

// lowest is the bucket of what is not above 0.
const lowest = math.MinInt32

func bucketOf(v float64) int32 {
	if v <= 0 {
		return lowest
	}
	return int32(math.Ceil(math.Log(v) / math.Log(gamma)))
}

// touch takes a value's part in the extremes, without weight.
func (d *dist) touch(v float64) {
	if d.n == 0 {
		d.min, d.max = v, v
	}
	d.n++
	d.plain += v
	d.min, d.max = min(d.min, v), max(d.max, v)
}

// add adds weight to a value that was touched.
func (d *dist) add(v, weight float64) {
	if weight <= 0 {
		return
	}
	if d.buckets == nil {
		d.buckets = map[int32]float64{}
	}
	d.weight += weight
	d.sum += v * weight
	d.buckets[bucketOf(v)] += weight
}

// merge adds the samples of another one.
func (d *dist) merge(o *dist) {
	if o.n == 0 {
		return
	}
	if d.n == 0 {
		d.min, d.max = o.min, o.max
	}
	d.n += o.n
	d.plain += o.plain
	d.weight += o.weight
	d.sum += o.sum
	d.min, d.max = min(d.min, o.min), max(d.max, o.max)
	if d.buckets == nil && len(o.buckets) > 0 {
		d.buckets = map[int32]float64{}
	}
	for k, w := range o.buckets {
		d.buckets[k] += w
	}
}

func (d *dist) mean() float64 {
	if d.weight > 0 {
		return d.sum / d.weight
	}
	return d.plain / float64(d.n)
}

// quantiles returns the values below which lie the given parts of the weight,
// in ascending order.
func (d *dist) quantiles(parts ...float64) []float64 {
	keys := make([]int32, 0, len(d.buckets))
	for k := range d.buckets {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := make([]float64, len(parts))
	for i, part := range parts {
		out[i] = d.max
		if d.weight <= 0 {
			out[i] = d.mean()
			continue
		}
		below := 0.0
		for _, k := range keys {
			if below += d.buckets[k]; below >= part*d.weight*(1-1e-12) {
				out[i] = middle(k)
				break
			}
		}
		out[i] = min(max(out[i], d.min), d.max)
	}
	return out
}

// middle is the value that stands for a bucket.
func middle(k int32) float64 {
	if k == lowest {
		return 0
	}
	return 2 * math.Pow(gamma, float64(k)) / (gamma + 1)
}

// distribution returns the summary, nil when there is nothing to sum up. whole
// rounds to whole numbers, for bytes.
func (d *dist) distribution(whole bool) *result.Distribution {
	if d.n == 0 {
		return nil
	}
	q := d.quantiles(0.5, 0.95, 0.99)
	out := &result.Distribution{Min: d.min, Avg: d.mean(), Max: d.max, P50: q[0], P95: q[1], P99: q[2]}
	if whole {
		for _, v := range []*float64{&out.Min, &out.Avg, &out.Max, &out.P50, &out.P95, &out.P99} {
			*v = math.Round(*v)
		}
	}
	return out
}
