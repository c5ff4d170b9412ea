package footprint

import "math"

// A world is a data model with what the allocators make of a request in it.
type world struct {
	name string
	word float64 // bytes of a pointer
	long float64 // bytes of a long and of size_t
}

var worlds = map[string]world{
	"ilp32": {"ilp32", 4, 4},
	"x32":   {"x32", 4, 4},
	"ptr32": {"ptr32", 4, 8},
	"lp64":  {"lp64", 8, 8},
}

// glibcChunk returns the size of the chunk that glibc's malloc makes for a
// request. A chunk in use has one word of header (size and flags), and may use
// the first word of the next chunk. MALLOC_ALIGNMENT is 16 on x86-64, and since
// glibc 2.26 on i386 too (malloc/malloc-alignment.h, sysdeps/i386); MINSIZE is
// four words (malloc/malloc.c).
func (w world) glibcChunk(request float64) float64 {
	return max(roundUp(request+w.long, 16), 4*w.long)
}

func roundUp(v, unit float64) float64 { return math.Ceil(v/unit-1e-9) * unit }

// pyBlock returns what a request takes of CPython's obmalloc, with its share
// of the pool's header and remainder: blocks of multiples of 16 bytes on
// 64-bit builds and of 8 on others, in pools of 16 KiB (since 3.10 on 64-bit
// builds) or 4 KiB that start with a header of 48 or 32 bytes; more than 512
// bytes are left to malloc (Include/internal/pycore_obmalloc.h).
func (w world) pyBlock(request float64, pool float64) float64 {
	unit, header := 8.0, 32.0
	if w.word == 8 {
		unit, header = 16, 48
	}
	if request > 512 {
		return w.glibcChunk(request)
	}
	size := max(roundUp(request, unit), unit)
	return pool / math.Floor((pool-header)/size)
}

// goSizes are the size classes of Go's allocator and the pages of 8 KiB a span
// of each has; they are the same for all architectures
// (internal/runtime/gc/sizeclasses.go).
var goSizes = [...]struct{ size, pages float64 }{
	{8, 1}, {16, 1}, {24, 1}, {32, 1}, {48, 1}, {64, 1}, {80, 1}, {96, 1}, {112, 1}, {128, 1}, {144, 1}, {160, 1},
	{176, 1}, {192, 1}, {208, 1}, {224, 1}, {240, 1}, {256, 1}, {288, 1}, {320, 1}, {352, 1}, {384, 1}, {416, 1},
	{448, 1}, {480, 1}, {512, 1}, {576, 1}, {640, 1}, {704, 1}, {768, 1}, {896, 1}, {1024, 1}, {1152, 1}, {1280, 1},
	{1408, 2}, {1536, 1}, {1792, 2}, {2048, 1}, {2304, 2}, {2688, 1}, {3072, 3}, {3200, 2}, {3456, 3}, {4096, 1},
	{4864, 3}, {5376, 2}, {6144, 3}, {6528, 4}, {6784, 5}, {6912, 6}, {8192, 1}, {9472, 7}, {9728, 6}, {10240, 5},
	{10880, 4}, {12288, 3}, {13568, 5}, {14336, 7}, {16384, 2}, {18432, 9}, {19072, 7}, {20480, 5}, {21760, 8},
	{24576, 3}, {27264, 10}, {28672, 7}, {32768, 4},
}

const goPage = 8192

// goBlock returns what a request takes of Go's heap, with its share of the
// span's remainder. Large objects with pointers have a header of 8 bytes; large
// is above as many bytes as a word has bits, times the word's size
// (runtime/mbitmap.go, internal/runtime/gc: MinSizeForMallocHeader).
func (w world) goBlock(request float64, pointers bool, marks float64) float64 {
	if pointers && request > w.word*w.word*8 {
		request += 8
	}
	for _, c := range goSizes {
		if c.size >= request-1e-9 {
			return w.goSpanShare(c.size, pointers, marks)
		}
	}
	return roundUp(request, goPage)
}

// goSpanShare returns an object's share of its span. A span of small objects
// with pointers ends in a bitmap with a bit for each word, and perhaps in the
// collector's marks.
func (w world) goSpanShare(size float64, pointers bool, marks float64) float64 {
	for _, c := range goSizes {
		if c.size == size {
			span := c.pages * goPage
			room := span
			if pointers && size <= w.word*w.word*8 {
				room -= span / w.word / 8
				if size >= 16 {
					room -= marks
				}
			}
			return span / math.Floor(room/size)
		}
	}
	return size
}

// jeBlock returns the size class of jemalloc for a request: 8, then multiples
// of 16 up to 128, then four classes to a doubling (the quantum is 16 on i386
// as on x86-64: include/jemalloc/internal/quantum.h).
func (w world) jeBlock(request float64) float64 {
	switch {
	case request <= 8:
		return 8
	case request <= 128:
		return roundUp(request, 16)
	}
	unit := 32.0
	for top := 256.0; request > top; top *= 2 {
		unit *= 2
	}
	return roundUp(request, unit)
}
