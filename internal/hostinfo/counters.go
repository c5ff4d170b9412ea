package hostinfo

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Counters are totals since boot that tell whether a benchmark phase was
// disturbed: read them before and after and subtract. What cannot be read is
// absent.
type Counters struct {
	// CPU time of all CPUs together from the "cpu" line of /proc/stat, in
	// clock ticks (1/100 s nearly everywhere).
	User   *uint64 // user and nice
	System *uint64
	Idle   *uint64 // idle, without waiting for I/O
	Steal  *uint64 // taken by the hypervisor; absent on kernels before 2.6.11
	Total  *uint64 // all states; guest time is part of user and not added again

	// Throttling by CPU quotas, summed over the own cgroup and its ancestors.
	Throttled      *uint64 // periods in which a quota ran out
	ThrottledNanos *uint64 // time for which CPUs were held back, summed over CPUs, in ns

	// ThermalThrottles counts slow-downs because of heat, summed over the
	// CPUs; threads of one core repeat their core's count.
	ThermalThrottles *uint64

	OOMKills       *uint64 // processes killed for lack of memory, whole system
	CgroupOOMKills *uint64 // those of the own memory cgroup
}

// Counters reads the totals now. It takes a fraction of a millisecond plus
// some microseconds for every CPU that reports thermal throttling.
func (fs FS) Counters() Counters {
	head, _ := readHead(fs.proc("stat"), 4096) // nothing parses as nothing
	c := parseStat(string(head))
	c.OOMKills = keyOf(readKeys(fs.proc("vmstat")), "oom_kill")
	c.ThermalThrottles = fs.thermalThrottles()
	// With an error the hierarchy that was found is still there.
	paths, _ := fs.cgroupPaths()
	if paths.cpu != nil {
		paths.cpu.throttling(&c)
	}
	if paths.memory != nil {
		c.CgroupOOMKills = paths.memory.oomKills()
	}
	return c
}

// Sub returns what was counted from before to c. A counter that is absent in
// either, or that ran backwards, is absent in the result.
func (c Counters) Sub(before Counters) Counters {
	return Counters{
		User:             sub(c.User, before.User),
		System:           sub(c.System, before.System),
		Idle:             sub(c.Idle, before.Idle),
		Steal:            sub(c.Steal, before.Steal),
		Total:            sub(c.Total, before.Total),
		Throttled:        sub(c.Throttled, before.Throttled),
		ThrottledNanos:   sub(c.ThrottledNanos, before.ThrottledNanos),
		ThermalThrottles: sub(c.ThermalThrottles, before.ThermalThrottles),
		OOMKills:         sub(c.OOMKills, before.OOMKills),
		CgroupOOMKills:   sub(c.CgroupOOMKills, before.CgroupOOMKills),
	}
}

func sub(after, before *uint64) *uint64 {
	if after == nil || before == nil || *after < *before {
		return nil
	}
	d := *after - *before
	return &d
}

// parseStat reads the "cpu" line of /proc/stat (proc_stat(5)). Its columns are
// user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice;
// old kernels end earlier.
func parseStat(text string) Counters {
	line, _, _ := strings.Cut(text, "\n")
	f := strings.Fields(line)
	if len(f) < 5 || f[0] != "cpu" {
		return Counters{}
	}
	var ticks []uint64
	var total uint64
	for _, s := range f[1:min(len(f), 9)] {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return Counters{}
		}
		ticks = append(ticks, n)
		total += n
	}
	user := ticks[0] + ticks[1]
	c := Counters{User: &user, System: &ticks[2], Idle: &ticks[3], Total: &total}
	if len(ticks) == 8 {
		c.Steal = &ticks[7]
	}
	return c
}

// throttling adds up cpu.stat along the path: each group counts only what its
// own quota did. Version 2 gives the time in µs, version 1 in ns.
func (p groupPath) throttling(c *Counters) {
	key, unit := "throttled_usec", uint64(1000)
	if p.version == 1 {
		key, unit = "throttled_time", 1
	}
	for _, g := range p.groups {
		stat := readKeys(filepath.Join(g.dir, "cpu.stat"))
		if n, ok := stat["nr_throttled"]; ok {
			c.Throttled = add(c.Throttled, n)
		}
		if n, ok := stat[key]; ok {
			c.ThrottledNanos = add(c.ThrottledNanos, n*unit)
		}
	}
}

func add(sum *uint64, n uint64) *uint64 {
	if sum != nil {
		n += *sum
	}
	return &n
}

// oomKills counts the own group's processes that were killed, whichever
// group's limit was the reason.
func (p groupPath) oomKills() *uint64 {
	name := "memory.events"
	if p.version == 1 {
		name = "memory.oom_control" // has oom_kill since Linux 4.13
	}
	return keyOf(readKeys(filepath.Join(p.own().dir, name)), "oom_kill")
}

func (fs FS) thermalThrottles() *uint64 {
	files, err := filepath.Glob(fs.sys("devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count"))
	if err != nil {
		return nil
	}
	var sum *uint64
	for _, file := range files {
		if n, err := readUint(file); err == nil {
			sum = add(sum, n)
		}
	}
	return sum
}
