package membench

import (
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
	"strconv"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// NUMA says on which nodes the memory of workers is to lie. The zero value
// leaves it to the kernel.
type NUMA struct {
	Mode NUMAMode
	Node int // with NUMANode
}

// NUMAMode is the kind of a NUMA.
type NUMAMode int

const (
	NUMADefault    NUMAMode = iota
	NUMALocal               // of each worker's own CPU, or the nearest that has memory
	NUMARemote              // farthest from it
	NUMAInterleave          // page by page on all of them
	NUMANode                // the one that is named
)

// String returns the flag's value.
func (n NUMA) String() string {
	switch n.Mode {
	case NUMALocal:
		return "local"
	case NUMARemote:
		return "remote"
	case NUMAInterleave:
		return "interleave"
	case NUMANode:
		return strconv.Itoa(n.Node)
	}
	return result.NUMADefault
}

// ParseNUMA reads --numa; whether this host has what it asks for is found out
// when the run begins.
func ParseNUMA(s string) (NUMA, error) {
	for mode := NUMADefault; mode <= NUMAInterleave; mode++ {
		if n := (NUMA{Mode: mode}); s == n.String() {
			return n, nil
		}
	}
	const mostNode = 1<<15 - 1
	if node, err := strconv.ParseUint(s, 10, 16); err == nil && node <= mostNode {
		return NUMA{NUMANode, int(node)}, nil
	}
	return NUMA{}, numaError(s, "default, local, remote, interleave or the number of a node, such as 0")
}

func numaError(value, want string) *ArgError { return &ArgError{"--numa", value, want} }

// A binding is the memory policy that a worker gives its chunk.
type binding struct {
	Policy string `json:"policy"` // result.NUMABind or result.NUMAInterleave
	Nodes  []int  `json:"nodes"`
}

// resolveNUMA learns the nodes if they matter, and refuses what this host
// cannot do. The error is an *ArgError or a *FitError.
func (c *Config) resolveNUMA(env *Env) error {
	if c.NUMA.Mode == NUMADefault {
		return nil
	}
	c.nodes = env.FS.NUMA()
	if err := c.checkNUMA(); err != nil {
		return err
	}
	order := cpuOrder(c, env)
	if n := c.NUMA.Mode; n == NUMALocal || n == NUMARemote {
		for _, cpu := range order {
			if c.binding(&cpu) == nil {
				return numaError(c.NUMA.String(), fmt.Sprintf("interleave or the number of a node: the kernel doesn't say of which node CPU %d is", cpu))
			}
		}
	}
	if err := probeBinding(c.binding(firstOf(order))); err != nil {
		return numaError(c.NUMA.String(), "a system that lets mbind(2) place memory: "+refusal(err))
	}
	if c.Force {
		return nil
	}
	return c.fitNodes(env)
}

func firstOf(order []int) *int {
	if len(order) == 0 {
		return nil
	}
	return &order[0]
}

// checkNUMA refuses what the nodes don't allow.
func (c *Config) checkNUMA() error {
	n, v := c.NUMA, c.NUMA.String()
	if len(c.nodes) == 0 {
		return numaError(v, "no --numa: this kernel shows no NUMA nodes (/sys/devices/system/node), its memory is one")
	}
	usable := c.nodes.Usable()
	if len(usable) == 0 {
		return numaError(v, "no --numa: no node is known to have memory for this process")
	}
	switch {
	case n.Mode == NUMANode:
		return c.checkNode(usable)
	case n.Mode == NUMALocal && c.Pin.Mode == PinNone, n.Mode == NUMARemote && c.Pin.Mode == PinNone:
		return &ArgError{"--pin", "none", "auto or a list of CPUs with --numa " + v + ": which node is meant depends on the CPU"}
	case n.Mode == NUMALocal, len(usable) > 1:
		return nil
	case len(c.nodes) == 1:
		return numaError(v, "local or 0: this host has a single node")
	}
	return numaError(v, fmt.Sprintf("local or %d: of this host's %d nodes (%s) only node %d has memory that this process may use (cpuset.mems)",
		usable[0], len(c.nodes), c.listNodes(), usable[0]))
}

func (c *Config) checkNode(usable []int) error {
	v := c.NUMA.String()
	want := "one of nodes " + hostinfo.FormatCPUList(usable)
	if len(usable) == 1 {
		want = fmt.Sprintf("local or %d", usable[0])
	}
	switch node := c.nodes.Find(c.NUMA.Node); {
	case node == nil && len(c.nodes) == 1:
		return numaError(v, want+": this host has a single node")
	case node == nil && len(usable) == len(c.nodes):
		return numaError(v, "one of this host's nodes, "+c.listNodes())
	case node == nil:
		return numaError(v, want+": this host has nodes "+c.listNodes())
	case !node.HasMemory:
		return numaError(v, fmt.Sprintf("%s: node %d has no memory", want, node.Node))
	case !node.MemoryAllowed:
		return numaError(v, fmt.Sprintf("%s: node %d is outside of this process' cpuset.mems", want, node.Node))
	}
	return nil
}

func (c *Config) listNodes() string {
	var list []int
	for i := range c.nodes {
		list = append(list, c.nodes[i].Node)
	}
	return hostinfo.FormatCPUList(list)
}

// binding returns where the memory of a worker on a CPU is to lie; nil to leave
// it to the kernel.
func (c *Config) binding(cpu *int) *binding {
	usable := c.nodes.Usable()
	switch c.NUMA.Mode {
	case NUMANode:
		return &binding{result.NUMABind, []int{c.NUMA.Node}}
	case NUMAInterleave:
		return &binding{result.NUMAInterleave, usable}
	case NUMALocal, NUMARemote:
		if cpu == nil {
			return nil
		}
		if of := c.nodes.OfCPU(*cpu); of != nil {
			near, far := nearAndFar(c.nodes, of.Node, usable)
			if c.NUMA.Mode == NUMALocal {
				return &binding{result.NUMABind, []int{near}}
			}
			return &binding{result.NUMABind, []int{far}}
		}
	}
	return nil
}

// nearAndFar returns, out of nodes with memory, the nearest to a node's CPUs
// and, of the others, the farthest. Among equals the next by number is taken,
// so that all nodes get some when all nodes ask.
func nearAndFar(nodes result.NUMANodes, from int, usable []int) (near, far int) {
	turned := slices.Clone(usable)
	slices.SortStableFunc(turned, func(a, b int) int {
		if (a < from) != (b < from) { // from itself, those after it, those before
			if b < from {
				return -1
			}
			return 1
		}
		return a - b
	})
	distance := func(to int) int {
		if d := nodes.Distance(from, to); d != nil {
			return *d
		}
		if to == from {
			return 10 // as ACPI has it
		}
		return 20
	}
	near = turned[0]
	for _, n := range turned[1:] {
		if distance(n) < distance(near) {
			near = n
		}
	}
	far = near
	for _, n := range turned {
		if n != near && (far == near || distance(n) > distance(far)) {
			far = n
		}
	}
	return near, far
}

// numaOrder returns the CPUs in the order in which workers get them where
// --numa decides that; ok is false when it doesn't.
func (c *Config) numaOrder(env *Env) (order []int, ok bool) {
	if c.Pin.Mode != PinAuto {
		return nil, false
	}
	switch c.NUMA.Mode {
	case NUMALocal, NUMARemote: // which is nothing without a CPU
		return env.FS.Topology(env.Host.CPU.Allowed), true
	case NUMANode:
		if len(c.Runner) > 0 || c.Processes > len(env.Host.CPU.Allowed) {
			return nil, false
		}
		return nearestFirst(c.nodes, c.NUMA.Node, env.FS.Topology(env.Host.CPU.Allowed)), true
	}
	return nil, false
}

// nearestFirst sorts CPUs by how far they are from a node's memory.
func nearestFirst(nodes result.NUMANodes, node int, cpus []int) []int {
	distance := func(cpu int) int {
		of := nodes.OfCPU(cpu)
		switch {
		case of == nil:
			return 1 << 16
		case of.Node == node:
			return 0
		}
		if d := nodes.Distance(of.Node, node); d != nil {
			return *d
		}
		return 20
	}
	sorted := slices.Clone(cpus)
	slices.SortStableFunc(sorted, func(a, b int) int { return distance(a) - distance(b) })
	return sorted
}

// fitNodes refuses more memory of a node than it can give: a policy that binds
// makes the kernel kill the worker when its nodes are full, whatever others
// have.
func (c *Config) fitNodes(env *Env) error {
	asking := make(map[int]int) // workers by node
	order := cpuOrder(c, env)
	for _, cpu := range assignCPUs(order, c.Processes) {
		if b := c.binding(cpu); b != nil && b.Policy == result.NUMABind {
			asking[b.Nodes[0]]++
		}
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		if err := c.fitNode(n, asking[n.Node], env.Host); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) fitNode(n *result.NUMANode, workers int, host *result.Host) error {
	room := n.MemoryAvailable
	overhead, limit := int64(workerOverhead), fmt.Sprintf("node %d, less a reserve,", n.Node)
	if room != nil {
		room = new(max(0, *room-reserve(*room)))
	}
	if huge := host.Pages.HugeBytes; c.Pages == PagesHugeTLB && huge != nil {
		overhead, room, limit = 0, nil, fmt.Sprintf("node %d's pool of free huge pages", n.Node)
		if n.HugeFreePages != nil {
			room = new(*n.HugeFreePages * *huge)
		}
	}
	if workers == 0 || room == nil || int64(workers) <= *room/(c.ChunkBytes+overhead) {
		return nil
	}
	e := &FitError{Processes: workers, ChunkBytes: c.ChunkBytes, Limit: limit, Room: *room}
	if workers == c.Processes {
		e.MaxN = int(*room / (c.ChunkBytes + overhead))
		e.MaxChunk = wholeMiB(*room/int64(workers) - overhead)
	}
	return e
}

// refusal explains why the kernel did not obey.
func refusal(err error) string {
	s := err.Error()
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return s + ": this kernel is built without NUMA, or a container's seccomp profile hides it"
	case errors.Is(err, fs.ErrPermission):
		return s + ": a container's seccomp profile forbids it without CAP_SYS_NICE (docker run --cap-add SYS_NICE)"
	}
	return s
}

// sampleSteps divides a chunk of so many pages into strata, of each of which
// one page is asked about: with steps all alike every one of them could be the
// same node's of an interleaving, so that the place in the stratum goes round
// by the golden ratio, which keeps no step with anything.
func sampleSteps(pages, most int64) []int64 {
	n := min(pages, most)
	sample := make([]int64, n)
	for i := range sample {
		from, to := part(pages, int64(i), n), part(pages, int64(i)+1, n)
		const golden = 0x9e3779b97f4a7c15 // its fraction, times 2^64
		in, _ := bits.Mul64(uint64(i)*golden, uint64(to-from))
		sample[i] = from + int64(in)
	}
	return sample
}

// part returns total·i/n without its product, which may not fit.
func part(total, i, n int64) int64 { return total/n*i + total%n*i/n }
