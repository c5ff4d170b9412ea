package machine

import (
	"strings"
	"testing"
)

func TestNUMAArgs(t *testing.T) {
	for _, tt := range []struct {
		c    Config
		want string
	}{
		{Config{MemMiB: 512, SMP: 2}, ""},
		{Config{MemMiB: 1024, SMP: 2, NUMA: 2}, "-object memory-backend-ram,id=node0,size=512M -numa node,nodeid=0,memdev=node0,cpus=0-0 " +
			"-object memory-backend-ram,id=node1,size=512M -numa node,nodeid=1,memdev=node1,cpus=1-1"},
		{Config{MemMiB: 700, SMP: 3, NUMA: 2}, "-object memory-backend-ram,id=node0,size=256M -numa node,nodeid=0,memdev=node0,cpus=0-1 " +
			"-object memory-backend-ram,id=node1,size=444M -numa node,nodeid=1,memdev=node1,cpus=2-2"},
		{Config{MemMiB: 384, SMP: 1, NUMA: 3}, "-object memory-backend-ram,id=node0,size=128M -numa node,nodeid=0,memdev=node0,cpus=0-0 " +
			"-object memory-backend-ram,id=node1,size=128M -numa node,nodeid=1,memdev=node1 " +
			"-object memory-backend-ram,id=node2,size=128M -numa node,nodeid=2,memdev=node2"},
	} {
		if got := strings.Join(numaArgs(&tt.c), " "); got != tt.want {
			t.Errorf("%d MiB, %d CPUs, %d nodes:\n%s\nwant\n%s", tt.c.MemMiB, tt.c.SMP, tt.c.NUMA, got, tt.want)
		}
	}
	if got := strings.Join(qemuArgs(&Config{MemMiB: 1024, SMP: 2, NUMA: 2}, plumbing{}), " "); strings.Count(got, "-numa node,") != 2 {
		t.Errorf("qemu gets %s", got)
	}
}
