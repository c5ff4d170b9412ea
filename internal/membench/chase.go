package membench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"wordsize/internal/membench/kernel"
	"wordsize/internal/respawn"
	"wordsize/internal/result"
)

// ChaseConfig is a request to follow pointers through lists of several
// lengths.
type ChaseConfig struct {
	Nodes  []int64 // lengths, rising; nil: from a few KiB to far beyond the caches
	Repeat int     // launches
	Pin    Pin     // the first CPU of a list
	Pages  Pages
	Force  bool // skip the memory checks
}

const (
	leastNodes = 256     // fits into every first-level cache
	mostNodes  = 1 << 26 // by default: 1 GiB in a 64-bit build
	orderBytes = 4       // of each node, while the list is made
)

// ChaseNodes returns the lengths that are measured by default: powers of two
// and the steps halfway, until 8 bytes for each node are four last-level
// caches of so many bytes (0: unknown). All builds get the same.
func ChaseNodes(cache int64) []int64 {
	const narrowNode = 8
	end := int64(mostNodes)
	if cache > 0 {
		end = min(end, cacheMultiple*cache/narrowNode)
	}
	nodes := []int64{leastNodes}
	for n := int64(leastNodes); n < end; n *= 2 {
		nodes = append(nodes, n+n/2, 2*n)
	}
	return nodes
}

// chaseSeed makes the same lists in all launches and builds.
const chaseSeed = 0x7e57ae37

// ChaseArg is the program's only argument when it is started to follow
// pointers.
const ChaseArg = "__chase"

// chaseTask is what a child does.
type chaseTask struct {
	Nodes     []int64  `json:"nodes"`
	CPU       *int     `json:"cpu,omitempty"`
	Pages     Pages    `json:"pages"`
	HugeBytes int64    `json:"huge_bytes,omitempty"` // size of a hugetlb page
	NUMA      *binding `json:"numa,omitempty"`       // of the list's memory
}

// ChaseEnv is what a chase happens in. Progress, where set, is told the
// number of each launch from 0.
type ChaseEnv struct {
	Env
	Progress func(launch int)

	ask func(context.Context, chaseTask) (*result.ChaseLaunch, error) // for tests
}

// Chase carries out a request. On ErrInterrupted and on a failing launch the
// record holds the launches that were complete.
//
// Errors: *ArgError for lists that don't fit into memory, ErrInterrupted when
// ctx was done, *respawn.Error for a process that failed.
func Chase(ctx context.Context, cfg ChaseConfig, env ChaseEnv) (*result.Chase, error) {
	started := time.Now()
	c := &result.Chase{
		Schema: result.RunSchema, Kind: result.ChaseKind, Tool: env.Tool, Started: started.UTC(), Host: *env.Host,
		NodeBytes: kernel.NodeBytes, Repeat: cfg.Repeat, Pin: cfg.Pin.String(), Pages: string(cfg.Pages),
		Points: []result.ChasePoint{}, Launches: []result.ChaseLaunch{}, Warnings: []result.Warning{},
	}
	room := Room{}
	if !cfg.Force {
		room = ReadRoom(env.Host, cfg.Pages)
	}
	var err error
	if c.Nodes, err = fittingNodes(cfg.Nodes, env.Host, room); err != nil {
		return c, err
	}
	task := chaseTask{Nodes: c.Nodes, Pages: cfg.Pages}
	if order := cpuOrder(&Config{Pin: cfg.Pin, Processes: 1}, &env.Env); len(order) > 0 {
		task.CPU = &order[0]
	}
	if b := env.Host.Pages.HugeBytes; b != nil {
		task.HugeBytes = *b
	}
	if env.ask == nil {
		env.ask = askChase
	}
	for l := range cfg.Repeat {
		if env.Progress != nil {
			env.Progress(l)
		}
		var launch *result.ChaseLaunch
		if launch, err = env.ask(ctx, task); err != nil {
			break
		}
		c.Launches = append(c.Launches, *launch)
	}
	if ctx.Err() != nil {
		err = ErrInterrupted
	}
	c.Interrupted = errors.Is(err, ErrInterrupted)
	c.ElapsedNS = int64(time.Since(started))
	c.Warnings = append(c.Warnings, chaseWarnings(c)...)
	return c, err
}

func askChase(ctx context.Context, t chaseTask) (*result.ChaseLaunch, error) {
	var l result.ChaseLaunch
	if err := (respawn.Child{Arg: ChaseArg, Env: workerEnv}).Ask(ctx, t, &l); err != nil {
		return nil, err
	}
	return &l, nil
}

// fittingNodes returns the lengths to measure. What was asked for and doesn't
// fit is an error; what nobody asked for is left out.
func fittingNodes(asked []int64, host *result.Host, room Room) ([]int64, error) {
	if asked != nil {
		last := asked[len(asked)-1]
		var fit *FitError
		if errors.As(room.Fit(1, chaseBytes(last)), &fit) {
			return nil, &ArgError{"--nodes", strconv.FormatInt(last, 10), fmt.Sprintf("at most %d here: %s leaves %s; --force overrides", fit.MaxChunk/(kernel.NodeBytes+orderBytes), fit.Limit, mib(fit.Room))}
		}
		return asked, nil
	}
	cache, _, _ := host.LastLevelCache()
	return FitSizes(ChaseNodes(cache), room, chaseBytes), nil
}

// chaseBytes is what a process takes that makes so many nodes.
func chaseBytes(nodes int64) int64 { return nodes * (kernel.NodeBytes + orderBytes) }

// chaseWarnings lists the reasons to doubt the figures.
func chaseWarnings(c *result.Chase) []result.Warning {
	var ws warnings
	ws.aboutHost(&c.Host, c.Tool.GOARCH)
	ws.aboutReach(&c.Host, c.Nodes[len(c.Nodes)-1]*c.NodeBytes)
	for i, l := range c.Launches {
		if l.CPUNS == nil {
			continue
		}
		if waited := float64(l.WallNS - *l.CPUNS); waited > minWaitNS && waited > maxWaitShare*float64(l.WallNS) {
			ws.add(result.Warning{Code: result.WarnLaunchStalled, Values: values{"launch": float64(i + 1), "waited_ns": waited, "wall_ns": float64(l.WallNS)}}, "waited_ns")
		}
	}
	return ws.list
}
