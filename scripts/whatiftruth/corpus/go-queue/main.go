// Command go-queue is a priority queue (container/heap) of values behind an
// interface, of three types.
package main

import (
	"container/heap"
	"fmt"
	"math/rand/v2"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type job interface{ due() int64 }

type mail struct {
	at      int64
	to      string
	retries int
}

type timer struct {
	at int64
	f  func()
}

type batch struct {
	at    int64
	ids   []uint32
	owner *mail
	done  bool
}

func (m *mail) due() int64  { return m.at }
func (t *timer) due() int64 { return t.at }
func (b *batch) due() int64 { return b.at }

type queue []job

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due() < q[j].due() }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(job)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func main() {
	r := rand.New(rand.NewPCG(9, 10))
	var q queue
	last := &mail{}
	for i := range 500_000 {
		at := 1_700_000_000 + r.Int64N(1_000_000)
		switch i % 5 {
		case 0, 1:
			last = &mail{at, fmt.Sprintf("user%d@example.org", i), i % 4}
			heap.Push(&q, last)
		case 2, 3:
			n := i
			heap.Push(&q, &timer{at, func() { last.retries = n }})
		default:
			heap.Push(&q, &batch{at: at, ids: make([]uint32, 1+r.IntN(12)), owner: last, done: i%10 == 4})
		}
	}
	for range 100_000 {
		heap.Pop(&q)
	}
	stage.Settle()
	stage.Ready(&q)
}
