package result

// WhatIfRES is an estimate of a process's RES as a build of the other word
// size; see docs/whatif.md.
type WhatIfRES struct {
	WhatIfFigures
	AgeNS Bytes `json:"age_ns,omitzero"` // how old it is, when not of this tick
}

// WhatIfSum sums the estimates of a group's members, shared pages once per
// member, as RES is summed. Value is unknown when it is for any of them.
type WhatIfSum struct {
	*WhatIfFigures       // nil when no member has one
	RESBytes       Bytes `json:"res_bytes,omitzero"` // RES of the members that have one, now
	Processes      int   `json:"processes"`          // members that have one
	Missing        int   `json:"missing"`            // members with memory that have none,
	Refused        int   `json:"refused,omitempty"`  // of which refused
	OldestNS       Bytes `json:"oldest_ns,omitzero"`
}
