package result

import "time"

// figure is one of the figures that may be a column of a tick's rows.
type figure uint8

const (
	figUser figure = iota
	figSystem
	figReadChars
	figWriteChars
	figResident
	figPSS
	figUSS
	figShared
	figVirtual
	figPeak
	figThreads
	figReadBytes
	figWriteBytes
	figChildUser
	figChildSystem
	figSwap
	figSwapPSS
	figHugeTLB
	figWhatIf // this and those below in recordings with estimates only
	figWhatIfLow
	figWhatIfHigh
	figWhatIfAt
	figNone
)

// figureNames are the keys of the figures in lines of type process.
var figureNames = [figNone]string{
	"user_ns", "system_ns", "rchar", "wchar", "res_bytes", "pss_bytes", "uss_bytes", "shr_bytes", "virt_bytes", "peak_bytes",
	"threads", "read_bytes", "write_bytes", "child_user_ns", "child_system_ns", "swap_bytes", "swap_pss_bytes", "hugetlb_bytes",
	"whatif_bytes", "whatif_low_bytes", "whatif_high_bytes", "whatif_at_ns",
}

// figures returns the figures that columns stand for; figNone for a name that
// is not known.
func figures(columns []RecordingColumn) []figure {
	f := make([]figure, len(columns))
	for i, c := range columns {
		f[i] = figNone
		for n, name := range figureNames {
			if name == c.Name {
				f[i] = figure(n)
			}
		}
	}
	return f
}

// figure returns where a figure is, nil for figNone.
func (p *RecordedProcess) figure(f figure) *Bytes {
	switch f {
	case figUser:
		return &p.UserNS
	case figSystem:
		return &p.SystemNS
	case figReadChars:
		return &p.ReadChars
	case figWriteChars:
		return &p.WriteChars
	case figResident:
		return &p.Resident
	case figPSS:
		return &p.PSS
	case figUSS:
		return &p.USS
	case figShared:
		return &p.Shared
	case figVirtual:
		return &p.Virtual
	case figPeak:
		return &p.Peak
	case figThreads:
		return &p.Threads
	case figReadBytes:
		return &p.ReadBytes
	case figWriteBytes:
		return &p.WriteBytes
	case figChildUser:
		return &p.ChildUserNS
	case figChildSystem:
		return &p.ChildSysNS
	case figSwap:
		return &p.Swap
	case figSwapPSS:
		return &p.SwapPSS
	case figHugeTLB:
		return &p.HugeTLB
	case figWhatIf:
		return &p.WhatIf
	case figWhatIfLow:
		return &p.WhatIfLow
	case figWhatIfHigh:
		return &p.WhatIfHigh
	case figWhatIfAt:
		return &p.WhatIfAtNS
	}
	return nil
}

// RecordingColumns returns the columns of a new recording, those that change
// most often first, since a row ends with the last one that changed. Sizes of
// memory change by pages and CPU time by clock ticks; a unit of 1 is always
// right, and larger.
func RecordingColumns(cpuUnitNS, pageBytes int64) []RecordingColumn {
	units := [figNone]int64{
		figUser: cpuUnitNS, figSystem: cpuUnitNS, figChildUser: cpuUnitNS, figChildSystem: cpuUnitNS,
		figResident: pageBytes, figShared: pageBytes, figVirtual: pageBytes,
		figPSS: 1024, figUSS: 1024, figPeak: 1024, figSwap: 1024, figSwapPSS: 1024, figHugeTLB: 1024,
	}
	columns := make([]RecordingColumn, figWhatIf)
	for i, name := range figureNames[:figWhatIf] {
		columns[i] = RecordingColumn{name, max(1, units[i])}
	}
	return columns
}

// WithWhatIf adds the columns of estimates for the other word size: bytes, and
// when they were made in ms.
func WithWhatIf(columns []RecordingColumn) []RecordingColumn {
	for f := figWhatIf; f < figNone; f++ {
		unit := int64(1)
		if f == figWhatIfAt {
			unit = WhatIfAtUnit
		}
		columns = append(columns, RecordingColumn{figureNames[f], unit})
	}
	return columns
}

// WhatIfAtUnit is what times of estimates are whole numbers of, in ns.
const WhatIfAtUnit = int64(time.Millisecond)
