// Command calib-int64s holds a slice of small int64.
package main

import "wordsize/scripts/whatiftruth/corpus/stage"

func main() {
	all := make([]int64, 8_000_000)
	for i := range all {
		all[i] = int64(i % 100_000)
	}
	stage.Settle()
	stage.Ready(all)
}
