package membench

import (
	"os"
	"strconv"
	"strings"
)

// readResident records how much of the chunk is in memory, and in huge
// pages. What cannot be read stays absent.
func (w *worker) readResident() {
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			if pages, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				w.rec.ProcessRSS = new(pages * int64(os.Getpagesize()))
			}
		}
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	sum, err := parseSmaps(f, func(from, to uint64) bool {
		for _, s := range w.chunk.segments {
			base := uint64(uintptr(s.base))
			if from < base+s.size && base < to {
				return true
			}
		}
		return false
	})
	if err != nil || sum.present == 0 {
		return
	}
	// A merged neighbour is none of the chunk's.
	w.rec.ChunkResident = new(min(sum.present, w.chunk.bytes))
	w.rec.ChunkHuge = new(min(sum.huge, w.chunk.bytes))
}
