package hostinfo

import (
	"os"
	"path/filepath"
	"testing"

	"wordsize/internal/result"
)

func TestParseCPUInfo(t *testing.T) {
	tests := []struct {
		file       string
		want       result.CPU
		processors int
		hypervisor bool
	}{
		{"x86", result.CPU{Model: "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", Vendor: "GenuineIntel", Family: "6",
			ModelID: "85", Stepping: val(4), Microcode: "0x2006e05"}, 2, true},
		{"arm-pi3", result.CPU{Model: "Cortex-A53", Vendor: "ARM", Family: "7", ModelID: "0xd03", Stepping: val(4)}, 2, false},
		{"arm-old", result.CPU{Model: "Cortex-A9", Vendor: "ARM", Family: "7", ModelID: "0xc09", Stepping: val(10)}, 2, false},
		{"arm64-unknown", result.CPU{Model: "ARM implementer 0x41 part 0xdff", Vendor: "ARM", Family: "8",
			ModelID: "0xdff", Stepping: val(2)}, 1, false},
		{"ppc64le", result.CPU{Model: "POWER9 (architected), altivec supported", Vendor: "IBM"}, 2, false},
		{"s390x", result.CPU{Model: "IBM z13 (machine type 2964)", Vendor: "IBM/S390", ModelID: "2964"}, 2, false},
		{"riscv64", result.CPU{Model: "sifive,u74-mc", Vendor: "0x489", ModelID: "0x8000000000000007"}, 2, false},
		{"riscv64-qemu", result.CPU{Model: "rv64imafdch_zicsr_zifencei", ModelID: "0x0"}, 1, false},
		{"mips", result.CPU{Model: "MIPS 1004Kc V2.15"}, 2, false},
		{"loongarch64", result.CPU{Model: "Loongson-3A5000-HV"}, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata/cpuinfo", tt.file+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			info := parseCPUInfo(b)
			got := info.cpu
			same(t, "stepping", got.Stepping, tt.want.Stepping)
			if got.Model != tt.want.Model || got.Vendor != tt.want.Vendor || got.Family != tt.want.Family ||
				got.ModelID != tt.want.ModelID || got.Microcode != tt.want.Microcode {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if info.processors != tt.processors || info.hypervisor != tt.hypervisor {
				t.Errorf("%d processors, hypervisor %v", info.processors, info.hypervisor)
			}
		})
	}
}

// A machine with two kinds of cores is named by both.
func TestParseCPUInfoBigLittle(t *testing.T) {
	b, err := os.ReadFile("testdata/arm64/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	if got := parseCPUInfo(b); got.cpu.Model != "Cortex-A55 + Cortex-A76" || got.processors != 6 {
		t.Errorf("%q, %d processors", got.cpu.Model, got.processors)
	}
}

func FuzzCPUInfo(f *testing.F) {
	files, err := filepath.Glob("testdata/cpuinfo/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		info := parseCPUInfo(b)
		if info.processors < 0 || info.processors > len(b) {
			t.Errorf("%d processors in %d bytes", info.processors, len(b))
		}
	})
}

func TestParseCacheSize(t *testing.T) {
	tests := []struct {
		in   string
		want int64
		ok   bool
	}{
		{"48K\n", 48 << 10, true}, {"32768K", 32 << 20, true}, {"508M", 508 << 20, true}, {"1G", 1 << 30, true},
		{"512", 512, true}, {"0K", 0, true},
		{"", 0, false}, {"K", 0, false}, {"-1K", 0, false}, {"48KB", 0, false}, {"48KK", 0, false}, {"x", 0, false},
		{"9007199254740992K", 0, false}, {"99999999999999999999", 0, false},
	}
	for _, tt := range tests {
		got, err := parseCacheSize(tt.in)
		if got != tt.want || (err == nil) != tt.ok {
			t.Errorf("parseCacheSize(%q) = %d, %v", tt.in, got, err)
		}
	}
}

func FuzzCacheSize(f *testing.F) {
	for _, s := range []string{"48K", "32768K", "1M", "", "9223372036854775807G"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := parseCacheSize(s); n < 0 || err != nil && n != 0 {
			t.Errorf("parseCacheSize(%q) = %d, %v", s, n, err)
		}
	})
}

func TestSysfsCaches(t *testing.T) {
	got := captured("amd64-vm-v1").sysfsCaches(0)
	want := []result.Cache{
		{Level: 1, Type: "Data", Bytes: 32 << 10, SharedCPUs: "0,2", Source: "sysfs"},
		{Level: 1, Type: "Instruction", Bytes: 32 << 10, SharedCPUs: "0,2", Source: "sysfs"},
		{Level: 2, Type: "Unified", Bytes: 1 << 20, SharedCPUs: "0,2", Source: "sysfs"},
		{Level: 3, Type: "Unified", Bytes: 22 << 20, SharedCPUs: "0-3", Source: "sysfs"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d caches: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("cache %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	// A virtual machine's directories without sizes are no claim.
	fs := tree(t, map[string]string{
		"sys/devices/system/cpu/cpu0/cache/index0/level": "1\n",
		"sys/devices/system/cpu/cpu0/cache/index0/type":  "Data\n",
		"sys/devices/system/cpu/cpu0/cache/index1/level": "2\n",
		"sys/devices/system/cpu/cpu0/cache/index1/size":  "512K\n",
	})
	if got := fs.sysfsCaches(0); len(got) != 1 || got[0].Level != 2 {
		t.Errorf("%+v", got)
	}
}
