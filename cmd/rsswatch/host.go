package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// readLoad returns the load averages over 1, 5 and 15 minutes, nil when
// unknown (proc_loadavg(5)).
func readLoad(proc string) []float64 {
	b, err := os.ReadFile(filepath.Join(proc, "loadavg"))
	if err != nil {
		return nil
	}
	f := strings.Fields(string(b))
	if len(f) < 3 {
		return nil
	}
	load := make([]float64, 3)
	for i := range load {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return nil
		}
		load[i] = v
	}
	return load
}

// selfMeter measures what rsswatch itself costs.
type selfMeter struct {
	last  int64
	known bool
}

// read returns CPU time since start and since the last call, and the resident
// size, which is that of the tick where rsswatch is among its processes.
//
// In a foreign tree (own is false) our PID is another's.
func (m *selfMeter) read(snap *procstat.Snapshot, own bool) (s result.WatchSelf) {
	pid := int32(os.Getpid())
	for _, p := range snap.Procs {
		if p.PID != pid || !own {
			continue
		}
		if p.Have&procstat.HasMemory != 0 {
			s.RSSBytes = result.Some(p.Resident)
		}
		if p.Have&procstat.HasCPU != 0 {
			s.CPUNS = result.Some(int64(p.Counters.User + p.Counters.System))
		}
	}
	if ns, ok := ownCPU(); ok {
		s.CPUNS = result.Some(ns)
	}
	if s.CPUNS.Known {
		if m.known {
			s.CPUDeltaNS = result.Some(s.CPUNS.Value - m.last)
		}
		m.last, m.known = s.CPUNS.Value, true
	}
	return s
}

// version is the module's version, as the Go tool stamped it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
