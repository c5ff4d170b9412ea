package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// RecordingWriter writes a recording line by line: of each process once all
// that is known, then what changed since the tick before. A tick reaches the
// writer below in one call. It is not for concurrent use.
type RecordingWriter struct {
	w       io.Writer
	header  RecordingHeader
	line    bytes.Buffer // the lines of the tick in the making
	enc     *json.Encoder
	figures []figure
	known   map[identKey]*written
	row     []int64 // scratch
	rows    []byte  // of the tick in the making
	lastID  int64
	ticks   int64
	last    tickLine
	hostAt  int64
	flushed int64
	err     error
}

// identKey identifies a process as Process.Ident does.
type identKey struct {
	pid   int32
	start uint64
}

// written is a process as it was last written.
type written struct {
	RecordedProcess
	tick int64 // at which it was last there
}

// Flusher is what a compressing writer implements: after Flush, all that was
// written can be read back.
type Flusher interface {
	Flush() error
}

// Times on the clock of a recording, in ns.
const (
	// RecordingFlushNS is how much of a compressed recording is lost at most,
	// besides the tick in the making, when the recorder is killed.
	RecordingFlushNS = int64(2 * time.Second)
	hostEveryNS      = int64(10 * time.Second)
	wallDriftNS      = int64(10 * time.Millisecond)
)

// NewRecordingWriter writes the header, whose schema and type it sets, and
// whose columns it fills where there are none.
func NewRecordingWriter(w io.Writer, h *RecordingHeader) (*RecordingWriter, error) {
	rw := &RecordingWriter{w: w, header: *h, known: map[identKey]*written{}, hostAt: -hostEveryNS}
	rw.enc = json.NewEncoder(&rw.line)
	rw.enc.SetEscapeHTML(false)
	rw.header.Schema, rw.header.Type = RecordingSchema, lineHeader
	if len(rw.header.Columns) == 0 {
		rw.header.Columns = RecordingColumns(1, 1)
	}
	rw.figures = figures(rw.header.Columns)
	for i, c := range rw.header.Columns {
		if rw.figures[i] == figNone || c.Unit < 1 {
			return nil, fmt.Errorf("recording: no column %q of unit %d", c.Name, c.Unit)
		}
	}
	rw.put(&rw.header)
	if rw.flushLines(); rw.err == nil {
		rw.flush()
	}
	return rw, rw.err
}

// put appends one line.
func (rw *RecordingWriter) put(v any) {
	if err := rw.enc.Encode(v); err != nil && rw.err == nil {
		rw.err = fmt.Errorf("recording: %w", err)
	}
}

// flushLines hands all lines to the writer below in one call.
func (rw *RecordingWriter) flushLines() {
	if rw.err == nil {
		_, rw.err = rw.w.Write(rw.line.Bytes())
	}
	rw.line.Reset()
}

func (rw *RecordingWriter) flush() {
	if f, ok := rw.w.(Flusher); ok && rw.err == nil {
		rw.err = f.Flush()
	}
}

// Tick writes a tick. IDs are given by the writer: those in t.Processes are
// set, those in t.Exits are looked up by PID and start time. A process that is
// in both has ended and is no part of this tick; one that was in the tick
// before and is in neither now counts as left.
// After an error nothing more is written, and the same error is returned.
func (rw *RecordingWriter) Tick(t *RecordedTick) error {
	if rw.err != nil {
		return rw.err
	}
	line := tickLine{Type: lineTick, AtNS: t.AtNS, TookNS: t.TookNS, Skipped: t.Skipped, SelfCPU: t.SelfCPUNS}
	rw.head(t, &line)
	ended := make(map[identKey]bool, len(t.Exits))
	for _, e := range t.Exits {
		ended[identKey{e.PID, e.Start}] = true
	}
	rw.ticks++
	rw.rows = rw.rows[:0]
	for _, p := range t.Processes {
		key := identKey{p.PID, p.Start}
		if len(ended) > 0 && ended[key] {
			continue // ended while the tick was taken: its end says more
		}
		rw.process(key, p, t.AtNS, &line)
	}
	for _, e := range t.Exits {
		key := identKey{e.PID, e.Start}
		if old := rw.known[key]; old != nil {
			e.ID = old.ID
			delete(rw.known, key)
		}
		rw.put(exitLine{lineExit, e})
	}
	for key, p := range rw.known {
		if p.tick != rw.ticks {
			line.Left = append(line.Left, p.ID)
			delete(rw.known, key)
		}
	}
	slices.Sort(line.Left)
	rw.putTick(&line)
	rw.flushLines()
	if t.AtNS-rw.flushed >= RecordingFlushNS || t.Number == 1 {
		rw.flushed = t.AtNS
		rw.flush()
	}
	return rw.err
}

// putTick appends a tick's line with its rows.
func (rw *RecordingWriter) putTick(line *tickLine) {
	rw.put(line)
	if len(rw.rows) == 0 || rw.err != nil {
		return
	}
	rw.line.Truncate(rw.line.Len() - len("}\n"))
	rw.line.WriteString(rowsKey)
	rw.line.Write(rw.rows)
	rw.line.WriteString("]}\n")
}

// head fills what a tick line says of the host and the recorder, as far as it
// changed.
func (rw *RecordingWriter) head(t *RecordedTick, line *tickLine) {
	if drift := t.TimeUnixNS - rw.header.Started.UnixNano() - t.AtNS; drift > wallDriftNS || drift < -wallDriftNS {
		line.WallNS = Some(t.TimeUnixNS)
	}
	line.Seen = changed(&rw.last.Seen, t.Seen)
	line.Unreadable = changed(&rw.last.Unreadable, t.Unreadable)
	line.SelfRSS = changed(&rw.last.SelfRSS, t.SelfRSSBytes)
	host := tickHost{t.Available, t.SwapFree, t.Load}
	if (host.Available.Known || host.SwapFree.Known || len(host.Load) > 0) && t.AtNS-rw.hostAt >= hostEveryNS {
		rw.hostAt = t.AtNS
		line.Host = &host
	}
}

// changed returns what to write of a value: nothing when it is as before, -1
// when it is no longer known.
func changed(last *Bytes, now Bytes) (write Bytes) {
	if *last == now {
		return Bytes{}
	}
	*last = now
	if !now.Known {
		return Some[int64](-1)
	}
	return now
}

// process writes what changed of one process.
func (rw *RecordingWriter) process(key identKey, p *RecordedProcess, at int64, line *tickLine) {
	old := rw.known[key]
	switch {
	case old == nil:
		rw.lastID++
		old = new(written)
		rw.known[key] = old
		p.ID = rw.lastID
		rw.restate(old, p)
	case old.tick == rw.ticks:
		return // twice in a tick
	default:
		p.ID = old.ID
		if !rw.differences(&old.RecordedProcess, p) || !sameFacts(&old.RecordedProcess, p) {
			rw.restate(old, p)
			break
		}
		rw.change(&old.RecordedProcess, p, line)
		pssTime(&old.RecordedProcess, p, at, line)
		old.RecordedProcess = *p
	}
	old.tick = rw.ticks
	if p.State != "S" && p.State != "" {
		if line.States == nil {
			line.States = map[string][]int64{}
		}
		line.States[p.State] = append(line.States[p.State], p.ID)
	}
}

// restate writes all that is known of p.
func (rw *RecordingWriter) restate(old *written, p *RecordedProcess) {
	old.RecordedProcess = *p
	rw.put(processLine{lineProcess, p})
}

// differences makes rw.row of the differences of p's figures to the ones
// written last. It returns false when they cannot be told so: one became known
// or unknown, or is no multiple of its unit.
func (rw *RecordingWriter) differences(old, p *RecordedProcess) bool {
	rw.row = append(rw.row[:0], p.ID)
	used := 1
	for i, f := range rw.figures {
		a, b := old.figure(f), p.figure(f)
		if *a == *b {
			rw.row = append(rw.row, 0)
			continue
		}
		diff, unit := b.Value-a.Value, rw.header.Columns[i].Unit
		if a.Known != b.Known || diff%unit != 0 || (diff < 0) != (b.Value < a.Value) {
			return false
		}
		rw.row = append(rw.row, diff/unit)
		used = len(rw.row)
	}
	rw.row = rw.row[:used]
	return true
}

// change adds the row and titles to a tick.
func (rw *RecordingWriter) change(old, p *RecordedProcess, line *tickLine) {
	if len(rw.row) > 1 {
		rw.rows = appendRow(rw.rows, rw.row)
	}
	if old.Cmdline == p.Cmdline && old.Comm == p.Comm && old.Program == p.Program {
		return
	}
	ch := titleChange{ID: p.ID}
	for _, f := range [...]struct {
		old, now RawText
		dst      **RawText
	}{{old.Cmdline, p.Cmdline, &ch.Cmdline}, {old.Comm, p.Comm, &ch.Comm}, {old.Program, p.Program, &ch.Program}} {
		if f.old != f.now {
			*f.dst = &f.now
		}
	}
	line.Titles = append(line.Titles, ch)
}

// pssTime notes when the PSS tier was read, where that was not for this tick.
func pssTime(old, p *RecordedProcess, at int64, line *tickLine) {
	switch {
	case !p.PSSAtNS.Known:
	case p.PSSAtNS == old.PSSAtNS:
		line.Kept = append(line.Kept, p.ID)
	case p.PSSAtNS.Value != at:
		line.Late = append(line.Late, p.ID, at-p.PSSAtNS.Value)
	}
}

// sameFacts compares what neither rows, titles, states nor PSS times hold.
func sameFacts(a, b *RecordedProcess) bool {
	return a.PPID == b.PPID && a.UID == b.UID && a.User == b.User && a.Role == b.Role && a.Kernel == b.Kernel &&
		a.Nice == b.Nice && a.Bits == b.Bits && a.Machine == b.Machine && a.Execs == b.Execs && a.Cgroup == b.Cgroup &&
		a.Refused == b.Refused && a.StartedNS == b.StartedNS && a.PSSAtNS.Known == b.PSSAtNS.Known &&
		(a.State == "") == (b.State == "")
}

// End writes the last line. Ticks is filled in.
func (rw *RecordingWriter) End(e *RecordingEnd) error {
	if rw.err != nil {
		return rw.err
	}
	e.Type, e.Ticks = lineEnd, rw.ticks
	rw.put(e)
	rw.flushLines()
	rw.flush()
	return rw.err
}
