// Command go-readings keeps a map of structs with time.Time, a string and
// floats, as what collects from devices does.
package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type reading struct {
	seen    time.Time
	place   string
	celsius float64
	volts   float32
	errors  int
}

func main() {
	r := rand.New(rand.NewPCG(31, 32))
	start := time.Unix(1_700_000_000, 0).UTC()
	places := make([]string, 300)
	for i := range places {
		places[i] = fmt.Sprintf("hall-%d/rack-%d", i/20, i%20)
	}
	last := map[uint32]reading{}
	history := map[uint32][]*reading{}
	for range 150_000 {
		v := reading{start.Add(time.Duration(r.Int64N(1e15))), places[r.IntN(len(places))], 20 + 5*r.Float64(), r.Float32(), r.IntN(4)}
		id := uint32(r.IntN(60_000))
		last[id] = v
		history[id] = append(history[id], &v)
	}
	stage.Settle()
	stage.Ready(last, history)
}
