package report

import (
	"strings"
	"testing"

	"wordsize/internal/result"
)

// A 32-bit kernel that runs out of LOWMEM while HIGHMEM is free is warned
// about; one that is short of both, or of neither, is not.
func TestLowmemShort(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		lowFree, highFree int64 // MiB
		short             bool
	}{{700, 4000, false}, {60, 4000, true}, {60, 100, false}, {700, 100, false}} {
		m := result.Memory{
			LowTotalBytes: new(int64(730 * mib)), LowFreeBytes: new(c.lowFree * mib),
			HighTotalBytes: new(int64(5264 * mib)), HighFreeBytes: new(c.highFree * mib),
		}
		line := JoinSegments(headMemory(&m, nil), 0)
		if got := strings.Contains(line, "LOWMEM SHORT"); got != c.short || !strings.Contains(line, "LowFree") {
			t.Errorf("low %d, high %d MiB free: %q", c.lowFree, c.highFree, line)
		}
	}
	// 64-bit kernels have neither.
	if line := JoinSegments(headMemory(&result.Memory{TotalBytes: new(int64(mib))}, nil), 0); strings.Contains(line, "Low") {
		t.Errorf("%q", line)
	}
}
