package hostinfo

import (
	"slices"
)

// Topology returns the allowed CPUs ordered so that the first K of them are
// on K different physical cores for as long as there are that many: the first
// allowed thread of every core in CPU order, then the second ones, and so on.
// Where sysfs does not tell which threads share a core, the given order is
// returned.
func (fs FS) Topology(allowed []int) []int {
	cores, ok := fs.cores(allowed)
	if !ok {
		return slices.Clone(allowed)
	}
	order := make([]int, 0, len(allowed))
	for thread := 0; len(cores) > 0; thread++ {
		cores = slices.DeleteFunc(cores, func(c []int) bool { return len(c) <= thread })
		for _, core := range cores {
			order = append(order, core[thread])
		}
	}
	return order
}

// cores groups the allowed CPUs by physical core. Cores are in the order of
// their first allowed CPU, the CPUs of each in ascending order. A CPU that
// sysfs is silent about counts as a core of its own; ok is false when sysfs is
// silent about all of them.
func (fs FS) cores(allowed []int) (cores [][]int, ok bool) {
	index := make(map[int]int) // first sibling, allowed or not → place in cores
	for _, cpu := range slices.Compact(slices.Sorted(slices.Values(allowed))) {
		key, found := fs.firstSibling(cpu)
		ok = ok || found
		i, seen := index[key]
		if !seen {
			i = len(cores)
			index[key] = i
			cores = append(cores, nil)
		}
		cores[i] = append(cores[i], cpu)
	}
	return cores, ok
}

// firstSibling returns the lowest CPU that shares the core with cpu, which
// names the core: core_id does not, it repeats in every package. The file is
// core_cpus_list since Linux 5.3 and thread_siblings_list before
// (Documentation/admin-guide/cputopology.rst).
func (fs FS) firstSibling(cpu int) (int, bool) {
	for _, name := range []string{"core_cpus_list", "thread_siblings_list"} {
		list, err := ParseCPUList(readText(fs.cpuFile(cpu, "topology", name)))
		if err == nil && slices.Contains(list, cpu) {
			return list[0], true
		}
	}
	return cpu, false
}

// onlineCPUs returns how many logical CPUs are on line; ok is false when the
// tree does not tell.
func (fs FS) onlineCPUs() (n int, ok bool) {
	list, err := ParseCPUList(readText(fs.sys("devices/system/cpu/online")))
	return len(list), err == nil && len(list) > 0
}

// taskCPUs returns the affinity mask that /proc/self/status shows, which is
// how a captured tree knows its process's CPUs.
func (fs FS) taskCPUs() []int {
	for line := range linesOf(fs.proc("self/status")) {
		if value, ok := cutField(line, "Cpus_allowed_list"); ok {
			list, err := ParseCPUList(value)
			if err == nil {
				return list
			}
		}
	}
	return nil
}

// firstCPUs returns the CPUs 0 to n-1.
func firstCPUs(n int) []int {
	cpus := make([]int, n)
	for i := range cpus {
		cpus[i] = i
	}
	return cpus
}
