package membench

import (
	"maps"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// Thresholds of the warnings; docs/method.md gives the reasons.
const (
	cacheMultiple   = 4     // a chunk below so many last-level caches measures them too
	maxTimedFaults  = 100   // page faults in a worker's timed passes
	maxStealPercent = 1.0   // of all CPU time
	maxSkewShare    = 0.01  // start skew as a part of the common window
	minWindowNS     = 100e6 // shorter windows are noise
	maxWaitShare    = 0.02  // of a worker's time without its CPU
	minWaitNS       = 10e6  // less is the clock tick's rounding
	fourGiB         = 4 << 30
	hugeShare       = 0.95 // of the chunk, for huge pages to count as got
)

// findWarnings lists the reasons to doubt the run's figures, the worst of a
// kind only once.
func findWarnings(cfg *Config, run *result.Run) []result.Warning {
	var ws warnings
	ws.aboutRequest(cfg, run)
	ws.aboutHost(&run.Host, run.Tool.GOARCH)
	if cfg.NUMA.Mode != NUMADefault {
		ws.placed()
	}
	for l := range run.Launches {
		for i := range run.Launches[l].Phases {
			ws.aboutPhase(cfg, &run.Host, &run.Launches[l].Phases[i])
		}
	}
	return ws.list
}

type warnings struct{ list []result.Warning }

// add keeps, of several with the same code, phase and subject, the one with
// the larger value of key.
func (ws *warnings) add(w result.Warning, key string) {
	for i, old := range ws.list {
		if old.Code == w.Code && old.Phase == w.Phase && old.Subject == w.Subject {
			if w.Values[key] > old.Values[key] {
				ws.list[i] = w
			}
			return
		}
	}
	ws.list = append(ws.list, w)
}

type values = map[string]float64

// severities are the values that tell which of several warnings is the worst.
var severities = []string{"waited_ns", "skew_ns", "percent", "faults", "missing_bytes", "periods", "events", "shortness", "mappings"}

// worstOf keeps, of the warnings of many phases, the worst of each kind; it
// says of how many phases.
func worstOf(list []result.Warning) []result.Warning {
	severity := func(w *result.Warning) float64 {
		for _, key := range severities {
			if v, ok := w.Values[key]; ok {
				return v
			}
		}
		return 0
	}
	var kept []result.Warning
	for _, w := range list {
		i := slices.IndexFunc(kept, func(k result.Warning) bool { return k.Code == w.Code && k.Subject == w.Subject })
		if i < 0 {
			if w.Values = maps.Clone(w.Values); w.Values != nil && w.Phase != "" {
				w.Values["phases"] = 1
			}
			kept = append(kept, w)
			continue
		}
		phases := kept[i].Values["phases"] + 1
		if severity(&w) > severity(&kept[i]) {
			kept[i] = w
			kept[i].Values = maps.Clone(w.Values)
		}
		kept[i].Values["phases"] = phases
	}
	return kept
}

// ChunkWarnings says whether a chunk of so many bytes is large enough to
// measure memory rather than caches.
func ChunkWarnings(host *result.Host, bytes int64) []result.Warning {
	chunk := float64(bytes)
	llc, source, ok := host.LastLevelCache()
	switch {
	case !ok:
		return []result.Warning{{Code: result.WarnCacheUnknown, Values: values{"chunk_bytes": chunk}}}
	case bytes < cacheMultiple*llc:
		return []result.Warning{{Code: result.WarnCacheSized, Subject: source, Values: values{"chunk_bytes": chunk, "cache_bytes": float64(llc), "multiple": cacheMultiple}}}
	}
	return nil
}

func (ws *warnings) aboutRequest(cfg *Config, run *result.Run) {
	ws.list = append(ws.list, ChunkWarnings(&run.Host, cfg.ChunkBytes)...)
	if n := len(run.Host.CPU.Allowed); n > 0 && cfg.Processes > n {
		ws.add(result.Warning{Code: result.WarnOversubscribed, Values: values{"processes": float64(cfg.Processes), "cpus": float64(n)}}, "")
	}
	if c := run.Host.Cgroup; c != nil && c.CPUs != nil && *c.CPUs < float64(cfg.Processes) {
		ws.add(result.Warning{Code: result.WarnCPUQuota, Values: values{"processes": float64(cfg.Processes), "cpus": *c.CPUs}}, "")
	}
	if !cfg.Verify {
		ws.add(result.Warning{Code: result.WarnNotVerified}, "")
	}
	if run.Tool.Purego {
		ws.add(result.Warning{Code: result.WarnPurego}, "")
	}
}

func (ws *warnings) aboutHost(h *result.Host, goarch string) {
	if by := Emulation(h, goarch); by != "" {
		ws.add(result.Warning{Code: result.WarnEmulated, Subject: by}, "")
	}
	for _, g := range h.CPU.Governors {
		if g != "performance" {
			ws.add(result.Warning{Code: result.WarnGovernor, Subject: g}, "")
		}
	}
	if h.NUMABalancing != nil && *h.NUMABalancing != 0 && h.NUMANodes != nil && *h.NUMANodes > 1 {
		ws.add(result.Warning{Code: result.WarnNUMABalancing}, "")
	}
}

// machines are the kernel's names (uname -m) of the processors that run a
// build without emulation, as prefixes.
var machines = map[string][]string{
	"amd64": {"x86_64"}, "386": {"x86_64", "i"}, "arm64": {"aarch64"}, "arm": {"arm", "aarch64"},
	"riscv64": {"riscv64"}, "ppc64le": {"ppc64le"}, "s390x": {"s390x"}, "mips": {"mips"},
}

// foreign says whether the kernel is one for other processors than the build:
// then an emulator such as qemu's user mode runs it.
func foreign(machine, goarch string) bool {
	names, known := machines[goarch]
	if !known || machine == "" {
		return false
	}
	return !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(machine, n) })
}

func (ws *warnings) aboutPhase(cfg *Config, host *result.Host, p *result.Phase) {
	add := func(code, key string, v values) {
		ws.add(result.Warning{Code: code, Phase: p.Name, Values: v}, key)
	}
	if s := p.Host.StealPercent; s != nil && *s > maxStealPercent {
		add(result.WarnSteal, "percent", values{"percent": *s})
	}
	if t := p.Host.ThrottledPeriods; t != nil && *t > 0 {
		add(result.WarnThrottled, "periods", values{"periods": float64(*t)})
	}
	if t := p.Host.ThermalEvents; t != nil && *t > 0 {
		add(result.WarnThermal, "events", values{"events": float64(*t)})
	}
	for i := range p.Workers {
		ws.aboutWorker(cfg, p.Name, &p.Workers[i])
	}
	if cpus := len(host.CPU.Allowed); cpus == 0 || p.Processes <= cpus {
		ws.aboutSharing(p)
	}
	if z := p.Zones; z != nil && p.Name == result.PhaseParallel {
		all := int64(cfg.Processes) * cfg.ChunkBytes
		if need := max(z.Before.LowTotalBytes, fourGiB); all <= need {
			add(result.WarnHighUnused, "", values{"chunks_bytes": float64(all), "low_bytes": float64(z.Before.LowTotalBytes), "needed_bytes": float64(need)})
		}
	}
	if s := p.Summary; s != nil {
		window := float64(s.WindowEndNS - s.WindowStartNS)
		if s.Aggregate == nil {
			add(result.WarnNoWindow, "", values{})
			return
		}
		if window < minWindowNS {
			add(result.WarnShortWindow, "shortness", values{"window_ns": window, "shortness": -window})
		}
		if skew := float64(p.StartSkewNS); skew > maxSkewShare*window {
			add(result.WarnStartSkew, "skew_ns", values{"skew_ns": skew, "window_ns": window})
		}
	}
}

// aboutSharing looks for workers that had to wait for a CPU though there are
// as many as workers: one was stopped, something else ran, or several were
// bound to the same one.
func (ws *warnings) aboutSharing(p *result.Phase) {
	on := make(map[int]int)
	for i := range p.Workers {
		w := &p.Workers[i]
		if w.StartCPU != nil && w.EndCPU != nil && *w.StartCPU == *w.EndCPU {
			if on[*w.StartCPU]++; on[*w.StartCPU] == 2 {
				ws.add(result.Warning{Code: result.WarnSharedCPU, Phase: p.Name, Values: values{"cpu": float64(*w.StartCPU)}}, "")
				return
			}
		}
	}
	for i := range p.Workers {
		w := &p.Workers[i]
		if w.CPUNS == nil {
			continue
		}
		wall := float64(w.EndNS - w.StartNS)
		if waited := wall - float64(*w.CPUNS); waited > minWaitNS && waited > maxWaitShare*wall {
			v := values{"worker": float64(w.Index), "waited_ns": waited, "wall_ns": wall}
			if w.Preemptions != nil {
				v["preemptions"] = float64(*w.Preemptions)
			}
			ws.add(result.Warning{Code: result.WarnStalled, Phase: p.Name, Values: v}, "waited_ns")
		}
	}
}

func (ws *warnings) aboutWorker(cfg *Config, phase string, w *result.Worker) {
	add := func(code, key string, v values) {
		v["worker"] = float64(w.Index)
		ws.add(result.Warning{Code: code, Phase: phase, Values: v}, key)
	}
	if w.MinorFaults != nil && w.MajorFaults != nil {
		if faults := *w.MinorFaults + *w.MajorFaults; faults >= maxTimedFaults {
			add(result.WarnFaults, "faults", values{"faults": float64(faults)})
		}
	}
	if w.ChunkResident != nil && *w.ChunkResident < cfg.ChunkBytes {
		add(result.WarnNotResident, "missing_bytes", values{"resident_bytes": float64(*w.ChunkResident), "missing_bytes": float64(cfg.ChunkBytes - *w.ChunkResident)})
	}
	if wanted := cfg.Pages == PagesTHP || cfg.Pages == PagesHugeTLB; wanted && w.ChunkHuge != nil && float64(*w.ChunkHuge) < hugeShare*float64(cfg.ChunkBytes) {
		missing := float64(cfg.ChunkBytes - *w.ChunkHuge)
		ws.add(result.Warning{Code: result.WarnNotHuge, Phase: phase, Subject: string(cfg.Pages), Values: values{"worker": float64(w.Index), "huge_bytes": float64(*w.ChunkHuge), "missing_bytes": missing}}, "missing_bytes")
	}
	if w.PinnedCPU != nil || cfg.NUMA.Mode != NUMADefault {
		ws.aboutNUMA(phase, w.Index, w.NUMA)
	}
	if w.Mappings > 1 {
		add(result.WarnPieces, "mappings", values{"mappings": float64(w.Mappings)})
	}
}
