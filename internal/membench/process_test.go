package membench

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

func TestRealWorkers(t *testing.T) {
	c := config(t, 2)
	c.MinTime = 60 * time.Millisecond
	run, err := Run(t.Context(), c, env(t, processes(t)))
	if err != nil {
		t.Fatal(err)
	}
	phases := run.Launches[0].Phases
	if len(phases) != 2 || len(phases[1].Workers) != 2 {
		t.Fatalf("phases %+v", phases)
	}
	if phases[0].Passes < 2 || phases[1].Passes != phases[0].Passes {
		t.Errorf("%d and %d passes, want the same number, several", phases[0].Passes, phases[1].Passes)
	}
	if w := phases[0].Workers[0]; w.EndNS-w.StartNS < int64(c.MinTime) {
		t.Errorf("the single process ended after %v of at least %v", time.Duration(w.EndNS-w.StartNS), c.MinTime)
	}
	for _, p := range phases {
		for _, w := range p.Workers {
			checkWorker(t, &c, &w)
		}
	}
	if phases[1].Workers[0].PID == phases[1].Workers[1].PID {
		t.Error("two workers in one process")
	}
}

func checkWorker(t *testing.T, c *Config, w *result.Worker) {
	t.Helper()
	if w.VerifiedBytes == nil || *w.VerifiedBytes != c.ChunkBytes {
		t.Errorf("worker %d: not all of its chunk was verified", w.Index)
	}
	if w.ChunkResident != nil && *w.ChunkResident < c.ChunkBytes {
		t.Errorf("worker %d: %d bytes of %d in memory before timing", w.Index, *w.ChunkResident, c.ChunkBytes)
	}
	if w.MinorFaults != nil && *w.MinorFaults+*w.MajorFaults >= maxTimedFaults {
		t.Errorf("worker %d: %d page faults inside its timed passes", w.Index, *w.MinorFaults)
	}
	if got := int64(len(w.PassEndNS)); w.PassStride == 1 && got != w.Passes+w.HeldPasses {
		t.Errorf("worker %d: %d timestamps for %d + %d passes", w.Index, got, w.Passes, w.HeldPasses)
	}
	last := w.StartNS
	for i, ns := range w.PassEndNS {
		if ns <= last {
			t.Errorf("worker %d: pass %d ends at %d, the one before at %d", w.Index, i, ns, last)
		}
		last = ns
	}
	if w.StopNS < w.EndNS || w.EndNS <= w.StartNS {
		t.Errorf("worker %d: start %d, end %d, stop %d", w.Index, w.StartNS, w.EndNS, w.StopNS)
	}
}

// Every kernel and tier runs for real, and leaves memory that verifies.
func TestEveryVariantVerifies(t *testing.T) {
	for _, k := range kernel.Table() {
		for _, tier := range k.Tiers {
			if tier.Unusable() != "" {
				continue
			}
			c := config(t, 1)
			c.Kernel = kernel.Variant{Kernel: k, Tier: tier}
			if _, err := Run(t.Context(), c, env(t, processes(t))); err != nil {
				t.Errorf("%v: %v", c.Kernel, err)
			}
		}
	}
}

// Several odd sizes: less than a block, not a multiple of one.
func TestChunkSizes(t *testing.T) {
	for _, bytes := range []int64{4096, 1 << 20, kernel.Block - 4096, kernel.Block, 3*kernel.Block + 8192} {
		c := config(t, 2)
		c.ChunkBytes, c.MinTime = bytes, time.Millisecond
		if _, err := Run(t.Context(), c, env(t, processes(t))); err != nil {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
}

func TestBadMemoryIsFound(t *testing.T) {
	const offset = 5<<20 + 64
	t.Setenv(envCorrupt, strconv.Itoa(offset))
	for _, spec := range []string{"write", "zero"} {
		c := config(t, 1)
		c.Kernel = mustKernel(t, spec)
		_, err := Run(t.Context(), c, env(t, processes(t)))
		var bad *Mismatch
		if !errors.As(err, &bad) || bad.Offset != offset || bad.Expected^bad.Found != 1<<7 || bad.Worker != 0 {
			t.Errorf("%s: error %v, want a mismatch of bit 7 at offset %d", spec, err, offset)
		}
		c.Verify = false
		if _, err := Run(t.Context(), c, env(t, processes(t))); err != nil {
			t.Errorf("%s, not verified: %v", spec, err)
		}
	}
}

func TestRunnerThatFails(t *testing.T) {
	_, err := NewProcesses([]string{"no-such-command-at-all"}, nil)
	refuses(t, err, "--runner", "no-such-command-at-all")
	p := processes(t)
	p.Argv = []string{p.Argv[0], "-test.run=NONE"} // a command that ends without a word to us
	_, err = Run(t.Context(), config(t, 1), env(t, p))
	if err == nil || !strings.Contains(err.Error(), "ended before its time") {
		t.Errorf("error %v, want one that says the worker ended", err)
	}
}
