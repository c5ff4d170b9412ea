package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wordsize/internal/result"
)

// selfCost measures what the recorder itself costs.
type selfCost struct {
	cpu   result.Bytes // at the last tick
	rss   result.Bytes
	rssAt time.Time
}

// read returns CPU time since the last call and the resident size, which is
// read once a second.
func (c *selfCost) read(now time.Time) (cpu, rss result.Bytes) {
	if total := selfCPU(); total.Known {
		if c.cpu.Known {
			cpu = result.Some(total.Value - c.cpu.Value)
		}
		c.cpu = total
	}
	if c.rssAt.IsZero() || now.Sub(c.rssAt) >= time.Second {
		c.rssAt, c.rss = now, selfRSS()
	}
	return cpu, c.rss
}

// loadAverages returns the load over 1, 5 and 15 minutes (proc_loadavg(5)), nil
// when unknown.
func loadAverages(proc string) (load []float64) {
	b, err := os.ReadFile(filepath.Join(proc, "loadavg"))
	if err != nil {
		return nil
	}
	f := strings.Fields(string(b))
	for i := range min(3, len(f)) {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return nil
		}
		load = append(load, v)
	}
	return load
}

// lastPID returns the PID given out last (proc_loadavg(5)), "" when unknown: as
// long as it stays there is no new process, and to list them all costs far
// more.
func lastPID(proc string) string {
	b, err := os.ReadFile(filepath.Join(proc, "loadavg"))
	if err != nil {
		return ""
	}
	f := strings.Fields(string(b))
	if len(f) < 5 {
		return ""
	}
	return f[4]
}

// hostForks returns how many processes and threads the host has started since
// boot (proc_stat(5)), -1 when unknown.
func hostForks(proc string) int64 {
	b, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return -1
	}
	_, rest, ok := bytes.Cut(b, []byte("\nprocesses "))
	if !ok {
		return -1
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	v, err := strconv.ParseInt(string(line), 10, 64)
	if err != nil {
		return -1
	}
	return v
}
