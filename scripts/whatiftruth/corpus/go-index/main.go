// Command go-index is an inverted index, map[string][]string: words to the
// names of the documents that hold them.
package main

import (
	"fmt"
	"math/rand/v2"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

func main() {
	r := rand.New(rand.NewPCG(7, 8))
	zipf := rand.NewZipf(r, 1.2, 4, 79_999)
	index := map[string][]string{}
	for d := range 12_000 {
		doc := fmt.Sprintf("docs/%03d/%05d.txt", d%100, d)
		for range 80 {
			word := fmt.Sprintf("w%x", zipf.Uint64()*40503%1048573)
			if l := index[word]; len(l) == 0 || l[len(l)-1] != doc {
				index[word] = append(l, doc)
			}
		}
	}
	stage.Settle()
	stage.Ready(index)
}
