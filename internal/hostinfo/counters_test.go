package hostinfo

import (
	"runtime"
	"testing"
)

func TestCounters(t *testing.T) {
	c := captured("amd64-vm-v1").Counters()
	same(t, "user", c.User, val(uint64(9616)))
	same(t, "system", c.System, val(uint64(2567)))
	same(t, "idle", c.Idle, val(uint64(98803)))
	same(t, "steal", c.Steal, val(uint64(9)))
	same(t, "total", c.Total, val(uint64(9606+10+2567+98803+148+1+20+9)))
	same(t, "throttled", c.Throttled, val(uint64(8)))
	same(t, "throttled time", c.ThrottledNanos, val(uint64(71000)))
	same(t, "thermal", c.ThermalThrottles, val(uint64(10+11+12+13)))
	same(t, "OOM kills", c.OOMKills, val(uint64(3)))
	same(t, "own OOM kills", c.CgroupOOMKills, val(uint64(2)))

	c = captured("container-v2").Counters()
	same(t, "throttled", c.Throttled, val(uint64(12)))
	same(t, "throttled time", c.ThrottledNanos, val(uint64(3_400_000)))
	same(t, "own OOM kills", c.CgroupOOMKills, val(uint64(1)))
	same(t, "thermal", c.ThermalThrottles, nil)
	same(t, "user", c.User, nil)

	c = captured("hybrid").Counters()
	same(t, "own OOM kills", c.CgroupOOMKills, val(uint64(4)))
	same(t, "throttled", c.Throttled, nil)

	if c := (FS{Proc: t.TempDir(), Sys: t.TempDir()}).Counters(); c != (Counters{}) {
		t.Errorf("from an empty tree: %+v", c)
	}
}

func TestParseStat(t *testing.T) {
	tests := []struct {
		name, text         string
		user, total, steal *uint64
	}{
		{"Linux 2.4", "cpu  1 2 3 4\n", val(uint64(3)), val(uint64(10)), nil},
		{"without steal", "cpu  1 2 3 4 5 6 7\n", val(uint64(3)), val(uint64(28)), nil},
		{"with guest", "cpu  1 2 3 4 5 6 7 8 1 1\ncpu0 1 2\n", val(uint64(3)), val(uint64(36)), val(uint64(8))},
		{"damaged", "cpu  1 2 x 4 5\n", nil, nil, nil},
		{"one CPU's line", "cpu0 1 2 3 4 5 6 7 8\n", nil, nil, nil},
		{"empty", "", nil, nil, nil},
	}
	for _, tt := range tests {
		c := parseStat(tt.text)
		same(t, tt.name+": user", c.User, tt.user)
		same(t, tt.name+": total", c.Total, tt.total)
		same(t, tt.name+": steal", c.Steal, tt.steal)
	}
}

func TestCountersSub(t *testing.T) {
	before := Counters{User: val(uint64(10)), Steal: val(uint64(5)), Idle: val(uint64(7)), OOMKills: val(uint64(1))}
	after := Counters{User: val(uint64(25)), Steal: val(uint64(4)), Idle: val(uint64(7)), System: val(uint64(3)), OOMKills: val(uint64(2))}
	d := after.Sub(before)
	same(t, "user", d.User, val(uint64(15)))
	same(t, "idle", d.Idle, val(uint64(0)))
	same(t, "steal that ran backwards", d.Steal, nil)
	same(t, "system, read once", d.System, nil)
	same(t, "OOM kills", d.OOMKills, val(uint64(1)))
}

func TestCountersHere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/stat")
	}
	before := DefaultFS().Counters()
	after := DefaultFS().Counters()
	if before.Total == nil || after.Total == nil || *after.Total < *before.Total {
		t.Errorf("total went from %v to %v", before.Total, after.Total)
	}
}

func FuzzStat(f *testing.F) {
	f.Add("cpu  9606 0 2567 98803 148 0 20 9 0 0\ncpu0 1")
	f.Add("cpu  18446744073709551615 1 1 1")
	f.Fuzz(func(t *testing.T, s string) {
		c := parseStat(s)
		if (c.User == nil) != (c.Total == nil) || c.Steal != nil && c.Idle == nil {
			t.Errorf("half a line: %+v", c)
		}
	})
}

func BenchmarkCounters(b *testing.B) {
	for b.Loop() {
		DefaultFS().Counters()
	}
}
