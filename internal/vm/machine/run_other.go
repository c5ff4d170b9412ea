//go:build !linux

package machine

import (
	"context"
	"errors"
)

// Run boots the machine; it works on Linux only.
func Run(ctx context.Context, c Config, h Handler) (Times, error) {
	return Times{}, &Error{Reason: "the virtual machine runner works on Linux only", Err: errors.ErrUnsupported}
}
