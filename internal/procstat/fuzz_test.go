package procstat

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// seeds adds the files of that name from the captured trees, and texts.
func seeds(f *testing.F, file string, texts ...string) {
	f.Helper()
	names, err := filepath.Glob("testdata/*/*/" + file)
	if err != nil {
		f.Fatal(err)
	}
	more, err := filepath.Glob("testdata/*/" + file)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(names, more...) {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, s := range texts {
		f.Add([]byte(s))
	}
}

// namesField fails unless err says which file and field it is about, in a
// line that is not too long for a terminal.
func namesField(t *testing.T, err error, file string) {
	t.Helper()
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), file+": ") || len(err.Error()) > 500 {
		t.Errorf("unclear error: %v", err)
	}
}

func FuzzStat(f *testing.F) {
	seeds(f, "stat", "1 (a)"+statTail, "1 (a) b) (c)"+statTail, "1 (a\n1 (b)"+statTail, "1 () S", "4294967296 (a) S")
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Sample
		comm, err := parseStat(b, &s)
		if err != nil {
			namesField(t, err, "stat")
			return
		}
		if !strings.Contains(string(b), "("+string(comm)+")") {
			t.Errorf("comm %q is not in %q", comm, b)
		}
		if s.PID < 0 || s.Have&HasStat == 0 {
			t.Errorf("%q: %+v", b, s)
		}
	})
}

func FuzzStatm(f *testing.F) {
	seeds(f, "statm", "1 2 3 4 5 6 7", "9223372036854775807 1 1", "-1 0 0", "99999999999999999999 1 1")
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, page := range []int64{4096, 65536} {
			var s Sample
			if err := parseStatm(b, page, &s); err != nil {
				namesField(t, err, "statm")
			} else if s.Virtual < 0 || s.Resident < 0 || s.Shared < 0 || s.Resident%page != 0 {
				t.Errorf("%q: %+v", b, s)
			}
		}
	})
}

func FuzzStatus(f *testing.F) {
	seeds(f, "status", "VmHWM: 8 kB\n", "VmHWM: 9007199254740992 kB\n", "Name: VmHWM: 1 kB\n", "VmSwap:\n")
	f.Fuzz(func(t *testing.T, b []byte) {
		var st Status
		if err := parseStatus(b, &st); err != nil {
			namesField(t, err, "status")
			return
		}
		for _, key := range []string{"VmHWM", "VmPeak", "RssAnon", "RssFile", "RssShmem", "VmData", "VmStk", "VmLck", "VmPTE", "VmSwap", "HugetlbPages"} {
			v := st.field(key)
			if v.Known && (v.Value < 0 || v.Value%1024 != 0 || !strings.Contains(string(b), key)) {
				t.Errorf("%q: %s is %d", b, key, v.Value)
			}
		}
	})
}

func FuzzSmaps(f *testing.F) {
	seeds(f, "smaps_rollup", "Pss: 4 kB\n", strings.Repeat("Pss: 9007199254740991 kB\n", 3))
	seeds(f, "pid", "0-ffffffffffffffff rw-p 0 0 0\nPss: 1 kB\n")
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Smaps
		if err := parseSmaps(b, &m); err != nil {
			namesField(t, err, "smaps")
		} else if min(m.RSS, m.PSS, m.PrivateClean, m.PrivateDirty, m.Swap, m.SwapPSS.Value, m.Anonymous) < 0 {
			t.Errorf("%q: %+v", b, m)
		}
		all, err := parseMappings(b)
		if err != nil {
			namesField(t, err, "smaps")
			return
		}
		for _, mp := range all {
			if mp.Name == "" || mp.Count < 1 || mp.PSS < 0 {
				t.Errorf("%q: %+v", b, mp)
			}
		}
	})
}

func FuzzCgroup(f *testing.F) {
	seeds(f, "cgroup", "0::/x\n", "4:memory:/a:b\n0::/\n", "3:cpu,memory:/y\n", "")
	f.Fuzz(func(t *testing.T, b []byte) {
		path, err := parseCgroup(b)
		if err != nil {
			namesField(t, err, "cgroup")
		} else if !strings.Contains(string(b), ":"+path) {
			t.Errorf("%q is not in %q", path, b)
		}
	})
}

func FuzzELF(f *testing.F) {
	seeds(f, "exe", "\x7fELF\x01\x01"+strings.Repeat("\x00", 12)+"\x03\x00", "\x7fELF\x02\x02")
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseELF(b)
		if err != nil {
			namesField(t, err, "exe")
		} else if a.Bits != 32 && a.Bits != 64 || a.Machine == "" {
			t.Errorf("%q: %+v", b, a)
		}
	})
}

func FuzzUptime(f *testing.F) {
	seeds(f, "uptime", "12.34 5.6\n", "4294967297.00 1", "1", ".5", "18446744073709551615.99")
	f.Fuzz(func(t *testing.T, b []byte) {
		up, err := parseUptime(b)
		if err != nil {
			namesField(t, err, "uptime")
		} else if up < 0 || up > 1<<32*time.Second+time.Second {
			t.Errorf("%q: %v", b, up)
		}
	})
}
