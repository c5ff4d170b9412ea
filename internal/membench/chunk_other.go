//go:build !linux

package membench

import (
	"fmt"
	"unsafe"

	"wordsize/internal/membench/kernel"
)

// mapChunk takes its memory from the Go heap, of which it is the only large
// object; the collector is off in a worker.
func mapChunk(bytes int64, pages Pages, _ int64) (*chunk, error) {
	if pages != PagesDefault {
		return nil, fmt.Errorf("--pages %s: only on Linux", pages)
	}
	mapOne := func(size uint64) (unsafe.Pointer, error) {
		if size+kernel.Align > 1<<62 || uint64(int(size+kernel.Align)) != size+kernel.Align || int(size+kernel.Align) < 0 {
			return nil, fmt.Errorf("more than this build can address")
		}
		b := make([]byte, size+kernel.Align)
		p := unsafe.Pointer(unsafe.SliceData(b))
		return unsafe.Add(p, -uintptr(p)%kernel.Align), nil
	}
	return mapPieces(bytes, mapOne, func(segment) {})
}
