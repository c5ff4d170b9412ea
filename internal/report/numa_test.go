package report

import (
	"strings"
	"testing"

	"wordsize/internal/result"
)

func numaCell(cpus, memory, distance, processes int, gbs, ns float64, pages ...int64) result.NUMACell {
	chase := result.NUMAPlacement{Policy: result.NUMABind, Asked: []int{memory}}
	for i := 0; i+1 < len(pages); i += 2 {
		chase.Add(int(pages[i]), pages[i+1])
	}
	w := chase
	return result.NUMACell{CPUNode: cpus, MemoryNode: memory, Distance: &distance, Processes: processes, Samples: []result.NUMASample{
		{Rate: new(gbs * gb), NS: ns, Rounds: []float64{ns}, Workers: []result.NUMAWorker{{PID: 1, NUMA: &w}}, Chase: chase},
	}}
}

func twoNodes() *result.NUMA {
	n := &result.NUMA{
		Kernel: result.Kernel{Name: "read", Tier: "avx2"}, ChunkBytes: 128 << 20, ListBytes: 96 << 20, Repeat: 1, KernelNUMA: true,
		Nodes: result.NUMANodes{
			{Node: 0, CPUs: []int{0, 1, 4}, AllowedCPUs: []int{0, 1, 4}, HasMemory: true, MemoryAllowed: true},
			{Node: 1, CPUs: []int{2, 3}, AllowedCPUs: []int{2, 3}, HasMemory: true, MemoryAllowed: true},
		},
		Cells: []result.NUMACell{
			numaCell(0, 0, 10, 3, 40, 90, 0, 100), numaCell(0, 1, 21, 3, 20, 150, 1, 100),
			numaCell(1, 0, 21, 2, 21, 151, 0, 100), numaCell(1, 1, 10, 2, 41, 91, 1, 100),
		},
	}
	SummarizeNUMA(n)
	return n
}

func numaText(t *testing.T, n *result.NUMA) string {
	t.Helper()
	var b strings.Builder
	if err := NUMATable(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestNUMATable(t *testing.T) {
	want := `Rows: node of the CPUs. Columns @N: memory of node N.
node   CPUs  GB/s @0     @1  ns @0    @1  dist. @0  @1
--------------------------------------------------------
   0  0-1,4    40.00  20.00   90.0   150        10  21
   1    2-3    21.00  41.00    151  91.0        21  10
GB/s (10^9 bytes): loop read/avx2, 3 processes (a row's cores at most), 128 MiB each; ns: a dependent load
over 96 MiB in random order; medians of 1 launch; dist.: the firmware's, 10 is near.
Placement verified by move_pages: all 800 pages asked about are on the column's node.
`
	if got := numaText(t, twoNodes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNUMATableSaysWhatItIsNot(t *testing.T) {
	n := twoNodes()
	n.Emulated = "qemu"
	n.Cells[1] = numaCell(0, 1, 21, 3, 20, 150, 0, 50, 1, 50)
	n.Cells[2].Rate, n.Cells[2].Latency, n.Cells[2].Distance, n.Cells[2].Samples = nil, nil, nil, nil
	n.Nodes = append(n.Nodes, result.NUMANode{Node: 2, HasMemory: true}, result.NUMANode{Node: 3, CPUs: []int{5}})
	got := numaText(t, n)
	for _, want := range []string{
		"EMULATED (qemu): compare counts and footprints, not speeds.", "   1    2-3        -  41.00      -  91.0         ?  10\n",
		"only 83.33 % of 600 pages", "Node 2 has no CPUs: no row; is outside of this process' cpuset.mems: no column.",
		"Node 3 has no CPU that this process may run on: no row; has no memory: no column.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestNUMATableOfOneNode(t *testing.T) {
	n := twoNodes()
	n.Nodes, n.Cells = n.Nodes[:1], n.Cells[:1]
	if got := numaText(t, n); !strings.Contains(got, "This host has a single node") {
		t.Error(got)
	}
	n.KernelNUMA = false
	n.Cells[0].Samples[0].Chase, n.Cells[0].Samples[0].Workers = result.NUMAPlacement{Error: "ENOSYS"}, nil
	if got := numaText(t, n); !strings.Contains(got, "shows no NUMA nodes") || !strings.Contains(got, "not verified") || strings.Contains(got, "single node") {
		t.Error(got)
	}
}

// TestManyNodes: tables below one another, none wider than a terminal.
func TestManyNodes(t *testing.T) {
	n := &result.NUMA{KernelNUMA: true, Repeat: 3}
	for i := range 8 {
		n.Nodes = append(n.Nodes, result.NUMANode{Node: i, CPUs: []int{2 * i, 2*i + 1}, AllowedCPUs: []int{2 * i, 2*i + 1}, HasMemory: true, MemoryAllowed: true})
		for m := range 8 {
			n.Cells = append(n.Cells, numaCell(i, m, 32, 2, 123.4, 456, int64(m), 8))
		}
	}
	SummarizeNUMA(n)
	got := numaText(t, n)
	if strings.Count(got, "\n   7  14-15") != 3 || !strings.Contains(got, "\nLatency, nanoseconds:\n") {
		t.Error(got)
	}
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, " ") && len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestNUMACSV(t *testing.T) {
	var b strings.Builder
	if err := NUMACSV(&b, twoNodes()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 5 || lines[2] != ",,,0,1,21,0,3,134217728,100663296,20000000000,150.000,200,200" {
		t.Errorf("%q", lines)
	}
}

func TestNUMAPlacementLine(t *testing.T) {
	worker := func(node int, pages ...int64) result.Worker {
		p := &result.NUMAPlacement{CPUNode: &node}
		for i, n := range pages {
			if n > 0 {
				p.Add(i, n)
			}
		}
		return result.Worker{NUMA: p}
	}
	run := &result.Run{Launches: []result.Launch{{Phases: []result.Phase{{Name: result.PhaseParallel,
		Workers: []result.Worker{worker(0, 0, 10), worker(1, 10, 0), worker(0, 5, 5)}}}}}}
	line := func() string {
		var b strings.Builder
		if err := NUMAPlacement(&b, run); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	run.Args.NUMA, run.Host.NUMANodes = result.NUMADefault, new(1)
	if got := line(); got != "" {
		t.Errorf("one node, nothing asked: %q", got)
	}
	run.Host.NUMANodes = new(2)
	if got := line(); !strings.HasPrefix(got, "NUMA placement, by move_pages: CPUs of node 0 (2 workers), memory on node 0: 25 %, node 1: 75 %; CPUs of node 1 (1 worker), memory on node 0: 100 %") {
		t.Error(got)
	}
	run.Launches[0].Phases[0].Workers[1].NUMA.Missing = 5
	if got := line(); !strings.Contains(got, "memory on node 0: 100 %, of 15 pages asked about 5 were not in memory.") {
		t.Error(got)
	}
	run.Args.NUMA = "remote"
	if got := line(); !strings.HasPrefix(got, "NUMA placement (--numa remote), by move_pages: ") {
		t.Error(got)
	}
	run.Launches[0].Phases[0].Workers = []result.Worker{{}}
	if got := line(); !strings.HasSuffix(got, ": unknown.\n") {
		t.Error(got)
	}
}

func TestNUMAWarningTexts(t *testing.T) {
	for _, tt := range []struct {
		w    result.Warning
		want string
	}{
		{result.Warning{Code: result.WarnMisplaced, Subject: "1", Phase: "single", Values: map[string]float64{"worker": 2, "elsewhere_pages": 50, "sampled_pages": 200}}, "worker 2 has 25 % of its memory on other nodes than node 1, which was asked for (phase single)"},
		{result.Warning{Code: result.WarnNUMAUneven, Subject: "0-1", Values: map[string]float64{"node": 1, "pages": 10, "fair_pages": 100}}, "node 1 has 10 % of its share"},
		{result.Warning{Code: result.WarnNUMARemote, Values: map[string]float64{"node": 3, "elsewhere_pages": 10, "sampled_pages": 100}}, "ran on node 3 and has 10 % of its memory on other nodes"},
		{result.Warning{Code: result.WarnNUMAUnknown, Subject: "move_pages: no"}, "could not be verified: move_pages: no"},
	} {
		if got := WarningText(&tt.w); !strings.Contains(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
