// Command calib-ints holds a slice of small int, which are words.
package main

import "wordsize/scripts/whatiftruth/corpus/stage"

func main() {
	all := make([]int, 8_000_000)
	for i := range all {
		all[i] = i % 100_000
	}
	stage.Settle()
	stage.Ready(all)
}
