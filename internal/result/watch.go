package result

import "encoding/json"

// WatchSchema names the shape of rsswatch's batch records; its number grows
// when a key changes its meaning or goes.
const WatchSchema = "rsswatch-batch/1"

// Opt is a value that may be unknown. Unlike a pointer it needs no
// allocation: there is one for each of a dozen columns of each process.
// Unknown values are left out of the JSON (tag them omitzero).
type Opt[T int64 | float64] struct {
	Value T
	Known bool
}

// Some returns a known value.
func Some[T int64 | float64](v T) Opt[T] { return Opt[T]{v, true} }

// IsZero reports whether the value is unknown, for encoding/json's omitzero.
func (o Opt[T]) IsZero() bool { return !o.Known }

// MarshalJSON writes the value, or null when it is unknown.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.Known {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// UnmarshalJSON reads a value or null.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*o = Opt[T]{}
		return nil
	}
	if err := json.Unmarshal(b, &o.Value); err != nil {
		return err
	}
	o.Known = true
	return nil
}

// Bytes and Float are the two kinds of optional value in the records.
type (
	Bytes = Opt[int64]
	Float = Opt[float64]
)

// WatchTick is one tick of rsswatch: what was seen at one moment. Exactly one
// of Processes and Groups is filled.
type WatchTick struct {
	TimeUnixNS int64     `json:"time_unix_ns"`
	IntervalNS Bytes     `json:"interval_ns,omitzero"` // real time since the previous tick; absent on the first
	UptimeNS   Bytes     `json:"uptime_ns,omitzero"`   // since boot
	Load       []float64 `json:"load,omitempty"`       // 1, 5 and 15 minutes

	Counts    WatchCounts `json:"counts"`
	Self      WatchSelf   `json:"self"`
	Processes []*Process  `json:"processes,omitempty"`
	Groups    []*Group    `json:"groups,omitempty"`
	Total     *Group      `json:"total,omitempty"` // over all groups
	Warnings  []string    `json:"warnings,omitempty"`
}

// WatchCounts says how complete a tick is.
type WatchCounts struct {
	Seen         int  `json:"seen"`                    // processes listed by the system
	Selected     int  `json:"selected"`                // of these, the ones that were asked for
	Unreadable   int  `json:"unreadable"`              // listed, but nothing or not all of the basic values may be read
	Vanished     int  `json:"vanished"`                // ended while being read
	Started      int  `json:"started"`                 // not there on the previous tick
	Exited       int  `json:"exited"`                  // gone since the previous tick
	PSSRead      int  `json:"pss_read"`                // selected processes with a PSS, from this tick or before
	PSSRefused   int  `json:"pss_refused"`             // selected processes whose PSS may not be read
	PSSPending   int  `json:"pss_pending"`             // selected processes whose PSS was not reached within the budget
	SelfLeftOut  bool `json:"self_left_out,omitempty"` // rsswatch matched only because its command line holds the patterns
	OthersHidden bool `json:"others_hidden,omitempty"` // the system hides other users' processes (hidepid)

	// Of the shown processes, where estimates for the other word size are made.
	WhatIfRead    int `json:"whatif_read,omitempty"`
	WhatIfRefused int `json:"whatif_refused,omitempty"`
	WhatIfPending int `json:"whatif_pending,omitempty"` // not reached within the budget
}

// WatchSelf is what rsswatch itself costs.
type WatchSelf struct {
	CPUNS      Bytes `json:"cpu_ns,omitzero"`       // since it started
	CPUDeltaNS Bytes `json:"cpu_delta_ns,omitzero"` // since the previous tick
	RSSBytes   Bytes `json:"rss_bytes,omitzero"`
}

// Process is one process, or with TID one thread, on one tick.
type Process struct {
	PID        int32   `json:"pid"`
	TID        int32   `json:"tid,omitempty"` // thread rows only; they have no memory of their own
	Start      uint64  `json:"start"`         // with PID the identity: clock ticks since boot on Linux
	PPID       Bytes   `json:"ppid,omitzero"`
	UID        Bytes   `json:"uid,omitzero"`
	User       string  `json:"user,omitempty"`
	Bits       int     `json:"arch_bits,omitempty"` // word size of the program, 32 or 64
	Machine    string  `json:"arch_machine,omitempty"`
	State      string  `json:"state,omitempty"` // one letter, as in /proc/PID/stat
	Kernel     bool    `json:"kernel_thread,omitempty"`
	Nice       Bytes   `json:"nice,omitzero"`
	Threads    Bytes   `json:"threads,omitzero"`
	Program    RawText `json:"program,omitempty"`
	Comm       RawText `json:"comm,omitempty"`
	Command    RawText `json:"command,omitempty"` // title with spaces between arguments, or [comm]
	Cmdline    RawText `json:"cmdline,omitempty"` // title, exact; NUL between arguments
	Cgroup     RawText `json:"cgroup,omitempty"`
	Virtual    Bytes   `json:"virt_bytes,omitzero"`
	Resident   Bytes   `json:"res_bytes,omitzero"`
	Shared     Bytes   `json:"shr_bytes,omitzero"`
	PSS        Bytes   `json:"pss_bytes,omitzero"`
	USS        Bytes   `json:"uss_bytes,omitzero"`
	PSSAgeNS   Bytes   `json:"pss_age_ns,omitzero"`     // how old PSS, USS and swap_pss are, when not from this tick
	PSSDoubt   bool    `json:"pss_doubtful,omitempty"`  // PSS is below what is private: the kernel under-reports it
	Swap       Bytes   `json:"swap_bytes,omitzero"`     // VmSwap: private pages swapped out
	SwapPSS    Bytes   `json:"swap_pss_bytes,omitzero"` // the same with shared pages counted once
	HugeTLB    Bytes   `json:"hugetlb_bytes,omitzero"`  // outside RES, PSS and USS
	Peak       Bytes   `json:"peak_bytes,omitzero"`     // VmHWM: highest RES so far
	CPUNS      Bytes   `json:"cpu_ns,omitzero"`         // user and system time since its start
	CPUDeltaNS Bytes   `json:"cpu_delta_ns,omitzero"`   // of which since the previous tick
	ElapsedNS  Bytes   `json:"elapsed_ns,omitzero"`     // real time between the two reads
	CPUPercent Float   `json:"cpu_percent,omitzero"`    // the ratio of these two; 100 is one CPU
	AgeNS      Bytes   `json:"age_ns,omitzero"`         // since its start
	GrowBytes  Bytes   `json:"res_growth_bytes,omitzero"`
	GrowNS     Bytes   `json:"res_growth_ns,omitzero"` // the time over which it grew by that: at most a minute
	Refused    Refused `json:"refused,omitzero"`
	Unread     Refused `json:"-"` // what was not asked for yet, so that its absence says nothing
	Index      int     `json:"-"` // among the processes of the tick before they were sorted
	Depth      int     `json:"-"` // in the tree view
	History    []int64 `json:"-"` // RES of about the last minute, oldest first

	WhatIf   *WhatIfRES `json:"whatif,omitempty"` // RES as a build of the other word size
	NoWhatIf bool       `json:"-"`                // there can be none
}

// Ident identifies the row over ticks.
func (p *Process) Ident() [3]uint64 {
	return [3]uint64{uint64(p.PID), uint64(p.TID), p.Start}
}

// Refused is the set of values that the system refused to show.
type Refused uint16

// What may be refused.
const (
	RefusedCPU Refused = 1 << iota
	RefusedMemory
	RefusedTitle
	RefusedStatus // peak and swap
	RefusedArch
	RefusedCgroup
	RefusedPSS
	RefusedIO
	RefusedWhatIf // its memory, for the estimate
)

var refusedNames = []string{"cpu", "memory", "title", "status", "arch", "cgroup", "pss", "io", "whatif"}

// MarshalJSON writes the names of the refused values.
func (r Refused) MarshalJSON() ([]byte, error) {
	names := []string{}
	for i, name := range refusedNames {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return json.Marshal(names)
}

// UnmarshalJSON reads the names; unknown ones are ignored.
func (r *Refused) UnmarshalJSON(b []byte) error {
	var names []string
	if err := json.Unmarshal(b, &names); err != nil {
		return err
	}
	*r = 0
	for _, n := range names {
		for i, name := range refusedNames {
			if n == name {
				*r |= 1 << i
			}
		}
	}
	return nil
}

// Group sums processes. Kernel threads and zombies count as processes and
// have no memory. Values of a member that are unknown are left out of a sum.
type Group struct {
	Name      RawText `json:"name"`
	Processes int     `json:"processes"`
	Threads   Bytes   `json:"threads,omitzero"`
	WithRES   int     `json:"processes_with_res"` // members whose memory could be read
	Virtual   Bytes   `json:"virt_bytes,omitzero"`
	Resident  Bytes   `json:"res_bytes,omitzero"` // counts shared pages once per member
	MinRES    Bytes   `json:"res_min_bytes,omitzero"`
	MaxRES    Bytes   `json:"res_max_bytes,omitzero"`

	// PSS counts shared pages once. Where PSSMissing is not 0 it is an
	// estimate: for members without PSS, what RES has beyond SHR, and the
	// largest SHR among them once.
	PSS        Bytes `json:"pss_bytes,omitzero"`
	WithPSS    int   `json:"processes_with_pss"`
	PSSMissing int   `json:"processes_without_pss"` // not readable, or not reached within the budget
	PSSDoubt   int   `json:"processes_with_doubtful_pss,omitempty"`
	PSSAgeNS   Bytes `json:"pss_oldest_ns,omitzero"` // age of the oldest PSS, when not all are from this tick
	USS        Bytes `json:"uss_bytes,omitzero"`
	Swap       Bytes `json:"swap_bytes,omitzero"` // shared pages counted once where PSS was read
	HugeTLB    Bytes `json:"hugetlb_bytes,omitzero"`

	CPUNS      Bytes `json:"cpu_ns,omitzero"`
	CPUPercent Float `json:"cpu_percent,omitzero"`

	WhatIf *WhatIfSum `json:"whatif,omitempty"` // the members' RES as builds of the other word size
}
