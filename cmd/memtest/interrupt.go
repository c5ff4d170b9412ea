package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"wordsize/internal/membench"
)

// readingGrace is how long a command that only reads may go on after a
// signal, so that a file it is writing is whole or gone.
const readingGrace = 500 * time.Millisecond

// endable makes a command end soon after a signal even when it waits for
// input that never comes: a FIFO that nobody writes to, a terminal. It is for
// commands that read records and have no workers to end.
func endable(cmd *cobra.Command) *cobra.Command {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return unlessInterrupted(cmd.Context(), readingGrace, func() error { return run(cmd, args) })
	}
	return cmd
}

// unlessInterrupted returns what f does, or ErrInterrupted when that takes
// longer than grace after the end of ctx. f then goes on, and nobody waits.
func unlessInterrupted(ctx context.Context, grace time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return membench.ErrInterrupted
	}
}
