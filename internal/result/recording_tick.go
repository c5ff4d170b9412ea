package result

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// useTick applies a tick's line to the state.
func (rr *RecordingReader) useTick(line []byte) error {
	line, err := rr.rows.split(line)
	if err != nil {
		return err
	}
	l := new(tickLine)
	if err := json.Unmarshal(line, l); err != nil {
		return err
	}
	t := &rr.tick
	if t.Number > 0 && l.AtNS < t.AtNS {
		return fmt.Errorf("%w: a tick before the one before it", errOrder)
	}
	rr.dropEnded()
	if err := rr.applyRows(l); err != nil {
		return err
	}
	t.IntervalNS = Bytes{}
	if t.Number > 0 {
		t.IntervalNS = Some(l.AtNS - t.AtNS)
	}
	t.Number++
	t.AtNS, t.TookNS, t.Skipped, t.SelfCPUNS, t.Left = l.AtNS, l.TookNS, l.Skipped, l.SelfCPU, l.Left
	t.TimeUnixNS = rr.header.Started.Add(time.Duration(l.AtNS)).UnixNano()
	if l.WallNS.Known {
		t.TimeUnixNS = l.WallNS.Value
	}
	update(&t.Seen, l.Seen)
	update(&t.Unreadable, l.Unreadable)
	update(&t.SelfRSSBytes, l.SelfRSS)
	if l.Host != nil {
		t.Available, t.SwapFree, t.Load = l.Host.Available, l.Host.SwapFree, l.Host.Load
	}
	return nil
}

// update takes over a value that is written when it changes.
func update(dst *Bytes, v Bytes) {
	switch {
	case !v.Known:
	case v.Value < 0:
		*dst = Bytes{}
	default:
		*dst = v
	}
}

// dropEnded removes the processes that ended before this tick.
func (rr *RecordingReader) dropEnded() {
	for _, e := range rr.tick.Exits {
		if e.ID != 0 {
			rr.drop(e.ID)
		}
	}
}

func (rr *RecordingReader) drop(id int64) {
	p := rr.procs[id]
	if p == nil {
		return
	}
	delete(rr.procs, id)
	if at := slices.Index(rr.tick.Processes, p); at >= 0 {
		rr.tick.Processes = slices.Delete(rr.tick.Processes, at, at+1)
	}
}

func (rr *RecordingReader) find(id int64) (*RecordedProcess, error) {
	if p := rr.procs[id]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%w: no process has the id %d", errOrder, id)
}

// applyRows applies what changed of each process.
func (rr *RecordingReader) applyRows(l *tickLine) error {
	for _, id := range l.Left {
		rr.drop(id)
	}
	if err := rr.applyPSSTimes(l); err != nil {
		return err
	}
	start := 0
	for _, end := range rr.rows.ends {
		if err := rr.applyRow(rr.rows.flat[start:end]); err != nil {
			return err
		}
		start = end
	}
	for _, ch := range l.Titles {
		p, err := rr.find(ch.ID)
		if err != nil {
			return err
		}
		for _, f := range [...]struct{ dst, now *RawText }{{&p.Cmdline, ch.Cmdline}, {&p.Comm, ch.Comm}, {&p.Program, ch.Program}} {
			if f.now != nil {
				*f.dst = *f.now
			}
		}
	}
	return rr.applyStates(l)
}

func (rr *RecordingReader) applyRow(row []int64) error {
	if len(row) == 0 || len(row)-1 > len(rr.figures) {
		return errRows
	}
	p, err := rr.find(row[0])
	if err != nil {
		return err
	}
	for i, diff := range row[1:] {
		if v := p.figure(rr.figures[i]); v != nil && v.Known {
			v.Value += diff * rr.header.Columns[i].Unit
		}
	}
	return nil
}

// applyPSSTimes sets when the PSS tiers were read: for this tick, but for the
// ones listed and those of processes that were stated anew.
func (rr *RecordingReader) applyPSSTimes(l *tickLine) error {
	if len(l.Late)%2 != 0 {
		return fmt.Errorf("%w: pss_late is not in pairs", errOrder)
	}
	kept := rr.stated
	for _, id := range l.Kept {
		kept[id] = true
	}
	for i := 0; i < len(l.Late); i += 2 {
		p, err := rr.find(l.Late[i])
		if err != nil {
			return err
		}
		kept[p.ID] = true
		p.PSSAtNS = Some(l.AtNS - l.Late[i+1])
	}
	for _, p := range rr.tick.Processes {
		if p.PSSAtNS.Known && !kept[p.ID] {
			p.PSSAtNS = Some(l.AtNS)
		}
	}
	clear(kept)
	return nil
}

// applyStates sets the states: S where none is listed.
func (rr *RecordingReader) applyStates(l *tickLine) error {
	for _, p := range rr.tick.Processes {
		if p.State != "" {
			p.State = "S"
		}
	}
	for state, ids := range l.States {
		for _, id := range ids {
			p, err := rr.find(id)
			if err != nil {
				return err
			}
			p.State = state
		}
	}
	return nil
}
