package report

import (
	"io"
	"strconv"

	"wordsize/internal/result"
)

// RunCSV writes one row a worker, phase and launch, under a header that names
// the units. Cells of absent values are empty.
func RunCSV(w io.Writer, runs ...*result.Run) error {
	cw := newCSV(w)
	err := cw.Write([]string{
		"host", "goarch", "kernel", "tier", "launch", "phase", "processes", "worker", "pid", "chunk_bytes",
		"passes", "start_ns", "end_ns", "bytes_per_s", "held_passes", "minor_faults", "major_faults", "pinned_cpu",
		"start_cpu", "end_cpu", "chunk_resident_bytes", "chunk_huge_bytes", "aggregate_bytes_per_s", "start_skew_ns",
		"bus_bytes_per_s", "parallel", "numa", "cpu_node", "node_pages",
	})
	if err != nil {
		return err
	}
	for _, run := range runs {
		for l := range run.Launches {
			for i := range run.Launches[l].Phases {
				p := &run.Launches[l].Phases[i]
				for j := range p.Workers {
					if err := cw.Write(csvRow(run, l, p, &p.Workers[j])); err != nil {
						return err
					}
				}
			}
		}
	}
	cw.Flush()
	return cw.Error()
}

func csvRow(run *result.Run, launch int, p *result.Phase, w *result.Worker) []string {
	num := func(n int64) string { return strconv.FormatInt(n, 10) }
	rate := func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
	aggregate := ""
	if p.Summary != nil && p.Summary.Aggregate != nil {
		aggregate = rate(*p.Summary.Aggregate)
	}
	bus := ""
	if f, ok := busFactor(run); ok {
		bus = rate(f * w.Rate())
	}
	return []string{
		run.Host.Hostname, run.Tool.GOARCH, run.Kernel.Name, run.Kernel.Tier, strconv.Itoa(launch), p.Name,
		strconv.Itoa(p.Processes), strconv.Itoa(w.Index), strconv.Itoa(w.PID), num(run.Args.ChunkBytes),
		num(w.Passes), num(w.StartNS), num(w.EndNS), rate(w.Rate()), num(w.HeldPasses), maybe(w.MinorFaults),
		maybe(w.MajorFaults), maybe(w.PinnedCPU), maybe(w.StartCPU), maybe(w.EndCPU), maybe(w.ChunkResident),
		maybe(w.ChunkHuge), aggregate, num(p.StartSkewNS), bus, run.Args.Parallel, run.Args.NUMA,
		cpuNode(w.NUMA), nodePages(w.NUMA),
	}
}

func maybe[T int | int64](p *T) string {
	if p == nil {
		return ""
	}
	return strconv.FormatInt(int64(*p), 10)
}
