package usage

import (
	"math"
	"testing"
	"time"

	"wordsize/internal/result"
)

func estimated(p *result.RecordedProcess, at, mid, low, high int64) {
	p.WhatIf, p.WhatIfLow, p.WhatIfHigh, p.WhatIfAtNS = result.Some(mid), result.Some(low), result.Some(high), result.Some(at)
	if mid == 0 {
		p.WhatIf = result.Bytes{}
	}
}

func whatIfTape(t *testing.T) *tape {
	return newTape(t, time.Second, func(h *result.RecordingHeader) {
		h.WhatIf, h.Columns = 0.02, result.WithWhatIf(h.Columns)
	})
}

func TestWhatIfUsage(t *testing.T) {
	tp := whatIfTape(t)
	a, b, c := tp.start(1, "worker", 100*mib), tp.start(2, "worker", 50*mib), tp.start(3, "other", 10*mib)
	tp.take() // nobody has one yet
	estimated(a, 0, 60*mib, 50*mib, 80*mib)
	tp.takes(2)
	estimated(b, 2e9, 30*mib, 20*mib, 40*mib)
	estimated(c, 2e9, 0, 5*mib, 10*mib)
	tp.take()
	size(a, 200*mib) // the estimate follows RES until it is made anew
	tp.take()
	tp.end()
	l := tp.label(Options{By: ByProgram})
	w := groupNamed(t, l, "worker").WhatIf
	if w == nil || w.Avg == nil || w.End == nil {
		t.Fatalf("%+v", w)
	}
	if e := w.End; e.RESBytes != 250*mib || e.Value.Value != 150*mib || e.Low != 120*mib || e.High != 200*mib {
		t.Errorf("at the end: %+v", e)
	}
	// One tick stands for half a second at both ends: 0.5 s nobody, then 2 s
	// one of 100, 1 s both, 0.5 s both after the growth.
	if got, want := float64(w.Avg.RESBytes)/mib, (2*100+1*150+0.5*250)/3.5; math.Abs(got-want) > 1e-3 {
		t.Errorf("RES on average %v MiB, want %v", got, want)
	}
	if got, want := float64(w.Avg.Value.Value)/mib, (2*60+1*90+0.5*150)/3.5; math.Abs(got-want) > 1e-3 {
		t.Errorf("estimate on average %v MiB, want %v", got, want)
	}
	if got, want := w.Processes, (2*1+1*2+0.5*2)/4.0; got != want || w.Missing != 2-want {
		t.Errorf("%v with, %v without", got, w.Missing)
	}
	if e := groupNamed(t, l, "other").WhatIf.End; e.Value.Known || e.Low != 5*mib || e.High != 10*mib {
		t.Errorf("undecided: %+v", e)
	}
	if e := l.Total.WhatIf.End; e.Value.Known || e.RESBytes != 260*mib || e.High != 210*mib {
		t.Errorf("total: %+v", e)
	}
	two := Merge("two", []*Usage{tp.read(Options{By: ByProgram}), tp.read(Options{By: ByProgram})})
	if g := groupNamed(t, &two, "worker").WhatIf; *g.Avg != *w.Avg || *g.End != *w.End || g.Processes != w.Processes {
		t.Errorf("the same twice is not the same: %+v, %+v", g.Avg, w.Avg)
	}
}

func TestWhatIfUsageNone(t *testing.T) {
	tp := newTape(t, time.Second)
	tp.start(1, "worker", 100*mib)
	tp.takes(2)
	tp.end()
	if w := tp.label(Options{By: ByProgram}).Total.WhatIf; w != nil {
		t.Errorf("not asked for: %+v", w)
	}
	tp = whatIfTape(t)
	tp.start(1, "worker", 100*mib)
	tp.takes(2)
	tp.end()
	if w := tp.label(Options{By: ByProgram}).Total.WhatIf; w == nil || w.Avg != nil || w.End != nil || w.Missing != 1 || w.Processes != 0 {
		t.Errorf("nobody could be estimated: %+v", w)
	}
}
