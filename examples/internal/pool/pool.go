// Package pool keeps a fixed number of worker processes running.
package pool

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Config says what to run.
type Config struct {
	Workers int
	// Command makes the not yet started command of worker i.
	Command func(ctx context.Context, i int) *exec.Cmd
	Log     io.Writer
	// Grace is how long an ended worker may finish its request; then it is killed.
	Grace time.Duration
}

// A worker that lived for less than this is started again only after a pause,
// which doubles from the first to the second.
const (
	minLife    = time.Second
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

// Run starts the workers, starts another one for each that dies, and ends them
// all when outer ends, which is no error. It fails when a worker cannot be
// started for the first time.
func Run(outer context.Context, cfg Config) error {
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	cfg.Log = &lockedWriter{w: cfg.Log}
	var wg sync.WaitGroup
	for i := range cfg.Workers {
		wg.Go(func() {
			if err := keep(ctx, cfg, i); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if outer.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}

// keep runs one worker after the other.
func keep(ctx context.Context, cfg Config, i int) error {
	pause := firstPause
	for first := true; ctx.Err() == nil; first = false {
		cmd := cfg.Command(ctx, i)
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = cfg.Grace
		born := time.Now()
		if err := cmd.Start(); err != nil {
			if first {
				return fmt.Errorf("worker %d: %w", i, err)
			}
			fmt.Fprintf(cfg.Log, "worker %d: %v\n", i, err)
		} else {
			err := cmd.Wait()
			if ctx.Err() != nil {
				return nil
			}
			fmt.Fprintf(cfg.Log, "worker %d (PID %d) ended after %v: %v\n", i, cmd.Process.Pid, time.Since(born).Round(time.Millisecond), reason(err))
		}
		if time.Since(born) >= minLife {
			pause = firstPause
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPause)
	}
	return nil
}

func reason(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// A lockedWriter lets the workers' keepers write whole lines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
