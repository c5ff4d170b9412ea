package report

import (
	"strconv"
	"time"

	"wordsize/internal/result"
)

type process = result.Process

// refusedMark returns the mark for a value that is absent: refused, not asked
// for yet, or none.
func refusedMark(what result.Refused) func(*WatchContext, *process) byte {
	return func(_ *WatchContext, r *process) byte {
		switch {
		case r.Refused&what != 0:
			return markRefused
		case r.Unread&what != 0 && hasMemory(r):
			return markPending
		}
		return markNone
	}
}

// hasMemory reports whether a process is one that has memory of its own.
func hasMemory(r *process) bool {
	return r.TID == 0 && !r.Kernel && r.State != "Z" && r.State != "X"
}

func pssMark(c *WatchContext, r *process) byte {
	switch {
	case r.Refused&result.RefusedPSS != 0:
		return markRefused
	case !hasMemory(r) || c.PSSOff:
		return markNone
	}
	return markPending
}

// pssSuffix appends what has to be said of a PSS: ! when it is below what is
// private and so wrong, + when HugeTLB pages come on top, and its age.
func pssSuffix(r *process, dst []byte) []byte {
	if r.PSSDoubt {
		dst = append(dst, '!')
	}
	if r.HugeTLB.Value > 0 {
		dst = append(dst, '+')
	}
	return pssStale(r, dst)
}

func pssStale(r *process, dst []byte) []byte { return appendAge(dst, r.PSSAgeNS) }

func noMark(*WatchContext, *process) byte { return 0 }

// ProcessColumns lists all columns of process rows in their usual order.
var ProcessColumns = []ProcessColumn{
	pidColumn(),
	ascending(intColumn("PPID", "ppid", "the parent's PID",
		func(_ *WatchContext, r *process) result.Bytes { return r.PPID }, refusedMark(result.RefusedCPU), showInt)),
	textColumn("USER", "user", "effective user", 12,
		func(r *process) string { return r.User }, func(*process) byte { return markRefused }),
	textColumn("ARCH", "arch", "word size and machine of the program", 0, archText,
		func(r *process) byte { return refusedMark(result.RefusedArch)(nil, r) }),
	textColumn("S", "state", "state: R running, S sleeping, D uninterruptible, I idle, T stopped, t traced, Z zombie", 1,
		func(r *process) string { return r.State }, func(*process) byte { return markRefused }),
	ascending(intColumn("NI", "nice", "nice value",
		func(_ *WatchContext, r *process) result.Bytes { return r.Nice }, refusedMark(result.RefusedCPU), showInt)),
	intColumn("THR", "threads", "number of threads",
		func(_ *WatchContext, r *process) result.Bytes { return r.Threads }, refusedMark(result.RefusedCPU), showInt),
	sizeColumn("VIRT", "virt_bytes", "address space",
		func(_ *WatchContext, r *process) result.Bytes { return r.Virtual }, refusedMark(result.RefusedMemory), nil),
	sizeColumn("RES", "res_bytes", "resident: in RAM, shared pages in full",
		func(_ *WatchContext, r *process) result.Bytes { return r.Resident }, refusedMark(result.RefusedMemory), nil),
	sizeColumn("SHR", "shr_bytes", "of RES: files and shared memory",
		func(_ *WatchContext, r *process) result.Bytes { return r.Shared }, refusedMark(result.RefusedMemory), nil),
	sizeColumn("PSS", "pss_bytes", "proportional: each shared page divided by those who map it",
		func(_ *WatchContext, r *process) result.Bytes { return r.PSS }, pssMark, pssSuffix),
	sizeColumn("USS", "uss_bytes", "unique: pages nobody else maps",
		func(_ *WatchContext, r *process) result.Bytes { return r.USS }, pssMark, pssStale),
	sizeColumn("SWAP", "swap_bytes", "private pages swapped out",
		func(_ *WatchContext, r *process) result.Bytes { return r.Swap }, refusedMark(result.RefusedStatus), nil),
	sizeColumn("HUGE", "hugetlb_bytes", "HugeTLB pages: outside RES, PSS and USS",
		func(_ *WatchContext, r *process) result.Bytes { return r.HugeTLB }, refusedMark(result.RefusedStatus), nil),
	sizeColumn("PEAK", "peak_bytes", "highest RES so far (VmHWM)",
		func(_ *WatchContext, r *process) result.Bytes { return r.Peak }, refusedMark(result.RefusedStatus), nil),
	percentColumn("%CPU", "cpu_percent", "CPU since the previous tick; 100 is one CPU",
		func(_ *WatchContext, r *process) result.Float { return r.CPUPercent }, func(_ *WatchContext, r *process) byte {
			if r.Refused&result.RefusedCPU != 0 {
				return markRefused
			}
			return 0
		}),
	percentColumn("%MEM", "mem_percent", "RES as a share of RAM", func(c *WatchContext, r *process) result.Float {
		if !r.Resident.Known || c.MemoryTotal <= 0 {
			return result.Float{}
		}
		return result.Some(100 * float64(r.Resident.Value) / float64(c.MemoryTotal))
	}, refusedMark(result.RefusedMemory)),
	intColumn("TIME+", "cpu_ns", "CPU time since its start, user and system",
		func(_ *WatchContext, r *process) result.Bytes { return r.CPUNS }, refusedMark(result.RefusedCPU), showCPUTime),
	intColumn("AGE", "age_ns", "time since its start",
		func(_ *WatchContext, r *process) result.Bytes { return r.AgeNS }, refusedMark(result.RefusedCPU), showAge),
	growthColumn(),
	sizeColumn("SWPSS", "swap_pss_bytes", "swapped out, shared pages divided by those who share them",
		func(_ *WatchContext, r *process) result.Bytes { return r.SwapPSS }, pssMark, nil),
	whatIfColumn(), whatIfEnd(whatIfLowName), whatIfEnd(whatIfHighName),
	textColumn("CGROUP", "cgroup", "control group of the process's memory", 32,
		func(r *process) string { return string(r.Cgroup) },
		func(r *process) byte { return refusedMark(result.RefusedCgroup)(nil, r) }),
	textColumn("PROGRAM", "program", "name of the program", 24,
		func(r *process) string { return string(r.Program) }, func(*process) byte { return markNone }),
	commandColumn(),
}

// pidColumn shows a thread's own id as +TID.
func pidColumn() ProcessColumn {
	col := ascending(intColumn("PID", "pid", "process id; the rows of its threads show +TID",
		func(_ *WatchContext, r *process) result.Bytes { return result.Some(int64(r.PID)) }, noMark, showInt))
	show := col.Cell
	col.Cell = func(c *WatchContext, r *process, dst []byte) ([]byte, int) {
		if r.TID == 0 {
			return show(c, r, dst)
		}
		start := len(dst)
		dst = strconv.AppendInt(append(dst, '+'), int64(r.TID), 10)
		return dst, len(dst) - start
	}
	return col
}

// ThreadColumn tells thread rows from process rows in CSV, where it is empty
// for the latter: a thread's CPU time is part of its process's.
var ThreadColumn = intColumn("TID", "tid", "thread id; empty in the rows of processes",
	func(_ *WatchContext, r *process) result.Bytes {
		if r.TID == 0 {
			return result.Bytes{}
		}
		return result.Some(int64(r.TID))
	}, noMark, showInt)

// commandColumn is the title, indented in the tree and below a process.
func commandColumn() ProcessColumn {
	col := growing(textColumn("COMMAND", "command", "title: the command line as the process shows it; [comm] where there is none", 0,
		func(r *process) string { return string(r.Command) }, func(*process) byte { return markNone }))
	show := col.Cell
	col.Cell = func(c *WatchContext, r *process, dst []byte) ([]byte, int) {
		if r.Depth == 0 {
			return show(c, r, dst)
		}
		for range min(r.Depth, 20) - 1 {
			dst = append(dst, "  "...)
		}
		dst, width := show(c, r, append(dst, "`- "...))
		return dst, width + 2*(min(r.Depth, 20)-1) + 3
	}
	return col
}

// archText returns "64 x86-64".
func archText(r *process) string {
	if r.Bits == 0 {
		return ""
	}
	return strconv.Itoa(r.Bits) + " " + r.Machine
}

// minGrowth is for how long a process must have been watched before its
// growth is given per minute: less would multiply a moment's noise.
const minGrowth = 10 * time.Second

// growthColumn shows growth of RES per minute, over the last minute or as
// long as the process was watched.
func growthColumn() ProcessColumn {
	perMinute := func(_ *WatchContext, r *process) result.Bytes {
		if !r.GrowBytes.Known || r.GrowNS.Value < int64(minGrowth) {
			return result.Bytes{}
		}
		return result.Some(int64(float64(r.GrowBytes.Value) * float64(time.Minute) / float64(r.GrowNS.Value)))
	}
	col := sizeColumn(growthName, "res_growth_bytes_per_min", "growth of RES per minute, over the last minute; blank for the first 10 s", perMinute,
		noMark, nil)
	col.Cell = func(c *WatchContext, r *process, dst []byte) ([]byte, int) {
		v := perMinute(c, r)
		if !v.Known {
			return dst, 0
		}
		start := len(dst)
		if v.Value > 0 {
			dst = append(dst, '+')
		}
		dst = AppendWatchSize(dst, v.Value)
		return dst, len(dst) - start
	}
	return col
}

func ascending[R any](c WatchColumn[R]) WatchColumn[R] { c.Descending = false; return c }

func growing[R any](c WatchColumn[R]) WatchColumn[R] { c.Grows = true; return c }
