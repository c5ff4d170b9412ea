package procstat

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

const statTail = " S 7 8 9 0 -1 4194304 100 0 2 0 150 50 0 0 20 -5 3 0 123456 8192000 100 18446744073709551615 4194304 4202496 140722222222222 0 0\n"

func TestParseStat(t *testing.T) {
	for _, tc := range []struct{ name, comm string }{
		{"plain", "bash"}, {"empty", ""}, {"parentheses", ") (R 1 (x"}, {"closing", "a) S 1 1 1"},
		{"newline", "new\nline"}, {"escape", "\x1b]0;x\x07"}, {"spaces", "  "}, {"bad UTF-8", "\xff\xfe"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var s Sample
			comm, err := parseStat([]byte("4242 ("+tc.comm+")"+statTail), &s)
			if err != nil {
				t.Fatal(err)
			}
			if string(comm) != tc.comm || s.PID != 4242 || s.State != 'S' || s.PPID != 7 || s.PGRP != 8 || s.Session != 9 {
				t.Errorf("comm %q, sample %+v", comm, s)
			}
			want := Counters{User: 1500 * time.Millisecond, System: 500 * time.Millisecond, MinorFaults: 100, MajorFaults: 2}
			if s.Counters != want || s.Nice != -5 || s.Threads != 3 || s.Start != 123456 || s.Kernel {
				t.Errorf("sample %+v", s)
			}
		})
	}
}

func TestParseStatImage(t *testing.T) {
	parse := func(comm, tail string) uint64 {
		var s Sample
		if _, err := parseStat([]byte("1 ("+comm+")"+tail), &s); err != nil {
			t.Fatal(err)
		}
		return s.Image
	}
	moved := strings.Replace(statTail, "140722222222222", "140711111111111", 1)
	busy := strings.Replace(statTail, " 150 50 ", " 950 70 ", 1)
	if parse("a", statTail) == parse("a", moved) || parse("a", statTail) == parse("b", statTail) {
		t.Error("an exec leaves Image as it was")
	}
	if parse("a", statTail) != parse("a", busy) {
		t.Error("Image changes without an exec")
	}
}

func TestParseStatErrors(t *testing.T) {
	for _, in := range []string{
		"", "1", "1 (a)", "1 (a) ", "1 (a) S", "1 (a) S 1 2", "(a) S" + statTail, "x (a)" + statTail,
		"99999999999 (a)" + statTail, "1 (a) S 1 2 3 4 5 x 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21\n", ")(",
	} {
		var s Sample
		if _, err := parseStat([]byte(in), &s); !errors.Is(err, ErrFormat) {
			t.Errorf("parseStat(%q) = %v, want ErrFormat", in, err)
		}
	}
}

// A 47 TB address space (ASAN) and more than 4 GiB must be right on builds
// whose int is 32 bits wide too.
func TestParseStatm(t *testing.T) {
	var s Sample
	if err := parseStatm([]byte("12616466432 262144 1000 1 0 50 0\n"), 4096, &s); err != nil {
		t.Fatal(err)
	}
	if s.Virtual != 51677046505472 || s.Resident != 1<<30 || s.Shared != 4096000 {
		t.Errorf("%d %d %d", s.Virtual, s.Resident, s.Shared)
	}
	for _, in := range []string{"", "1 2", "a b c"} {
		if err := parseStatm([]byte(in), 4096, &s); !errors.Is(err, ErrFormat) {
			t.Errorf("parseStatm(%q) = %v", in, err)
		}
	}
}

func TestParseInts(t *testing.T) {
	var f [4]int64
	n := parseInts([]byte(" -1 18446744073709551615 9223372036854775807  5"), f[:])
	if n != 4 || f != [4]int64{-1, 1<<63 - 1, 1<<63 - 1, 5} {
		t.Errorf("%d %v", n, f)
	}
}

func TestParseUptime(t *testing.T) {
	if d, err := parseUptime([]byte("5000.25 9000.00\n")); err != nil || d != 5000*time.Second+250*time.Millisecond {
		t.Errorf("%v %v", d, err)
	}
	if _, err := parseUptime([]byte("x")); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

func TestParseStatus(t *testing.T) {
	var st Status
	in := "Name:\t\x1b[31mVmHWM: 5 kB\\n\nVmHWM:\t    1696 kB\nVmSwap:\t       0 kB\nThreads:\t1\n"
	if err := parseStatus([]byte(in), &st); err != nil {
		t.Fatal(err)
	}
	if st.Peak != result.Some(int64(1696*1024)) || st.Swap != result.Some(int64(0)) || st.Anon.Known {
		t.Errorf("%+v", st)
	}
	if err := parseStatus([]byte("VmHWM:\t x kB\n"), &st); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "VmHWM") {
		t.Error(err)
	}
}

func TestParseCgroup(t *testing.T) {
	for in, want := range map[string]string{
		"0::/system.slice/x.service\n": "/system.slice/x.service",
		"0::/\n":                       "/",
		"12:pids:/a\n4:cpu,memory:/docker/abc:def\n0::/b\n":   "/docker/abc:def",
		"3:cpuset:/\n1:name=systemd:/user\n0::/user.slice\n":  "/user.slice",
		"5:memory:/../outside\n":                              "/../outside",
		"2:memoryless:/no\n0::/line with spaces and: colon\n": "/line with spaces and: colon",
	} {
		if got, err := parseCgroup([]byte(in)); err != nil || got != want {
			t.Errorf("parseCgroup(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := parseCgroup([]byte("3:cpuset:/\n")); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

func TestParseELF(t *testing.T) {
	header := func(class, data byte, machine uint16) []byte {
		b := make([]byte, elfHeaderSize)
		copy(b, "\x7fELF")
		b[4], b[5] = class, data
		if data == 2 {
			b[18], b[19] = byte(machine>>8), byte(machine)
		} else {
			b[18], b[19] = byte(machine), byte(machine>>8)
		}
		return b
	}
	for _, tc := range []struct {
		in   []byte
		want string
	}{
		{header(1, 1, 3), "32 i386"}, {header(2, 1, 62), "64 x86-64"}, {header(1, 1, 62), "32 x32"},
		{header(1, 1, 40), "32 arm"}, {header(2, 1, 183), "64 arm64"}, {header(2, 1, 243), "64 riscv"},
		{header(1, 2, 8), "32 mips"}, {header(1, 1, 8), "32 mipsel"}, {header(2, 1, 21), "64 ppc64le"},
		{header(2, 2, 22), "64 s390x"}, {header(2, 1, 9999), "64 machine 9999"},
	} {
		if a, err := parseELF(tc.in); err != nil || a.String() != tc.want {
			t.Errorf("got %q, %v; want %q", a, err, tc.want)
		}
	}
	for _, in := range []string{"", "#!/bin/sh\necho 12345678", "\x7fELF\x09xxxxxxxxxxxxxxxxxxx"} {
		if _, err := parseELF([]byte(in)); !errors.Is(err, ErrFormat) {
			t.Errorf("parseELF(%q): %v", in, err)
		}
	}
}

func TestParseMappings(t *testing.T) {
	b, err := os.ReadFile("testdata/smaps/pid")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseMappings(b)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, "|"); got != "/usr/bin/my prog|heap|anonymous|stack|kernel (vdso, vvar)" {
		t.Fatal(got)
	}
	if m := all[0]; m.Count != 2 || m.Size != 16384 || m.RSS != 16384 || m.PSS != 12288 || m.USS() != 8192 {
		t.Errorf("%+v", m)
	}
	if m := all[2]; m.Count != 2 || m.PSS != 80*1024 {
		t.Errorf("%+v", m)
	}
	var sum Smaps
	if err := parseSmaps(b, &sum); err != nil {
		t.Fatal(err)
	}
	if sum.PSS != (4+8+100+64+16+24)*1024 || sum.Swap != 12*1024 || !sum.SwapPSS.Known {
		t.Errorf("%+v", sum)
	}
}

func TestDoubtful(t *testing.T) {
	for _, tc := range []struct {
		pss, private int64
		want         bool
	}{{100 << 10, 100 << 10, false}, {98 << 10, 100 << 10, false}, {60 << 20, 72 << 20, true}} {
		m := Smaps{PSS: tc.pss, PrivateDirty: tc.private}
		if m.Doubtful() != tc.want {
			t.Errorf("PSS %d private %d: %v", tc.pss, tc.private, m.Doubtful())
		}
	}
}
