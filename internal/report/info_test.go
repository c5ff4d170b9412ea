package report

import (
	"bytes"
	"testing"

	"wordsize/internal/result"
)

func TestInfo(t *testing.T) {
	i64 := func(n int64) *int64 { return &n }
	info := &result.Info{
		Tool: result.Tool{Version: "1", GOARCH: "386", WordBits: 32},
		Host: result.Host{
			Hostname: "old", OS: "linux", Distribution: "debian 12", Kernel: "6.1.0-686-pae", Machine: "i686", KernelBits: new(32), Hypervisor: "kvm",
			CPU:       result.CPU{Model: "Some CPU", Online: new(4), Allowed: []int{0, 1}, PhysicalCores: new(2), Governors: []string{"powersave", "performance"}},
			Caches:    []result.Cache{{Level: 3, Type: "Unified", Bytes: 32 << 20, Source: "sysfs"}},
			NUMANodes: new(1), NUMABalancing: new(0), AddressLimit: i64(1 << 30),
			Memory: result.Memory{TotalBytes: i64(6 << 30), AvailableBytes: i64(5 << 30), HighTotalBytes: i64(5 << 30), HighFreeBytes: i64(4 << 30), LowTotalBytes: i64(700 << 20), LowFreeBytes: i64(600 << 20)},
			Pages:  result.Pages{BaseBytes: 4096, THPEnabled: "always", HugeFreePages: i64(0), HugeTotalPages: i64(0)},
			Cgroup: &result.Cgroup{Version: 2, MemoryLimitBytes: i64(512 << 20), MemoryFreeBytes: i64(300 << 20), CPUs: new(1.5)},
		},
		LargestMappingBytes: i64(2280 << 20), AddressSpaceBytes: i64(2544 << 20),
	}
	var b bytes.Buffer
	if err := Info(&b, info); err != nil {
		t.Fatal(err)
	}
	golden(t, "info.txt", b.Bytes())
	// Of a host of which nothing is known, nothing must be claimed.
	b.Reset()
	if err := Info(&b, &result.Info{Host: result.Host{OS: "linux"}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "info-unknown.txt", b.Bytes())
}

func TestKernels(t *testing.T) {
	list := &result.KernelList{Kernels: []result.KernelEntry{
		{Name: "write", Tier: "avx2", Doc: "vector stores", TierDoc: "VMOVDQA", Usable: true, Default: true},
		{Name: "write", Tier: "avx512", Doc: "vector stores", TierDoc: "VMOVDQA64", Reason: "this CPU has none"},
		{Name: "zero", Tier: "go", Doc: "clear", TierDoc: "plain Go", Usable: true},
	}}
	var b bytes.Buffer
	if err := Kernels(&b, list); err != nil {
		t.Fatal(err)
	}
	golden(t, "kernels.txt", b.Bytes())
	b.Reset()
	list.ChunkBytes = new(int64(256 << 20))
	list.Kernels[0].Rate = &result.Spread{Min: 25e9, Median: 30e9, Max: 31e9}
	list.Kernels[2].Rate = &result.Spread{Min: 15e9, Median: 16e9, Max: 16.5e9}
	if err := Kernels(&b, list); err != nil {
		t.Fatal(err)
	}
	golden(t, "kernels-measured.txt", b.Bytes())
}
