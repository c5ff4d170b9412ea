package hostinfo

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestReadCaptured(t *testing.T) {
	h := Read(context.Background(), captured("amd64-vm-v1"))
	checks := map[string][2]string{
		"hostname":     {h.Hostname, "db-07"},
		"OS":           {h.OS, "linux"},
		"distribution": {h.Distribution, "debian 11.9"},
		"kernel":       {h.Kernel, "5.10.0-30-amd64"},
		"version":      {h.KernelVersion, "#1 SMP Debian 5.10.218-1 (2024-06-01)"},
		"machine":      {h.Machine, ""}, // no /proc/sys/kernel/arch before Linux 6.1
		"hypervisor":   {h.Hypervisor, "kvm"},
		"THP":          {h.Pages.THPEnabled, "madvise"},
		"THP defrag":   {h.Pages.THPDefrag, "madvise"},
		"CPUs":         {FormatCPUList(h.CPU.Allowed), "0-3"},
	}
	for what, c := range checks {
		if c[0] != c[1] {
			t.Errorf("%s is %q, want %q", what, c[0], c[1])
		}
	}
	same(t, "kernel bits", h.KernelBits, val(64))
	same(t, "uptime", h.UptimeSeconds, val(int64(568)))
	same(t, "RLIMIT_AS", h.AddressLimit, val(int64(4<<30)))
	same(t, "overcommit", h.Overcommit, val(2))
	same(t, "NUMA nodes", h.NUMANodes, val(2))
	same(t, "NUMA balancing", h.NUMABalancing, val(1))
	same(t, "online", h.CPU.Online, val(4))
	same(t, "cores", h.CPU.PhysicalCores, val(2))
	same(t, "hugetlb page", h.Pages.HugeBytes, val(int64(2<<20)))
	same(t, "hugetlb pool", h.Pages.HugeTotalPages, val(int64(8)))
	same(t, "hugetlb free", h.Pages.HugeFreePages, val(int64(6)))
	if h.Cgroup == nil || h.Cgroup.LimitPath != "/batch" {
		t.Errorf("cgroup %+v", h.Cgroup)
	}
	if size, source, ok := h.LastLevelCache(); size != 22<<20 || source != "sysfs" || !ok {
		t.Errorf("last level cache %d from %q", size, source)
	}
}

func TestReadOtherArchitectures(t *testing.T) {
	h := Read(context.Background(), captured("i386-pae"))
	same(t, "bits of a PAE kernel", h.KernelBits, val(32))
	if h.Machine != "i686" || h.Hypervisor != "unidentified" || h.Cgroup != nil {
		t.Errorf("machine %q, hypervisor %q, cgroup %v", h.Machine, h.Hypervisor, h.Cgroup)
	}
	same(t, "cores without topology", h.CPU.PhysicalCores, nil)

	h = Read(context.Background(), captured("arm64"))
	same(t, "bits of arm64", h.KernelBits, val(64))
	same(t, "MHz", h.CPU.MaxMHz, val(2400.0))
	same(t, "cores", h.CPU.PhysicalCores, val(4))
	same(t, "online", h.CPU.Online, val(6))
	if !slices.Equal(h.CPU.Governors, []string{"schedutil", "performance"}) {
		t.Errorf("governors %q", h.CPU.Governors)
	}
	if h.Distribution != "alpine 3.19.1" || h.Machine != "aarch64" {
		t.Errorf("%q on %q", h.Distribution, h.Machine)
	}
}

// A tree with nothing in it gives a record with nothing in it.
func TestReadNothing(t *testing.T) {
	dir := t.TempDir()
	h := Read(context.Background(), FS{Proc: dir, Sys: dir})
	want := result.Host{OS: "linux", Pages: result.Pages{BaseBytes: int64(os.Getpagesize())}}
	got, _ := json.Marshal(h)
	expected, _ := json.Marshal(want)
	if string(got) != string(expected) {
		t.Errorf("got  %s\nwant %s", got, expected)
	}
}

// The running system: only what must hold everywhere.
func TestReadHere(t *testing.T) {
	h := Read(context.Background(), DefaultFS())
	if h.OS != runtime.GOOS {
		t.Errorf("OS %q", h.OS)
	}
	if len(h.CPU.Allowed) == 0 || !slices.IsSorted(h.CPU.Allowed) {
		t.Errorf("allowed CPUs %v", h.CPU.Allowed)
	}
	if c := h.CPU.PhysicalCores; c != nil && (*c < 1 || *c > len(h.CPU.Allowed)) {
		t.Errorf("%d cores of %d CPUs", *c, len(h.CPU.Allowed))
	}
	if n := h.CPU.Online; n == nil || *n < 1 {
		t.Errorf("no CPUs on line")
	}
	if h.KernelBits != nil && *h.KernelBits < BuildBits() {
		t.Errorf("a %d-bit kernel runs this %d-bit build", *h.KernelBits, BuildBits())
	}
	m := h.Memory
	if m.TotalBytes == nil || *m.TotalBytes < 16<<20 {
		t.Fatalf("total memory %v", m.TotalBytes)
	}
	for what, part := range map[string]*int64{"free": m.FreeBytes, "available": m.AvailableBytes, "high": m.HighTotalBytes} {
		if part != nil && (*part < 0 || *part > *m.TotalBytes) {
			t.Errorf("%s memory is %d of %d", what, *part, *m.TotalBytes)
		}
	}
	if cg := h.Cgroup; cg != nil {
		if cg.Version != 1 && cg.Version != 2 || !strings.HasPrefix(cg.Path, "/") {
			t.Errorf("cgroup %+v", cg)
		}
		if cg.MemoryFreeBytes != nil && *cg.MemoryFreeBytes < 0 {
			t.Errorf("room %d", *cg.MemoryFreeBytes)
		}
	}
	for _, c := range h.Caches {
		if c.Bytes <= 0 || c.Level < 1 || c.Source == "" {
			t.Errorf("cache claim %+v", c)
		}
	}
	if order := DefaultFS().Topology(h.CPU.Allowed); !slices.Equal(slices.Sorted(slices.Values(order)), h.CPU.Allowed) {
		t.Errorf("Topology(%v) = %v", h.CPU.Allowed, order)
	}
}

func TestKernelBits(t *testing.T) {
	const big, small = int64(34359738367 * 1024), int64(122880 * 1024)
	tests := []struct {
		name  string
		signs kernelSigns
		bits  int // 0 is unknown
	}{
		{"64-bit build", kernelSigns{build: 64}, 64},
		{"32-bit build says nothing", kernelSigns{build: 32}, 0},
		{"amd64", kernelSigns{machine: "x86_64", vmallocTotal: val(big), symbolDigits: 16}, 64},
		{"i686 personality on amd64", kernelSigns{build: 32, machine: "i686", vmallocTotal: val(big), symbolDigits: 16}, 64},
		{"the same without kallsyms", kernelSigns{build: 32, machine: "i686", vmallocTotal: val(big)}, 64},
		{"i686 with PAE", kernelSigns{build: 32, machine: "i686", vmallocTotal: val(small), highmem: true, symbolDigits: 8}, 32},
		{"i686 with PAE, no kallsyms", kernelSigns{machine: "i686", vmallocTotal: val(small), highmem: true}, 32},
		{"HighTotal alone", kernelSigns{highmem: true}, 32},
		{"armv7l", kernelSigns{build: 32, machine: "armv7l", vmallocTotal: val(small)}, 32},
		{"32-bit program on arm64", kernelSigns{build: 32, machine: "armv8l", vmallocTotal: val(big)}, 64},
		{"s390x with a small vmalloc area", kernelSigns{machine: "s390x", vmallocTotal: val(small)}, 64},
		{"a 32-bit name alone", kernelSigns{build: 32, machine: "i686"}, 0},
		{"nothing", kernelSigns{}, 0},
	}
	for _, tt := range tests {
		bits, ok := tt.signs.bits()
		if bits != tt.bits || ok != (tt.bits != 0) {
			t.Errorf("%s: %d, %v; want %d", tt.name, bits, ok, tt.bits)
		}
	}
}

func TestOwnMachine(t *testing.T) {
	for _, tt := range []struct {
		machine string
		bits    int
		want    string
	}{
		{"i686", 64, "x86_64"}, {"i686", 32, "i686"}, {"x86_64", 64, "x86_64"},
		{"armv8l", 64, "aarch64"}, {"armv8l", 32, "armv8l"}, {"ppc64le", 64, "ppc64le"}, {"", 64, ""},
	} {
		if got := ownMachine(tt.machine, tt.bits); got != tt.want {
			t.Errorf("ownMachine(%q, %d) = %q, want %q", tt.machine, tt.bits, got, tt.want)
		}
	}
}

func TestHexDigits(t *testing.T) {
	for s, want := range map[string]int{
		"ffffffff81000000 T _stext\n": 16, "00000000 T _stext\n": 8, "c1000000 T _text": 8,
		"": 0, "deadbeef": 0, "nonsense T x": 0,
	} {
		if got := hexDigits(s); got != want {
			t.Errorf("hexDigits(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestHypervisor(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		info  cpuInfo
		want  string
	}{
		{"bare metal", nil, cpuInfo{}, ""},
		{"Xen", map[string]string{"sys/hypervisor/type": "xen\n"}, cpuInfo{}, "xen"},
		{"device tree", map[string]string{"proc/device-tree/hypervisor/compatible": "epapr\x00linux,kvm\x00"}, cpuInfo{}, "kvm"},
		{"s390 under KVM", map[string]string{"proc/sysinfo": "LPAR Name: A\nVM00 Control Program: KVM/Linux       \n"}, cpuInfo{}, "kvm"},
		{"s390 under z/VM", map[string]string{"proc/sysinfo": "VM00 Control Program: z/VM    7.1.0\n"}, cpuInfo{}, "z/VM 7.1.0"},
		{"EC2", map[string]string{"sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "c7g.large\n"}, cpuInfo{}, "kvm"},
		{"EC2 metal", map[string]string{"sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "c7g.metal\n"}, cpuInfo{}, ""},
		{"Surface laptop", map[string]string{"sys/class/dmi/id/sys_vendor": "Microsoft Corporation\n", "sys/class/dmi/id/product_name": "Surface Book\n"}, cpuInfo{}, ""},
		{"POWER emulated", nil, cpuInfo{machine: "CHRP IBM pSeries (emulated by qemu)", platform: "pSeries"}, "qemu"},
		{"POWER partition", nil, cpuInfo{machine: "CHRP IBM,9009-42A", platform: "pSeries"}, "powervm"},
		{"POWER bare metal", nil, cpuInfo{machine: "PowerNV 9006-22P", platform: "PowerNV"}, ""},
		{"flag only", nil, cpuInfo{hypervisor: true}, "unidentified"},
	}
	for _, tt := range tests {
		if got := tree(t, tt.files).hypervisor(tt.info); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for vendor, want := range map[string]string{"KVMKVMKVM\x00\x00\x00": "kvm", "TCGTCGTCGTCG": "qemu (emulated)", "": "", "NewOne": "NewOne"} {
		if got := cpuidHypervisor(vendor); got != want {
			t.Errorf("CPUID vendor %q: %q, want %q", vendor, got, want)
		}
	}
}

func TestParseOSRelease(t *testing.T) {
	for _, tt := range []struct{ text, debian, want string }{
		{"ID=debian\nVERSION_ID=\"12\"\n", "12.11", "debian 12.11"},
		{"ID=debian\nVERSION_ID=\"12\"\n", "", "debian 12"},
		{"ID=debian\n", "trixie/sid", "debian trixie/sid"},
		{"ID=ubuntu\nVERSION_ID=\"22.04\"\n", "bookworm/sid", "ubuntu 22.04"},
		{"# ID=no\nID='fedora'\nVERSION_ID=40\n", "", "fedora 40"},
		{"NAME=Odd\n", "", "Odd"},
		{"", "12.11", ""},
	} {
		if got := parseOSRelease([]byte(tt.text), tt.debian); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestBracketed(t *testing.T) {
	for s, want := range map[string]string{"always [madvise] never": "madvise", "[always] madvise never": "always", "": "", "none": "", "[cut": ""} {
		if got := bracketed(s); got != want {
			t.Errorf("bracketed(%q) = %q, want %q", s, got, want)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		Read(context.Background(), DefaultFS())
	}
}
