package record

import (
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/result"
)

// exitRecord puts together what is known of the end of a process. floor is the
// peak of the recorder when it forked the command: ru_maxrss of the command is
// never below it, since exec(2) counts the image that was left.
func exitRecord(p *life, floor int64) *result.RecordedExit {
	e := p.end
	x := &result.RecordedExit{
		PID: p.pid, Start: p.start, AtNS: int64(e.at), Method: method(p), Role: p.role,
		UID: p.uid, Comm: result.RawText(p.comm), Program: result.RawText(p.comm),
	}
	if p.ppid != 0 {
		x.PPID = result.Some(int64(p.ppid))
	}
	if e.told {
		x.Code, x.Signal, x.Core = decodeStatus(e.status)
	}
	if e.stats {
		x.AgeNS = result.Some(int64(p.sum.elapsed))
	}
	if e.wait != nil && e.wait.rusage != nil {
		r := *e.wait.rusage
		if io := e.wait.io; io != nil {
			r.ReadChars, r.WriteChars = result.Some(io.ReadChars), result.Some(io.WriteChars)
			r.ReadBytes, r.WriteBytes = result.Some(io.ReadBytes), result.Some(io.WriteBytes)
		}
		x.Rusage = &r
	}
	exitCPU(p, x)
	exitIO(p, x)
	exitPeak(p, floor, x)
	return x
}

// method names the best of what told of an end.
func method(p *life) string {
	e := p.end
	switch {
	case e.stats:
		return result.ExitsTaskstats
	case e.told && p.fin != nil:
		return result.ExitsPtrace
	case e.wait != nil:
		return result.ExitsWait
	case e.told:
		return result.ExitsConnector
	}
	return result.ExitsTicks
}

// decodeStatus takes a status as wait(2) has it apart.
func decodeStatus(status int32) (code, signal result.Bytes, core bool) {
	if sig := status & 0x7f; sig != 0 {
		return result.Bytes{}, result.Some(int64(sig)), status&0x80 != 0
	}
	return result.Some(int64(status >> 8 & 0xff)), result.Bytes{}, false
}

// childless reports whether a zombie waited for no child, so that its rusage
// and I/O are its own; false when not known. A child that used nothing to
// speak of goes unnoticed, and makes no difference but to the peak: a process
// has page faults from its first instruction on.
func (w *waited) childless() bool {
	return w != nil && w.rusage != nil && w.stat != nil && w.stat.Have&procstat.HasFaults != 0 &&
		w.stat.ChildUser+w.stat.ChildSystem == 0 && w.stat.ChildFaults == 0
}

// exitCPU sets CPU time and page faults of the process alone.
func exitCPU(p *life, x *result.RecordedExit) {
	set := func(user, system time.Duration) {
		x.UserNS, x.SystemNS = result.Some(int64(user)), result.Some(int64(system))
	}
	e := p.end
	switch {
	case e.stats && (p.whole || p.threads <= 1):
		set(p.sum.user, p.sum.sys)
		x.Minor, x.Major = result.Some(int64(p.sum.minor)), result.Some(int64(p.sum.major))
	case e.wait.childless():
		r := e.wait.rusage
		set(time.Duration(r.UserNS), time.Duration(r.SystemNS))
		x.Minor, x.Major = result.Some(r.Minor), result.Some(r.Major)
	case e.wait != nil && e.wait.stat != nil:
		c := e.wait.stat.Counters
		set(c.User, c.System)
		if e.wait.stat.Have&procstat.HasFaults != 0 {
			x.Minor, x.Major = result.Some(int64(c.MinorFaults)), result.Some(int64(c.MajorFaults))
		}
	case p.fin != nil && p.fin.stat != nil:
		c := p.fin.stat.Counters
		set(c.User, c.System)
		x.Minor, x.Major = result.Some(int64(c.MinorFaults)), result.Some(int64(c.MajorFaults))
	}
}

// exitIO sets the I/O of the process alone.
func exitIO(p *life, x *result.RecordedExit) {
	set := func(io procstat.IO) {
		x.ReadChars, x.WriteChars = result.Some(io.ReadChars), result.Some(io.WriteChars)
		x.ReadBytes, x.WriteBytes = result.Some(io.ReadBytes), result.Some(io.WriteBytes)
	}
	e := p.end
	switch {
	case e.wait.childless() && e.wait.io != nil:
		set(*e.wait.io)
	case e.stats && (p.whole || p.threads <= 1):
		set(procstat.IO{ReadChars: p.sum.rchar, WriteChars: p.sum.wchar, ReadBytes: p.sum.readBytes, WriteBytes: p.sum.writeBytes})
	}
}

// exitPeak sets the highest RES of the program that the process executed last.
func exitPeak(p *life, floor int64, x *result.RecordedExit) {
	e := p.end
	switch {
	case e.stats && p.sum.peak > 0:
		x.Peak, x.PeakFrom = result.Some(max(p.sum.peak, p.peak)), result.PeakFromTaskstats
		return
	case p.fin != nil && p.fin.peak > 0:
		x.Peak, x.PeakFrom = result.Some(max(p.fin.peak, p.peak)), result.PeakFromPtrace
		return
	}
	if p.peak > 0 {
		x.Peak, x.PeakFrom = result.Some(p.peak), result.PeakFromTick
	}
	if e.wait == nil || e.wait.rusage == nil || e.wait.rusage.MaxRSS <= 0 {
		return
	}
	most := e.wait.rusage.MaxRSS
	switch {
	case most <= p.peak, // it cannot have been more
		// Nothing else can have been as large: no child, and not the recorder.
		p.role == result.RoleCommand && most > floor && e.wait.childless():
		x.Peak, x.PeakFrom = result.Some(max(most, p.peak)), result.PeakFromRusage
	default:
		x.PeakAtMost = result.Some(most)
	}
}
