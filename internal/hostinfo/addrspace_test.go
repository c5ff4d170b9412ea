package hostinfo

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// gaps is an address space with free areas of the given sizes.
type gaps struct {
	free     []int64
	held     map[uintptr]int // address → gap
	next     uintptr
	peak     int
	released int
}

func (g *gaps) reserve(n int64) (uintptr, bool) {
	for i, room := range g.free {
		if room >= n {
			g.free[i] -= n
			g.next++
			g.held[g.next] = i
			g.peak = max(g.peak, len(g.held))
			return g.next, true
		}
	}
	return 0, false
}

func (g *gaps) release(addr uintptr, n int64) {
	i, ok := g.held[addr]
	if !ok {
		panic("released twice, or never held")
	}
	delete(g.held, addr)
	g.free[i] += n
	g.released++
}

func TestProbe(t *testing.T) {
	const limit = 1 << 32
	tests := []struct {
		name           string
		free           []int64
		largest, total int64
	}{
		{"32-bit kernel", []int64{2307 * mib, 180*mib + 5000, 59 * mib}, 2307 * mib, (2307 + 180 + 59) * mib},
		{"64-bit kernel", []int64{3000 * mib, 570*mib + 4096}, 3000 * mib, 3570 * mib},
		{"one mebibyte", []int64{mib}, mib, mib},
		{"less than one", []int64{mib - 4096, mib - 4096}, 0, 0},
		{"nothing", nil, 0, 0},
		{"all", []int64{limit}, limit - mib, limit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.free)
			g := &gaps{free: tt.free, held: map[uintptr]int{}}
			if got := largestChunk(g, limit-mib); got != tt.largest {
				t.Errorf("largest is %d MiB, want %d", got/mib, tt.largest/mib)
			}
			if g.peak > 1 {
				t.Errorf("bisection held %d mappings at once", g.peak)
			}
			if got := totalSpace(g, limit, make([]region, 0, limit/mib)); got != tt.total {
				t.Errorf("total is %d MiB, want %d", got/mib, tt.total/mib)
			}
			if len(g.held) != 0 || !slices.Equal(g.free, before) {
				t.Errorf("%d mappings left behind", len(g.held))
			}
		})
	}
}

func TestUserSpace(t *testing.T) {
	stack := func(r string) string { return r + " rw-p 00000000 00:00 0                          [stack]\n" }
	tests := []struct {
		name, maps string
		want       int64
	}{
		{"amd64", stack("7ffc2a1d4000-7ffc2a1f5000") + "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n", 1 << 47},
		{"arm64, 48 bits", stack("ffffd2a1d000-ffffd2a3e000"), 1 << 48},
		{"arm64, 39 bits", stack("7fe5a1d000-7fe5a3e000"), 1 << 39},
		{"riscv64, sv39", stack("3fffdde000-3fffdff000"), 1 << 38},
		{"at the very end", stack("7ffffffde000-800000000000"), 1 << 47},
		{"no stack", "00400000-00401000 r-xp 00000000 00:00 0 /bin/x\n", 0},
		{"damaged", stack("7ffc-xyz"), 0},
		{"empty", "", 0},
	}
	for _, tt := range tests {
		got, err := userSpace(tt.maps)
		if got != tt.want || (err == nil) != (tt.want != 0) {
			t.Errorf("%s: %d, %v; want %d", tt.name, got, err, tt.want)
		}
	}
}

func TestAddressSpaceHere(t *testing.T) {
	largest, total, err := AddressSpace()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		// An emulator need not show a stack in its memory map.
		if BuildBits() == 64 && strings.Contains(err.Error(), "no stack") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	if largest < mib || largest > total {
		t.Errorf("largest mapping %d of %d bytes", largest, total)
	}
	if limit := int64(1) << 32; BuildBits() == 32 && total > limit {
		t.Errorf("%d bytes in a 32-bit address space", total)
	}
	again, _, err := AddressSpace()
	if err != nil || again < largest/2 {
		t.Errorf("the second time only %d bytes, first %d: %v", again, largest, err)
	}
}
