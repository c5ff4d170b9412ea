package membench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// MatrixConfig is a request to measure each node's memory from each node's
// CPUs.
type MatrixConfig struct {
	Processes  int   // of a node's CPUs at once; 0: one for each allowed core
	ChunkBytes int64 // of each process, and of the latency's list; 0: chosen
	MinTime    time.Duration
	Kernel     kernel.Variant
	KernelSpec string
	Pages      Pages
	Repeat     int
	Force      bool // skip the memory checks
}

// MatrixEnv is what a matrix is measured in. Progress, where set, is told of
// each cell before it begins.
type MatrixEnv struct {
	Env
	Progress func(launch, cell, cells int, name string)
}

// matrix is a matrix in the making.
type matrix struct {
	cfg MatrixConfig
	env *MatrixEnv
	rec *result.NUMA
	ws  warnings
	// bound says whether mbind is called: where there is nothing to choose it
	// isn't needed, and containers forbid it.
	bound bool
}

// Matrix carries out a request. On ErrInterrupted, and on a failing process,
// the record holds what was complete.
//
// Errors: *ArgError and *FitError for what this host cannot do or hold, a plain
// one when the system refuses to place memory, *WorkerError, ErrInterrupted,
// and *respawn.Error for a latency that failed.
func Matrix(ctx context.Context, cfg MatrixConfig, env MatrixEnv) (*result.NUMA, error) {
	started := time.Now()
	m := &matrix{cfg: cfg, env: &env}
	m.begin(started)
	err := m.prepare()
	if err == nil {
		err = m.launches(ctx)
	}
	if ctx.Err() != nil {
		err = ErrInterrupted
	}
	m.rec.Interrupted = errors.Is(err, ErrInterrupted)
	m.rec.ElapsedNS = int64(time.Since(started))
	m.ws.placed()
	m.rec.Warnings = append(m.rec.Warnings, m.ws.list...)
	return m.rec, err
}

// begin makes the record of an empty matrix.
func (m *matrix) begin(started time.Time) {
	c, env := &m.cfg, m.env
	nodes := env.FS.NUMA()
	numa := len(nodes) > 0
	if !numa { // all is one node, which the kernel itself calls 0
		nodes = result.NUMANodes{{CPUs: env.Host.CPU.Allowed, AllowedCPUs: env.Host.CPU.Allowed, HasMemory: true, MemoryAllowed: true,
			MemoryBytes: env.Host.Memory.TotalBytes, MemoryAvailable: env.Host.Memory.AvailableBytes}}
	}
	v := c.Kernel
	m.bound = numa && len(nodes) > 1
	m.rec = &result.NUMA{
		Schema: result.RunSchema, Kind: result.NUMAKind, Tool: env.Tool, Started: started.UTC(), Emulated: Emulation(env.Host, env.Tool.GOARCH),
		Kernel:    result.Kernel{Name: v.Kernel.Name, Tier: v.Tier.Name, WriteAllocate: v.Tier.WriteAllocate, Arrays: v.Kernel.Arrays()},
		MinTimeNS: int64(c.MinTime), Repeat: c.Repeat, Pages: string(c.Pages), KernelNUMA: numa, Host: *env.Host, Nodes: nodes,
		Cells: []result.NUMACell{}, Warnings: []result.Warning{},
	}
}

// makeCells makes the cells of all nodes, and returns the most processes that
// any of them needs.
func (m *matrix) makeCells() (most int, err error) {
	rec := m.rec
	usable := rec.Nodes.Usable()
	if len(usable) == 0 {
		return 0, errors.New("no node is known to have memory for this process")
	}
	for i := range rec.Nodes {
		n := &rec.Nodes[i]
		if len(n.AllowedCPUs) == 0 {
			continue
		}
		processes := m.env.FS.CoreCount(n.AllowedCPUs)
		if m.cfg.Processes > len(n.AllowedCPUs) {
			return 0, &ArgError{"--processes", fmt.Sprint(m.cfg.Processes), fmt.Sprintf("at most %d: node %d has so many allowed CPUs", len(n.AllowedCPUs), n.Node)}
		}
		if m.cfg.Processes > 0 {
			processes = m.cfg.Processes
		}
		most = max(most, processes)
		for _, memory := range usable {
			rec.Cells = append(rec.Cells, result.NUMACell{CPUNode: n.Node, MemoryNode: memory, Distance: rec.Nodes.Distance(n.Node, memory), Processes: processes, Samples: []result.NUMASample{}})
		}
	}
	if len(rec.Cells) == 0 {
		return 0, errors.New("no node is known to have CPUs that this process may run on")
	}
	return most, nil
}

// prepare makes the cells, decides sizes, and refuses what cannot be done.
func (m *matrix) prepare() error {
	most, err := m.makeCells()
	if err != nil {
		return err
	}
	rec := m.rec
	usable := rec.Nodes.Usable()
	if m.bound {
		if err := probeBinding(&binding{result.NUMABind, usable[:1]}); err != nil {
			return fmt.Errorf("cannot place memory on nodes: %s", refusal(err))
		}
	}
	if rec.ChunkBytes = m.cfg.ChunkBytes; rec.ChunkBytes == 0 {
		rec.ChunkBytes = m.chunkFor(most, usable)
	}
	rec.Kernel.ArrayBytes = m.cfg.Kernel.Kernel.ArrayBytes(rec.ChunkBytes)
	rec.Kernel.BytesPerPass = m.cfg.Kernel.Kernel.BytesMoved(rec.Kernel.ArrayBytes)
	rec.ListBytes = rec.ChunkBytes / (kernel.NodeBytes + orderBytes) * kernel.NodeBytes // with what making it takes
	for i := range rec.Cells {
		c := m.config(&rec.Cells[i])
		if err := c.admit(m.env.Host); err != nil {
			return err
		}
		if err := c.fitNode(rec.Nodes.Find(rec.Cells[i].MemoryNode), c.Processes, m.env.Host); err != nil && !c.Force {
			return err
		}
		if i == 0 {
			m.ws.aboutRequest(&c, &result.Run{Host: *m.env.Host, Tool: m.env.Tool})
			m.ws.aboutHost(m.env.Host, m.env.Tool.GOARCH)
		}
	}
	return nil
}

// The chunk that is chosen: at least so many bytes, and at most, for a list of
// more takes seconds to make, in each cell and launch.
const (
	leastMatrixChunk = 64 << 20
	mostMatrixChunk  = 256 << 20
)

// chunkFor returns the chunk in bytes of each process when none is asked for:
// four last-level caches, as far as half of the smallest node's room goes.
func (m *matrix) chunkFor(processes int, usable []int) int64 {
	chunk := int64(leastMatrixChunk)
	if cache, _, ok := m.env.Host.LastLevelCache(); ok {
		chunk = min(max(chunk, wholeMiB(cacheMultiple*cache)), mostMatrixChunk)
	}
	for _, node := range usable {
		if room := m.rec.Nodes.Find(node).MemoryAvailable; room != nil {
			chunk = min(chunk, max(wholeMiB(*room/2/int64(processes)), 1<<20))
		}
	}
	return chunk
}

// config is the request that measures a cell's bandwidth.
func (m *matrix) config(cell *result.NUMACell) Config {
	c := Config{
		Processes: cell.Processes, MinTime: m.cfg.MinTime, ChunkBytes: m.rec.ChunkBytes, Kernel: m.cfg.Kernel, KernelSpec: m.cfg.KernelSpec,
		Pages: m.cfg.Pages, NUMA: NUMA{NUMANode, cell.MemoryNode}, Repeat: m.cfg.Repeat, Warmup: 1, Seed: DefaultSeed, Held: true, Verify: true,
		Force: m.cfg.Force, nodes: m.rec.Nodes,
	}
	if !m.bound {
		c.NUMA = NUMA{}
	}
	return c
}

// launches makes all launches, each beginning with another cell.
func (m *matrix) launches(ctx context.Context) error {
	cells := m.rec.Cells
	for l := range m.cfg.Repeat {
		for turn := range cells {
			cell := &cells[(l+turn)%len(cells)]
			if m.env.Progress != nil {
				m.env.Progress(l, turn, len(cells), cellName(cell))
			}
			if err := m.measure(ctx, cell, l); err != nil {
				return err
			}
		}
	}
	return nil
}

func cellName(c *result.NUMACell) string {
	return fmt.Sprintf("CPUs of node %d, memory of node %d", c.CPUNode, c.MemoryNode)
}

// measure makes one sample of a cell.
func (m *matrix) measure(ctx context.Context, cell *result.NUMACell, launch int) error {
	cfg, env := m.config(cell), m.env.Env
	order := env.FS.Topology(m.rec.Nodes.Find(cell.CPUNode).AllowedCPUs)
	env.Progress = nil
	ph, err := runPhase(ctx, &cfg, &env, launch, phase{name: cellName(cell), cpus: assignCPUs(order, cell.Processes), hold: true})
	if err != nil {
		return err
	}
	m.ws.aboutPhase(&cfg, env.Host, ph)
	s := result.NUMASample{Workers: []result.NUMAWorker{}}
	if ph.Summary != nil {
		s.Rate = ph.Summary.Aggregate
	}
	for i := range ph.Workers {
		w := &ph.Workers[i]
		s.Workers = append(s.Workers, result.NUMAWorker{PID: w.PID, PinnedCPU: w.PinnedCPU, Rate: w.Rate(), NUMA: w.NUMA})
	}
	if err := m.latency(ctx, cell, &cfg, order[0], &s); err != nil {
		return err
	}
	cell.Samples = append(cell.Samples, s)
	return nil
}

// latency follows pointers through a list that fills the chunk's place.
func (m *matrix) latency(ctx context.Context, cell *result.NUMACell, cfg *Config, cpu int, s *result.NUMASample) error {
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	task := chaseTask{Nodes: []int64{m.rec.ListBytes / kernel.NodeBytes}, CPU: &cpu, Pages: cfg.Pages, NUMA: cfg.binding(&cpu)}
	if b := m.env.Host.Pages.HugeBytes; b != nil {
		task.HugeBytes = *b
	}
	l, err := askChase(ctx, task)
	if err != nil {
		return fmt.Errorf("latency, %s: %w", cellName(cell), err)
	}
	if len(l.Samples) != 1 || len(l.Samples[0].Rounds) == 0 {
		return fmt.Errorf("latency, %s: no figure came back", cellName(cell))
	}
	s.Rounds = slices.Clone(l.Samples[0].Rounds)
	s.NS = result.SpreadOf(s.Rounds).Median
	if l.NUMA != nil {
		s.Chase = *l.NUMA
		m.ws.aboutNUMA("latency, "+cellName(cell), 0, l.NUMA)
	} else {
		s.Chase = result.NUMAPlacement{Found: []result.NodePages{}}
	}
	return nil
}
