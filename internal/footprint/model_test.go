package footprint

import "testing"

// What the allocators really do, measured by malloc_usable_size, by
// sys.getsizeof with its pools, and by runtime.MemStats of both builds.
func TestAllocatorModels(t *testing.T) {
	w64, w32 := worlds["lp64"], worlds["ilp32"]
	for _, tc := range []struct {
		name      string
		got, want float64
	}{
		{"glibc 64: 1", w64.glibcChunk(1), 32}, {"glibc 64: 24", w64.glibcChunk(24), 32}, {"glibc 64: 25", w64.glibcChunk(25), 48}, {"glibc 64: 40", w64.glibcChunk(40), 48},
		{"glibc 32: 1", w32.glibcChunk(1), 16}, {"glibc 32: 12", w32.glibcChunk(12), 16}, {"glibc 32: 13", w32.glibcChunk(13), 32}, {"glibc 32: 28", w32.glibcChunk(28), 32}, {"glibc 32: 29", w32.glibcChunk(29), 48},
		{"glibc x32 is as ilp32", worlds["x32"].glibcChunk(13), 32},
		{"jemalloc: 8", w64.jeBlock(8), 8}, {"jemalloc: 9", w64.jeBlock(9), 16}, {"jemalloc: 17", w64.jeBlock(17), 32}, {"jemalloc: 128", w64.jeBlock(128), 128},
		{"jemalloc: 129", w64.jeBlock(129), 160}, {"jemalloc: 256", w64.jeBlock(256), 256}, {"jemalloc: 257", w64.jeBlock(257), 320}, {"jemalloc: 4097", w64.jeBlock(4097), 5120},
		{"obmalloc 64: 33 is a block of 48, 340 a pool", w64.pyBlock(33, 16384), 16384. / 340},
		{"obmalloc 32: 17 is a block of 24, 169 a pool", w32.pyBlock(17, 4096), 4096. / 169},
		{"obmalloc 32: 513 is malloc's", w32.pyBlock(513, 4096), 528},
		{"go: 33 without pointers", w64.goBlock(33, false, 0), 8192. / 170},
		{"go 64: 16 with pointers has a bitmap of 128 bytes", w64.goBlock(16, true, 0), 8192. / 504},
		{"go 32: 16 with pointers has one of 256", w32.goBlock(16, true, 0), 8192. / 496},
		{"go 32: 16 with marks", w32.goBlock(16, true, 128), 8192. / 488},
		{"go 64: 520 with pointers has a header", w64.goBlock(520, true, 0), 8192. / 14},
		{"go 32: 129 with pointers has a header: 137 is of 144", w32.goBlock(129, true, 0), 8192. / 56},
		{"go: large", w64.goBlock(40000, false, 0), 40960},
	} {
		if d := tc.got - tc.want; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s: %v, want %v", tc.name, tc.got, tc.want)
		}
	}
}

func TestJeSize(t *testing.T) {
	want := []uint64{8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640}
	for i, size := range want {
		if got := jeSize(i); got != size {
			t.Errorf("class %d: %d, want %d", i, got, size)
		}
		if i > 0 {
			if got := worlds["lp64"].jeBlock(float64(want[i-1] + 1)); got != float64(size) {
				t.Errorf("%d bytes: %v, want %d", want[i-1]+1, got, size)
			}
		}
	}
}
