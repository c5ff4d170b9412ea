package record

import (
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// recordWhatIf records the estimate for the other word size. at is the time of
// the tick, whose Mono is now, on the clock of the recording.
func (s *state) recordWhatIf(d *procstat.Detail, now time.Duration, at int64) {
	if d.WhatIfAt != s.whatIfAt || !s.whatIf.Known {
		made := max(0, at-int64(max(0, now-d.WhatIfAt)))
		s.whatIfAt, s.whatIf = d.WhatIfAt, result.Some(made-made%result.WhatIfAtUnit)
	}
	r, w := &s.rec, d.WhatIf
	r.WhatIf, r.WhatIfLow, r.WhatIfHigh, r.WhatIfAtNS = w.Bytes, result.Some(w.Low), result.Some(w.High), s.whatIf
}
