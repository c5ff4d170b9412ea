// Command heap fills memory with what larger Go programs hold, prints "ready"
// and waits for the end of its input. It is of the calibration set of rsswatch
// whatif, as shapes is.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

var keep any

type cacheEntry struct {
	key        string
	value      []byte
	prev, next *cacheEntry
	hits       int
	expires    time.Time
}

func main() {
	debug.SetGCPercent(100)
	switch os.Args[1] {
	case "cache":
		m := map[string]*cacheEntry{}
		var head *cacheEntry
		for i := range 300000 {
			k := "session:" + strconv.Itoa(i*7919%1000003)
			e := &cacheEntry{key: k, value: []byte("payload " + strings.Repeat("x", i%40)), next: head, hits: i % 17, expires: time.Now()}
			if head != nil {
				head.prev = e
			}
			head = e
			m[k] = e
			if len(m) > 150000 {
				for kk := range m {
					delete(m, kk)
					break
				}
			}
		}
		keep = []any{m, head}
	case "mapstr":
		m := map[string]int{}
		for i := range 700000 {
			m["word"+strconv.Itoa(i)] = i % 1000
		}
		keep = m
	case "mapstruct":
		type v struct {
			a, b int32
			s    string
		}
		m := map[uint32]v{}
		for i := range 500000 {
			m[uint32(i)*2654435761] = v{int32(i), 1, "x"}
		}
		keep = m
	case "ast":
		fset := token.NewFileSet()
		var all []*ast.File
		fs, _ := filepath.Glob(runtime.GOROOT() + "/src/net/http/*.go")
		g2, _ := filepath.Glob(runtime.GOROOT() + "/src/crypto/*/*.go")
		g3, _ := filepath.Glob(runtime.GOROOT() + "/src/encoding/*/*.go")
		for _, f := range append(append(fs, g2...), g3...) {
			p, err := parser.ParseFile(fset, f, nil, parser.ParseComments)
			if err == nil {
				all = append(all, p)
			}
		}
		keep = []any{fset, all}
	case "iface":
		var s []any
		for i := range 1000000 {
			switch i % 4 {
			case 0:
				s = append(s, i)
			case 1:
				s = append(s, "s"+strconv.Itoa(i))
			case 2:
				s = append(s, float64(i))
			case 3:
				s = append(s, &struct {
					a, b int
					p    any
				}{i, i * 2, nil})
			}
		}
		keep = s
	case "chans":
		var cs []chan int
		for range 20000 {
			c := make(chan int, 3)
			cs = append(cs, c)
			go func() { var b [300]byte; b[0] = 1; v := <-c; b[v&255] = 2; _ = b }()
		}
		keep = cs
		time.Sleep(time.Second)
	}
	if len(os.Args) > 2 { // steady: settle first
		runtime.GC()
		debug.FreeOSMemory()
	}
	fmt.Println("ready")
	io.Copy(io.Discard, bufio.NewReader(os.Stdin))
	runtime.KeepAlive(keep)
}
