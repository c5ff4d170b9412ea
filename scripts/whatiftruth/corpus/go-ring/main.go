// Command go-ring keeps the last packets of many flows in rings of []byte.
package main

import (
	"math/rand/v2"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type ring struct {
	slots [16][]byte
	next  int
	bytes uint64
	lost  uint32
}

func (r *ring) put(b []byte) {
	if old := r.slots[r.next]; old != nil {
		r.bytes -= uint64(len(old))
		r.lost++
	}
	r.slots[r.next] = b
	r.bytes += uint64(len(b))
	r.next = (r.next + 1) % len(r.slots)
}

func main() {
	r := rand.New(rand.NewPCG(33, 34))
	flows := make([]*ring, 20_000)
	for i := range 400_000 {
		f := i % len(flows)
		if flows[f] == nil {
			flows[f] = &ring{}
		}
		b := make([]byte, 40+r.IntN(100))
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		flows[f].put(b)
	}
	stage.Settle()
	stage.Ready(flows)
}
