//go:build unix

package kernel

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns n pages without access on either side.
func guarded(t *testing.T, n int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	m, err := unix.Mmap(-1, 0, (n+2)*page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(m) })
	inner := m[page : (n+1)*page]
	if err := unix.Mprotect(inner, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return inner
}

// guardedLengths are those up to some iterations of the longest loop, and
// those near a page, in steps of so many bytes.
func guardedLengths(page, step int) (all []int) {
	for n := step; n <= page; n += step {
		if n <= 1100 || n >= page-300 {
			all = append(all, n)
		}
	}
	return all
}

// TestFillGuardPages puts the memory between two pages without access: a
// store outside of it, before or behind, ends the test with a fault.
func TestFillGuardPages(t *testing.T) {
	m := guarded(t, 1)
	page := len(m)
	for _, v := range variants() {
		for _, n := range guardedLengths(page, 4) {
			// At the start of the page, then as near to its end as alignment allows.
			v.Fill(unsafe.Pointer(&m[0]), uintptr(n), 1)
			if off := (page - n) / Align * Align; off < page {
				v.Fill(unsafe.Pointer(&m[off]), uintptr(min(n, page-off)), 2)
			}
		}
	}
}

// TestRunGuardPages does the same with each array of the other kernels.
func TestRunGuardPages(t *testing.T) {
	var pages [MaxArrays][]byte
	for a := range pages {
		pages[a] = guarded(t, 1)
	}
	page := len(pages[0])
	for _, v := range others() {
		for _, n := range guardedLengths(page, 8) {
			for _, off := range []int{0, (page - n) / Align * Align} {
				o := Operands{N: uintptr(n), Pattern: 5}
				for a := range v.Kernel.Arrays() {
					o.P[a] = unsafe.Pointer(&pages[a][off])
				}
				v.Run(&o)
			}
		}
	}
}
