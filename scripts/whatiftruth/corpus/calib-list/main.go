// Command calib-list holds a linked list of {next, int}.
package main

import "wordsize/scripts/whatiftruth/corpus/stage"

type node struct {
	next *node
	v    int
}

func main() {
	var head *node
	for i := range 2_000_000 {
		head = &node{head, i}
	}
	stage.Settle()
	stage.Ready(head)
}
