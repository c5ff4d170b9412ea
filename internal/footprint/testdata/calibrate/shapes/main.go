// Command shapes fills memory with one kind of data, prints "ready" and waits
// for the end of its input. It is of the calibration set of rsswatch whatif:
// built for both word sizes, the 32-bit one is the truth for the estimate of
// the 64-bit one.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

type node struct {
	next *node
	v    int
}

type tree struct {
	l, r *tree
	key  int32
	red  uint8
}

type record struct {
	name  string
	tags  []string
	id    int
	score float64
	up    *record
}

var keep any

func list() any {
	var head *node
	for i := range 2_000_000 {
		head = &node{head, i}
	}
	return head
}

func texts() any {
	s := make([]string, 2_000_000)
	for i := range s {
		s[i] = "item number " + strconv.Itoa(i)
	}
	return s
}

func floats() any {
	s := make([]float64, 6_000_000)
	for i := range s {
		s[i] = float64(i) * 0.37
	}
	return s
}

func intMap() any {
	m := map[int]int{}
	for i := range 2_000_000 {
		m[i*7] = i
	}
	return m
}

func records() any {
	s := make([]*record, 400_000)
	for i := range s {
		s[i] = &record{name: "record " + strconv.Itoa(i), tags: []string{"a", "b"}, id: i, score: float64(i) * 1.5}
		if i > 0 {
			s[i].up = s[i/2]
		}
	}
	return s
}

func grow(depth int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{grow(depth - 1), grow(depth - 1), int32(depth * 1000), uint8(depth & 1)}
}

func buffers() any {
	s := make([][]byte, 1000)
	for i := range s {
		s[i] = make([]byte, 50_000)
		for j := range s[i] {
			s[i][j] = byte(j*31 + i*7 + j>>3)
		}
	}
	return s
}

func int64s() any {
	s := make([]int64, 6_000_000)
	for i := range s {
		s[i] = int64(i)
	}
	return s
}

func ints() any {
	s := make([]int, 6_000_000)
	for i := range s {
		s[i] = i
	}
	return s
}

func main() {
	kinds := map[string]func() any{
		"list": list, "texts": texts, "floats": floats, "map": intMap, "records": records,
		"tree": func() any { return grow(20) }, "buffers": buffers, "int64s": int64s, "ints": ints, "nothing": func() any { return nil },
	}
	if len(os.Args) != 2 || kinds[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: shapes list|texts|floats|map|records|tree|buffers|int64s|ints|nothing")
		os.Exit(2)
	}
	keep = kinds[os.Args[1]]()
	runtime.GC()
	debug.FreeOSMemory()
	fmt.Println("ready")
	io.Copy(io.Discard, bufio.NewReader(os.Stdin))
	runtime.KeepAlive(keep)
}
