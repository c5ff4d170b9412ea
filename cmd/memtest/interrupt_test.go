package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A command that waits for its input ends when it is told to, and leaves no
// file behind.
func TestInterruptedWhileReading(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"memtest", "compare", "-", "other.json"},
		{"memtest", "report", "-", "-o", filepath.Join(dir, "r.html"), "--svg", filepath.Join(dir, "r.svg")},
	} {
		interruptWhileReading(t, args)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func interruptWhileReading(t *testing.T, args []string) {
	t.Helper()
	in, out := io.Pipe() // nothing is ever written to it
	defer out.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(signalled{syscall.SIGTERM}) })
	ended := make(chan int, 1)
	var stdout, stderr bytes.Buffer
	go func() { ended <- run(ctx, args, in, &stdout, &stderr) }()
	select {
	case code := <-ended:
		if code != 128+int(syscall.SIGTERM) {
			t.Errorf("%v: exit status %d, want %d; %s", args, code, 128+int(syscall.SIGTERM), stderr.String())
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("%v: it goes on", args)
	}
}
