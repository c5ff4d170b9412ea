package membench

import (
	"errors"
	"strings"
	"testing"
	"time"

	"wordsize/internal/membench/kernel"
)

func mustKernel(t *testing.T, spec string) kernel.Variant {
	t.Helper()
	v, err := kernel.Select(spec)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// refuses wants an *ArgError that names the argument and the value.
func refuses(t *testing.T, err error, name, value string) {
	t.Helper()
	var ae *ArgError
	if !errors.As(err, &ae) || ae.Name != name || ae.Value != value || ae.Want == "" {
		t.Errorf("%s %q: error %v, want an *ArgError that names both and what would be right", name, value, err)
	}
}

func TestParseProcesses(t *testing.T) {
	if n, err := ParseProcesses("40"); n != 40 || err != nil {
		t.Errorf("40: %d, %v", n, err)
	}
	for _, s := range []string{"", "0", "-1", "1.5", "abc", "10001", "99999999999999999999", "0x4", "4 "} {
		_, err := ParseProcesses(s)
		refuses(t, err, "N", s)
	}
}

func TestCrowdIsRefused(t *testing.T) {
	for n, cpus := range map[int]int{128: 2, 40: 1, 10000: 0} {
		if err := checkCrowd(n, cpus); err != nil {
			t.Errorf("%d on %d CPUs: %v", n, cpus, err)
		}
	}
	refuses(t, checkCrowd(129, 2), "N", "129")
}

func TestOpenFileLimit(t *testing.T) {
	for n, limit := range map[int]uint64{56: 256, 10000: 0, 100: 1 << 63} {
		if err := checkDescriptors(n, limit); err != nil {
			t.Errorf("%d workers, %d files: %v", n, limit, err)
		}
	}
	refuses(t, checkDescriptors(57, 256), "N", "57")
	refuses(t, checkDescriptors(1, 10), "N", "1")
}

func TestParseMinTime(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0": 0, "10": 10 * time.Second, "0.25": 250 * time.Millisecond, "10s": 10 * time.Second, "2m": 2 * time.Minute, "1e1": 10 * time.Second, "1m30s": 90 * time.Second,
	} {
		if d, err := ParseMinTime(s); d != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", s, d, err, want)
		}
	}
	for _, s := range []string{"", "-1", "-1s", "NaN", "Inf", "-Inf", "1e300", "abc", "10 s", "0x10", "1_0", "9000h"} {
		_, err := ParseMinTime(s)
		refuses(t, err, "T", s)
	}
}

func TestParseChunk(t *testing.T) {
	for s, want := range map[string]int64{
		"1500": 1500 << 20, "1500M": 1500 << 20, "1500MiB": 1500 << 20, "2G": 2 << 30, "2GiB": 2 << 30, "1.5g": 1536 << 20,
		"2047": 2047 << 20, "2048": 2048 << 20, "3000": 3000 << 20, "4096": 4096 << 20, "64K": 64 << 10, "1T": 1 << 40, "0.5": 512 << 10,
	} {
		if n, err := ParseChunk(s); n != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", s, n, err, want)
		}
	}
	for _, s := range []string{"", "0", "-5", "abc", "5X", "1.1.1", "1e3", "0.0001", "5000000000000", "99999999999999999999999T", "M", ".", "1500MB", "2GB", "NaN", "0x10"} {
		_, err := ParseChunk(s)
		refuses(t, err, "MB", s)
	}
	if _, err := ParseChunk("2GB"); err == nil || !strings.Contains(err.Error(), "G or GiB") {
		t.Errorf("2GB: %v, want advice to write G or GiB", err)
	}
}

func TestParsePin(t *testing.T) {
	allowed := []int{0, 2, 3, 5}
	if p, err := ParsePin("3,0", allowed); err != nil || p.Mode != PinList || p.String() != "3,0" {
		t.Errorf("3,0: %v, %v", p, err)
	}
	if p, err := ParsePin("5,2-3,5", allowed); err != nil || p.String() != "5,2,3,5" {
		t.Errorf("5,2-3,5: %v, %v", p, err)
	}
	for _, s := range []string{"auto", "none"} {
		if p, err := ParsePin(s, allowed); err != nil || p.String() != s {
			t.Errorf("%s: %v, %v", s, p, err)
		}
	}
	for _, s := range []string{"99", "1", "0-3", "x", "", "-1", "0-999999999"} {
		_, err := ParsePin(s, allowed)
		refuses(t, err, "--pin", s)
	}
}

func TestParsePagesAndSeed(t *testing.T) {
	for _, s := range []string{"default", "4k", "thp", "hugetlb"} {
		if p, err := ParsePages(s); err != nil || string(p) != s {
			t.Errorf("%s: %v, %v", s, p, err)
		}
	}
	_, err := ParsePages("2M")
	refuses(t, err, "--pages", "2M")
	if v, err := ParseSeed("0xffffffff"); v != 0xffffffff || err != nil {
		t.Errorf("seed: %#x, %v", v, err)
	}
	_, err = ParseSeed("0x100000000")
	refuses(t, err, "--seed-pattern", "0x100000000")
}

func TestPatternsDiffer(t *testing.T) {
	seen := make(map[uint32]string)
	for worker := range 50 {
		for pass := range int64(2000) {
			p := pattern(DefaultSeed, worker, pass)
			if p == 0 {
				t.Fatalf("worker %d, pass %d: the pattern is 0, as untouched memory is", worker, pass)
			}
			seen[p] = ""
		}
	}
	// Workers' counters may meet, far apart; within a worker none repeats.
	if len(seen) < 50*2000*99/100 {
		t.Errorf("%d patterns for %d passes", len(seen), 50*2000)
	}
	for pass := range int64(100_000) {
		if pattern(1, 0, pass) == pattern(1, 0, pass+1) {
			t.Fatalf("passes %d and %d have the same pattern", pass, pass+1)
		}
	}
}

func TestStampsThinOut(t *testing.T) {
	s := newStamps()
	const passes = 5*maxStamps + 3
	for i := int64(1); i <= passes; i++ {
		s.add(i * 10)
	}
	if s.passes != passes || len(s.ns) > maxStamps || cap(s.ns) != maxStamps {
		t.Fatalf("%d passes, %d of %d kept", s.passes, len(s.ns), cap(s.ns))
	}
	for i, ns := range s.ns {
		if want := int64(i+1) * s.stride * 10; ns != want {
			t.Fatalf("entry %d with stride %d is %d, want %d", i, s.stride, ns, want)
		}
	}
	if kept := int64(len(s.ns)) * s.stride; passes-kept >= s.stride {
		t.Errorf("the last entry is of pass %d of %d, stride %d", kept, passes, s.stride)
	}
}
