// Command calib-tree holds a binary tree of {left, right, int32, uint8}.
package main

import "wordsize/scripts/whatiftruth/corpus/stage"

type node struct {
	l, r *node
	key  int32
	c    uint8
}

func build(lo, hi int32) *node {
	if lo >= hi {
		return nil
	}
	mid := lo + (hi-lo)/2
	return &node{build(lo, mid), build(mid+1, hi), mid, uint8(mid)}
}

func main() {
	root := build(0, 2_000_000)
	stage.Settle()
	stage.Ready(root)
}
