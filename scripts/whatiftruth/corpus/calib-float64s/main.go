// Command calib-float64s holds one slice of float64.
package main

import (
	"math"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

func main() {
	all := make([]float64, 8_000_000)
	for i := range all {
		all[i] = math.Sqrt(float64(i) + 0.5)
	}
	stage.Settle()
	stage.Ready(all)
}
