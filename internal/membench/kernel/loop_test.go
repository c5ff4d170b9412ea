package kernel

import (
	"testing"
	"unsafe"
)

func TestLoop(t *testing.T) {
	const n = 4096 + 512
	buf := make([]uint64, n/8+Align/8)
	p := unsafe.Pointer(&buf[0])
	p = unsafe.Add(p, -uintptr(p)%Align)
	words := unsafe.Slice((*uint64)(p), n/8)
	for _, k := range Table() {
		best, ok := k.Best()
		if !ok {
			continue
		}
		v := Variant{k, best}
		o := Operands{N: n, Pattern: 77}
		o.P[0] = p
		if !k.Repeats() {
			if k.Arrays() == 1 && k.Name != "rmw" {
				t.Errorf("%s does not repeat", k.Name)
			}
			continue
		}
		for i := range words {
			words[i] = Twice(5)
		}
		sum := v.Loop(&o, 3)
		v.Fence()
		want, held := uint64(0), Twice(5)
		if k.Sums() {
			want = 3 * SumOf(Twice(5), n)
		} else {
			held = k.After(Words{}, 77)[0]
		}
		if sum != want {
			t.Errorf("%s: sum %#x, want %#x", v, sum, want)
		}
		for i, w := range words {
			if w != held {
				t.Fatalf("%s: word %d is %#x, want %#x", v, i, w, held)
			}
		}
		o.N = 0 // what a call costs by itself is measured so
		v.Loop(&o, 1000)
	}
}

func TestLoopIsBounded(t *testing.T) {
	read, err := Select("read")
	if err != nil {
		t.Fatal(err)
	}
	rmw, err := Select("rmw")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(){
		func() { read.Loop(&Operands{N: MaxCall}, 2) },
		func() { read.Loop(&Operands{N: 4096}, 0) },
		func() { rmw.Loop(&Operands{N: 4096}, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a wrong call went unnoticed")
				}
			}()
			f()
		}()
	}
}
