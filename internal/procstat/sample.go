package procstat

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// Ident identifies a process for as long as the host is up. A PID alone does
// not: it is given to another process later.
type Ident struct {
	PID int32
	// Start is when the process started. On Linux in clock ticks of 1/100 s
	// since boot (field 22 of stat), elsewhere milliseconds since the epoch;
	// 0 when unknown. It serves to tell processes apart; see Sample.Started.
	Start uint64
}

// Fields is a set of values that a sample or a detail may hold.
type Fields uint32

// The first tier: read for every process on every tick.
const (
	HasStat   Fields = 1 << iota // Comm, State, parents, Nice, Threads, Start
	HasCPU                       // Counters.User and System
	HasFaults                    // Counters.MinorFaults and MajorFaults
	HasMemory                    // Virtual and Resident
	HasShared                    // Shared
	HasUID                       // UID
)

// The second tier: read for the processes that are shown.
const (
	HasTitle  Fields = 1 << (iota + 16) // Detail.Title
	HasStatus                           // Detail.Status
	HasArch                             // Detail.Arch
	HasCgroup                           // Detail.Cgroup
	HasSmaps                            // Detail.Smaps
	HasIO                               // Detail.IO
	HasWhatIf                           // Detail.WhatIf
)

// Counters only ever grow during the life of a process.
type Counters struct {
	User, System             time.Duration // CPU time, in steps of 10 ms on Linux
	MinorFaults, MajorFaults uint64
}

// Deltas is what counters grew by between two reads of the same process.
type Deltas struct {
	Elapsed                  time.Duration // real time between the two reads
	User, System             time.Duration
	MinorFaults, MajorFaults uint64
}

// Since returns what c grew by since prev. A counter that went back (the
// kernel's scaling of CPU time can do that by a tick) grew by nothing.
func (c Counters) Since(prev Counters, elapsed time.Duration) Deltas {
	return Deltas{
		Elapsed:     elapsed,
		User:        max(0, c.User-prev.User),
		System:      max(0, c.System-prev.System),
		MinorFaults: c.MinorFaults - min(c.MinorFaults, prev.MinorFaults),
		MajorFaults: c.MajorFaults - min(c.MajorFaults, prev.MajorFaults),
	}
}

// CPU returns the share of one CPU used, 1 for one CPU busy all the time; ok
// is false when no time has passed.
func (d Deltas) CPU() (share float64, ok bool) {
	if d.Elapsed <= 0 {
		return 0, false
	}
	return float64(d.User+d.System) / float64(d.Elapsed), true
}

// Sample is one process, or one thread, at one instant, as it was read.
type Sample struct {
	Ident
	TID     int32  // the thread's id in thread samples, else 0
	Have    Fields // which of the values below are known
	Denied  Fields // which the system refused to show
	State   byte   // as in stat: R, S, D, Z, T, t, I, ...
	Kernel  bool   // a kernel thread: it has no memory of its own
	PPID    int32  // unknown where the system does not say
	PGRP    int32
	Session int32
	Nice    int32
	Threads int32  // unknown where the system does not say
	UID     uint32 // effective user
	Comm    string // raw bytes, at most 15 on Linux (more for kernel threads)
	// Image changes when the process executes another program.
	Image uint64

	Virtual  int64 // bytes of address space
	Resident int64 // bytes in RAM
	Shared   int64 // bytes of Resident that are file-backed or shared memory

	Counters Counters
	// Of the children that it has waited for, and of theirs: CPU time; with
	// HasCPU on Linux.
	ChildUser, ChildSystem time.Duration
	ChildFaults            uint64        // their minor page faults
	ReadAt                 time.Duration // when it was read, on the clock of Tick.Mono
	Started                time.Duration // after boot, on the clock of Tick.Uptime; with HasStat
}

// unknown is a PPID or number of threads that could not be read although other
// values of HasStat could.
const unknown = -1

// Own reports whether the process has memory of its own: kernel threads and
// zombies have none, so their memory is absent, not zero.
func (s *Sample) Own() bool { return !s.Kernel && s.State != 'Z' && s.State != 'X' }

// Tick is one pass over all processes. Its slices are reused by the next Scan.
type Tick struct {
	Time    time.Time     // wall clock
	Mono    time.Duration // a clock that never goes back; its zero has no meaning
	Uptime  time.Duration // since boot; 0 when unknown
	Samples []Sample      // in ascending order of PID

	Seen       int  // processes listed
	Vanished   int  // ended between being listed and being read
	Unreadable int  // listed, but neither stat nor statm may be read
	Hidden     bool // the system hides processes of others (hidepid)
}

// Detail is the second tier of one process. Values not in Have are unknown;
// those in Denied were asked for and refused.
type Detail struct {
	Have, Denied Fields

	// Title is the command line as the process shows it: arguments separated
	// by NUL, raw bytes, without the NULs at the end.
	Title  string
	Cgroup string // path in the memory hierarchy
	Arch   Arch
	Status Status
	Smaps  Smaps
	IO     IO
	// SmapsAt is when Smaps was read, on the clock of Tick.Mono.
	SmapsAt time.Duration
	// WhatIf is the estimate as a build of the other word size, with HasWhatIf,
	// and WhatIfAt when it was made.
	WhatIf   *WhatIf
	WhatIfAt time.Duration
}

// Source yields raw samples.
type Source interface {
	// Scan replaces t's contents with one pass over all processes. A process
	// that ends or may not be read is no error.
	Scan(ctx context.Context, t *Tick) error
	// Read reads the wanted second-tier fields of the process that s is a
	// sample of, into d. What is known of a process that has ended meanwhile
	// stays. Smaps and WhatIf, and when they were made, are filled by
	// recordings only, see Recorded.
	Read(s *Sample, want Fields, d *Detail)
	// Threads appends one sample per thread of the process to dst.
	Threads(s *Sample, dst []Sample) []Sample
	// ReadSmaps reads the PSS tier, which may take 20 ms per GB resident. buf
	// is scratch space that is returned for the next call. Unlike the others
	// it may be called while another goroutine is in Scan.
	ReadSmaps(pid int32, buf []byte, m *Smaps) ([]byte, Outcome)
	// Inspect reads all that there is to know of one process. It may be called
	// while another goroutine is in Scan.
	Inspect(pid int32) Inspection
	// Close releases what the source holds.
	Close() error
}

// Recorded is what a Source implements whose PSS values come from a recording:
// with the times at which they were read, and not under a budget.
type Recorded interface {
	Recorded() bool
}

// Outcome is how the reading of one value ended.
type Outcome uint8

// The outcomes.
const (
	Done   Outcome = iota
	Gone           // the process has ended
	Denied         // permission refused
	None           // there is nothing to read
	Failed         // anything else
)

// err returns an error that errors.Is can tell apart.
func (o Outcome) err() error {
	switch o {
	case Done:
		return nil
	case Gone, None:
		return fs.ErrNotExist
	case Denied:
		return fs.ErrPermission
	}
	return errors.New("cannot be read")
}

// set notes how the reading of a field ended. What was known of a process that
// has ended stays.
func (d *Detail) set(f Fields, res Outcome) {
	if res == Gone {
		return
	}
	d.Have &^= f
	d.Denied &^= f
	switch res {
	case Done:
		d.Have |= f
	case Denied, Failed:
		d.Denied |= f
	}
}
