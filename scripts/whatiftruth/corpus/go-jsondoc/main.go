// Command go-jsondoc decodes a JSON document into map[string]any and keeps it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

func document() []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range 50_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"device %d","site":{"city":"town %d","lat":%.4f,"lon":%.4f},"tags":["a%d","b","c%d"],"up":%t,"load":[%d.5,%d,%d.25],"owner":null}`,
			i, i, i%900, float64(i%180)-90, float64(i%360)-180, i%7, i%1000, i%3 != 0, i%4, i%16, i%9)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func main() {
	var doc any
	if err := json.Unmarshal(document(), &doc); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stage.Settle()
	stage.Ready(doc)
}
