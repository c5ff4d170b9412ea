// Command go-goroutines has 10,000 goroutines that wait on channels of their
// own, each with some state on its stack.
package main

import (
	"sync"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type message struct {
	from int
	text string
}

func wait(started *sync.WaitGroup, id int, in chan message, out chan<- int) {
	var seen [24]int
	seen[id%len(seen)] = id
	started.Done()
	for m := range in {
		seen[m.from%len(seen)] += len(m.text)
		out <- seen[id%len(seen)]
	}
}

func main() {
	const n = 10_000
	var started sync.WaitGroup
	in, out := make([]chan message, n), make(chan int, 16)
	for i := range in {
		in[i] = make(chan message, 8)
		started.Add(1)
		go wait(&started, i, in[i], out)
	}
	started.Wait()
	for i, c := range in {
		c <- message{i, "hello"}
		<-out
	}
	stage.Settle()
	stage.Ready(in, out)
}
