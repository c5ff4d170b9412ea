package membench

import (
	"context"
	"errors"
	"testing"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// placeable returns this host's nodes, and skips where memory cannot be bound.
func placeable(t *testing.T) result.NUMANodes {
	t.Helper()
	nodes := hostinfo.DefaultFS().NUMA()
	usable := nodes.Usable()
	if len(usable) == 0 {
		t.Skip("this kernel has no NUMA")
	}
	if err := probeBinding(&binding{result.NUMABind, usable[:1]}); err != nil {
		t.Skipf("memory cannot be placed here: %v", err)
	}
	return nodes
}

// TestMemoryIsWhereItWasAskedFor runs every placement that this host has, with
// processes and with threads.
func TestMemoryIsWhereItWasAskedFor(t *testing.T) {
	nodes := placeable(t)
	modes := []NUMA{{Mode: NUMALocal}, {NUMANode, nodes.Usable()[0]}}
	if len(nodes.Usable()) > 1 {
		modes = append(modes, NUMA{Mode: NUMARemote}, NUMA{Mode: NUMAInterleave})
	}
	for _, n := range modes {
		for _, threads := range []bool{false, true} {
			c := config(t, 2)
			c.NUMA, c.Threads, c.Force = n, threads, true
			run, err := Run(t.Context(), c, env(t, processes(t)))
			if err != nil {
				t.Fatalf("--numa %s: %v", n, err)
			}
			if run.Args.NUMA != n.String() {
				t.Errorf("the record says %q, want %q", run.Args.NUMA, n)
			}
			for _, p := range run.Launches[0].Phases {
				for _, w := range p.Workers {
					checkPlaced(t, nodes, n, &w)
				}
			}
		}
	}
}

func checkPlaced(t *testing.T, nodes result.NUMANodes, n NUMA, w *result.Worker) {
	t.Helper()
	p := w.NUMA
	if p == nil || p.Error != "" || p.Sampled == 0 || p.Missing > 0 || p.Policy == "" {
		t.Fatalf("--numa %s: placement %+v", n, p)
	}
	c := Config{NUMA: n, nodes: nodes}
	want := c.binding(w.PinnedCPU)
	if on := p.On(want.Nodes...); on != p.Located() {
		t.Errorf("--numa %s, CPU %v: %d of %d pages on nodes %v: %+v", n, w.PinnedCPU, on, p.Located(), want.Nodes, p.Found)
	}
	if n.Mode == NUMAInterleave && len(p.Found) != len(want.Nodes) {
		t.Errorf("interleaved over %v, found on %+v", want.Nodes, p.Found)
	}
}

// A node that is not there is refused before any worker is started.
func TestNoSuchNode(t *testing.T) {
	placeable(t)
	c := config(t, 1)
	c.NUMA = NUMA{NUMANode, 1023}
	var arg *ArgError
	run, err := Run(t.Context(), c, env(t, &fakes{passNS: 1e6}))
	if !errors.As(err, &arg) || arg.Name != "--numa" || len(run.Launches) != 0 {
		t.Errorf("%v, %d launches", err, len(run.Launches))
	}
	if err := probeBinding(&binding{result.NUMABind, []int{1023}}); err == nil {
		t.Error("mbind took node 1023")
	}
}

func TestMatrix(t *testing.T) {
	e := env(t, processes(t))
	begun := 0
	cfg := MatrixConfig{ChunkBytes: 4 << 20, MinTime: 5 * time.Millisecond, Kernel: mustKernel(t, "read"), KernelSpec: "read", Pages: PagesDefault, Repeat: 2, Processes: 1}
	rec, err := Matrix(t.Context(), cfg, MatrixEnv{Env: e, Progress: func(_, _, _ int, _ string) { begun++ }})
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Cells) == 0 || begun != 2*len(rec.Cells) {
		t.Fatalf("%d cells, %d begun", len(rec.Cells), begun)
	}
	for _, c := range rec.Cells {
		if len(c.Samples) != 2 {
			t.Fatalf("%s: %d samples, want 2", cellName(&c), len(c.Samples))
		}
		for _, s := range c.Samples {
			if s.Rate == nil || *s.Rate <= 0 || s.NS <= 0 || len(s.Rounds) != chaseRounds || len(s.Workers) != 1 {
				t.Errorf("%s: %+v", cellName(&c), s)
			}
			if rec.KernelNUMA && s.Chase.Error == "" && s.Chase.On(c.MemoryNode) != s.Chase.Located() {
				t.Errorf("%s: the list lies on %+v", cellName(&c), s.Chase.Found)
			}
		}
	}
}

func TestMatrixInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := MatrixConfig{ChunkBytes: 4 << 20, MinTime: time.Millisecond, Kernel: mustKernel(t, "read"), Pages: PagesDefault, Repeat: 100, Processes: 1}
	rec, err := Matrix(ctx, cfg, MatrixEnv{Env: env(t, processes(t)), Progress: func(l, _, _ int, _ string) {
		if l == 1 {
			cancel()
		}
	}})
	if !errors.Is(err, ErrInterrupted) || !rec.Interrupted || len(rec.Cells[0].Samples) != 1 {
		t.Errorf("%v, interrupted %v, %d samples of the first cell; want the complete launch kept", err, rec.Interrupted, len(rec.Cells[0].Samples))
	}
}
