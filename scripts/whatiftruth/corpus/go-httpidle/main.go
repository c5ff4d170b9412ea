// Command go-httpidle is an HTTP server with idle keep-alive connections. It
// listens on the port given and takes its end of input for the end.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"wordsize/scripts/whatiftruth/corpus/stage"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"path": r.URL.Path, "query": r.URL.Query(), "agent": r.UserAgent()})
	})
	go func() {
		err := http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}()
	stage.Ready()
}
