package membench

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// numaHost is one of the captured trees of package hostinfo.
func numaHost(name string) hostinfo.FS {
	dir := filepath.Join("..", "hostinfo", "testdata", "numa", name)
	return hostinfo.FS{Proc: filepath.Join(dir, "proc"), Sys: filepath.Join(dir, "sys")}
}

func TestParseNUMA(t *testing.T) {
	for s, want := range map[string]NUMA{
		"default": {}, "local": {Mode: NUMALocal}, "remote": {Mode: NUMARemote}, "interleave": {Mode: NUMAInterleave},
		"0": {NUMANode, 0}, "12": {NUMANode, 12},
	} {
		n, err := ParseNUMA(s)
		if err != nil || n != want || n.String() != s {
			t.Errorf("%q is %+v (%v), want %+v, written the same", s, n, err, want)
		}
	}
	for _, s := range []string{"", "near", "-1", "1.5", "0-1", "99999", "0x1", "LOCAL"} {
		var arg *ArgError
		if _, err := ParseNUMA(s); !errors.As(err, &arg) || arg.Name != "--numa" {
			t.Errorf("%q: %v, want an ArgError of --numa", s, err)
		}
	}
}

// TestImpossibleNUMA: what a host cannot do is refused with what it can.
func TestImpossibleNUMA(t *testing.T) {
	limited := numaHost("two").NUMA()
	limited[1].MemoryAllowed = false
	for _, tt := range []struct {
		nodes result.NUMANodes
		numa  NUMA
		pin   Pin
		want  string // "" for nothing wrong
	}{
		{nil, NUMA{Mode: NUMALocal}, Pin{}, "this kernel shows no NUMA nodes"},
		{numaHost("one").NUMA(), NUMA{Mode: NUMALocal}, Pin{}, ""},
		{numaHost("one").NUMA(), NUMA{Mode: NUMARemote}, Pin{}, `"remote" is not right: want local or 0: this host has a single node`},
		{numaHost("one").NUMA(), NUMA{Mode: NUMAInterleave}, Pin{}, "single node"},
		{numaHost("one").NUMA(), NUMA{NUMANode, 1}, Pin{}, "want local or 0: this host has a single node"},
		{numaHost("two").NUMA(), NUMA{NUMANode, 3}, Pin{}, `"3" is not right: want one of this host's nodes, 0-1`},
		{numaHost("two").NUMA(), NUMA{NUMANode, 1}, Pin{}, ""},
		{numaHost("two").NUMA(), NUMA{Mode: NUMARemote}, Pin{Mode: PinNone}, "--pin"},
		{numaHost("two").NUMA(), NUMA{Mode: NUMAInterleave}, Pin{Mode: PinNone}, ""},
		{numaHost("four").NUMA(), NUMA{NUMANode, 3}, Pin{}, "want one of nodes 0-2: node 3 has no memory"},
		{numaHost("four").NUMA(), NUMA{NUMANode, 2}, Pin{}, ""},
		{limited, NUMA{NUMANode, 1}, Pin{}, "outside of this process' cpuset.mems"},
		{limited, NUMA{Mode: NUMARemote}, Pin{}, "only node 0 has memory that this process may use"},
		{limited, NUMA{Mode: NUMALocal}, Pin{}, ""},
	} {
		c := Config{NUMA: tt.numa, Pin: tt.pin, nodes: tt.nodes}
		err := c.checkNUMA()
		var arg *ArgError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v, want no error", tt.numa, err)
		case tt.want != "" && (!errors.As(err, &arg) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.numa, err, tt.want)
		}
	}
}

func TestBinding(t *testing.T) {
	for _, tt := range []struct {
		host string
		numa NUMA
		want map[int]string // by CPU
	}{
		{"two", NUMA{Mode: NUMALocal}, map[int]string{0: "bind [0]", 1: "bind [1]"}},
		{"two", NUMA{Mode: NUMARemote}, map[int]string{0: "bind [1]", 1: "bind [0]"}},
		{"two", NUMA{Mode: NUMAInterleave}, map[int]string{0: "interleave [0 1]"}},
		{"two", NUMA{NUMANode, 1}, map[int]string{0: "bind [1]", 1: "bind [1]"}},
		// Node 3 has no memory: node 1 is the nearest to its CPUs.
		{"four", NUMA{Mode: NUMALocal}, map[int]string{1: "bind [0]", 2: "bind [1]", 5: "bind [1]"}},
		{"four", NUMA{Mode: NUMARemote}, map[int]string{1: "bind [1]", 2: "bind [2]", 5: "bind [0]"}},
		{"four", NUMA{Mode: NUMAInterleave}, map[int]string{0: "interleave [0 1 2]"}},
		{"one", NUMA{Mode: NUMALocal}, map[int]string{0: "bind [0]"}},
	} {
		c := Config{NUMA: tt.numa, nodes: numaHost(tt.host).NUMA()}
		for cpu, want := range tt.want {
			b := c.binding(&cpu)
			if b == nil || fmt.Sprint(b.Policy, " ", b.Nodes) != want {
				t.Errorf("%s, --numa %s, CPU %d: %+v, want %s", tt.host, tt.numa, cpu, b, want)
			}
		}
	}
	if b := (&Config{nodes: numaHost("two").NUMA()}).binding(new(0)); b != nil {
		t.Errorf("without --numa: %+v, want none", b)
	}
	c := Config{NUMA: NUMA{Mode: NUMARemote}, nodes: numaHost("two").NUMA()}
	if b := c.binding(new(77)); b != nil {
		t.Errorf("a CPU of no node: %+v, want none", b)
	}
}

// Equal distances: each of four nodes asks another one.
func TestRemoteGoesRound(t *testing.T) {
	var nodes result.NUMANodes
	for i := range 4 {
		d := []int{20, 20, 20, 20}
		d[i] = 10
		nodes = append(nodes, result.NUMANode{Node: i, CPUs: []int{i}, HasMemory: true, MemoryAllowed: true, Distances: d})
	}
	for i := range 4 {
		if near, far := nearAndFar(nodes, i, nodes.Usable()); near != i || far != (i+1)%4 {
			t.Errorf("node %d: nearest %d, farthest %d", i, near, far)
		}
	}
}

func TestNUMAOrder(t *testing.T) {
	env := func(host string, allowed ...int) *Env {
		return &Env{FS: numaHost(host), Host: &result.Host{CPU: result.CPU{Allowed: allowed}}}
	}
	order := func(c Config, e *Env) string {
		c.nodes = e.FS.NUMA()
		list, ok := c.numaOrder(e)
		return fmt.Sprint(list, ok)
	}
	for _, tt := range []struct {
		c    Config
		want string
	}{
		{Config{NUMA: NUMA{NUMANode, 2}, Processes: 1}, "[0 1 2 3 4 5] true"}, // no CPUs there: node 0 is the nearest
		{Config{NUMA: NUMA{NUMANode, 1}, Processes: 6}, "[2 3 0 1 4 5] true"},
		{Config{NUMA: NUMA{NUMANode, 1}, Processes: 7}, "[] false"},
		{Config{NUMA: NUMA{NUMANode, 1}, Processes: 1, Runner: []string{"nice"}}, "[] false"},
		{Config{NUMA: NUMA{Mode: NUMARemote}, Processes: 7, Runner: []string{"nice"}}, "[0 1 2 3 4 5] true"},
		{Config{NUMA: NUMA{Mode: NUMALocal}, Pin: Pin{Mode: PinList, CPUs: []int{5}}}, "[] false"},
		{Config{NUMA: NUMA{Mode: NUMAInterleave}, Processes: 1}, "[] false"},
		{Config{}, "[] false"},
	} {
		if got := order(tt.c, env("four", 0, 1, 2, 3, 4, 5)); got != tt.want {
			t.Errorf("--numa %s, %d processes: %s, want %s", tt.c.NUMA, tt.c.Processes, got, tt.want)
		}
	}
}

func TestNodesMustHaveRoom(t *testing.T) {
	e := &Env{FS: numaHost("two"), Host: &result.Host{CPU: result.CPU{Allowed: []int{0, 1}}}}
	c := Config{Processes: 2, ChunkBytes: 300 << 20, NUMA: NUMA{Mode: NUMARemote}, nodes: e.FS.NUMA()}
	if err := c.fitNodes(e); err != nil {
		t.Errorf("300 MiB on each of two nodes: %v", err)
	}
	c.NUMA = NUMA{NUMANode, 1}
	var fit *FitError
	if err := c.fitNodes(e); !errors.As(err, &fit) || fit.MaxN != 1 || fit.MaxChunk <= 0 || fit.MaxChunk >= 300<<20 || !strings.Contains(err.Error(), "node 1, less a reserve, leaves") {
		t.Errorf("twice 300 MiB on node 1: %v", err)
	}
	c.ChunkBytes = fit.MaxChunk
	if err := c.fitNodes(e); err != nil {
		t.Errorf("what was said to fit doesn't: %v", err)
	}
	c.Pages, e.Host.Pages.HugeBytes = PagesHugeTLB, new(int64(2<<20))
	if err := c.fitNodes(e); err == nil || !strings.Contains(err.Error(), "node 1's pool of free huge pages leaves 0 MiB") {
		t.Errorf("huge pages of an empty pool: %v", err)
	}
}

// TestSample: one page of each stratum, and no more of one node than of the
// others, however an interleaving goes.
func TestSample(t *testing.T) {
	for _, tt := range []struct{ pages, most int64 }{{1, 4096}, {100, 4096}, {4096, 4096}, {5000, 4096}, {16384, 4096}, {384000, 4096}, {1 << 40, 4096}} {
		s := sampleSteps(tt.pages, tt.most)
		if int64(len(s)) != min(tt.pages, tt.most) || s[0] < 0 || s[len(s)-1] >= tt.pages || !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != len(s) {
			t.Errorf("%d pages: %d asked about, from %d to %d", tt.pages, len(s), s[0], s[len(s)-1])
		}
		for _, nodes := range []int64{2, 3, 4, 8} {
			for _, run := range []int64{1, 512} { // pages that lie together: huge ones
				if tt.pages < nodes*run*100 {
					continue
				}
				on := make([]float64, nodes)
				for _, page := range s {
					on[page/run%nodes]++
				}
				fair := float64(len(s)) / float64(nodes)
				if low, high := slices.Min(on), slices.Max(on); low < 0.95*fair || high > 1.05*fair {
					t.Errorf("%d pages over %d nodes by %d: %v", tt.pages, nodes, run, on)
				}
			}
		}
	}
}

func TestNUMAWarnings(t *testing.T) {
	place := func(policy string, asked []int, pages ...int64) *result.NUMAPlacement {
		p := &result.NUMAPlacement{CPUNode: new(0), Policy: policy, Asked: asked}
		for node, n := range pages {
			if n > 0 {
				p.Add(node, n)
			}
		}
		return p
	}
	refused := place(result.NUMABind, []int{0})
	refused.Error = "move_pages: no"
	for name, tt := range map[string]struct {
		p    *result.NUMAPlacement
		want string
	}{
		"where it was asked for":  {place(result.NUMABind, []int{1}, 0, 4096), ""},
		"a page elsewhere":        {place(result.NUMABind, []int{1}, 1, 4095), ""},
		"some elsewhere":          {place(result.NUMABind, []int{1}, 96, 4000), result.WarnMisplaced},
		"even":                    {place(result.NUMAInterleave, []int{0, 1}, 2000, 2096), ""},
		"uneven":                  {place(result.NUMAInterleave, []int{0, 1}, 1000, 3096), result.WarnNUMAUneven},
		"refused":                 {refused, result.WarnNUMAUnknown},
		"all swapped out":         {place(result.NUMABind, []int{0}), result.WarnNUMAUnknown},
		"nobody asked":            {place("", nil, 4096), ""},
		"nobody asked, and far":   {place("", nil, 3000, 1096), result.WarnNUMARemote},
		"nobody asked, and a bit": {place("", nil, 4000, 96), ""},
		"unknown, not asked":      {place("", nil), ""},
		"another system":          {nil, ""},
	} {
		var ws warnings
		ws.aboutNUMA("single", 0, tt.p)
		var codes []string
		for _, w := range ws.list {
			codes = append(codes, w.Code)
		}
		if got := strings.Join(codes, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	ws := warnings{list: []result.Warning{{Code: result.WarnNUMABalancing}, {Code: result.WarnGovernor}}}
	if ws.placed(); len(ws.list) != 1 {
		t.Errorf("balancing doesn't touch memory that is bound: %+v", ws.list)
	}
}

func TestRefusal(t *testing.T) {
	for err, want := range map[error]string{
		syscall.EPERM: "CAP_SYS_NICE", syscall.ENOSYS: "built without NUMA", syscall.EINVAL: "invalid argument",
	} {
		if got := refusal(fmt.Errorf("mbind: %w", err)); !strings.Contains(got, want) || !strings.HasPrefix(got, "mbind: ") {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// The cells of each host: no row for memory alone, no column for CPUs alone.
func TestMatrixCells(t *testing.T) {
	for host, want := range map[string]string{
		"one":  "0:0",
		"two":  "0:0 0:1 1:0 1:1",
		"four": "0:0 0:1 0:2 1:0 1:1 1:2 3:0 3:1 3:2",
		"none": "0:0",
	} {
		fs := numaHost(host)
		m := matrix{cfg: MatrixConfig{Kernel: mustKernel(t, "read")}, env: &MatrixEnv{Env: Env{FS: fs, Host: &result.Host{CPU: result.CPU{Allowed: []int{0}}}}}}
		m.begin(time.Now())
		most, err := m.makeCells()
		if err != nil {
			t.Errorf("%s: %v", host, err)
		}
		var cells []string
		for _, c := range m.rec.Cells {
			cells = append(cells, fmt.Sprintf("%d:%d", c.CPUNode, c.MemoryNode))
			if c.Processes < 1 || c.Processes > most {
				t.Errorf("%s: %d processes, of %d", host, c.Processes, most)
			}
			if same := m.rec.Nodes.Distance(c.CPUNode, c.MemoryNode); !reflect.DeepEqual(c.Distance, same) {
				t.Errorf("%s: distance %v, want %v", host, c.Distance, same)
			}
		}
		if got := strings.Join(cells, " "); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
		if several := strings.Contains(want, " "); m.bound != several || m.rec.KernelNUMA != (host != "none") {
			t.Errorf("%s: bound %v, NUMA %v", host, m.bound, m.rec.KernelNUMA)
		}
	}
}
