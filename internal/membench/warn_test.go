package membench

import (
	"slices"
	"testing"

	"wordsize/internal/result"
)

// A run without anything to complain of.
func cleanRun() (*Config, *result.Run) {
	const chunk = 1 << 30
	w := result.Worker{Mappings: 1, EndNS: 1e9, CPUNS: new(int64(985e6)), MinorFaults: new(int64(3)), MajorFaults: new(int64(0)), ChunkResident: new(int64(chunk)), ChunkHuge: new(int64(0))}
	p := result.Phase{Name: result.PhaseParallel, Workers: []result.Worker{w}, Summary: &result.PhaseSummary{WindowEndNS: 10e9, Aggregate: new(1.0)}}
	run := &result.Run{
		Host: result.Host{
			CPU:    result.CPU{Allowed: []int{0, 1}, Governors: []string{"performance"}},
			Caches: []result.Cache{{Level: 3, Type: "Unified", Bytes: 32 << 20, Source: "sysfs"}},
		},
		Launches: []result.Launch{{Phases: []result.Phase{p}}},
	}
	return &Config{Processes: 2, ChunkBytes: chunk, Verify: true, Pages: PagesDefault}, run
}

func codes(ws []result.Warning) []string {
	var all []string
	for _, w := range ws {
		all = append(all, w.Code)
	}
	return all
}

func TestCleanRunHasNoWarnings(t *testing.T) {
	if ws := findWarnings(cleanRun()); len(ws) != 0 {
		t.Errorf("warnings %v", codes(ws))
	}
}

func TestWarnings(t *testing.T) {
	phase := func(r *result.Run) *result.Phase { return &r.Launches[0].Phases[0] }
	worker := func(r *result.Run) *result.Worker { return &phase(r).Workers[0] }
	for code, spoil := range map[string]func(*Config, *result.Run){
		result.WarnCacheSized:     func(c *Config, _ *result.Run) { c.ChunkBytes = 127 << 20 },
		result.WarnCacheUnknown:   func(_ *Config, r *result.Run) { r.Host.Caches = nil },
		result.WarnOversubscribed: func(c *Config, _ *result.Run) { c.Processes = 3 },
		result.WarnCPUQuota:       func(_ *Config, r *result.Run) { r.Host.Cgroup = &result.Cgroup{CPUs: new(1.5)} },
		result.WarnGovernor:       func(_ *Config, r *result.Run) { r.Host.CPU.Governors = []string{"powersave"} },
		result.WarnNUMABalancing:  func(_ *Config, r *result.Run) { r.Host.NUMABalancing, r.Host.NUMANodes = new(1), new(2) },
		result.WarnNotVerified:    func(c *Config, _ *result.Run) { c.Verify = false },
		result.WarnPurego:         func(_ *Config, r *result.Run) { r.Tool.Purego = true },
		result.WarnFaults:         func(_ *Config, r *result.Run) { worker(r).MinorFaults = new(int64(100)) },
		result.WarnNotResident:    func(_ *Config, r *result.Run) { worker(r).ChunkResident = new(int64(1<<30 - 4096)) },
		result.WarnNotHuge:        func(c *Config, _ *result.Run) { c.Pages = PagesTHP },
		result.WarnPieces:         func(_ *Config, r *result.Run) { worker(r).Mappings = 2 },
		result.WarnSteal:          func(_ *Config, r *result.Run) { phase(r).Host.StealPercent = new(1.5) },
		result.WarnThrottled:      func(_ *Config, r *result.Run) { phase(r).Host.ThrottledPeriods = new(int64(1)) },
		result.WarnThermal:        func(_ *Config, r *result.Run) { phase(r).Host.ThermalEvents = new(int64(1)) },
		result.WarnShortWindow:    func(_ *Config, r *result.Run) { phase(r).Summary.WindowEndNS = 99e6 },
		result.WarnEmulated:       func(_ *Config, r *result.Run) { r.Host.Hypervisor = "qemu (emulated)" },
		result.WarnHighUnused: func(_ *Config, r *result.Run) {
			phase(r).Zones = &result.PhaseZones{Before: result.Zones{HighTotalBytes: 5 << 30, LowTotalBytes: 700 << 20}}
		},
		result.WarnStalled: func(_ *Config, r *result.Run) {
			w := worker(r)
			w.EndNS, w.CPUNS = 1e9, new(int64(97e7))
		},
		result.WarnSharedCPU: func(_ *Config, r *result.Run) {
			w := worker(r)
			w.StartCPU, w.EndCPU = new(1), new(1)
			phase(r).Workers = append(phase(r).Workers, *w)
		},
		result.WarnNoWindow:  func(_ *Config, r *result.Run) { phase(r).Summary.Aggregate = nil },
		result.WarnStartSkew: func(_ *Config, r *result.Run) { phase(r).StartSkewNS = 101e6 },
	} {
		c, run := cleanRun()
		spoil(c, run)
		if got := codes(findWarnings(c, run)); !slices.Equal(got, []string{code}) {
			t.Errorf("%s: warnings %v", code, got)
		}
	}
}

func TestForeignBuilds(t *testing.T) {
	for _, c := range []struct {
		machine, goarch string
		want            bool
	}{
		{"x86_64", "amd64", false}, {"x86_64", "386", false}, {"i686", "386", false}, {"aarch64", "arm", false}, {"armv7l", "arm", false},
		{"x86_64", "arm", true}, {"x86_64", "arm64", true}, {"aarch64", "386", true}, {"", "arm", false}, {"x86_64", "loong64", false},
	} {
		if got := foreign(c.machine, c.goarch); got != c.want {
			t.Errorf("%s on %s: foreign %v", c.goarch, c.machine, got)
		}
	}
	c, run := cleanRun()
	run.Tool.GOARCH, run.Host.Machine = "arm", "x86_64"
	if ws := findWarnings(c, run); len(ws) != 1 || ws[0].Code != result.WarnEmulated {
		t.Errorf("warnings %v, want %s", codes(ws), result.WarnEmulated)
	}
}

func TestOnlyTheWorstOfAKind(t *testing.T) {
	c, run := cleanRun()
	p := &run.Launches[0].Phases[0]
	for _, faults := range []int64{200, 900, 500} {
		w := p.Workers[0]
		w.Index, w.MinorFaults = int(faults), &faults
		p.Workers = append(p.Workers, w)
	}
	ws := findWarnings(c, run)
	if len(ws) != 1 || ws[0].Values["faults"] != 900 || ws[0].Values["worker"] != 900 {
		t.Errorf("warnings %+v, want the one of 900 faults", ws)
	}
}
