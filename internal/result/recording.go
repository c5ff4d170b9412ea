package result

import "time"

// RecordingSchema names the shape of the files that rsswatch record writes;
// its number grows when a key changes its meaning or goes.
const RecordingSchema = "rsswatch-recording/1"

// RecordingHeader is the first line of a recording: what was recorded, where
// and how.
type RecordingHeader struct {
	Schema     string      `json:"schema"`
	Type       string      `json:"type"` // "header"
	Tool       Tool        `json:"tool"`
	Host       Host        `json:"host"`
	Labels     []Label     `json:"labels,omitempty"`
	Started    time.Time   `json:"started"`           // wall clock; every at_ns counts from here, on a clock that is never set
	MonoNS     Bytes       `json:"mono_ns,omitzero"`  // CLOCK_MONOTONIC then: tells how recordings of one boot lie to each other
	Boot       string      `json:"boot_id,omitempty"` // /proc/sys/kernel/random/boot_id
	IntervalNS int64       `json:"interval_ns"`       // asked for; ticks say what it was
	Command    []RawText   `json:"command,omitempty"` // absent when only running processes were watched
	PID        int32       `json:"command_pid,omitempty"`
	Watch      *WatchedBy  `json:"watch,omitempty"`
	PSS        float64     `json:"pss_budget"`              // share of the time that reading PSS may take; 0: none was read
	WhatIf     float64     `json:"whatif_budget,omitempty"` // the same of estimates for the other word size
	Exits      ExitsMethod `json:"exits"`

	// Columns are the figures of a tick's rows, in order.
	Columns []RecordingColumn `json:"columns"`
}

// Label is one part of a recording's label, such as strategy=thread; a part
// without = has no name.
type Label struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value"`
}

// WatchedBy says which processes were recorded besides the command's. Its parts
// must all hold; within a part any one member is enough.
type WatchedBy struct {
	Patterns []string `json:"patterns,omitempty"` // regular expressions on the title
	PIDs     []int32  `json:"pids,omitempty"`
	Trees    []int32  `json:"trees,omitempty"` // these processes and all their descendants
	Users    []string `json:"users,omitempty"`
	Cgroup   string   `json:"cgroup,omitempty"` // this control group and all below it
}

// ExitsMethod is how the ends of processes were learned of.
type ExitsMethod struct {
	// Method is one of the Exits... constants.
	Method string `json:"method"`
	// Complete: every end of a descendant is told of, also of those that no
	// tick saw. Otherwise children that their own parent waited for may be
	// missing.
	Complete bool   `json:"complete"`
	Why      string `json:"why,omitempty"` // why no better method was used, in words
}

// The methods.
const (
	// ExitsWait: wait4(2) of the command and of orphans that the recorder
	// adopted.
	ExitsWait = "wait"
	// ExitsConnector adds the kernel's process events connector: all forks and
	// ends, without memory.
	ExitsConnector = "connector"
	// ExitsTaskstats adds the kernel's per-task statistics: all ends, with
	// CPU time and peak.
	ExitsTaskstats = "taskstats"
	// ExitsPtrace stops each process at its end to read its peak.
	ExitsPtrace = "ptrace"
	// ExitsTicks: only that a process was gone at a tick.
	ExitsTicks = "ticks"
)

// RecordingColumn is one figure of a tick's rows: its key in the lines of type
// process, and what its differences are counted in (nanoseconds or bytes).
type RecordingColumn struct {
	Name string `json:"name"`
	Unit int64  `json:"unit"`
}

// The roles of a recorded process.
const (
	RoleCommand = "command" // the command itself
	RoleChild   = "child"   // one of its descendants
	RoleWatched = "watched" // was running, and named by the flags
)

// RecordedProcess is one process at one tick. PID and Start identify it; ID is
// its number within the recording. What could not be read is unknown.
type RecordedProcess struct {
	ID        int64   `json:"id"`
	PID       int32   `json:"pid"`
	Start     uint64  `json:"start"`               // as in Process
	StartedNS Bytes   `json:"started_ns,omitzero"` // when it started, before 0 when older than the recording
	Role      string  `json:"role"`
	PPID      Bytes   `json:"ppid,omitzero"`
	UID       Bytes   `json:"uid,omitzero"`
	User      string  `json:"user,omitempty"`
	Kernel    bool    `json:"kernel_thread,omitempty"`
	Nice      Bytes   `json:"nice,omitzero"`
	Bits      int     `json:"arch_bits,omitempty"` // word size of the program, 32 or 64
	Machine   string  `json:"arch_machine,omitempty"`
	Execs     int64   `json:"execs,omitempty"` // times it was seen to execute another program
	Program   RawText `json:"program,omitempty"`
	Comm      RawText `json:"comm,omitempty"`
	Cmdline   RawText `json:"cmdline,omitempty"` // title, exact; NUL between arguments
	Cgroup    RawText `json:"cgroup,omitempty"`
	Refused   Refused `json:"refused,omitzero"`

	State string `json:"state,omitempty"` // one letter, as in /proc/PID/stat

	// Memory. Kernel threads and zombies have none.
	Virtual  Bytes `json:"virt_bytes,omitzero"`
	Resident Bytes `json:"res_bytes,omitzero"`
	Shared   Bytes `json:"shr_bytes,omitzero"`
	Peak     Bytes `json:"peak_bytes,omitzero"` // VmHWM when last read, every two to five seconds
	Swap     Bytes `json:"swap_bytes,omitzero"` // VmSwap, read together with it
	HugeTLB  Bytes `json:"hugetlb_bytes,omitzero"`

	// The PSS tier, which is read within a budget: PSSAtNS says when.
	PSS     Bytes `json:"pss_bytes,omitzero"`
	USS     Bytes `json:"uss_bytes,omitzero"`
	SwapPSS Bytes `json:"swap_pss_bytes,omitzero"`
	PSSAtNS Bytes `json:"pss_at_ns,omitzero"`

	// RES as a build of the other word size, estimated: the best guess (unknown
	// where the content cannot decide), the interval, and when, to the ms. Only
	// in recordings whose header has a WhatIf.
	WhatIf     Bytes `json:"whatif_bytes,omitzero"`
	WhatIfLow  Bytes `json:"whatif_low_bytes,omitzero"`
	WhatIfHigh Bytes `json:"whatif_high_bytes,omitzero"`
	WhatIfAtNS Bytes `json:"whatif_at_ns,omitzero"`

	// Counters since its start.
	UserNS      Bytes `json:"user_ns,omitzero"`
	SystemNS    Bytes `json:"system_ns,omitzero"`
	ChildUserNS Bytes `json:"child_user_ns,omitzero"` // of the children that it has waited for, and of theirs
	ChildSysNS  Bytes `json:"child_system_ns,omitzero"`
	// As in /proc/PID/io, bytes. The kernel adds what a child had to its
	// parent when that waits for it: a sum over a tree counts it twice.
	ReadChars  Bytes `json:"rchar,omitzero"` // asked for by read(2) and the like
	WriteChars Bytes `json:"wchar,omitzero"`
	ReadBytes  Bytes `json:"read_bytes,omitzero"` // from storage
	WriteBytes Bytes `json:"write_bytes,omitzero"`

	Threads Bytes `json:"threads,omitzero"`
}

// PSSAgeNS returns how old the PSS tier is at a tick: 0 when it was read for
// this tick.
func (p *RecordedProcess) PSSAgeNS(t *RecordedTick) (ns int64, ok bool) {
	if !p.PSSAtNS.Known || !p.PSS.Known {
		return 0, false
	}
	return max(0, t.AtNS-p.PSSAtNS.Value), true
}

// CPUNS returns user and system time since its start.
func (p *RecordedProcess) CPUNS() Bytes {
	if !p.UserNS.Known || !p.SystemNS.Known {
		return Bytes{}
	}
	return Some(p.UserNS.Value + p.SystemNS.Value)
}

// RecordedExit is the end of a process. Processes that no tick saw have ID 0,
// and what the kernel told of them here alone.
type RecordedExit struct {
	ID     int64  `json:"id,omitempty"`
	PID    int32  `json:"pid"`
	Start  uint64 `json:"start,omitempty"` // 0 when unknown
	AtNS   int64  `json:"at_ns"`           // when it was learned of
	Method string `json:"method"`          // an Exits... constant: ExitsTicks means that it was gone

	Role    string  `json:"role,omitempty"`
	PPID    Bytes   `json:"ppid,omitzero"`
	UID     Bytes   `json:"uid,omitzero"`
	Comm    RawText `json:"comm,omitempty"`
	Program RawText `json:"program,omitempty"`
	AgeNS   Bytes   `json:"age_ns,omitzero"` // how long it lived

	Code   Bytes `json:"code,omitzero"`   // exit status, when it ended by itself
	Signal Bytes `json:"signal,omitzero"` // that killed it
	Core   bool  `json:"core_dumped,omitempty"`

	// Of the process alone.
	UserNS     Bytes  `json:"user_ns,omitzero"`
	SystemNS   Bytes  `json:"system_ns,omitzero"`
	Peak       Bytes  `json:"peak_bytes,omitzero"`         // highest RES of the program that it executed last
	PeakFrom   string `json:"peak_from,omitempty"`         // a PeakFrom... constant
	PeakAtMost Bytes  `json:"peak_at_most_bytes,omitzero"` // when Peak may be too low: what it cannot exceed
	Minor      Bytes  `json:"minor_faults,omitzero"`
	Major      Bytes  `json:"major_faults,omitzero"`
	ReadChars  Bytes  `json:"rchar,omitzero"`
	WriteChars Bytes  `json:"wchar,omitzero"`
	ReadBytes  Bytes  `json:"read_bytes,omitzero"`
	WriteBytes Bytes  `json:"write_bytes,omitzero"`

	// Rusage is what wait4(2) gave: the process together with all descendants
	// that were waited for.
	Rusage *Rusage `json:"rusage,omitempty"`
}

// Where the peak of a process that has ended comes from.
const (
	PeakFromTaskstats = "taskstats" // the kernel's figure at its end: exact
	PeakFromPtrace    = "ptrace"    // VmHWM at its end: exact
	PeakFromRusage    = "rusage"    // ru_maxrss of wait4(2), where that can only be its own
	PeakFromTick      = "tick"      // the last VmHWM or RES that a tick saw: at least that
)

// Rusage is the part of getrusage(2) that the kernel fills, with I/O beside.
type Rusage struct {
	UserNS   int64 `json:"user_ns"`
	SystemNS int64 `json:"system_ns"`
	// MaxRSS is the largest peak among the process, its earlier programs (the
	// image that it was forked from among them) and its descendants.
	MaxRSS      int64 `json:"maxrss_bytes"`
	Minor       int64 `json:"minor_faults"`
	Major       int64 `json:"major_faults"`
	BlocksIn    int64 `json:"blocks_in"`
	BlocksOut   int64 `json:"blocks_out"`
	Voluntary   int64 `json:"voluntary_switches"`
	Involuntary int64 `json:"involuntary_switches"`

	// From /proc/PID/io of the zombie.
	ReadChars  Bytes `json:"rchar,omitzero"`
	WriteChars Bytes `json:"wchar,omitzero"`
	ReadBytes  Bytes `json:"read_bytes,omitzero"`
	WriteBytes Bytes `json:"write_bytes,omitzero"`
}

// RecordedTick is the state of all recorded processes at one moment.
type RecordedTick struct {
	Number     int64 // from 1
	AtNS       int64 // since the start of the recording
	TimeUnixNS int64 // wall clock
	IntervalNS Bytes // since the tick before; unknown on the first
	TookNS     Bytes // from the first file read to the last

	Seen       Bytes // processes listed by the system
	Unreadable Bytes // recorded ones of which nothing or not all may be read
	Skipped    int64 // ticks that were due since the tick before and left out

	// What the recorder itself cost: CPU time since the tick before, and RES.
	SelfCPUNS    Bytes
	SelfRSSBytes Bytes

	// Of the host, when last written: at most every ten seconds.
	Available Bytes // memory, bytes
	SwapFree  Bytes
	Load      []float64 // 1, 5 and 15 minutes

	Processes []*RecordedProcess // in ascending order of PID
	Exits     []*RecordedExit    // since the tick before, in the order in which they were learned of
	Left      []int64            // IDs that are alive, but no longer among the watched
}

// RecordingEnd is the last line of a complete recording.
type RecordingEnd struct {
	Type       string `json:"type"` // "end"
	AtNS       int64  `json:"at_ns"`
	TimeUnixNS int64  `json:"time_unix_ns"`
	Reason     string `json:"reason"` // an End... constant
	Error      string `json:"error,omitempty"`

	// The command's end, and the status that rsswatch gave to its own caller.
	Code   Bytes `json:"code,omitzero"`
	Signal Bytes `json:"signal,omitzero"`
	Status int   `json:"exit_status"`

	Ticks     int64 `json:"ticks"`
	Skipped   int64 `json:"skipped_ticks"`    // due, but not taken
	Processes int64 `json:"processes"`        // that ticks saw
	Exits     int64 `json:"exits"`            // told of, however
	Unseen    int64 `json:"exits_not_ticked"` // of these, of processes that no tick saw

	// Complete: all ends of descendants were told of, and none of the events
	// was lost.
	Complete bool `json:"exits_complete"`
	// Descendants that may be missing. MissedAtMost is the number of processes
	// and threads that the whole host started meanwhile beyond those told of;
	// MissedCPUNS is the CPU time of children that were waited for which none
	// of the exits here accounts for. Unknown when nothing can be said.
	MissedAtMost Bytes `json:"missed_at_most,omitzero"`
	MissedCPUNS  Bytes `json:"missed_cpu_ns,omitzero"`
	EventsLost   int64 `json:"events_lost,omitempty"` // times that the kernel dropped events

	Running []StillRunning `json:"still_running,omitempty"` // descendants that the recorder left behind

	SelfCPUNS     Bytes `json:"self_cpu_ns,omitzero"` // the recorder's CPU time in all
	SelfPeakBytes Bytes `json:"self_peak_bytes,omitzero"`
}

// Why a recording ended.
const (
	EndCommand  = "command"  // the command, and with --wait-all all descendants, ended
	EndSignal   = "signal"   // the recorder was told to end
	EndDuration = "duration" // the time was over
	EndWatched  = "watched"  // none of the watched processes is left
	EndFailure  = "failure"  // see Error
)

// StillRunning is a descendant that lives on after the recording.
type StillRunning struct {
	PID  int32   `json:"pid"`
	Comm RawText `json:"comm,omitempty"`
}
