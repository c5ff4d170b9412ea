// Command go-orders holds []*order: structs of times, strings, pointers and
// numbers, as a service holds rows of its database.
package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type line struct {
	sku   string
	count int
	cents int64
}

type order struct {
	id               int64
	created, updated time.Time
	paid             *time.Time
	customer, note   string
	lines            []line
	state            int
	rush, gift       bool
	discount         float64
}

func main() {
	r := rand.New(rand.NewPCG(13, 14))
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	all := make([]*order, 0, 120_000)
	for i := range cap(all) {
		o := &order{
			id: int64(i), created: start.Add(time.Duration(i) * time.Minute), customer: fmt.Sprintf("customer-%05d", r.IntN(20_000)),
			state: i % 6, rush: i%17 == 0, gift: i%29 == 0, discount: float64(i%5) * 0.05,
		}
		o.updated = o.created.Add(time.Hour)
		if i%3 > 0 {
			t := o.created.Add(time.Minute)
			o.paid = &t
		}
		if i%8 == 0 {
			o.note = fmt.Sprintf("leave it at the door of house %d, please", i%300)
		}
		for range 1 + r.IntN(4) {
			o.lines = append(o.lines, line{fmt.Sprintf("SKU-%04d", r.IntN(5000)), 1 + r.IntN(3), r.Int64N(20_000)})
		}
		all = append(all, o)
	}
	stage.Settle()
	stage.Ready(all)
}
