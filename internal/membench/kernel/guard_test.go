//go:build unix

package kernel

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestFillGuardPages puts the memory between two pages without access: a
// store outside of it, before or behind, ends the test with a fault.
func TestFillGuardPages(t *testing.T) {
	page := unix.Getpagesize()
	m, err := unix.Mmap(-1, 0, 3*page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if err := unix.Mprotect(m[page:2*page], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	for _, v := range variants() {
		for n := 4; n <= page; n += 4 {
			if n > 1100 && n < page-300 {
				continue
			}
			// At the start of the page, then as near to its end as alignment allows.
			v.Fill(unsafe.Pointer(&m[page]), uintptr(n), 1)
			if off := (page - n) / Align * Align; off < page {
				v.Fill(unsafe.Pointer(&m[page+off]), uintptr(min(n, page-off)), 2)
			}
		}
	}
}
