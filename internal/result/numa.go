package result

import (
	"slices"
	"time"
)

// NUMAKind tells the record of memtest numa.
const NUMAKind = "memtest-numa"

// NUMA is what reaching the memory of each node costs from each node.
type NUMA struct {
	Schema      int        `json:"schema"`
	Kind        string     `json:"kind"`
	Tool        Tool       `json:"tool"`
	Started     time.Time  `json:"started"` // wall clock
	ElapsedNS   int64      `json:"elapsed_ns"`
	Interrupted bool       `json:"interrupted"`
	Error       string     `json:"error,omitempty"`    // why it ended early
	Emulated    string     `json:"emulated,omitempty"` // by what; then placement is real, and speeds mean nothing
	Kernel      Kernel     `json:"kernel"`             // the loop that bandwidth was measured with
	ChunkBytes  int64      `json:"chunk_bytes"`        // of each process
	ListBytes   int64      `json:"list_bytes"`         // of the nodes whose pointers were followed for the latency
	MinTimeNS   int64      `json:"min_time_ns"`        // of a bandwidth
	Repeat      int        `json:"repeat"`             // launches asked for
	Pages       string     `json:"pages"`
	KernelNUMA  bool       `json:"kernel_numa"` // the kernel shows nodes; else node 0 stands for the whole host
	Host        Host       `json:"host"`
	Nodes       NUMANodes  `json:"nodes"`
	Cells       []NUMACell `json:"cells"` // by node of the CPUs, then of the memory
	Warnings    []Warning  `json:"warnings"`
}

// NUMACell is one node's memory as seen from one node's CPUs.
type NUMACell struct {
	CPUNode    int          `json:"cpu_node"`
	MemoryNode int          `json:"memory_node"`
	Distance   *int         `json:"distance,omitempty"` // as the firmware has it; 10 is the node itself
	Processes  int          `json:"processes"`          // at once, for the bandwidth
	Rate       *Estimate    `json:"bandwidth_bytes_per_s,omitempty"`
	Latency    *Estimate    `json:"latency_ns,omitempty"`
	Samples    []NUMASample `json:"samples"` // one a launch
}

// NUMASample is a cell in one launch.
type NUMASample struct {
	Rate    *float64      `json:"bytes_per_s,omitempty"` // of all processes while all ran
	NS      float64       `json:"ns"`                    // of a dependent load: the median round
	Rounds  []float64     `json:"rounds_ns"`
	Workers []NUMAWorker  `json:"workers"`
	Chase   NUMAPlacement `json:"chase_numa"` // of the list
}

// NUMAWorker is a process that took part in a bandwidth.
type NUMAWorker struct {
	PID       int            `json:"pid"`
	PinnedCPU *int           `json:"pinned_cpu,omitempty"`
	Rate      float64        `json:"bytes_per_s"`
	NUMA      *NUMAPlacement `json:"numa,omitempty"`
}

// NUMANode is a node as the kernel describes it. Lists are of this moment: CPUs
// that are off line are no node's.
type NUMANode struct {
	Node            int    `json:"node"`
	CPUs            []int  `json:"cpus"`                             // on line
	AllowedCPUs     []int  `json:"allowed_cpus"`                     // those of them that this process may run on
	HasMemory       bool   `json:"has_memory"`                       // of any zone
	MemoryAllowed   bool   `json:"memory_allowed"`                   // by the cpuset (cpuset.mems)
	MemoryBytes     *int64 `json:"memory_bytes,omitempty"`           // all of it
	MemoryAvailable *int64 `json:"memory_available_bytes,omitempty"` // about what it can give without swapping
	HugeFreePages   *int64 `json:"huge_free_pages,omitempty"`        // of the default size, in the node's pool
	Distances       []int  `json:"distances,omitempty"`              // to each node, in their order
}

// NUMANodes are the nodes of a host, rising.
type NUMANodes []NUMANode

// Find returns a node by its number, nil when there is none.
func (ns NUMANodes) Find(node int) *NUMANode {
	for i := range ns {
		if ns[i].Node == node {
			return &ns[i]
		}
	}
	return nil
}

// OfCPU returns the node that has a CPU, nil when none has.
func (ns NUMANodes) OfCPU(cpu int) *NUMANode {
	for i := range ns {
		if slices.Contains(ns[i].CPUs, cpu) {
			return &ns[i]
		}
	}
	return nil
}

// Distance returns how far one node's memory is from another's CPUs, nil when
// the kernel doesn't tell.
func (ns NUMANodes) Distance(from, to int) *int {
	f := ns.Find(from)
	at := slices.IndexFunc(ns, func(n NUMANode) bool { return n.Node == to })
	if f == nil || at < 0 || len(f.Distances) != len(ns) {
		return nil
	}
	return &f.Distances[at]
}

// Usable returns the numbers of nodes whose memory this process may have.
func (ns NUMANodes) Usable() (list []int) {
	for i := range ns {
		if ns[i].HasMemory && ns[i].MemoryAllowed {
			list = append(list, ns[i].Node)
		}
	}
	return list
}

// NUMAPlacement is on which nodes a chunk lies, as move_pages(2) tells of a
// sample of its pages after the first touch.
type NUMAPlacement struct {
	CPUNode *int        `json:"cpu_node,omitempty"`     // the node on which it was touched
	Policy  string      `json:"policy,omitempty"`       // of mbind(2): bind or interleave; absent when it wasn't called
	Asked   []int       `json:"memory_nodes,omitempty"` // the nodes that mbind named
	Sampled int64       `json:"sampled_pages"`
	Found   []NodePages `json:"found"`                   // rising; pages that were there
	Missing int64       `json:"missing_pages,omitempty"` // of the sample: not in memory
	Error   string      `json:"query_error,omitempty"`   // why move_pages told nothing
}

// NUMADefault is the Args.NUMA of runs whose memory is where the kernel put it.
const NUMADefault = "default"

// Values of NUMAPlacement.Policy.
const (
	NUMABind       = "bind"
	NUMAInterleave = "interleave"
)

// NodePages counts pages of a node.
type NodePages struct {
	Node  int   `json:"node"`
	Pages int64 `json:"pages"`
}

// Add counts pages on a node.
func (p *NUMAPlacement) Add(node int, pages int64) {
	at, found := slices.BinarySearchFunc(p.Found, node, func(n NodePages, node int) int { return n.Node - node })
	if !found {
		p.Found = slices.Insert(p.Found, at, NodePages{Node: node})
	}
	p.Found[at].Pages += pages
}

// Located returns how many pages of the sample were found on any node.
func (p *NUMAPlacement) Located() (pages int64) {
	for _, n := range p.Found {
		pages += n.Pages
	}
	return pages
}

// On returns how many pages of the sample lie on one of the nodes.
func (p *NUMAPlacement) On(nodes ...int) (pages int64) {
	for _, n := range p.Found {
		if slices.Contains(nodes, n.Node) {
			pages += n.Pages
		}
	}
	return pages
}
