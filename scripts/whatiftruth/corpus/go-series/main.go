// Command go-series keeps time series in rings of samples: int64 and float64,
// which are 8 bytes for both word sizes, behind labels.
package main

import (
	"fmt"
	"math"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type sample struct {
	t int64
	v float64
}

type series struct {
	labels map[string]string
	ring   []sample
	head   int
	full   bool
}

func (s *series) add(t int64, v float64) {
	s.ring[s.head] = sample{t, v}
	s.head++
	if s.head == len(s.ring) {
		s.head, s.full = 0, true
	}
}

func main() {
	all := make([]*series, 6_000)
	for i := range all {
		all[i] = &series{
			labels: map[string]string{"job": "node", "instance": fmt.Sprintf("host-%d:9100", i/20), "name": fmt.Sprintf("metric_%d_total", i%20)},
			ring:   make([]sample, 360),
		}
		for k := range 500 {
			all[i].add(1_700_000_000_000+int64(k)*15_000, math.Sin(float64(i*k)/100)*50+100)
		}
	}
	stage.Settle()
	stage.Ready(all)
}
