// Command calib-mapint holds a map[int]int.
package main

import "wordsize/scripts/whatiftruth/corpus/stage"

func main() {
	m := make(map[int]int)
	for i := range 2_000_000 {
		m[i*7] = i
	}
	stage.Settle()
	stage.Ready(m)
}
