//go:build ignore

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// herd is a number of idle processes.
type herd []*exec.Cmd

// startHerd starts n idle processes, which end with this one.
func startHerd(n int) (herd, error) {
	runtime.LockOSThread() // PDEATHSIG is about the thread
	var h herd
	for range n {
		c := exec.Command("sleep", "100000")
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := c.Start(); err != nil {
			h.stop()
			return nil, fmt.Errorf("idle process %d: %w", len(h)+1, err)
		}
		h = append(h, c)
	}
	return h, nil
}

func (h herd) stop() {
	for _, c := range h {
		c.Process.Kill()
	}
	for _, c := range h {
		c.Wait()
	}
}

// hold keeps gib GiB resident until standard input ends: the huge process.
func hold(gib int) {
	const chunk = 64 << 20
	var all [][]byte
	for range gib << 30 / chunk {
		b, err := syscall.Mmap(-1, 0, chunk, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			fmt.Fprintln(os.Stderr, "hold:", err)
			os.Exit(1)
		}
		for i := 0; i < chunk; i += 4096 {
			b[i] = 1
		}
		all = append(all, b)
	}
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
	runtime.KeepAlive(all)
}

// field returns a kB value of a file such as /proc/self/status, in bytes.
func field(file, name string) int64 {
	b, _ := os.ReadFile(file)
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			var kb int64
			fmt.Sscan(rest, &kb)
			return kb << 10
		}
	}
	return 0
}
