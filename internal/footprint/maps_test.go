package footprint

import (
	"strings"
	"testing"
)

const smapsSample = `00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/prog with blank
Size:                328 kB
Rss:                 300 kB
Pss:                 150 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me dw sd
00652000-00655000 rw-p 00052000 08:02 173521      /usr/bin/prog with blank
Rss:                  12 kB
Pss:                  12 kB
Anonymous:             8 kB
VmFlags: rd wr mr mw me ac sd
00655000-00660000 rw-p 00000000 00:00 0
Rss:                  16 kB
Anonymous:            16 kB
01b6b000-01b8c000 rw-p 00000000 00:00 0           [heap]
Rss:                   4 kB
Anonymous:             4 kB
VmFlags: rd wr mr mw me ac dd sd
7f0000000000-7f0000001000 rw-s 00000000 00:01 2   /memfd:x (deleted)
Rss:                   4 kB
Anonymous:             0 kB
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
`

func TestParseSmaps(t *testing.T) {
	maps, err := parseSmaps([]byte(smapsSample))
	if err != nil || len(maps) != 6 {
		t.Fatalf("%d mappings, %v", len(maps), err)
	}
	wantKinds := []kind{kindFile, kindData, kindBss, kindHeap, kindShared, kindKernel}
	for i := range maps {
		var prev *vma
		if i > 0 {
			prev = &maps[i-1]
		}
		if k := kindOf(&maps[i], prev); k != wantKinds[i] {
			t.Errorf("mapping %d is of kind %d, want %d", i, k, wantKinds[i])
		}
	}
	if m := maps[0]; m.name != "/usr/bin/prog with blank" || m.rss != 300<<10 || m.pss != 150<<10 || m.size() != 0x52000 || !m.exec() || m.writable() {
		t.Errorf("first mapping: %+v", m)
	}
	if why := maps[3].forbidden(); !strings.Contains(why, "dd") {
		t.Errorf("the heap is marked dd, but forbidden says %q", why)
	}
	if maps[1].forbidden() != "" || maps[5].forbidden() == "" {
		t.Error("data may be read, vsyscall not")
	}
}

func TestParseSmapsErrors(t *testing.T) {
	if _, err := parseSmaps([]byte("00400000-00452000 r-xp 00000000 08:02 1 /x\nRss: many kB\n")); err == nil || !strings.Contains(err.Error(), "Rss") {
		t.Errorf("error %v does not name the field", err)
	}
	for _, line := range []string{"", "x", "zz-10 rw-p 0 0 0", "20-10 rw-p 0 0:0 0", "10-20 rw 0 0:0 0", "Rss: 4 kB"} {
		if _, ok := parseMapLine([]byte(line)); ok {
			t.Errorf("%q is taken for a mapping", line)
		}
	}
}

func FuzzParseSmaps(f *testing.F) {
	f.Add([]byte(smapsSample))
	f.Add([]byte("0-ffffffffffffffff rwxp 0 0:0 0\nRss: 1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		maps, _ := parseSmaps(b)
		for i := range maps {
			if maps[i].end < maps[i].start || len(maps[i].perms) != 4 {
				t.Errorf("%+v", maps[i])
			}
			_ = kindOf(&maps[i], nil)
			_ = maps[i].forbidden()
		}
	})
}

func TestPrivatePage(t *testing.T) {
	for _, tc := range []struct {
		entry uint64
		want  bool
	}{
		{0, false}, {pagePresent, true}, {pageSwapped, false}, {pagePresent | pageFile, false}, {pagePresent | 1<<56, true}, {pagePresent | 12345, true},
	} {
		if privatePage(tc.entry) != tc.want {
			t.Errorf("%#x: %v", tc.entry, !tc.want)
		}
	}
}

func TestSpace(t *testing.T) {
	s := newSpace([]vma{{start: 0x1000, end: 0x3000}, {start: 0x3000, end: 0x4000}, {start: 0x7f0000000000, end: 0x7f0000002000}, {start: 0xffffffffff600000, end: 0xffffffffff601000, name: "[vsyscall]"}})
	for a, want := range map[uint64]bool{
		0xfff: false, 0x1000: true, 0x2fff: true, 0x3fff: true, 0x4000: false, 0x7effffffffff: false, 0x7f0000001fff: true, 0x7f0000002000: false, 0xffffffffff600000: false, 0: false,
	} {
		for range 2 { // with the last hit kept and without
			if s.mapped(a) != want {
				t.Errorf("%#x: %v", a, !want)
			}
		}
	}
}
