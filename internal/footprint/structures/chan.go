package structures

import (
	"runtime"
	"sync"
)

// parked starts n goroutines, each of which waits for the same channel.
func parked(n int) any {
	wait := make(chan struct{})
	var started sync.WaitGroup
	started.Add(n)
	f := func() {
		started.Done()
		<-wait
	}
	for range n {
		go f()
	}
	started.Wait()
	runtime.Gosched() // the last one has yet to wait
	return wait
}

var chanStructures = []Structure{
	{
		Name: "chan", Group: "channels", Type: "[]chan int", Shape: "unbuffered",
		words: 12, bytes: 40,
		build: func(n int) any { return fill(n, func(int) chan int { return make(chan int) }) },
	},
	{
		Name: "chan-8", Group: "channels", Type: "[]chan int", Shape: "room for 8 values, all taken",
		words: 20, bytes: 50,
		build: func(n int) any {
			return fill(n, func(i int) chan int {
				c := make(chan int, 8)
				for range cap(c) {
					c <- i
				}
				return c
			})
		},
	},
	{
		Name: "goroutine", Group: "goroutines", Type: "go func()", Shape: "waiting for a channel",
		words: 80, bytes: 2400,
		build: parked,
	},
}
