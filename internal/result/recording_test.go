package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// started is when the recordings of the tests begin.
var started = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// pool makes ticks of a changing pool of processes.
type pool struct {
	rnd   *rand.Rand
	procs []*RecordedProcess
	next  int32
	tick  RecordedTick
}

func newPool(seed uint64, n int) *pool {
	p := &pool{rnd: rand.New(rand.NewPCG(seed, 1)), next: 100}
	for range n {
		p.spawn()
	}
	return p
}

func (p *pool) spawn() *RecordedProcess {
	p.next++
	w := &RecordedProcess{
		PID: p.next, Start: uint64(p.next) * 3, Role: RoleChild, PPID: Some[int64](1), UID: Some[int64](33), User: "www-data",
		Bits: 64, Machine: "x86-64", Program: "worker", Comm: "worker", Cmdline: "worker\x00--serve", State: "S",
		Virtual: Some[int64](43 << 20), Resident: Some[int64](32 << 20), Shared: Some[int64](6 << 20),
		UserNS: Some[int64](0), SystemNS: Some[int64](0), Threads: Some[int64](1),
		ReadChars: Some[int64](0), WriteChars: Some[int64](0), ReadBytes: Some[int64](0), WriteBytes: Some[int64](0),
	}
	p.procs = append(p.procs, w)
	return w
}

// step changes everything a little and returns the tick.
func (p *pool) step() *RecordedTick {
	t := &p.tick
	t.Number++
	t.IntervalNS = Bytes{}
	if t.Number > 1 {
		t.IntervalNS = Some(int64(time.Second))
		t.AtNS += int64(time.Second)
	}
	t.TimeUnixNS = started.UnixNano() + t.AtNS
	t.Seen = Some[int64](100 + t.Number/5)
	t.SelfCPUNS, t.SelfRSSBytes = Some[int64](1e6), Some[int64](12<<20)
	if t.Number%10 == 1 {
		t.Available, t.SwapFree, t.Load = Some[int64](8<<30-t.Number), Some[int64](0), []float64{0.5, 0.25, 1}
	}
	t.Exits = nil
	for i, w := range p.procs {
		p.change(t, i, w)
	}
	for range p.rnd.IntN(2) {
		p.spawn()
	}
	if len(p.procs) > 0 && p.rnd.IntN(3) == 0 {
		gone := p.procs[0]
		p.procs = p.procs[1:]
		t.Exits = append(t.Exits, &RecordedExit{PID: gone.PID, Start: gone.Start, AtNS: t.AtNS - 5, Method: ExitsWait, Code: Some[int64](7), Peak: Some[int64](40 << 20), PeakFrom: PeakFromRusage})
		t.Exits = append(t.Exits, &RecordedExit{PID: 99999, AtNS: t.AtNS - 4, Method: ExitsTaskstats, Comm: "true", Signal: Some[int64](9)})
	}
	t.Processes = slices.Clone(p.procs)
	return t
}

func (p *pool) change(t *RecordedTick, i int, w *RecordedProcess) {
	w.State = []string{"S", "S", "R", "D"}[p.rnd.IntN(4)]
	w.UserNS.Value += p.rnd.Int64N(20) * 1e7
	w.ReadChars.Value += p.rnd.Int64N(1e6)
	if p.rnd.IntN(2) == 0 {
		w.Resident.Value += (p.rnd.Int64N(200) - 90) * 4096
		w.Cmdline = RawText(fmt.Sprintf("worker \xff '/page/%d/'", p.rnd.IntN(1000)))
	}
	switch p.rnd.IntN(4) {
	case 0: // read for this tick
		w.PSS, w.USS, w.PSSAtNS = Some(p.rnd.Int64N(1<<25)&^1023), Some(p.rnd.Int64N(1<<25)&^1023), Some(t.AtNS)
	case 1: // read between two ticks
		w.PSS, w.USS, w.PSSAtNS = Some(p.rnd.Int64N(1<<25)&^1023), Some(p.rnd.Int64N(1<<25)&^1023), Some(t.AtNS-p.rnd.Int64N(1e9))
	}
	switch p.rnd.IntN(20) {
	case 0:
		w.Swap = Bytes{}
	case 1:
		w.Swap = Some[int64](0)
	case 2:
		w.Bits, w.Machine, w.Execs = 32, "i386", w.Execs+1
	case 3:
		w.Virtual.Value += 17 // no multiple of the unit
	case 4:
		w.Refused ^= RefusedPSS
	}
}

// snapshotOf copies a tick with what it points to.
func snapshotOf(t *RecordedTick) RecordedTick {
	c := *t
	c.Processes, c.Exits = nil, nil
	for _, p := range t.Processes {
		q := *p
		c.Processes = append(c.Processes, &q)
	}
	for _, e := range t.Exits {
		q := *e
		c.Exits = append(c.Exits, &q)
	}
	c.Load, c.Left = slices.Clone(t.Load), slices.Clone(t.Left)
	return c
}

func testHeader() *RecordingHeader {
	return &RecordingHeader{
		Started: started, IntervalNS: int64(time.Second), Command: []RawText{"ab", "-n", "\xff"}, Labels: []Label{{"conns", "64"}},
		Columns: RecordingColumns(1e7, 4096), Exits: ExitsMethod{Method: ExitsWait},
	}
}

// write makes a recording of n ticks.
func write(t testing.TB, w io.Writer, p *pool, n int) (ticks []RecordedTick) {
	t.Helper()
	rw, err := NewRecordingWriter(w, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		tick := p.step()
		if err := rw.Tick(tick); err != nil {
			t.Fatal(err)
		}
		ticks = append(ticks, snapshotOf(tick))
	}
	if err := rw.End(&RecordingEnd{Reason: EndCommand, Code: Some[int64](7), Status: 7, AtNS: int64(n) * 1e9}); err != nil {
		t.Fatal(err)
	}
	return ticks
}

// readAll returns all ticks and the reader, at its end.
func readAll(t testing.TB, r io.Reader) (ticks []RecordedTick, rr *RecordingReader) {
	t.Helper()
	rr, err := NewRecordingReader(r)
	if err != nil {
		t.Fatal(err)
	}
	for {
		tick, err := rr.Next()
		if err != nil {
			if err != io.EOF {
				t.Fatal(err)
			}
			return ticks, rr
		}
		ticks = append(ticks, snapshotOf(tick))
	}
}

func compareTicks(t *testing.T, got, want []RecordedTick) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d ticks, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			a, _ := json.Marshal(got[i])
			b, _ := json.Marshal(want[i])
			t.Fatalf("tick %d:\n%s\nwant\n%s", i+1, a, b)
		}
	}
}

// What is written is read back, value by value, plain and compressed.
func TestRecordingRoundTrip(t *testing.T) {
	for _, name := range []string{"r.jsonl", "r.jsonl.gz", "r.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := CreateRecording(path, false)
		if err != nil {
			t.Fatal(err)
		}
		want := write(t, f, newPool(1, 20), 200)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		rr, err := OpenRecording(path)
		if err != nil {
			t.Fatal(err)
		}
		var got []RecordedTick
		for {
			tick, err := rr.Next()
			if err != nil {
				break
			}
			got = append(got, snapshotOf(tick))
		}
		compareTicks(t, got, want)
		if rr.Cut() != nil || rr.End() == nil || rr.End().Status != 7 || rr.End().Ticks != 200 {
			t.Errorf("%s: end %+v, cut %v", name, rr.End(), rr.Cut())
		}
		if h := rr.Header(); h.Labels[0] != (Label{"conns", "64"}) || h.Command[2] != "\xff" || !h.Started.Equal(started) {
			t.Errorf("%s: header %+v", name, h)
		}
		if err := rr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A recording cut at any byte gives every tick that is complete before it.
func TestRecordingCut(t *testing.T) {
	var buf bytes.Buffer
	want := write(t, &buf, newPool(2, 2), 6)
	whole := buf.Bytes()
	header := bytes.IndexByte(whole, '\n') + 1
	for n := header; n < len(whole); n++ {
		got, rr := readAll(t, bytes.NewReader(whole[:n]))
		complete := bytes.Count(whole[:n], []byte("\n{\"type\":\"tick\""))
		if complete > 0 && !bytes.HasSuffix(whole[:n], []byte("\n")) && lastLineIsTick(whole[:n]) {
			complete--
		}
		if len(got) != complete {
			t.Fatalf("cut at %d: %d ticks, want %d", n, len(got), complete)
		}
		compareTicks(t, got, want[:complete])
		if rr.Cut() == nil || rr.End() != nil || rr.Cut().Ticks != int64(complete) {
			t.Fatalf("cut at %d: cut %+v end %+v", n, rr.Cut(), rr.End())
		}
	}
}

func lastLineIsTick(b []byte) bool {
	return bytes.HasPrefix(b[bytes.LastIndexByte(b, '\n')+1:], []byte(`{"type":"tick"`))
}

// Damage in the middle ends the recording there and is counted.
func TestRecordingDamage(t *testing.T) {
	var buf bytes.Buffer
	write(t, &buf, newPool(3, 5), 20)
	lines := bytes.SplitAfter(buf.Bytes(), []byte("\n"))
	damaged := 0
	for i, l := range lines {
		if bytes.HasPrefix(l, []byte(`{"type":"tick"`)) {
			if damaged++; damaged == 11 {
				for k := 3; k < len(l)-1; k++ {
					lines[i][k] = 0 // as after a crash of the host
				}
			}
		}
	}
	got, rr := readAll(t, bytes.NewReader(bytes.Join(lines, nil)))
	if c := rr.Cut(); len(got) != 10 || c == nil || c.LostTicks != 9 || c.AtNS != 9e9 || !strings.Contains(c.Error(), "9 ticks") {
		t.Errorf("%d ticks, %+v", len(got), rr.Cut())
	}
}

// What is no recording of this schema is refused by a typed error.
func TestRecordingRefused(t *testing.T) {
	for _, tc := range []struct {
		text string
		want error
	}{
		{"", ErrEmpty},
		{"hello\n", ErrNoRecording},
		{"{}\n", ErrNoRecording},
		{`{"schema":1,"kind":"memtest"}` + "\n", ErrNoRecording},
		{`{"schema":"rsswatch-batch/1","type":"host"}` + "\n", ErrNoRecording},
		{`{"schema":"rsswatch-recording/2","type":"header"}` + "\n", ErrRecordingSchema},
		{`{"schema":"rsswatch-recording/1","type":"he`, ErrTruncated},
		{"\x1f\x8b", ErrTruncated},
	} {
		if _, err := NewRecordingReader(strings.NewReader(tc.text)); !errors.Is(err, tc.want) {
			t.Errorf("%q: %v, want %v", tc.text, err, tc.want)
		}
	}
}

// A recorder that is stopped, a wall clock that is set, and processes that are
// no longer watched: what a tick says about itself.
func TestRecordingClock(t *testing.T) {
	var buf bytes.Buffer
	w, err := NewRecordingWriter(&buf, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(6, 2)
	tick := p.step()
	if err := w.Tick(tick); err != nil {
		t.Fatal(err)
	}
	gone := p.procs[0].PID
	jumped := *tick
	jumped.Number, jumped.AtNS, jumped.Skipped = 2, tick.AtNS+5e9, 4
	jumped.TimeUnixNS = tick.TimeUnixNS + 3600e9
	jumped.Processes, jumped.Exits, jumped.Unreadable = p.procs[1:2], nil, Bytes{}
	if err := w.Tick(&jumped); err != nil {
		t.Fatal(err)
	}
	got, rr := readAll(t, &buf)
	if len(got) != 2 || got[1].TimeUnixNS != jumped.TimeUnixNS || got[1].Skipped != 4 || got[1].IntervalNS != Some[int64](5e9) {
		t.Fatalf("%+v", got)
	}
	if len(got[1].Left) == 0 || len(got[1].Processes) != 1 || got[1].Processes[0].PID == gone {
		t.Errorf("left %v, still there %+v", got[1].Left, got[1].Processes[0])
	}
	if rr.Cut() == nil {
		t.Error("a recording without an end passes as whole")
	}
}

// A process that ended while a tick was taken is no part of it, and its PID may
// be another's on the next.
func TestRecordingReusedPID(t *testing.T) {
	var buf bytes.Buffer
	w, err := NewRecordingWriter(&buf, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	p := newPool(7, 1)
	tick := p.step()
	first := *p.procs[0]
	tick.Processes = []*RecordedProcess{&first}
	if err := w.Tick(tick); err != nil {
		t.Fatal(err)
	}
	second := first
	second.Start++
	next := *tick
	next.Number, next.AtNS, next.TimeUnixNS = 2, tick.AtNS+1e9, tick.TimeUnixNS+1e9
	next.Processes = []*RecordedProcess{&first, &second}
	next.Exits = []*RecordedExit{{PID: first.PID, Start: first.Start, AtNS: 1, Method: ExitsTicks}}
	if err := w.Tick(&next); err != nil {
		t.Fatal(err)
	}
	got, _ := readAll(t, &buf)
	if len(got) != 2 || len(got[1].Processes) != 1 || got[1].Processes[0].Start != second.Start || got[1].Exits[0].ID != got[0].Processes[0].ID {
		t.Fatalf("%+v", got[1])
	}
	if got[1].Processes[0].ID == got[0].Processes[0].ID {
		t.Error("two processes have one id")
	}
}

// Whatever a file holds, the reader ends, and says how.
func FuzzRecording(f *testing.F) {
	var buf bytes.Buffer
	write(f, &buf, newPool(8, 2), 4)
	f.Add(buf.Bytes())
	f.Add([]byte(`{"schema":"rsswatch-recording/1","type":"header","columns":[{"name":"user_ns","unit":1}]}` + "\n" +
		`{"type":"process","id":1,"pid":1,"user_ns":5}` + "\n" + `{"type":"tick","at_ns":1,"p":[[1,9223372036854775807]],"pss_late":[1]}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rr, err := NewRecordingReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		defer rr.Close()
		for range 1000 {
			tick, err := rr.Next()
			if err == io.EOF {
				if (rr.End() == nil) == (rr.Cut() == nil) {
					t.Fatalf("end %v, cut %v", rr.End(), rr.Cut())
				}
				return
			}
			for i, p := range tick.Processes {
				if i > 0 && p.PID < tick.Processes[i-1].PID {
					t.Fatal("processes out of order")
				}
			}
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"type":"tick","p":[[1,2],[3,-4]]}`))
	f.Add([]byte(`{"type":"tick","p":[[1,2`))
	f.Add([]byte(`{"type":"tick","p":[[1,9223372036854775808]]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r, again rows
		if _, err := r.split(slices.Clone(b)); err != nil || len(r.ends) == 0 {
			return
		}
		var text []byte
		start := 0
		for _, end := range r.ends {
			text = appendRow(text, r.flat[start:end])
			start = end
		}
		if _, ok := again.parse(append(text, ']')); !ok || !slices.Equal(again.flat, r.flat) || !slices.Equal(again.ends, r.ends) {
			t.Fatalf("%v became %s and %v", r, text, again)
		}
	})
}
