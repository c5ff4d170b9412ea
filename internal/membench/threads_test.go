package membench

import (
	"errors"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

func TestThreadsAreOneProcess(t *testing.T) {
	c := config(t, 2)
	c.Threads, c.MinTime = true, 60*time.Millisecond
	run, err := Run(t.Context(), c, env(t, processes(t)))
	if err != nil {
		t.Fatal(err)
	}
	if run.Args.Parallel != result.ParallelThreads {
		t.Errorf("the record says %q", run.Args.Parallel)
	}
	p := run.Launches[0].Phases[1]
	if len(p.Workers) != 2 || p.Workers[0].PID != p.Workers[1].PID || p.Workers[0].Index == p.Workers[1].Index {
		t.Fatalf("workers %+v, want two of one process", p.Workers)
	}
	for _, w := range p.Workers {
		checkWorker(t, &c, &w)
	}
	a, b := p.Workers[0], p.Workers[1]
	if a.PinnedCPU != nil && b.PinnedCPU != nil && (*a.PinnedCPU == *b.PinnedCPU || a.EndCPU != nil && *a.EndCPU != *a.PinnedCPU || b.EndCPU != nil && *b.EndCPU != *b.PinnedCPU) {
		t.Errorf("pinned to %d and %d, ended on %d and %d", *a.PinnedCPU, *b.PinnedCPU, *a.EndCPU, *b.EndCPU)
	}
	if p.Passes != run.Launches[0].Phases[0].Passes {
		t.Errorf("%d passes, %d of the single one", p.Passes, run.Launches[0].Phases[0].Passes)
	}
}

func TestThreadsSayWhoseMemoryIsBad(t *testing.T) {
	t.Setenv(envCorrupt, "4096")
	c := config(t, 3)
	c.Threads, c.Pin = true, Pin{Mode: PinNone}
	_, err := Run(t.Context(), c, env(t, processes(t)))
	var bad *Mismatch
	if !errors.As(err, &bad) || bad.Offset != 4096 {
		t.Errorf("error %v, want a mismatch at 4096", err)
	}
}

func TestThreadsFailureNamesTheWorker(t *testing.T) {
	c := config(t, 3)
	c.Threads = true
	f := &fakes{passNS: 1e6, break_: func(f *fakeConn) { f.failThread = 2 }}
	_, err := Run(t.Context(), c, env(t, f))
	if err == nil || !strings.Contains(err.Error(), "worker 2 (pid 1000)") {
		t.Errorf("error %v, want one that names worker 2", err)
	}
}

// Threads share one address space, so that what all of them get must fit.
func TestThreadsMustFitIntoOneAddressSpace(t *testing.T) {
	r := Room{AddressSpace: new(int64(3000 << 20))}
	if err := r.FitIn(4, 4, 1500<<20); err != nil {
		t.Errorf("processes: %v", err)
	}
	var fe *FitError
	err := r.FitIn(1, 4, 1500<<20)
	if !errors.As(err, &fe) || !strings.Contains(err.Error(), "4 x 1500 MiB do not fit into one process") || fe.MaxChunk != 746<<20 {
		t.Errorf("threads: %v", err)
	}
	if err := r.FitIn(1, 4, 700<<20); err != nil {
		t.Errorf("threads of 700 MiB: %v", err)
	}
}
