package hostinfo

import (
	"slices"
	"testing"
)

func TestMaskCPUs(t *testing.T) {
	mask := make([]uintptr, 2048/wordBits)
	for _, cpu := range []int{0, 31, 32, 63, 64, 1500} {
		mask[cpu/wordBits] |= 1 << (cpu % wordBits)
	}
	if got := maskCPUs(mask); !slices.Equal(got, []int{0, 31, 32, 63, 64, 1500}) {
		t.Errorf("CPUs %v", got)
	}
}

// Two ways to the same mask: the system call and /proc/self/status.
func TestAllowedCPUs(t *testing.T) {
	got, want := AllowedCPUs(), DefaultFS().taskCPUs()
	if want == nil {
		t.Skip("/proc/self/status shows no CPU list")
	}
	if !slices.Equal(got, want) {
		t.Errorf("AllowedCPUs() = %v, status says %v", got, want)
	}
}
