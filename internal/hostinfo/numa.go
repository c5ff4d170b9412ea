package hostinfo

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/result"
)

// NUMA returns the nodes that are on line
// (Documentation/ABI/stable/sysfs-devices-node), and none when the kernel
// shows no nodes: then it was built without NUMA. What a node doesn't tell is
// absent.
func (fs FS) NUMA() result.NUMANodes {
	online, err := ParseCPUList(readText(fs.nodeFile("online")))
	if err != nil || len(online) == 0 {
		return nil
	}
	allowed := fs.taskCPUs()
	if fs.live() {
		allowed = AllowedCPUs()
	}
	withMemory, memoryKnown := fs.nodesWithMemory()
	mems, limited := fs.taskMems()
	huge := fs.defaultHugeKiB()
	nodes := make(result.NUMANodes, len(online))
	for i, number := range online {
		n := &nodes[i]
		n.Node = number
		n.CPUs, _ = ParseCPUList(readText(fs.nodeFile(nodeName(number), "cpulist"))) // unknown is none
		n.AllowedCPUs = common(n.CPUs, allowed)
		n.MemoryAllowed = !limited || slices.Contains(mems, number)
		b, _ := readFile(fs.nodeFile(nodeName(number), "meminfo"))
		m := parseNodeMemInfo(b)
		n.MemoryBytes, n.MemoryAvailable = m["MemTotal"], nodeAvailable(m)
		if n.HasMemory = slices.Contains(withMemory, number); !memoryKnown {
			n.HasMemory = n.MemoryBytes != nil && *n.MemoryBytes > 0
		}
		if pages, err := readUint(fs.nodeFile(nodeName(number), "hugepages", "hugepages-"+huge+"kB", "free_hugepages")); err == nil && pages < 1<<62 {
			n.HugeFreePages = new(int64(pages))
		}
		n.Distances = parseDistances(readText(fs.nodeFile(nodeName(number), "distance")), len(online))
	}
	return nodes
}

func (fs FS) nodeFile(elem ...string) string {
	return fs.sys(append([]string{"devices/system/node"}, elem...)...)
}

func nodeName(node int) string { return "node" + strconv.Itoa(node) }

// common returns the members of a list that are in another one, too; never
// nil, for a record says "none" by an empty list.
func common(list, other []int) []int {
	return slices.DeleteFunc(append([]int{}, list...), func(n int) bool { return !slices.Contains(other, n) })
}

// nodesWithMemory returns the nodes that have memory of any zone, as far as
// the kernel lists them: has_memory is there since Linux 3.8, and before that
// the nodes with memory outside of HIGHMEM alone.
func (fs FS) nodesWithMemory() (nodes []int, known bool) {
	for _, name := range []string{"has_memory", "has_normal_memory"} {
		b, err := os.ReadFile(fs.nodeFile(name))
		if err != nil {
			continue
		}
		if nodes, err = ParseCPUList(string(b)); err == nil {
			return nodes, true
		}
	}
	return nil, false
}

// taskMems returns the nodes that this process' cpuset lets it have memory of
// (proc_pid_status(5), Mems_allowed_list).
func (fs FS) taskMems() (nodes []int, known bool) {
	for line := range linesOf(fs.proc("self/status")) {
		if value, ok := cutField(line, "Mems_allowed_list"); ok {
			nodes, err := ParseCPUList(value)
			return nodes, err == nil && len(nodes) > 0
		}
	}
	return nil, false
}

// defaultHugeKiB returns the default size of huge pages as names in sysfs
// have it.
func (fs FS) defaultHugeKiB() string {
	m, err := fs.readMemInfo()
	if err != nil || m.hugeBytes == nil {
		const usual = "2048"
		return usual
	}
	return strconv.FormatInt(*m.hugeBytes>>10, 10)
}

// parseNodeMemInfo reads a node's meminfo, "Node 0 MemTotal: 469364 kB". It
// returns bytes by name; lines of another form are left out.
func parseNodeMemInfo(b []byte) map[string]*int64 {
	m := make(map[string]*int64)
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 5 || f[0] != "Node" || f[4] != "kB" {
			continue
		}
		const most = 1 << 50 // KiB: sums of some still fit
		if n, err := strconv.ParseInt(f[3], 10, 64); err == nil && n >= 0 && n < most {
			m[strings.TrimSuffix(f[2], ":")] = new(n << 10)
		}
	}
	return m
}

// nodeAvailable is about what a node can give without swapping, as
// MemAvailable is of the whole host: what is free, and half of what can be
// dropped.
func nodeAvailable(m map[string]*int64) *int64 {
	free := m["MemFree"]
	if free == nil {
		return nil
	}
	droppable := int64(0)
	for _, name := range []string{"Active(file)", "Inactive(file)", "SReclaimable"} {
		if n := m[name]; n != nil {
			droppable += *n
		}
	}
	return new(*free + droppable/2)
}

// parseDistances reads a node's distances to all nodes that are on line,
// "10 21"; nil when there are not so many.
func parseDistances(s string, nodes int) []int {
	f := strings.Fields(s)
	if len(f) != nodes {
		return nil
	}
	list := make([]int, len(f))
	for i := range f {
		n, err := strconv.ParseUint(f[i], 10, 16)
		if err != nil {
			return nil
		}
		list[i] = int(n)
	}
	return list
}

// CoreCount returns on how many physical cores the CPUs are; as many as there
// are CPUs where the system doesn't tell.
func (fs FS) CoreCount(cpus []int) int {
	cores, ok := fs.cores(cpus)
	if !ok {
		return len(cpus)
	}
	return len(cores)
}
