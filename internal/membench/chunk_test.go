package membench

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"wordsize/internal/membench/kernel"
)

// A chunk of several segments of plain memory.
func heapChunk(sizes ...int) *chunk {
	c := &chunk{}
	for _, n := range sizes {
		b := make([]byte, n+kernel.Align)
		p := unsafe.Pointer(&b[0])
		c.segments = append(c.segments, segment{unsafe.Add(p, -uintptr(p)%kernel.Align), uint64(n)})
		c.bytes += int64(n)
	}
	return c
}

func TestBlocksCoverEverySegmentOnce(t *testing.T) {
	c := heapChunk(kernel.Block+4096, 4096, 2*kernel.Block)
	l := c.divide(mustKernel(t, "generic").Kernel)
	var o kernel.Operands
	var next int64
	whole := l.blocks(&o, func(offset int64) bool {
		if offset != next || o.N == 0 || o.N > kernel.Block {
			t.Errorf("block at %d of %d bytes, want one at %d", offset, o.N, next)
		}
		next += int64(o.N)
		return true
	})
	if !whole || next != c.bytes {
		t.Errorf("%d of %d bytes visited", next, c.bytes)
	}
	if l.blocks(&o, func(int64) bool { return false }) {
		t.Error("a walk that was ended says it was whole")
	}
}

func TestCheckFindsOffsetAcrossSegments(t *testing.T) {
	c := heapChunk(kernel.Block, 8192)
	fill := mustKernel(t, "generic")
	l := c.divide(fill.Kernel)
	var o kernel.Operands
	l.blocks(&o, func(offset int64) bool {
		fill.Fill(o.P[0], o.N, uint32(1+offset/kernel.Block)) // 1 in the first block, 2 behind
		return true
	})
	after, before := kernel.Words{kernel.Twice(1)}, kernel.Words{kernel.Twice(2)}
	if bad := l.check(kernel.Block, after, before); bad != nil {
		t.Fatalf("clean chunk: %v", bad)
	}
	if bad := l.check(c.bytes, after, before); bad == nil || bad.Offset != kernel.Block || bad.Expected != 1 || bad.Found != 2 {
		t.Errorf("a cut pass taken for a whole one: %v", bad)
	}
	*(*uint32)(unsafe.Add(c.segments[1].base, 4000)) = 77
	if bad := l.check(kernel.Block, after, before); bad == nil || bad.Offset != kernel.Block+4000 || bad.Found != 77 {
		t.Errorf("spoilt word: %v, want offset %d, found 77", bad, kernel.Block+4000)
	}
}

// mapPieces must live with an address space that has no large hole, and must
// not count in ints: 3000 and 4096 MiB are more than one holds on 386.
func TestMapPieces(t *testing.T) {
	for _, mib := range []int64{1, 2047, 2048, 3000, 4096} {
		for _, largest := range []uint64{1 << 20, 700 << 20, 1 << 40} {
			var sizes []uint64
			c, err := mapPieces(mib<<20, func(size uint64) (unsafe.Pointer, error) {
				if size > largest {
					return nil, syscall.ENOMEM
				}
				sizes = append(sizes, size)
				return nil, nil
			}, func(segment) { t.Error("unmapped") })
			if err != nil {
				t.Fatalf("%d MiB in pieces up to %d: %v", mib, largest, err)
			}
			var sum uint64
			for i, s := range c.segments {
				sum += s.size
				if s.size != sizes[i] || s.size%4096 != 0 {
					t.Errorf("segment %d has %d bytes, mapped were %d", i, s.size, sizes[i])
				}
			}
			if sum != uint64(mib)<<20 || c.bytes != mib<<20 {
				t.Errorf("%d MiB: %d bytes in segments, %d in all", mib, sum, c.bytes)
			}
		}
	}
}

func TestMapPiecesGivesBackWhatItGot(t *testing.T) {
	const room = 1000 << 20
	var left, freed uint64 = room, 0
	_, err := mapPieces(3000<<20, func(size uint64) (unsafe.Pointer, error) {
		if size > left {
			return nil, syscall.ENOMEM
		}
		left -= size
		return nil, nil
	}, func(s segment) { freed += s.size })
	var me *MapError
	if !errors.As(err, &me) || !errors.Is(err, syscall.ENOMEM) || me.Bytes != 3000<<20 || me.Mapped < 990<<20 || me.Mapped > room {
		t.Errorf("error %v, want a *MapError that tells how much there was", err)
	}
	if freed != room-left {
		t.Errorf("%d bytes were mapped, %d unmapped", room-left, freed)
	}
	if err != nil && !strings.Contains(err.Error(), "3000 MiB") {
		t.Errorf("%q does not name the size", err)
	}
}

const smapsSample = `00400000-00a00000 r-xp 00000000 fe:00 1  /bin/x (deleted)
Rss:                2000 kB
AnonHugePages:         0 kB
7f0000000000-7f0010000000 rw-p 00000000 00:00 0
Size:             262144 kB
Rss:              262140 kB
Pss:              262140 kB
AnonHugePages:    131072 kB
Private_Hugetlb:       0 kB
VmFlags: rd wr mr mw me ac
7f0020000000-7f0020200000 rw-p 00000000 00:0e 0  /anon_hugepage (deleted)
Rss:                   0 kB
Private_Hugetlb:    2048 kB
`

func TestParseSmaps(t *testing.T) {
	got, err := parseSmaps(strings.NewReader(smapsSample), func(from, to uint64) bool { return from >= 0x7f0000000000 })
	if want := (resident{262140<<10 + 2048<<10, 131072<<10 + 2048<<10}); got != want || err != nil {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func FuzzParseSmaps(f *testing.F) {
	f.Add(smapsSample)
	f.Add("0-1 \nRss: 99999999999999999999 kB\nRss: -5 kB")
	f.Fuzz(func(t *testing.T, s string) {
		r, err := parseSmaps(strings.NewReader(s), func(_, _ uint64) bool { return true })
		if err == nil && len(s) < 4096 && (r.present < 0 || r.huge < 0) {
			t.Errorf("negative: %+v", r)
		}
	})
}
