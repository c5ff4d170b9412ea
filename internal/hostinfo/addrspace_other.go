//go:build !linux

package hostinfo

import (
	"errors"
	"fmt"
)

// AddressSpace is known on Linux only.
func AddressSpace() (largest, total int64, err error) {
	return 0, 0, fmt.Errorf("address space: %w", errors.ErrUnsupported)
}
