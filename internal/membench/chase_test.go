package membench

import (
	"context"
	"errors"
	"strings"
	"testing"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/respawn"
	"wordsize/internal/result"
)

func TestChaseNodes(t *testing.T) {
	for cache, last := range map[int64]int64{32 << 20: 1 << 24, 8 << 20: 1 << 22, 0: mostNodes, 1 << 40: mostNodes, 100: leastNodes} {
		n := ChaseNodes(cache)
		if n[0] != leastNodes || n[len(n)-1] != last {
			t.Errorf("cache of %d: from %d to %d nodes, want to %d", cache, n[0], n[len(n)-1], last)
		}
		for i := 1; i < len(n); i++ {
			if r := float64(n[i]) / float64(n[i-1]); r < 1.3 || r > 1.51 {
				t.Errorf("from %d to %d nodes is no half-step", n[i-1], n[i])
			}
		}
	}
}

func TestFittingNodes(t *testing.T) {
	h := &result.Host{Caches: []result.Cache{{Level: 3, Type: "Unified", Bytes: 32 << 20, Source: "test"}}}
	small := Room{Available: new(int64(200 << 20))}
	all, err := fittingNodes(nil, h, Room{})
	if err != nil || all[len(all)-1] != 1<<24 {
		t.Errorf("%v, %v", all, err)
	}
	some, err := fittingNodes(nil, h, small)
	if last := some[len(some)-1]; err != nil || last >= 1<<24 || last < 1<<21 || chaseBytes(last) > 200<<20 {
		t.Errorf("up to %d nodes in 200 MiB, %v", last, err)
	}
	var arg *ArgError
	if _, err := fittingNodes([]int64{1000, 1 << 24}, h, small); !errors.As(err, &arg) || arg.Name != "--nodes" || !strings.Contains(err.Error(), "at most") || !strings.Contains(err.Error(), "MemAvailable") {
		t.Errorf("%v: want an *ArgError that says what fits", err)
	}
}

func chaseEnv(t *testing.T) ChaseEnv {
	t.Helper()
	return ChaseEnv{Env: env(t, nil)}
}

// A real chase. Of speed nothing is said but that a hop takes time.
func TestChaseForReal(t *testing.T) {
	cfg := ChaseConfig{Nodes: []int64{1, 300, 100_000}, Repeat: 2, Pages: PagesDefault}
	c, err := Chase(t.Context(), cfg, chaseEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Launches) != 2 || c.NodeBytes != kernel.NodeBytes || c.Launches[0].PID == c.Launches[1].PID {
		t.Errorf("record %+v; want two processes", c)
	}
	for _, l := range c.Launches {
		if len(l.Samples) != 3 || l.WallNS < 3*chaseRounds*chaseRoundNS {
			t.Errorf("launch %+v", l)
		}
		for i, s := range l.Samples {
			if s.Nodes != cfg.Nodes[i] || len(s.Rounds) != chaseRounds {
				t.Errorf("sample %+v", s)
			}
			for _, ns := range s.Rounds {
				if !(ns > 0.05) {
					t.Errorf("%d nodes: %g ns a hop: faster than any processor", s.Nodes, ns)
				}
			}
		}
	}
	if cpus := hostinfo.AllowedCPUs(); len(cpus) > 0 && c.Launches[0].PinnedCPU == nil && c.Launches[0].CPUNS != nil {
		t.Errorf("not bound to a CPU, of %v", cpus)
	}
}

func TestChaseFailures(t *testing.T) {
	cfg := ChaseConfig{Nodes: []int64{1000}, Repeat: 3, Pages: PagesDefault}
	e := chaseEnv(t)
	e.ask = func(context.Context, chaseTask) (*result.ChaseLaunch, error) {
		return nil, &respawn.Error{How: "signal: killed", Killed: true}
	}
	var child *respawn.Error
	if _, err := Chase(t.Context(), cfg, e); !errors.As(err, &child) {
		t.Errorf("%v, want the child's error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e.ask = func(context.Context, chaseTask) (*result.ChaseLaunch, error) {
		return &result.ChaseLaunch{WallNS: 1e9, CPUNS: new(int64(1e8))}, nil
	}
	e.Progress = func(launch int) {
		if launch == 1 {
			cancel()
		}
	}
	e.Host.Caches = nil
	c, err := Chase(ctx, cfg, e)
	if !errors.Is(err, ErrInterrupted) || !c.Interrupted || len(c.Launches) == 0 {
		t.Errorf("%v, %+v: want ErrInterrupted and what was complete", err, c)
	}
	codes := make(map[string]bool)
	for _, w := range c.Warnings {
		codes[w.Code] = true
	}
	if !codes[result.WarnLaunchStalled] || !codes[result.WarnCurveUnknown] {
		t.Errorf("warnings %+v", c.Warnings)
	}
	for _, task := range []chaseTask{{}, {Nodes: []int64{0}}, {Nodes: []int64{1 << 40}}} {
		if _, err := askChase(t.Context(), task); err == nil {
			t.Errorf("%+v: no error", task)
		}
	}
}
