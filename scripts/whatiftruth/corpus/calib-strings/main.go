// Command calib-strings holds a slice of short strings, each of its own.
package main

import (
	"fmt"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

func main() {
	all := make([]string, 0, 2_000_000)
	for i := range cap(all) {
		all = append(all, fmt.Sprintf("short string %d", i))
	}
	stage.Settle()
	stage.Ready(all)
}
