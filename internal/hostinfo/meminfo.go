package hostinfo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// memInfo is what is used of /proc/meminfo (proc_meminfo(5)). Sizes are in
// bytes, hugetlb pools in pages.
type memInfo struct {
	memory       result.Memory
	hugeBytes    *int64
	hugeTotal    *int64
	hugeFree     *int64
	vmallocTotal *int64
}

// MemInfo returns the kernel's memory figures from /proc/meminfo, in bytes.
// The high and low figures are present only where the kernel prints them:
// 32-bit kernels with HIGHMEM. With an error the figures that could be read
// are returned all the same.
func (fs FS) MemInfo() (result.Memory, error) {
	m, err := fs.readMemInfo()
	return m.memory, err
}

func (fs FS) readMemInfo() (memInfo, error) {
	path := fs.proc("meminfo")
	b, err := readFile(path)
	if err != nil {
		return memInfo{}, fmt.Errorf("memory figures: %w", err)
	}
	m, err := parseMemInfo(b)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// fields maps the kernel's names to where their values go.
func (m *memInfo) fields() map[string]**int64 {
	return map[string]**int64{
		"MemTotal":        &m.memory.TotalBytes,
		"MemAvailable":    &m.memory.AvailableBytes,
		"MemFree":         &m.memory.FreeBytes,
		"SwapTotal":       &m.memory.SwapTotalBytes,
		"SwapFree":        &m.memory.SwapFreeBytes,
		"CommitLimit":     &m.memory.CommitLimitBytes,
		"Committed_AS":    &m.memory.CommittedBytes,
		"HighTotal":       &m.memory.HighTotalBytes,
		"HighFree":        &m.memory.HighFreeBytes,
		"LowTotal":        &m.memory.LowTotalBytes,
		"LowFree":         &m.memory.LowFreeBytes,
		"Hugepagesize":    &m.hugeBytes,
		"HugePages_Total": &m.hugeTotal,
		"HugePages_Free":  &m.hugeFree,
		"VmallocTotal":    &m.vmallocTotal,
	}
}

// parseMemInfo reads the text of /proc/meminfo. A damaged line loses its own
// figure only; the first such line is the error.
func parseMemInfo(b []byte) (memInfo, error) {
	var m memInfo
	var first error
	fields := m.fields()
	for line := range strings.Lines(string(b)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		dst, ok := fields[key]
		if !ok {
			continue
		}
		n, err := parseMemValue(value)
		if err != nil {
			if first == nil {
				first = fmt.Errorf("%s: %w", key, err)
			}
			continue
		}
		*dst = &n
	}
	if first == nil && m.memory.TotalBytes == nil {
		first = fmt.Errorf("no MemTotal line")
	}
	return m, first
}

// parseMemValue reads a value of /proc/meminfo: "123 kB" (1 kB is 1024 bytes
// there, whatever it is called) as bytes, or a bare count.
func parseMemValue(s string) (int64, error) {
	f := strings.Fields(s)
	if len(f) == 0 || len(f) > 2 || len(f) == 2 && f[1] != "kB" {
		return 0, fmt.Errorf("%q is neither a count nor a number of kB", strings.TrimSpace(s))
	}
	n, err := strconv.ParseUint(f[0], 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of up to 63 bits", f[0])
	}
	if len(f) == 1 {
		return int64(n), nil
	}
	if n > math.MaxInt64/1024 {
		return 0, fmt.Errorf("%s kB is more than 63 bits of bytes", f[0])
	}
	return int64(n) * 1024, nil
}
