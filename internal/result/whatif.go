package result

// WhatIfSchema names the shape of rsswatch whatif's record; its number grows
// when a key changes its meaning or goes.
const WhatIfSchema = "rsswatch-whatif/1"

// WhatIf is what processes would take as builds of another word size.
type WhatIf struct {
	Schema string `json:"schema"`
	// Model names the data model of the build that is asked about, such as
	// ilp32; "" where each process has its own (see WhatIfProcess.Model).
	Model     string          `json:"model,omitempty"`
	Ints      string          `json:"ints,omitempty"` // what the user said of bare integers: word or fixed
	Processes []WhatIfProcess `json:"processes"`
	Group     *WhatIfGroup    `json:"group,omitempty"` // for more than one process
}

// WhatIfGroup sums processes. Its PSS counts shared pages once.
type WhatIfGroup struct {
	Processes int            `json:"processes"`
	LeftOut   int            `json:"left_out,omitempty"` // processes without an estimate
	RSSBytes  int64          `json:"rss_bytes"`
	PSSBytes  Bytes          `json:"pss_bytes,omitzero"`
	PSS       *WhatIfFigures `json:"pss_estimate,omitempty"` // of the processes whose PSS is known
	Undecided bool           `json:"undecided"`
}

// WhatIfFigures is an estimate in bytes: the best guess and an interval.
// Value is unknown where the content cannot decide.
type WhatIfFigures struct {
	Value Bytes `json:"bytes,omitzero"`
	Low   int64 `json:"low_bytes"`
	High  int64 `json:"high_bytes"`
}

// WhatIfProcess is one process and its estimate. Bytes are of resident
// memory. Private memory is the anonymous one, RssAnon of proc(5): heaps,
// stacks, and data segments that were written to.
type WhatIfProcess struct {
	PID          int32           `json:"pid"`
	Start        uint64          `json:"start"` // with PID the identity: clock ticks since boot
	Program      RawText         `json:"program,omitempty"`
	Bits         int             `json:"bits,omitempty"`
	Machine      string          `json:"machine,omitempty"`
	Model        string          `json:"model,omitempty"` // data model of the estimate
	RSSBytes     int64           `json:"rss_bytes"`
	PrivateBytes int64           `json:"private_bytes"`
	FileBytes    int64           `json:"file_bytes"`   // resident pages of files
	SharedBytes  int64           `json:"shared_bytes"` // resident shared memory
	PSSBytes     Bytes           `json:"pss_bytes,omitzero"`
	VMPeakBytes  Bytes           `json:"vm_peak_bytes,omitzero"`
	Estimate     *WhatIfEstimate `json:"estimate,omitempty"`
	Undecided    bool            `json:"undecided"`
	MakeUp       []WhatIfPart    `json:"make_up,omitempty"` // of the private memory, by content
	Allocators   []WhatIfPart    `json:"allocators,omitempty"`
	Mappings     []WhatIfMapping `json:"mappings,omitempty"` // largest first
	Fits         *WhatIfFits     `json:"fits,omitempty"`
	Against      []WhatIfNote    `json:"against,omitempty"` // what speaks against such a build
	Coverage     WhatIfCoverage  `json:"coverage"`
	Partial      bool            `json:"partial"`
	Problems     []WhatIfNote    `json:"problems,omitempty"`
}

// WhatIfEstimate is the estimate of one process. The middle figures are
// unknown where the content cannot decide (WhatIfProcess.Undecided).
type WhatIfEstimate struct {
	RSS         Bytes `json:"rss_bytes,omitzero"`
	RSSLow      int64 `json:"rss_low_bytes"`
	RSSHigh     int64 `json:"rss_high_bytes"`
	Private     Bytes `json:"private_bytes,omitzero"`
	PrivateLow  int64 `json:"private_low_bytes"`
	PrivateHigh int64 `json:"private_high_bytes"`
}

// WhatIfPart is one part of the private memory.
type WhatIfPart struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`               // now
	Then  Bytes  `json:"then_bytes,omitzero"` // in the other build
}

// WhatIfMapping is one mapping, or several of one name taken together.
type WhatIfMapping struct {
	Name      RawText      `json:"name"`
	Count     int          `json:"count"`
	Private   int64        `json:"private_bytes"`
	ReadBytes int64        `json:"read_bytes"`
	MakeUp    []WhatIfPart `json:"make_up,omitempty"`
	Then      Bytes        `json:"then_bytes,omitzero"`
	Low       int64        `json:"low_bytes"`
	High      int64        `json:"high_bytes"`
	Undecided bool         `json:"undecided,omitempty"`
	Unread    string       `json:"unread,omitempty"` // why nothing of it was read
}

// WhatIfFits says whether the process would fit into a 32-bit address space.
type WhatIfFits struct {
	In3GiB     string `json:"3gib"` // yes, no or tight
	In4GiB     string `json:"4gib"`
	BasisBytes int64  `json:"basis_bytes"` // peak address space in use, scaled
	Reserved   int64  `json:"reserved_bytes,omitempty"`
}

// WhatIfNote is a remark with a code for programs and a sentence for people.
type WhatIfNote struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// WhatIfCoverage says how much of the private memory was looked at.
type WhatIfCoverage struct {
	ReadBytes int64   `json:"read_bytes"`
	OfBytes   int64   `json:"of_bytes"`
	Seconds   float64 `json:"seconds"`
}
