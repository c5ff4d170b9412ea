//go:build !linux

package membench

import "wordsize/internal/result"

func (w *worker) readPlacement() *result.Placement { return nil }
