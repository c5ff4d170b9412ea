//go:build !darwin

package hostinfo

import (
	"context"
	"math"

	"github.com/shirou/gopsutil/v3/mem"

	"wordsize/internal/result"
)

// portableMemory returns the memory figures in bytes that gopsutil has.
func portableMemory(ctx context.Context) result.Memory {
	var m result.Memory
	if v, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		m.TotalBytes = positive(v.Total)
		m.AvailableBytes = positive(v.Available)
		m.FreeBytes = positive(v.Free)
	}
	if s, err := mem.SwapMemoryWithContext(ctx); err == nil {
		total, free := int64(s.Total), int64(s.Free)
		m.SwapTotalBytes, m.SwapFreeBytes = &total, &free
	}
	return m
}

// positive leaves out zeros, by which gopsutil means that a figure does not
// exist on this system.
func positive(n uint64) *int64 {
	if n == 0 || n > math.MaxInt64 {
		return nil
	}
	v := int64(n)
	return &v
}
