package result

// UsageWhatIf is what a group's processes would have had resident as builds of
// the other word size, estimated while they were recorded. RES and estimates
// are sums over the processes that have an estimate, shared pages once for
// each; between two estimates of a process its own follows its RES.
type UsageWhatIf struct {
	Processes float64      `json:"processes_avg"` // that have an estimate, over the time in which a tick saw the group
	Missing   float64      `json:"missing_avg"`   // that have memory and no estimate
	Avg       *WhatIfUsage `json:"avg,omitempty"` // over the time in which any had one
	End       *WhatIfUsage `json:"end,omitempty"` // at the last tick at which any had one
}

// WhatIfUsage is RES and the estimate of it in another build, in bytes.
type WhatIfUsage struct {
	RESBytes int64 `json:"res_bytes"`
	WhatIfFigures
}
