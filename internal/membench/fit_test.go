package membench

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"wordsize/internal/hostinfo"
)

const gib = 1 << 30

func TestFit(t *testing.T) {
	for name, c := range map[string]struct {
		room  Room
		n     int
		chunk int64
		limit string // "" when it fits
		maxN  int
		maxMB int64
	}{
		"nothing known":              {Room{}, 1000, 1 << 50, "", 0, 0},
		"fits":                       {Room{Available: new(int64(8 * gib))}, 4, 1500 << 20, "", 0, 0},
		"available":                  {Room{Available: new(int64(4 * gib))}, 4, 1500 << 20, "MemAvailable", 2, 995},
		"nothing available":          {Room{Available: new(int64(0))}, 1, 1 << 20, "MemAvailable", 0, 0},
		"cgroup is tighter":          {Room{Available: new(int64(64 * gib)), Cgroup: new(int64(gib)), CgroupPath: "/pod"}, 2, gib, "cgroup /pod", 0, 472},
		"no overflow of N x MB":      {Room{Available: new(int64(8 * gib))}, 10000, 1 << 61, "MemAvailable", 0, 0},
		"strict overcommit":          {Room{Commit: new(int64(gib))}, 2, 800 << 20, "overcommit_memory = 2", 1, 504},
		"ulimit -v":                  {Room{PerProcessAS: new(int64(gib))}, 1, gib, "RLIMIT_AS", 0, 1008},
		"address space of a 386":     {Room{AddressSpace: new(int64(2513 << 20)), Available: new(int64(64 * gib))}, 1, 3500 << 20, "address space", 0, 2497},
		"2048 MiB in one 386":        {Room{AddressSpace: new(int64(2513 << 20)), Available: new(int64(64 * gib))}, 3, 2048 << 20, "", 0, 0},
		"huge pages missing":         {Room{HugePages: new(int64(100 << 20)), HugeBytes: 2 << 20}, 2, 64 << 20, "huge pages", 1, 50},
		"huge pages are not charged": {Room{HugePages: new(int64(600 << 20)), HugeBytes: 2 << 20, Available: new(int64(200 << 20)), Cgroup: new(int64(200 << 20))}, 2, 256 << 20, "", 0, 0},
		"no N fits beyond a process": {Room{AddressSpace: new(int64(2513 << 20)), Available: new(int64(16 * gib))}, 10, 5000 << 20, "MemAvailable", 0, 1597},
		"a huge page is not halved":  {Room{HugePages: new(int64(4 << 20)), HugeBytes: 2 << 20}, 2, 3 << 20, "huge pages", 1, 2},
	} {
		err := c.room.Fit(c.n, c.chunk)
		if c.limit == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var fe *FitError
		if !errors.As(err, &fe) || !strings.Contains(fe.Limit, c.limit) || fe.MaxN != c.maxN || fe.MaxChunk>>20 != c.maxMB {
			t.Errorf("%s: %v (%+v), want limit %q, N %d, MB %d", name, err, fe, c.limit, c.maxN, c.maxMB)
			continue
		}
		if !strings.Contains(err.Error(), "--force") {
			t.Errorf("%s: %q does not say how to override", name, err)
		}
		// What the error offers must be accepted.
		if fe.MaxChunk > 0 {
			if err := c.room.Fit(c.n, fe.MaxChunk); err != nil {
				t.Errorf("%s: offered MB is refused: %v", name, err)
			}
			if err := c.room.Fit(c.n, fe.MaxChunk+2<<20); err == nil {
				t.Errorf("%s: the offered MB is not the most", name)
			}
		}
		if fe.MaxN > 0 {
			if err := c.room.Fit(fe.MaxN, c.chunk); err != nil {
				t.Errorf("%s: offered N is refused: %v", name, err)
			}
		}
	}
}

// A container's limit, read from a captured tree, refuses a run that the
// host's memory would allow.
func TestContainerLimitRefuses(t *testing.T) {
	tree := filepath.Join("..", "hostinfo", "testdata", "container-v2")
	fs := hostinfo.FS{Proc: filepath.Join(tree, "proc"), Sys: filepath.Join(tree, "sys")}
	host := hostinfo.Read(t.Context(), fs)
	if host.Memory.AvailableBytes == nil || *host.Memory.AvailableBytes < 8*gib {
		t.Fatalf("the tree's MemAvailable was not read: %+v", host.Memory)
	}
	room := ReadRoom(&host, PagesDefault)
	room.PerProcessAS, room.AddressSpace = nil, nil // this host's, not the tree's
	if err := room.Fit(2, 100<<20); err != nil {
		t.Errorf("2 x 100 MiB in 512 MiB: %v", err)
	}
	var fe *FitError
	if err := room.Fit(4, 1500<<20); !errors.As(err, &fe) || !strings.Contains(fe.Limit, "cgroup") {
		t.Errorf("4 x 1500 MiB in 512 MiB: %v, want the cgroup's limit", err)
	}
}
