package hostinfo

import (
	"context"
	"math"

	"golang.org/x/sys/unix"

	"wordsize/internal/result"
)

// portableMemory returns the total only: gopsutil gets the rest by running
// vm_stat when it is built without cgo.
func portableMemory(context.Context) result.Memory {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil || n > math.MaxInt64 {
		return result.Memory{}
	}
	total := int64(n)
	return result.Memory{TotalBytes: &total}
}
