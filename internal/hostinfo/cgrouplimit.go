package hostinfo

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// ReadCgroup returns the limits that control groups put on this process, nil
// when it is in none. Every group from its own up to the highest visible one
// counts: the tightest limit and the least room may be in different groups.
//
// Room is the limit less what is charged, plus the inactive file cache, which
// the kernel drops before it kills. Swap does not count as room.
//
// In a container whose ancestors are not visible, version 1 still tells their
// tightest limit. It is reported without a use and without a path, and the
// room is then an upper bound, taken from the highest visible group.
func (fs FS) ReadCgroup() (*result.Cgroup, error) {
	paths, err := fs.cgroupPaths()
	if err != nil {
		return nil, err
	}
	if paths.memory == nil && paths.cpu == nil {
		return nil, nil
	}
	cg := &result.Cgroup{}
	if p := paths.memory; p != nil {
		cg.Version, cg.Path = p.version, p.own().path
		levels, err := p.memoryLevels()
		if err != nil {
			return nil, err
		}
		applyMemory(cg, levels)
	}
	if p := paths.cpu; p != nil {
		if cg.Version == 0 {
			cg.Version, cg.Path = p.version, p.own().path
		}
		cg.CPUs = p.cpuQuota()
	}
	return cg, nil
}

// memoryLevel is one group's memory account, in bytes.
type memoryLevel struct {
	path        string
	limit       int64
	used        *int64
	reclaimable int64
}

// room is what is left below the limit, never negative; absent when the use
// is unknown.
func (l memoryLevel) room() *int64 {
	if l.used == nil {
		return nil
	}
	room := min(max(l.limit-max(*l.used-l.reclaimable, 0), 0), l.limit)
	return &room
}

// applyMemory puts the tightest limit and the least room into cg.
func applyMemory(cg *result.Cgroup, levels []memoryLevel) {
	for _, l := range levels {
		if cg.MemoryLimitBytes == nil || l.limit < *cg.MemoryLimitBytes {
			cg.MemoryLimitBytes, cg.MemoryUsedBytes = &l.limit, l.used
			if l.path == "" {
				cg.MemoryUsedBytes = nil // that of a group below, not of the one that has the limit
			}
		}
		room := l.room()
		if room != nil && (cg.MemoryFreeBytes == nil || *room < *cg.MemoryFreeBytes) {
			cg.MemoryFreeBytes, cg.LimitPath = room, l.path
		}
	}
}

// memoryLevels returns the groups that have a memory limit, own group first.
func (p groupPath) memoryLevels() ([]memoryLevel, error) {
	if p.version == 2 {
		return p.memoryLevels2()
	}
	return p.memoryLevels1()
}

// memoryLevels2 reads cgroup v2 (Documentation/admin-guide/cgroup-v2.rst).
// memory.high counts as a limit: above it the kernel slows a process down
// until it hardly runs.
func (p groupPath) memoryLevels2() ([]memoryLevel, error) {
	var levels []memoryLevel
	for _, g := range p.groups {
		limit := int64(math.MaxInt64)
		for _, name := range []string{"memory.max", "memory.high"} {
			n, err := readLimit(filepath.Join(g.dir, name))
			if err != nil {
				return nil, err
			}
			limit = min(limit, n)
		}
		if limit == math.MaxInt64 {
			continue
		}
		levels = append(levels, g.level(limit, "memory.current", "inactive_file"))
	}
	return levels, nil
}

// memoryLevels1 reads cgroup v1 (Documentation/admin-guide/cgroup-v1/memory.rst).
// A parent without memory.use_hierarchy does not charge its children, and
// neither do the groups above it.
func (p groupPath) memoryLevels1() ([]memoryLevel, error) {
	var levels []memoryLevel
	var top memoryLevel // the highest group that charges us
	for i, g := range p.groups {
		hierarchy := readText(filepath.Join(g.dir, "memory.use_hierarchy")) != "0"
		if i > 0 && !hierarchy {
			break
		}
		inactive := "inactive_file"
		if hierarchy {
			inactive = "total_inactive_file"
		}
		limit, err := readLimit(filepath.Join(g.dir, "memory.limit_in_bytes"))
		if err != nil {
			return nil, err
		}
		top = g.level(limit, "memory.usage_in_bytes", inactive)
		if limit != math.MaxInt64 {
			levels = append(levels, top)
		}
	}
	// The kernel's own tightest limit includes groups that are not visible.
	stat := readKeys(filepath.Join(p.own().dir, "memory.stat"))
	if n, ok := stat["hierarchical_memory_limit"]; ok && finite(n) {
		tightest := int64(math.MaxInt64)
		for _, l := range levels {
			tightest = min(tightest, l.limit)
		}
		if int64(n) < tightest {
			top.path, top.limit = "", int64(n)
			levels = append(levels, top)
		}
	}
	return levels, nil
}

// level reads what is charged to a group.
func (g group) level(limit int64, usage, inactive string) memoryLevel {
	l := memoryLevel{path: g.path, limit: limit}
	if n, err := readUint(filepath.Join(g.dir, usage)); err == nil && n <= math.MaxInt64 {
		used := int64(n)
		l.used = &used
	}
	if n := readKeys(filepath.Join(g.dir, "memory.stat"))[inactive]; n <= math.MaxInt64 {
		l.reclaimable = int64(n)
	}
	return l
}

// readLimit reads a limit in bytes, [math.MaxInt64] when there is none: no
// such file (a root group), "max", or version 1's huge number.
func readLimit(path string) (int64, error) {
	b, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return math.MaxInt64, nil
	}
	if err != nil {
		return 0, fmt.Errorf("cgroup limit: %w", err)
	}
	n, err := parseLimit(string(b))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

func parseLimit(s string) (int64, error) {
	s = strings.TrimSpace(s)
	if s == "max" || s == "-1" {
		return math.MaxInt64, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is neither a number of bytes nor max", clip(s))
	}
	if !finite(n) {
		return math.MaxInt64, nil
	}
	return int64(n), nil
}

// finite tells a real limit from version 1's "unlimited", which is 2^63-1 or
// 2^64-1 rounded down to a page on 64-bit kernels and 2^31-1 pages of 4 KiB on
// 32-bit ones (PAGE_COUNTER_MAX in page_counter.h).
func finite(limit uint64) bool {
	const unlimited32 = (1<<31 - 1) * 4096
	return limit < 1<<62 && limit != unlimited32
}

// cpuQuota returns the tightest CPU quota on the path, in CPUs; absent when
// there is none.
func (p groupPath) cpuQuota() *float64 {
	var least *float64
	for _, g := range p.groups {
		quota := g.cpuQuota(p.version)
		if quota != nil && (least == nil || *quota < *least) {
			least = quota
		}
	}
	return least
}

func (g group) cpuQuota(version int) *float64 {
	if version == 2 {
		return parseQuota(readText(filepath.Join(g.dir, "cpu.max")))
	}
	return parseQuota(readText(filepath.Join(g.dir, "cpu.cfs_quota_us")) + " " +
		readText(filepath.Join(g.dir, "cpu.cfs_period_us")))
}

// parseQuota reads "quota period", both in microseconds, as CPUs. A quota of
// "max" or -1 is none.
func parseQuota(s string) *float64 {
	f := strings.Fields(s)
	if len(f) != 2 {
		return nil
	}
	quota, err := strconv.ParseUint(f[0], 10, 64)
	if err != nil {
		return nil
	}
	period, err := strconv.ParseUint(f[1], 10, 64)
	if err != nil || period == 0 {
		return nil
	}
	cpus := float64(quota) / float64(period)
	return &cpus
}
