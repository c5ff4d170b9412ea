//go:build !linux

package record

import (
	"fmt"
	"time"

	"wordsize/internal/result"
)

// events knows of none: only what ticks see and the command's own end.
type events struct{}

func openEvents(want string, _ *ledger, _ int64) (*events, result.ExitsMethod, error) {
	if want != exitsAuto && want != result.ExitsWait {
		return nil, result.ExitsMethod{}, fmt.Errorf("is supported on Linux only: use %s", exitsAuto)
	}
	return &events{}, result.ExitsMethod{Method: result.ExitsWait, Why: "only Linux tells of the ends of other processes"}, nil
}

func (*events) listen() error { return nil }
func (*events) drain()        {}

func (*events) pace() time.Duration { return 0 }
func (*events) close()              {}

// adopt: orphans of the command go to init here, and are lost from sight.
func adopt() error { return nil }

// peek reads nothing: there is no peak to read here.
func peek(*ledger, int32) {}
