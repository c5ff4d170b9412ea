package result

import (
	"bytes"
	"strings"
	"testing"
)

// Estimates are columns of recordings that have them alone, and come back as
// they were written: when new, changed, kept, undecided and gone.
func TestRecordingWhatIf(t *testing.T) {
	for _, c := range RecordingColumns(1, 1) {
		if strings.HasPrefix(c.Name, "whatif") {
			t.Errorf("column %s in a recording without estimates", c.Name)
		}
	}
	h := testHeader()
	h.WhatIf, h.Columns = 0.02, WithWhatIf(h.Columns)
	var out bytes.Buffer
	rw, err := NewRecordingWriter(&out, h)
	if err != nil {
		t.Fatal(err)
	}
	p := &RecordedProcess{PID: 1, Start: 1, State: "S", Resident: Some[int64](4096)}
	var want []RecordedTick
	tick := &RecordedTick{Processes: []*RecordedProcess{p}}
	for i, set := range []func(){
		func() {},
		func() {
			p.WhatIf, p.WhatIfLow, p.WhatIfHigh, p.WhatIfAtNS = Some[int64](3), Some[int64](2), Some[int64](4), Some(7*WhatIfAtUnit)
		},
		func() {},
		func() { p.WhatIf, p.WhatIfAtNS = Some[int64](4), Some(9*WhatIfAtUnit) },
		func() { p.WhatIf = Bytes{} },
		func() { p.WhatIfLow, p.WhatIfHigh, p.WhatIfAtNS, p.Refused = Bytes{}, Bytes{}, Bytes{}, RefusedWhatIf },
	} {
		set()
		tick.Number, tick.AtNS, tick.TimeUnixNS = int64(i+1), int64(i)*1e9, h.Started.UnixNano()+int64(i)*1e9
		if tick.IntervalNS = (Bytes{}); i > 0 {
			tick.IntervalNS = Some[int64](1e9)
		}
		if err := rw.Tick(tick); err != nil {
			t.Fatal(err)
		}
		want = append(want, snapshotOf(tick))
	}
	if err := rw.End(&RecordingEnd{Reason: EndCommand}); err != nil {
		t.Fatal(err)
	}
	got, rr := readAll(t, bytes.NewReader(out.Bytes()))
	compareTicks(t, got, want)
	if rr.Header().WhatIf != 0.02 {
		t.Errorf("budget %v", rr.Header().WhatIf)
	}
	if n := strings.Count(out.String(), `"type":"process"`); n != 4 {
		t.Errorf("stated %d times: a change of figures alone is a row", n)
	}
}
