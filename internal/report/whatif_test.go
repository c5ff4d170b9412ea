package report

import (
	"bytes"
	"testing"

	"wordsize/internal/result"
)

func TestWhatIf(t *testing.T) {
	mib := func(n float64) int64 { return int64(n * (1 << 20)) }
	known := func(n float64) result.Bytes { return result.Some(mib(n)) }
	rec := &result.WhatIf{Schema: result.WhatIfSchema, Processes: []result.WhatIfProcess{
		{
			PID: 812, Program: "gunicorn", Bits: 64, Machine: "x86_64", Model: "ilp32",
			RSSBytes: mib(105), PrivateBytes: mib(94), FileBytes: mib(10), SharedBytes: mib(1), PSSBytes: known(100), VMPeakBytes: known(115),
			Estimate:   &result.WhatIfEstimate{RSS: known(70), RSSLow: mib(64), RSSHigh: mib(78), Private: known(59), PrivateLow: mib(54), PrivateHigh: mib(65)},
			MakeUp:     []result.WhatIfPart{{Name: "text", Bytes: mib(40)}, {Name: "pointers", Bytes: mib(36)}, {Name: "zeros", Bytes: mib(10)}, {Name: "bare integers", Bytes: 10}},
			Allocators: []result.WhatIfPart{{Name: "CPython obmalloc", Bytes: mib(76), Then: known(45)}, {Name: "glibc malloc", Bytes: mib(12), Then: known(8.5)}},
			Mappings: []result.WhatIfMapping{
				{Name: "anonymous", Count: 12, Private: mib(58), ReadBytes: mib(40), MakeUp: []result.WhatIfPart{{Name: "text", Bytes: mib(30)}}, Then: known(36), Low: mib(34), High: mib(38)},
				{Name: "[heap]", Count: 1, Private: mib(12), Then: known(8), Low: mib(8), High: mib(10)},
				{Name: "/dev/secret", Count: 1, Private: mib(2), Low: mib(1), High: mib(2), Unread: "excluded from core dumps (dd)"},
			},
			Fits:     &result.WhatIfFits{In3GiB: "yes", In4GiB: "yes", BasisBytes: mib(80)},
			Against:  []result.WhatIfNote{{Code: "python", Text: "few packages with C extensions offer wheels for 32-bit Linux: they are built from source"}},
			Coverage: result.WhatIfCoverage{ReadBytes: mib(64), OfBytes: mib(94), Seconds: 0.21},
		},
		{
			PID: 900, Program: "ev\x1b[2Jil", Bits: 64, Model: "ilp32", RSSBytes: mib(50), PrivateBytes: mib(48), FileBytes: mib(2), Undecided: true, Partial: true,
			Estimate: &result.WhatIfEstimate{RSSLow: mib(26), RSSHigh: mib(50), PrivateLow: mib(24), PrivateHigh: mib(48)},
			Mappings: []result.WhatIfMapping{{Name: "Go heap", Count: 1, Private: mib(47), Low: mib(23), High: mib(47), Undecided: true}},
			Fits:     &result.WhatIfFits{In3GiB: "tight", In4GiB: "yes", Reserved: mib(5000)}, VMPeakBytes: known(7000),
			Problems: []result.WhatIfNote{{Code: "ended", Text: "the process ended while it was being read"}},
			Coverage: result.WhatIfCoverage{ReadBytes: mib(3), OfBytes: mib(48), Seconds: 0.01},
		},
		{PID: 1, Program: "init", RSSBytes: mib(9), Problems: []result.WhatIfNote{{Code: "refused", Text: "may not read its memory (pagemap: permission denied): be the process's user or root, or have CAP_SYS_PTRACE"}}},
	}, Group: &result.WhatIfGroup{Processes: 3, LeftOut: 1, RSSBytes: mib(155), PSSBytes: known(148), PSS: &result.WhatIfFigures{Low: mib(80), High: mib(120)}, Undecided: true}}
	var b bytes.Buffer
	if err := WhatIf(&b, rec, WhatIfStyle{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "whatif.txt", b.Bytes())
}
