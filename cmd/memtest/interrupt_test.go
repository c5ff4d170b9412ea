package main

import (
	"bytes"
	"context"
	"io"
	"syscall"
	"testing"
	"time"
)

// A command that waits for its input ends when it is told to.
func TestInterruptedWhileReading(t *testing.T) {
	in, out := io.Pipe() // nothing is ever written to it
	defer out.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(50*time.Millisecond, func() { cancel(signalled{syscall.SIGTERM}) })
	ended := make(chan int, 1)
	var stdout, stderr bytes.Buffer
	go func() { ended <- run(ctx, []string{"memtest", "compare", "-", "other.json"}, in, &stdout, &stderr) }()
	select {
	case code := <-ended:
		if code != 128+int(syscall.SIGTERM) {
			t.Errorf("exit status %d, want %d; %s", code, 128+int(syscall.SIGTERM), stderr.String())
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it goes on")
	}
}
