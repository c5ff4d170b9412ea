package procstat

import "wordsize/internal/result"

// Recorder turns processes into records.
type Recorder struct {
	UserName func(uint32) string // nil leaves names out
	// CPUScale is what a share of one CPU is multiplied by to give percent:
	// 100 as in top, 100/CPUs for a share of the whole machine.
	CPUScale float64
	History  bool // also copy the sizes of the last minute
}

// Record fills r with what is known of p at the tick of snap.
func (rc *Recorder) Record(snap *Snapshot, p *Proc, r *result.Process) {
	*r = result.Process{
		PID: p.PID, TID: p.TID, Start: p.Start, Kernel: p.Kernel,
		Comm: result.RawText(p.Comm), History: r.History[:0], Index: r.Index, Depth: r.Depth,
	}
	rc.recordStat(snap, p, r)
	if p.TID != 0 {
		r.Command = result.RawText(p.Comm)
		return
	}
	if p.Own() && p.Have&HasMemory != 0 {
		r.Virtual = result.Some(p.Virtual)
		r.Resident = result.Some(p.Resident)
		if p.Have&HasShared != 0 {
			r.Shared = result.Some(p.Shared)
		}
		if bytes, over, ok := p.Growth(); ok {
			r.GrowBytes, r.GrowNS = result.Some(bytes), result.Some(int64(over))
		}
		if rc.History {
			r.History = p.History(r.History)
		}
	}
	recordDetail(snap, p, r)
	r.Refused = refused(p.Denied | p.Detail.Denied)
	r.Unread = refused((HasStatus | HasArch | HasCgroup) &^ (p.Detail.Have | p.Detail.Denied))
}

func (rc *Recorder) recordStat(snap *Snapshot, p *Proc, r *result.Process) {
	if p.Have&HasStat != 0 {
		if p.PPID != unknown {
			r.PPID = result.Some(int64(p.PPID))
		}
		r.State = string(rune(p.State))
		r.Nice = result.Some(int64(p.Nice))
		if p.TID == 0 && p.Threads != unknown {
			r.Threads = result.Some(int64(p.Threads))
		}
		if snap.Tick.Uptime > 0 {
			r.AgeNS = result.Some(int64(max(0, snap.Tick.Uptime-p.Started)))
		}
	}
	if p.Have&HasUID != 0 {
		r.UID = result.Some(int64(p.UID))
		if rc.UserName != nil {
			r.User = rc.UserName(p.UID)
		}
	}
	if p.Have&HasCPU == 0 {
		return
	}
	r.CPUNS = result.Some(int64(p.Counters.User + p.Counters.System))
	if share, ok := p.CPU(); ok {
		r.CPUDeltaNS = result.Some(int64(p.Deltas.User + p.Deltas.System))
		r.ElapsedNS = result.Some(int64(p.Deltas.Elapsed))
		r.CPUPercent = result.Some(share * rc.CPUScale)
	}
}

func recordDetail(snap *Snapshot, p *Proc, r *result.Process) {
	d := &p.Detail
	r.Command = result.RawText(p.DisplayTitle())
	r.Cmdline = result.RawText(d.Title)
	r.Program = result.RawText(p.Program())
	r.Cgroup = result.RawText(d.Cgroup)
	if d.Have&HasArch != 0 {
		r.Bits, r.Machine = d.Arch.Bits, d.Arch.Machine
	}
	if d.Have&HasStatus != 0 && p.Own() {
		r.Peak, r.Swap, r.HugeTLB = d.Status.Peak, d.Status.Swap, d.Status.HugeTLB
	}
	if d.Have&HasWhatIf != 0 && p.Own() {
		r.WhatIf = d.WhatIf.record(snap.Tick.Mono - d.WhatIfAt)
	}
	r.NoWhatIf = p.whatIf.made && p.whatIf.failed
	if d.Have&HasSmaps == 0 || !p.Own() {
		return
	}
	m := &d.Smaps
	r.PSS, r.USS, r.PSSDoubt = result.Some(m.PSS), result.Some(m.USS()), m.Doubtful()
	r.SwapPSS = m.SwapPSS
	if !r.HugeTLB.Known {
		r.HugeTLB = result.Some(m.PrivateHuge + m.SharedHuge)
	}
	if age := snap.Tick.Mono - d.SmapsAt; age > 0 {
		r.PSSAgeNS = result.Some(int64(age))
	}
}

// Refused returns what the system refused to show of a process.
func (p *Proc) Refused() result.Refused { return refused(p.Denied | p.Detail.Denied) }

// refusedFields maps fields to the names that records have for them.
var refusedFields = [...]struct {
	field Fields
	name  result.Refused
}{
	{HasCPU, result.RefusedCPU}, {HasMemory, result.RefusedMemory}, {HasTitle, result.RefusedTitle},
	{HasStatus, result.RefusedStatus}, {HasArch, result.RefusedArch}, {HasCgroup, result.RefusedCgroup},
	{HasSmaps, result.RefusedPSS}, {HasIO, result.RefusedIO}, {HasWhatIf, result.RefusedWhatIf},
}

func refused(denied Fields) (r result.Refused) {
	for _, m := range refusedFields {
		if denied&m.field != 0 {
			r |= m.name
		}
	}
	return r
}

// Counts says how complete a snapshot is, with picked the selected processes
// and pss whether their PSS was asked for.
func Counts(snap *Snapshot, picked []*Proc, pss bool) result.WatchCounts {
	c := result.WatchCounts{
		Seen: snap.Tick.Seen, Selected: len(picked), Unreadable: snap.Tick.Unreadable,
		Vanished: snap.Tick.Vanished, Started: snap.Started, Exited: len(snap.Exits),
		OthersHidden: snap.Tick.Hidden,
	}
	for _, p := range picked {
		switch {
		case !p.Own() || !pss:
		case p.Detail.Have&HasSmaps != 0:
			c.PSSRead++
		case p.Detail.Denied&HasSmaps != 0:
			c.PSSRefused++
		default:
			c.PSSPending++
		}
	}
	return c
}

// TickRecord returns the record of a snapshot, without its rows.
func TickRecord(snap *Snapshot) result.WatchTick {
	t := result.WatchTick{TimeUnixNS: snap.Tick.Time.UnixNano()}
	if snap.Elapsed > 0 {
		t.IntervalNS = result.Some(int64(snap.Elapsed))
	}
	if snap.Tick.Uptime > 0 {
		t.UptimeNS = result.Some(int64(snap.Tick.Uptime))
	}
	return t
}
