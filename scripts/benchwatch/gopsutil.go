//go:build ignore

// Gopsutil is the loop that a Go program would write with gopsutil/v3: memory,
// times, command line and name of every process or, with a third argument,
// what rsswatch's default columns show. The first two arguments are the number
// of ticks and the milliseconds between them.
package main

import (
	"os"
	"strconv"
	"time"

	"github.com/shirou/gopsutil/v3/process"
)

func main() {
	ticks, _ := strconv.Atoi(os.Args[1])
	ms, _ := strconv.Atoi(os.Args[2])
	for t := range ticks {
		all, err := process.Processes()
		if err != nil {
			os.Exit(1)
		}
		for _, p := range all {
			_, _ = p.Times()
			_, _ = p.Cmdline()
			_, _ = p.Name()
			if len(os.Args) <= 3 {
				_, _ = p.MemoryInfo()
				continue
			}
			_, _ = p.MemoryInfoEx() // SHR is only here
			_, _ = p.Status()
			_, _ = p.Uids()
		}
		if t+1 < ticks {
			time.Sleep(time.Duration(ms) * time.Millisecond)
		}
	}
}
