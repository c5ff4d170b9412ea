package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// others returns every variant, of the kernels that do more than write, that
// can run here.
func others() []Variant { return usable(func(k Kernel) bool { return k.op != opFill }) }

// plain returns the plain Go loop for an op.
func plain(k Kernel) Variant {
	t := Tier{Name: "go"}
	switch k.op {
	case opSum:
		t.sum = sumGo
	case opRMW:
		t.fill = rmwGo
	default:
		t.stream = map[op]streamFunc{opCopy: copyGo, opScale: scaleGo, opAdd: addGo, opTriad: triadGo}[k.op]
	}
	return Variant{k, t}
}

// arena is memory for all arrays, n bytes each at an alignment apart from any
// page, with canaries around each.
type arena [MaxArrays][]byte

const margin = 4 * Align

func newArena(n int) *arena {
	var a arena
	for i := range a {
		a[i] = aligned(margin + n + margin)
	}
	return &a
}

// fill puts random finite doubles everywhere.
func (a *arena) fill(r *rand.Rand) {
	for i := range a {
		for w := range unsafe.Slice((*float64)(unsafe.Pointer(&a[i][0])), len(a[i])/8) {
			*(*float64)(unsafe.Pointer(&a[i][8*w])) = (r.Float64() - 0.5) * math.Exp2(float64(r.IntN(60)-30))
		}
	}
}

func (a *arena) operands(k Kernel, n int, shift int, pattern uint32) Operands {
	o := Operands{N: uintptr(n), Pattern: pattern}
	for i := range k.Arrays() {
		o.P[i] = unsafe.Pointer(&a[i][margin-shift*Align])
	}
	return o
}

// checkRun runs a variant and the plain Go loop over the same memory: sums
// and every byte, those around the arrays too, must be the same after.
func checkRun(t *testing.T, v Variant, n, shift int, seed uint64, pattern uint32) {
	t.Helper()
	got, want := newArena(n), newArena(n)
	got.fill(rand.New(rand.NewPCG(seed, 1)))
	for i := range want {
		copy(want[i], got[i])
	}
	og, ow := got.operands(v.Kernel, n, shift, pattern), want.operands(v.Kernel, n, shift, pattern)
	sg, sw := v.Run(&og), plain(v.Kernel).Run(&ow)
	if sg != sw {
		t.Fatalf("%v: n = %d: sum %#x, want %#x", v, n, sg, sw)
	}
	for i := range got {
		for j := range got[i] {
			if got[i][j] != want[i][j] {
				t.Fatalf("%v: n = %d: byte %d of array %d is %#x, want %#x", v, n, j-margin+shift*Align, i, got[i][j], want[i][j])
			}
		}
	}
}

// The cut-offs lie at 64, 128 and 256 bytes.
func TestRunEveryLength(t *testing.T) {
	for _, v := range others() {
		t.Run(v.String(), func(t *testing.T) {
			for n := 0; n <= 1200; n += 8 {
				checkRun(t, v, n, n/8%4, uint64(n), uint32(n)*0x01234567)
			}
		})
	}
}

func TestRunLarge(t *testing.T) {
	for _, v := range others() {
		for _, n := range []int{4096, 65536 - 8, 1<<20 + 64} {
			checkRun(t, v, n, 1, 7, 0xdeadbeef)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add(uint16(0), uint64(0), uint32(0))
	f.Add(uint16(31), uint64(1), uint32(1))
	f.Add(uint16(1025), uint64(2), uint32(0xffffffff))
	f.Fuzz(func(t *testing.T, words uint16, seed uint64, pattern uint32) {
		for _, v := range others() {
			checkRun(t, v, int(words%4096)*8, int(seed%4), seed, pattern)
		}
	})
}

func TestRunRefusesBrokenContract(t *testing.T) {
	buf := aligned(1024)
	p := unsafe.Pointer(&buf[0])
	for _, v := range others() {
		last := v.Kernel.Arrays() - 1
		for name, spoil := range map[string]func(o *Operands){
			"misaligned": func(o *Operands) { o.P[last] = unsafe.Add(p, 8) },
			"missing":    func(o *Operands) { o.P[last] = nil },
			"odd length": func(o *Operands) { o.N = 12 },
			"too long":   func(o *Operands) { o.N = MaxCall + 8 },
		} {
			o := Operands{P: [MaxArrays]unsafe.Pointer{p, p, p}, N: 64}
			spoil(&o)
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v: %s: Run did not panic", v, name)
					}
				}()
				v.Run(&o)
			}()
		}
	}
}

// After must tell what Run leaves, pass after pass, and SumOf what it returns.
func TestAfterTellsWhatRunLeaves(t *testing.T) {
	const n = 1000 &^ 7
	for _, v := range append(others(), variants()...) {
		k := v.Kernel
		var o Operands
		var held Words
		o.N = n
		for a := range k.Arrays() {
			buf := aligned(n)
			o.P[a] = unsafe.Pointer(&buf[0])
			word := k.First(a, 0xabcdef01)
			fillGo(o.P[a], n, word)
			held[a] = Twice(word)
			if f := math.Float64frombits(held[a]); k.op.floating() && !(f >= 1 && f < 2) {
				t.Errorf("%v: array %d begins with %g, want 1 to 2", v, a, f)
			}
		}
		for pass := uint32(1); pass <= 5; pass++ {
			o.Pattern = pass * 0x9e3779b9
			before := held
			held = k.After(held, o.Pattern)
			if sum := v.Run(&o); k.Sums() && sum != SumOf(held[0], n) {
				t.Errorf("%v: sum %#x, want %#x", v, sum, SumOf(held[0], n))
			}
			for a := range k.Arrays() {
				if d, ok := CheckWords(o.P[a], n, held[a]); !ok {
					t.Fatalf("%v, pass %d, array %d: %+v, want %#x", v, pass, a, d, held[a])
				}
			}
			// Passes that differ leave what differs, where STREAM's sources allow it.
			if same := before == held; same && pass > 1 && (k.op == opRMW || k.op == opScale || k.op == opTriad) {
				t.Errorf("%v: pass %d changed nothing", v, pass)
			}
		}
	}
}

// One changed byte, wherever and whatever, changes the sum.
func TestSumFindsEveryByte(t *testing.T) {
	const n = 600
	buf := aligned(n)
	for _, v := range others() {
		if !v.Kernel.Sums() {
			continue
		}
		fillGo(unsafe.Pointer(&buf[0]), n, 0x80ff7f01)
		o := Operands{P: [MaxArrays]unsafe.Pointer{unsafe.Pointer(&buf[0])}, N: n}
		want := SumOf(Twice(0x80ff7f01), n)
		for i := range buf {
			for _, bit := range []byte{1, 0x80, 0xff} {
				buf[i] ^= bit
				if v.Run(&o) == want {
					t.Errorf("%v: byte %d xor %#x goes unnoticed", v, i, bit)
				}
				buf[i] ^= bit
			}
		}
	}
}

func TestCheckWordsTellsTheHalf(t *testing.T) {
	const n, want = 200, 0x3ff8000012345678
	buf := aligned(n)
	p := unsafe.Pointer(&buf[0])
	words := unsafe.Slice((*uint64)(p), n/8)
	for i := range words {
		words[i] = want
	}
	if d, ok := CheckWords(p, n, want); !ok {
		t.Fatalf("clean memory is said to differ: %+v", d)
	}
	ints := unsafe.Slice((*uint32)(p), n/4)
	for i := range ints {
		right := ints[i]
		ints[i] ^= 1 << (i % 32)
		if d, ok := CheckWords(p, n, want); ok || d != (Difference{uintptr(4 * i), right, ints[i]}) {
			t.Errorf("half %d: %+v, %v", i, d, ok)
		}
		ints[i] = right
	}
}

func TestBytesAreCountedAsSTREAMDoes(t *testing.T) {
	for name, want := range map[string]struct {
		arrays int
		memory int64 // an array of 96 KiB in all
		moved  int64 // for 1000 bytes an array
		bus    int64 // of the plain Go tier
		known  bool
	}{
		"write": {1, 96 << 10, 1000, 2000, true}, "read": {1, 96 << 10, 1000, 1000, true}, "rmw": {1, 96 << 10, 2000, 2000, true},
		"copy": {2, 48 << 10, 2000, 3000, true}, "scale": {2, 48 << 10, 2000, 3000, true}, "memmove": {2, 48 << 10, 2000, 0, false},
		"add": {3, 32 << 10, 3000, 4000, true}, "triad": {3, 32 << 10, 3000, 4000, true},
	} {
		v, err := Select(name + "/go")
		if err != nil {
			t.Fatal(err)
		}
		k := v.Kernel
		if k.Arrays() != want.arrays || k.ArrayBytes(96<<10) != want.memory || k.BytesMoved(1000) != want.moved {
			t.Errorf("%s: %d arrays of %d bytes, %d moved; want %+v", name, k.Arrays(), k.ArrayBytes(96<<10), k.BytesMoved(1000), want)
		}
		if bus, ok := v.BusBytes(1000); ok != want.known || ok && bus != want.bus {
			t.Errorf("%s: %d bytes on the bus, %v; want %d, %v", name, bus, ok, want.bus, want.known)
		}
	}
	triad, _ := Select("triad")
	if got := triad.Kernel.ArrayBytes(100 << 10); got != 32<<10 {
		t.Errorf("a third of 100 KiB is %d, want whole pages", got)
	}
}
