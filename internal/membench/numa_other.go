//go:build !linux

package membench

import (
	"errors"

	"wordsize/internal/result"
)

func (c *chunk) bind(b *binding, _ int64) error { return probeBinding(b) }

func bindStep(Pages, int64) int64 { return 1 }

// probeBinding refuses: only Linux is asked to place memory.
func probeBinding(b *binding) error {
	if b == nil {
		return nil
	}
	return errors.New("only on Linux")
}

// locate returns nil: nothing is known.
func (c *chunk) locate(*binding) *result.NUMAPlacement { return nil }
