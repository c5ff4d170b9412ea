//go:build !linux

package record

import (
	"time"

	"wordsize/internal/result"
)

// childTimes: CPU time of waited-for children is not known here.
const childTimes = false

func columns() []result.RecordingColumn { return result.RecordingColumns(1, 1) }

func selfRSS() result.Bytes  { return result.Bytes{} }
func selfPeak() result.Bytes { return result.Bytes{} }

// bootID is not known here.
func bootID() string { return "" }

// monotonic is not known here.
func monotonic() result.Bytes { return result.Bytes{} }

// waitForNone tells when no descendant is left, as ticks see it.
func (r *recorder) waitForNone(ended chan<- endOf, status int32) {
	for len(r.ledger.running()) > 0 {
		time.Sleep(r.cfg.Interval)
	}
	ended <- endOf{all: true, status: status}
}
