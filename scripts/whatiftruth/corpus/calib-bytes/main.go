// Command calib-bytes holds buffers of bytes that look like packed data.
package main

import (
	"math/rand/v2"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

func main() {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([][]byte, 15_000)
	for i := range all {
		all[i] = make([]byte, 4096)
		for j := range all[i] {
			all[i][j] = byte(r.Uint32())
		}
	}
	stage.Settle()
	stage.Ready(all)
}
