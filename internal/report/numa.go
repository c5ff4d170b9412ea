package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// SummarizeNUMA derives each cell's estimates from its samples.
func SummarizeNUMA(n *result.NUMA) {
	for i := range n.Cells {
		c := &n.Cells[i]
		var rates, ns []float64
		for _, s := range c.Samples {
			if s.Rate != nil {
				rates = append(rates, *s.Rate)
			}
			ns = append(ns, s.NS)
		}
		c.Rate, c.Latency = nil, nil
		if len(rates) > 0 {
			c.Rate = new(estimate(stats.Summarize(rates)))
		}
		if len(ns) > 0 {
			c.Latency = new(estimate(stats.Summarize(ns)))
		}
	}
}

// besideNodes is how many nodes' memory fits into one table of all figures, 80
// columns wide.
const besideNodes = 3

// numaBlock is one figure of all cells.
type numaBlock struct {
	head, title string
	cell        func(c *result.NUMACell) string
}

var numaBlocks = []numaBlock{
	{"GB/s", "Bandwidth, GB/s (10^9 bytes)", func(c *result.NUMACell) string {
		if c.Rate == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f", c.Rate.Median/gb)
	}},
	{"ns", "Latency, nanoseconds", func(c *result.NUMACell) string {
		if c.Latency == nil {
			return "-"
		}
		return nanoseconds(c.Latency.Median)
	}},
	{"dist.", "Distance", func(c *result.NUMACell) string {
		if c.Distance == nil {
			return "?"
		}
		return strconv.Itoa(*c.Distance)
	}},
}

// NUMATable writes the matrix: a row for each node with CPUs, columns for each
// node with memory.
func NUMATable(w io.Writer, n *result.NUMA) error {
	var head []string
	if n.Emulated != "" {
		mark := Emulated(n.Emulated) + "."
		if len(n.Nodes) > 1 {
			mark += " Placement is real all the same."
		}
		head = append(head, mark, "")
	}
	if err := writeLines(w, append(head, "Rows: node of the CPUs. Columns @N: memory of node N.")); err != nil {
		return err
	}
	tables := [][]numaBlock{numaBlocks}
	if len(memoryNodes(n)) > besideNodes {
		tables = nil
		for i := range numaBlocks {
			tables = append(tables, numaBlocks[i:i+1])
		}
	}
	for _, blocks := range tables {
		if len(tables) > 1 {
			if err := writeLines(w, []string{"", blocks[0].title + ":"}); err != nil {
				return err
			}
		}
		if err := numaTable(w, n, blocks); err != nil {
			return err
		}
	}
	if err := writeLines(w, numaFootnotes(n)); err != nil {
		return err
	}
	return Warnings(w, n.Warnings)
}

func numaTable(w io.Writer, n *result.NUMA, blocks []numaBlock) error {
	memory := memoryNodes(n)
	header := []string{"node", "CPUs"}
	for _, b := range blocks {
		for i, m := range memory {
			name := fmt.Sprintf("@%d", m)
			if i == 0 && len(blocks) > 1 {
				name = b.head + " " + name
			}
			header = append(header, name)
		}
	}
	var rows [][]string
	for _, c := range n.Cells {
		if at := len(rows) - 1; at >= 0 && rows[at][0] == strconv.Itoa(c.CPUNode) {
			continue
		}
		row := []string{strconv.Itoa(c.CPUNode), ranges(n.Nodes.Find(c.CPUNode).AllowedCPUs)}
		for _, b := range blocks {
			for _, m := range memory {
				row = append(row, b.cell(cellOf(n, c.CPUNode, m)))
			}
		}
		rows = append(rows, row)
	}
	return plainTable(w, header, rows)
}

// cellOf returns a cell that may be empty.
func cellOf(n *result.NUMA, cpus, memory int) *result.NUMACell {
	for i := range n.Cells {
		if c := &n.Cells[i]; c.CPUNode == cpus && c.MemoryNode == memory {
			return c
		}
	}
	return &result.NUMACell{}
}

// memoryNodes returns the columns.
func memoryNodes(n *result.NUMA) (list []int) {
	for _, c := range n.Cells {
		if !slices.Contains(list, c.MemoryNode) {
			list = append(list, c.MemoryNode)
		}
	}
	return list
}

// ranges writes numbers as the kernel lists CPUs, "0-3,8".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func numaFootnotes(n *result.NUMA) []string {
	processes := 0
	for _, c := range n.Cells {
		processes = max(processes, c.Processes)
	}
	each := "1 process"
	if processes > 1 {
		each = fmt.Sprintf("%d processes (a row's cores at most)", processes)
		if !slices.ContainsFunc(n.Cells, func(c result.NUMACell) bool { return c.Processes != processes }) {
			each = fmt.Sprintf("%d processes", processes)
		}
	}
	lines := []string{
		fmt.Sprintf("GB/s (10^9 bytes): loop %s/%s, %s, %s MiB each; ns: a dependent load", n.Kernel.Name, n.Kernel.Tier, each, trimFloat(float64(n.ChunkBytes)/(1<<20))),
		fmt.Sprintf("over %.4g MiB in random order; medians of %s; dist.: the firmware's, 10 is near.", float64(n.ListBytes)/(1<<20), countOf(n.Repeat, "launch")),
	}
	lines = append(lines, numaLeftOut(n)...)
	switch {
	case !n.KernelNUMA:
		lines = append(lines, "This kernel shows no NUMA nodes (/sys/devices/system/node): all memory is one.")
	case len(n.Nodes) == 1:
		lines = append(lines, "This host has a single node: no memory is farther than other memory.")
	}
	return append(lines, numaVerified(n))
}

// numaLeftOut says of which nodes there is no row or no column, and why.
func numaLeftOut(n *result.NUMA) (lines []string) {
	for i := range n.Nodes {
		node := &n.Nodes[i]
		var why []string
		switch {
		case len(node.CPUs) == 0:
			why = append(why, "has no CPUs: no row")
		case len(node.AllowedCPUs) == 0:
			why = append(why, "has no CPU that this process may run on: no row")
		}
		switch {
		case !node.HasMemory:
			why = append(why, "has no memory: no column")
		case !node.MemoryAllowed:
			why = append(why, "is outside of this process' cpuset.mems: no column")
		}
		if len(why) > 0 {
			lines = append(lines, fmt.Sprintf("Node %d %s.", node.Node, strings.Join(why, "; ")))
		}
	}
	return lines
}

// numaVerified says whether the memory was where each cell wanted it.
func numaVerified(n *result.NUMA) string {
	var there, located int64
	unknown := 0
	for i := range n.Cells {
		c := &n.Cells[i]
		for _, s := range c.Samples {
			all := []*result.NUMAPlacement{&s.Chase}
			for j := range s.Workers {
				all = append(all, s.Workers[j].NUMA)
			}
			for _, p := range all {
				if p == nil || p.Located() == 0 {
					unknown++
					continue
				}
				there += p.On(c.MemoryNode)
				located += p.Located()
			}
		}
	}
	var text string
	switch {
	case located == 0:
		return "Placement: not verified (move_pages tells nothing here)."
	case there == located:
		text = fmt.Sprintf("Placement verified by move_pages: all %d pages asked about are on the column's node", located)
	default:
		text = fmt.Sprintf("Placement: by move_pages only %.4g %% of %d pages asked about are on the column's node", 100*float64(there)/float64(located), located)
	}
	if unknown > 0 {
		text += fmt.Sprintf("; of %d processes it is unknown", unknown)
	}
	return text + "."
}

// NUMACSV writes a row for each cell and launch, under a header that names the
// units.
func NUMACSV(w io.Writer, n *result.NUMA) error {
	cw := newCSV(w)
	if err := cw.Write([]string{
		"host", "goarch", "emulated", "cpu_node", "memory_node", "distance", "launch", "processes", "chunk_bytes", "list_bytes",
		"bytes_per_s", "latency_ns", "sampled_pages", "placed_pages",
	}); err != nil {
		return err
	}
	num := func(v int64) string { return strconv.FormatInt(v, 10) }
	for i := range n.Cells {
		c := &n.Cells[i]
		for l := range c.Samples {
			s := &c.Samples[l]
			rate := ""
			if s.Rate != nil {
				rate = strconv.FormatFloat(*s.Rate, 'f', 0, 64)
			}
			located, there := s.Chase.Located(), s.Chase.On(c.MemoryNode)
			for j := range s.Workers {
				if p := s.Workers[j].NUMA; p != nil {
					located, there = located+p.Located(), there+p.On(c.MemoryNode)
				}
			}
			if err := cw.Write([]string{
				n.Host.Hostname, n.Tool.GOARCH, n.Emulated, strconv.Itoa(c.CPUNode), strconv.Itoa(c.MemoryNode), maybe(c.Distance), strconv.Itoa(l),
				strconv.Itoa(c.Processes), num(n.ChunkBytes), num(n.ListBytes), rate, strconv.FormatFloat(s.NS, 'f', 3, 64), num(located), num(there),
			}); err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}
