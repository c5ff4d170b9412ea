// Command go-graph is a graph: nodes with slices of pointers to weighted
// edges, as a route planner holds it.
package main

import (
	"math/rand/v2"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type edge struct {
	to     *node
	weight float32
	kind   uint16
}

type node struct {
	id       int64
	lat, lon float64
	out, in  []*edge
	level    int
}

func main() {
	r := rand.New(rand.NewPCG(5, 6))
	nodes := make([]*node, 200_000)
	for i := range nodes {
		nodes[i] = &node{id: int64(i) * 1000003, lat: r.Float64()*180 - 90, lon: r.Float64()*360 - 180, level: i % 5}
	}
	for i, n := range nodes {
		for range 2 + r.IntN(4) {
			to := nodes[(i+1+r.IntN(1000))%len(nodes)]
			e := &edge{to, r.Float32() * 100, uint16(r.IntN(9))}
			n.out = append(n.out, e)
			to.in = append(to.in, e)
		}
	}
	stage.Settle()
	stage.Ready(nodes)
}
