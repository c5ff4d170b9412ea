package pool

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func shell(script string) func(context.Context, int) *exec.Cmd {
	return func(ctx context.Context, _ int) *exec.Cmd { return exec.CommandContext(ctx, "/bin/sh", "-c", script) }
}

func TestWorkersThatDieAtOnceAreNotStartedInALoop(t *testing.T) {
	var starts atomic.Int64
	var log buffer
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	err := Run(ctx, Config{Workers: 1, Grace: time.Second, Log: &log, Command: func(ctx context.Context, i int) *exec.Cmd {
		starts.Add(1)
		return shell("exit 3")(ctx, i)
	}})
	if err != nil {
		t.Error(err)
	}
	// At 0, 0.1 and 0.3 seconds, fewer on a busy host.
	if n := starts.Load(); n < 2 || n > 3 {
		t.Errorf("%d starts within 0.4 s", n)
	}
	if !strings.Contains(log.String(), "worker 0 (PID ") || !strings.Contains(log.String(), "exit status 3") {
		t.Errorf("log: %s", log.String())
	}
}

func TestStartThatFails(t *testing.T) {
	err := Run(t.Context(), Config{Workers: 2, Grace: time.Second, Log: t.Output(), Command: func(ctx context.Context, i int) *exec.Cmd {
		if i == 1 {
			return exec.CommandContext(ctx, "/does/not/exist")
		}
		return shell("exec sleep 60")(ctx, i)
	}})
	if err == nil || !strings.Contains(err.Error(), "worker 1") || !strings.Contains(err.Error(), "/does/not/exist") {
		t.Errorf("error %v", err)
	}
}

// A worker that ignores SIGTERM is killed after the grace.
func TestGrace(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	start := time.Now()
	err := Run(ctx, Config{Workers: 2, Grace: 300 * time.Millisecond, Log: t.Output(),
		Command: shell(`trap "" TERM; while :; do sleep 0.1; done`)})
	if took := time.Since(start); err != nil || took < 400*time.Millisecond || took > 15*time.Second {
		t.Errorf("ended after %v: %v", took, err)
	}
}
