package usage

import (
	"bytes"
	"testing"
	"time"

	"wordsize/internal/result"
)

const mib = 1 << 20

var began = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// tape writes a recording of ticks that a test makes up.
type tape struct {
	t      testing.TB
	header result.RecordingHeader
	buf    bytes.Buffer
	w      *result.RecordingWriter
	tick   result.RecordedTick
	live   []*result.RecordedProcess
	every  time.Duration
}

func newTape(t testing.TB, every time.Duration, change ...func(*result.RecordingHeader)) *tape {
	t.Helper()
	online := 2
	tp := &tape{t: t, every: every, header: result.RecordingHeader{
		Started: began, IntervalNS: int64(every), Command: []result.RawText{"run"}, PSS: 0.003, PID: 100, Boot: "boot",
		Exits:   result.ExitsMethod{Method: result.ExitsTaskstats, Complete: true},
		Columns: result.RecordingColumns(1e7, 4096),
		Host:    result.Host{Hostname: "host-1", OS: "linux", Kernel: "6.1", CPU: result.CPU{Online: &online}},
		Tool:    result.Tool{Name: "rsswatch", Version: "devel", GOOS: "linux", GOARCH: "amd64", WordBits: 64},
	}}
	for _, c := range change {
		c(&tp.header)
	}
	var err error
	if tp.w, err = result.NewRecordingWriter(&tp.buf, &tp.header); err != nil {
		t.Fatal(err)
	}
	return tp
}

// start adds a process that starts now: res bytes of RES, 1 MiB of it shared.
func (tp *tape) start(pid int32, program string, res int64) *result.RecordedProcess {
	at := tp.tick.AtNS
	if tp.tick.Number > 0 {
		at += int64(tp.every)
	}
	p := &result.RecordedProcess{
		PID: pid, Start: uint64(pid), StartedNS: result.Some(at), Role: result.RoleChild, PPID: result.Some[int64](100), UID: result.Some[int64](33), User: "www-data",
		Bits: 64, Machine: "x86-64", Program: result.RawText(program), Comm: result.RawText(program), Cmdline: result.RawText(program + "\x00-x"), State: "S",
		Virtual: result.Some(10 * res), Shared: result.Some[int64](mib),
		UserNS: result.Some[int64](0), SystemNS: result.Some[int64](0), ChildUserNS: result.Some[int64](0), ChildSysNS: result.Some[int64](0),
		ReadChars: result.Some[int64](0), WriteChars: result.Some[int64](0), ReadBytes: result.Some[int64](0), WriteBytes: result.Some[int64](0),
		Threads: result.Some[int64](1), Swap: result.Some[int64](0),
	}
	size(p, res)
	tp.live = append(tp.live, p)
	return p
}

// size sets RES, and a PSS that is half of what is shared less.
func size(p *result.RecordedProcess, res int64) {
	p.Resident = result.Some(res)
	p.PSS, p.USS = result.Some(res-mib/2), result.Some(res-mib)
	p.Peak = result.Some(max(p.Peak.Value, res))
}

// take writes a tick.
func (tp *tape) take(exits ...*result.RecordedExit) {
	tp.t.Helper()
	k := &tp.tick
	if k.Number++; k.Number > 1 {
		k.IntervalNS = result.Some(int64(tp.every))
		k.AtNS += int64(tp.every)
	}
	k.TimeUnixNS = began.UnixNano() + k.AtNS
	k.SelfCPUNS, k.SelfRSSBytes, k.TookNS = result.Some[int64](1e6), result.Some[int64](12*mib), result.Some[int64](1e6)
	for _, e := range exits {
		for i, p := range tp.live {
			if p.PID == e.PID && p.Start == e.Start {
				tp.live = append(tp.live[:i:i], tp.live[i+1:]...)
				break
			}
		}
	}
	for _, p := range tp.live {
		if p.PSS.Known && !p.PSSAtNS.Known {
			p.PSSAtNS = result.Some(k.AtNS)
		}
	}
	k.Exits, k.Processes = exits, tp.live
	if err := tp.w.Tick(k); err != nil {
		tp.t.Fatal(err)
	}
	for _, p := range tp.live {
		p.PSSAtNS = result.Bytes{}
	}
}

// takes writes n ticks.
func (tp *tape) takes(n int) {
	tp.t.Helper()
	for range n {
		tp.take()
	}
}

func (tp *tape) end(change ...func(*result.RecordingEnd)) {
	tp.t.Helper()
	e := &result.RecordingEnd{Reason: result.EndCommand, AtNS: tp.tick.AtNS, Ticks: tp.tick.Number, Complete: true, SelfCPUNS: result.Some(tp.tick.Number * 1e6)}
	for _, c := range change {
		c(e)
	}
	if err := tp.w.End(e); err != nil {
		tp.t.Fatal(err)
	}
}

func (tp *tape) read(opt Options) *Usage {
	tp.t.Helper()
	rr, err := result.NewRecordingReader(bytes.NewReader(tp.buf.Bytes()))
	if err != nil {
		tp.t.Fatal(err)
	}
	defer rr.Close()
	return Read(rr, "tape.jsonl", opt)
}

// label reads it and returns the use of its one label.
func (tp *tape) label(opt Options) *result.LabelUsage {
	tp.t.Helper()
	l := Merge("tape", []*Usage{tp.read(opt)})
	return &l
}

func groupNamed(t testing.TB, l *result.LabelUsage, name string) *result.GroupUsage {
	t.Helper()
	for i := range l.Groups {
		if string(l.Groups[i].Name) == name {
			return &l.Groups[i]
		}
	}
	t.Fatalf("no group %q among %+v", name, l.Groups)
	return nil
}

// gone is the end of a process that used cpu ns in all.
func gone(p *result.RecordedProcess, at time.Duration, cpu, peak int64) *result.RecordedExit {
	return &result.RecordedExit{
		ID: p.ID, PID: p.PID, Start: p.Start, AtNS: int64(at), Method: result.ExitsTaskstats, Role: p.Role, PPID: p.PPID, Comm: p.Comm, Program: p.Program,
		UserNS: result.Some(cpu), SystemNS: result.Some[int64](0), Peak: result.Some(peak), PeakFrom: result.PeakFromTaskstats,
	}
}

// unseen is a process that no tick saw.
func unseen(pid int32, comm string, from, to time.Duration, cpu, peak int64) *result.RecordedExit {
	return &result.RecordedExit{
		PID: pid, Start: uint64(pid), AtNS: int64(to), AgeNS: result.Some(int64(to - from)), Method: result.ExitsTaskstats, Role: result.RoleChild,
		PPID: result.Some[int64](100), Comm: result.RawText(comm), Program: result.RawText(comm),
		UserNS: result.Some(cpu), SystemNS: result.Some[int64](0), Peak: result.Some(peak), PeakFrom: result.PeakFromTaskstats,
	}
}
