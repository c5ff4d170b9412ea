// Command calib-records holds records of a string, a slice, an int, a float64
// and a pointer.
package main

import (
	"fmt"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

type record struct {
	name  string
	tags  []byte
	count int
	price float64
	next  *record
}

func main() {
	shared := []byte("abcdefghijklmnopqrstuvwxyz")
	all := make([]record, 400_000)
	var last *record
	for i := range all {
		all[i] = record{fmt.Sprintf("record number %d", i), shared[i%10 : i%10+i%16], i, float64(i) * 1.37, last}
		last = &all[i]
	}
	stage.Settle()
	stage.Ready(all)
}
