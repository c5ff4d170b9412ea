package kernel

import (
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// variants returns every variant, of the kernels that only write, that can
// run here.
func variants() []Variant { return usable(func(k Kernel) bool { return k.op == opFill }) }

func usable(want func(Kernel) bool) []Variant {
	var all []Variant
	for _, k := range Table() {
		for _, t := range k.Tiers {
			if t.Unusable() == "" && want(k) {
				all = append(all, Variant{k, t})
			}
		}
	}
	return all
}

// aligned returns n bytes of memory at an aligned address.
func aligned(n int) []byte {
	b := make([]byte, n+Align)
	off := int(-uintptr(unsafe.Pointer(&b[0])) % Align)
	return b[off : off+n : off+n]
}

const canary = 0xA5

// checkFill fills [0, n) of buf, whose length is at least n, and compares it
// with what the plain Go loop leaves, the bytes behind it with the canary.
func checkFill(t *testing.T, v Variant, buf []byte, n int, pattern uint32) {
	t.Helper()
	for i := range buf {
		buf[i] = canary
	}
	v.Fill(unsafe.Pointer(&buf[0]), uintptr(n), pattern)
	want := v.Kernel.Stored(pattern)
	for i, got := range unsafe.Slice((*uint32)(unsafe.Pointer(&buf[0])), n/4) {
		if got != want {
			t.Fatalf("%v: n = %d: word %d holds %#x, want %#x", v, n, i, got, want)
		}
	}
	for i, b := range buf[n:] {
		if b != canary {
			t.Fatalf("%v: n = %d: byte %d behind the end was written", v, n, i)
		}
	}
}

// The cut-offs of the loops lie at 32, 64, 128 and 256 bytes; all lengths up
// to a few iterations go past each of them with every remainder.
func TestFillEveryLength(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.String(), func(t *testing.T) {
			buf := aligned(1500)
			for n := 0; n <= 1200; n += 4 {
				checkFill(t, v, buf, n, 0xdeadbeef)
			}
		})
	}
}

func TestFillLarge(t *testing.T) {
	buf := aligned(Block + 4096)
	for _, v := range variants() {
		for _, n := range []int{4096, 65536 - 4, 1<<20 + 64, Block} {
			checkFill(t, v, buf[:n+256], n, 0x01234567)
		}
	}
}

func FuzzFill(f *testing.F) {
	f.Add(uint16(0), uint32(0))
	f.Add(uint16(255), uint32(1))
	f.Add(uint16(4097), uint32(0xffffffff))
	buf := aligned(1<<16*4 + 256)
	f.Fuzz(func(t *testing.T, words uint16, pattern uint32) {
		n := int(words) * 4
		for _, v := range variants() {
			checkFill(t, v, buf[:n+256], n, pattern)
		}
	})
}

func TestFillRefusesBrokenContract(t *testing.T) {
	v, err := Select(Default)
	if err != nil {
		t.Fatal(err)
	}
	buf := aligned(256)
	p := unsafe.Pointer(&buf[0])
	for name, call := range map[string]func(){
		"misaligned": func() { v.Fill(unsafe.Add(p, 4), 64, 1) },
		"odd length": func() { v.Fill(p, 6, 1) },
		"too long":   func() { v.Fill(p, MaxCall+4, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("Fill did not panic")
				}
			}()
			call()
		})
	}
}

func TestCheckFindsEveryWord(t *testing.T) {
	for _, n := range []int{4, 32, 36, 64, 68, 256, 300} {
		buf := aligned(n)
		p := unsafe.Pointer(&buf[0])
		words := unsafe.Slice((*uint32)(p), n/4)
		const want = 0xcafef00d
		for i := range words {
			words[i] = want
		}
		if d, ok := CheckWords(p, uintptr(n), Twice(want)); !ok {
			t.Fatalf("n = %d: clean memory is said to differ: %+v", n, d)
		}
		for i := range words {
			words[i] = want ^ 1<<(i%32)
			d, ok := CheckWords(p, uintptr(n), Twice(want))
			if ok || d.Offset != uintptr(4*i) || d.Found != words[i] {
				t.Fatalf("n = %d, word %d wrong: CheckWords said %+v, %v", n, i, d, ok)
			}
			words[i] = want
		}
	}
}

func TestSelect(t *testing.T) {
	for _, name := range []string{"write", "write-int", "write-word", "zero", "generic", "read", "copy", "scale", "add", "triad", "rmw", "memmove"} {
		if v, err := Select(name); err != nil || v.Kernel.Name != name {
			t.Errorf("Select(%q) = %v, %v: every build has this kernel", name, v, err)
		}
		if v, err := Select(name + "/go"); err != nil || v.Tier.Name != "go" {
			t.Errorf("Select(%q) = %v, %v: every build has this tier", name+"/go", v, err)
		}
	}
	for spec, want := range map[string]string{
		"wrote":       "no such kernel; there are write, write-nt,",
		"write/mmx":   "no such tier; write has ",
		"":            "no such kernel",
		"write/":      "no such tier",
		"generic/go/": "no such tier",
	} {
		_, err := Select(spec)
		var se *SelectError
		if !errors.As(err, &se) || !strings.Contains(err.Error(), want) {
			t.Errorf("Select(%q): error %v, want a *SelectError with %q", spec, err, want)
		}
	}
}

func TestSelectRefusesUnusableTier(t *testing.T) {
	for _, k := range Table() {
		for _, tier := range k.Tiers {
			_, err := Select(k.Name + "/" + tier.Name)
			if (err == nil) != (tier.Unusable() == "") {
				t.Errorf("%s/%s: unusable %q, but Select says %v", k.Name, tier.Name, tier.Unusable(), err)
			}
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	for _, k := range Table() {
		if k.Name == "" || k.Doc == "" || len(k.Tiers) == 0 {
			t.Errorf("kernel %q lacks a name, a description or tiers", k.Name)
		}
		for _, tier := range k.Tiers {
			if tier.Name == "" || tier.Doc == "" || (tier.fill == nil && tier.sum == nil && tier.stream == nil && tier.unusable == "") {
				t.Errorf("%s/%s lacks a name, a description or a function", k.Name, tier.Name)
			}
		}
	}
}
