package hostinfo

import (
	"reflect"
	"slices"
	"testing"

	"wordsize/internal/result"
)

func TestNUMA(t *testing.T) {
	for name, want := range map[string]result.NUMANodes{
		"one": {{Node: 0, CPUs: []int{0}, AllowedCPUs: []int{0}, HasMemory: true, Distances: []int{10}}},
		"two": {
			{Node: 0, CPUs: []int{0}, AllowedCPUs: []int{0}, HasMemory: true, Distances: []int{10, 20}},
			{Node: 1, CPUs: []int{1}, AllowedCPUs: []int{1}, HasMemory: true, Distances: []int{20, 10}},
		},
		// Node 2 has memory alone, as an expander behind CXL; node 3 has none.
		"four": {
			{Node: 0, CPUs: []int{0, 1}, AllowedCPUs: []int{0, 1}, HasMemory: true, Distances: []int{10, 21, 14, 31}},
			{Node: 1, CPUs: []int{2, 3}, AllowedCPUs: []int{2, 3}, HasMemory: true, Distances: []int{21, 10, 24, 21}},
			{Node: 2, AllowedCPUs: []int{}, HasMemory: true, Distances: []int{14, 24, 10, 26}},
			{Node: 3, CPUs: []int{4, 5}, AllowedCPUs: []int{4, 5}, Distances: []int{31, 21, 26, 10}},
		},
	} {
		nodes := captured("numa/" + name).NUMA()
		if len(nodes) != len(want) {
			t.Errorf("%s: %d nodes, want %d", name, len(nodes), len(want))
			continue
		}
		for i, n := range nodes {
			if n.MemoryBytes == nil || (*n.MemoryBytes > 0) != n.HasMemory || n.MemoryAvailable == nil || *n.MemoryAvailable > *n.MemoryBytes {
				t.Errorf("%s: node %d: memory %v, available %v", name, n.Node, n.MemoryBytes, n.MemoryAvailable)
			}
			same(t, name+": huge pages", n.HugeFreePages, val(int64(0)))
			if !n.MemoryAllowed {
				t.Errorf("%s: node %d is not allowed", name, n.Node)
			}
			n.MemoryBytes, n.MemoryAvailable, n.HugeFreePages, n.MemoryAllowed = nil, nil, nil, false
			if !reflect.DeepEqual(n, want[i]) {
				t.Errorf("%s: %+v\nwant %+v", name, n, want[i])
			}
		}
	}
}

func TestNUMAFigures(t *testing.T) {
	nodes := captured("numa/two").NUMA()
	// MemFree 439528 kB, half of SReclaimable 516 kB, no file pages.
	same(t, "memory", nodes[0].MemoryBytes, val(int64(469364<<10)))
	same(t, "available", nodes[0].MemoryAvailable, val(int64((439528+516/2)<<10)))
	four := captured("numa/four").NUMA()
	same(t, "distance 0 to 2", four.Distance(0, 2), val(14))
	same(t, "distance 3 to 0", four.Distance(3, 0), val(31))
	same(t, "distance to a node that is not there", four.Distance(0, 4), nil)
	if n := four.OfCPU(5); n == nil || n.Node != 3 {
		t.Errorf("CPU 5 is of node %+v, want 3", n)
	}
	if u := four.Usable(); !slices.Equal(u, []int{0, 1, 2}) {
		t.Errorf("memory of nodes %v, want 0 to 2", u)
	}
}

func TestNUMAOddHosts(t *testing.T) {
	node := "sys/devices/system/node/"
	t.Run("no NUMA", func(t *testing.T) {
		if n := tree(t, map[string]string{"proc/self/status": "Cpus_allowed_list:\t0\n"}).NUMA(); n != nil {
			t.Errorf("%+v, want none", n)
		}
	})
	t.Run("numbers with gaps, a cpuset, an old kernel", func(t *testing.T) {
		nodes := tree(t, map[string]string{
			"proc/self/status": "Cpus_allowed_list:\t8\nMems_allowed_list:\t8\n",
			node + "online":    "0,8\n", node + "has_normal_memory": "0,8\n",
			node + "node0/cpulist": "0-7\n", node + "node0/distance": "10 40\n", node + "node0/meminfo": "Node 0 MemTotal: 1024 kB\n",
			node + "node8/cpulist": "8-15\n", node + "node8/distance": "40 10\n",
		}).NUMA()
		if len(nodes) != 2 || nodes[1].Node != 8 || !slices.Equal(nodes[1].AllowedCPUs, []int{8}) || len(nodes[0].AllowedCPUs) != 0 {
			t.Fatalf("%+v", nodes)
		}
		same(t, "distance", nodes.Distance(8, 0), val(40))
		if !slices.Equal(nodes.Usable(), []int{8}) || nodes[0].MemoryAllowed {
			t.Errorf("the cpuset allows node 8 alone: %+v", nodes)
		}
		same(t, "memory that isn't told", nodes[1].MemoryBytes, nil)
		same(t, "available without MemFree", nodes[0].MemoryAvailable, nil)
	})
	t.Run("no list of nodes with memory, damaged distances", func(t *testing.T) {
		nodes := tree(t, map[string]string{
			node + "online":        "0-1",
			node + "node0/meminfo": "Node 0 MemTotal:  64 kB\nNode 0 MemFree:  x kB\nrubbish\n", node + "node0/distance": "10",
			node + "node1/meminfo": "Node 1 MemTotal:  0 kB\n", node + "node1/distance": "20 far",
		}).NUMA()
		if len(nodes) != 2 || !nodes[0].HasMemory || nodes[1].HasMemory || nodes.Distance(0, 1) != nil || nodes.Distance(1, 0) != nil {
			t.Errorf("%+v", nodes)
		}
	})
}

func TestCoreCount(t *testing.T) {
	cpu := "sys/devices/system/cpu/cpu"
	fs := tree(t, map[string]string{cpu + "0/topology/core_cpus_list": "0,2", cpu + "2/topology/core_cpus_list": "0,2", cpu + "1/topology/core_cpus_list": "1,3"})
	if n := fs.CoreCount([]int{0, 1, 2}); n != 2 {
		t.Errorf("%d cores, want 2", n)
	}
	if n := tree(t, nil).CoreCount([]int{4, 5}); n != 2 {
		t.Errorf("%d cores of two CPUs that nothing is known of, want 2", n)
	}
}

func FuzzNodeMemInfo(f *testing.F) {
	f.Add("Node 0 MemTotal:  64 kB\nNode 0 MemFree: 1 kB\n", "10 20")
	f.Fuzz(func(t *testing.T, text, distances string) {
		for name, n := range parseNodeMemInfo([]byte(text)) {
			if n == nil || *n < 0 {
				t.Errorf("%q is %v", name, n)
			}
		}
		if a := nodeAvailable(parseNodeMemInfo([]byte(text))); a != nil && *a < 0 {
			t.Errorf("available: %d", *a)
		}
		if d := parseDistances(distances, 2); d != nil && len(d) != 2 {
			t.Errorf("distances %v", d)
		}
	})
}
