package machine

import "fmt"

const (
	maxNodes = 8
	// nodeStep is what a node's memory is a multiple of, except for the last
	// one's: x86-64 kernels handle memory in sections of that size.
	nodeStep = 128
)

// numaArgs returns what divides the machine into nodes (qemu-system(1),
// -numa): equal parts of memory, CPUs in order. Nodes beyond the number of CPUs
// get memory alone, as an expander's do.
func numaArgs(c *Config) (a []string) {
	memory, cpu := c.MemMiB, 0
	for i := range c.NUMA {
		mib := c.MemMiB / int64(c.NUMA) / nodeStep * nodeStep
		if i == c.NUMA-1 {
			mib = memory
		}
		memory -= mib
		node := fmt.Sprintf("node,nodeid=%d,memdev=node%d", i, i)
		if left := min(c.SMP, c.NUMA) - i; left > 0 { // nodes that are to have CPUs
			n := (c.SMP - cpu + left - 1) / left
			node += fmt.Sprintf(",cpus=%d-%d", cpu, cpu+n-1)
			cpu += n
		}
		a = append(a, "-object", fmt.Sprintf("memory-backend-ram,id=node%d,size=%dM", i, mib), "-numa", node)
	}
	return a
}
