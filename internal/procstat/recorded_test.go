package procstat

import (
	"bytes"
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"wordsize/internal/result"
)

// changing is a source whose processes change from tick to tick.
type changing struct {
	slowSource
	rnd     *rand.Rand
	number  int64
	details map[int32]*Detail
	tick    Tick
}

const replayStart = int64(1_796_000_000_000_000_000)

func (c *changing) Scan(_ context.Context, t *Tick) error {
	c.number++
	at := time.Duration(c.number-1) * 700 * time.Millisecond
	t.Time, t.Mono, t.Uptime = time.Unix(0, replayStart+int64(at)), at, 90*time.Second+at
	t.Samples = t.Samples[:0]
	for pid := int32(10); pid < 16; pid++ {
		if pid == 12 && c.number > 6 { // it ends, and later its PID is another's
			if c.number < 9 {
				continue
			}
		}
		start := uint64(pid)
		if pid == 12 && c.number >= 9 {
			start += 1000
		}
		t.Samples = append(t.Samples, Sample{
			Ident: Ident{pid, start}, Have: HasStat | HasCPU | HasMemory | HasShared | HasUID, State: "SRD"[c.rnd.IntN(3)], PPID: 1, Threads: 3, UID: 33,
			Comm: "worker", Virtual: int64(pid) << 24, Resident: int64(pid)<<20 + c.rnd.Int64N(1000)*4096, Shared: 1 << 20,
			Counters: Counters{User: time.Duration(c.number*int64(pid)) * 10 * time.Millisecond}, ReadAt: at, Started: 60 * time.Second,
		})
	}
	t.Seen = len(t.Samples)
	c.details = map[int32]*Detail{}
	for _, s := range t.Samples {
		c.details[s.PID] = &Detail{
			Have: HasTitle | HasStatus | HasArch | HasCgroup | HasSmaps, Title: "worker\x00/page", Cgroup: "/a", Arch: Arch{64, "x86-64"},
			Status: Status{Peak: result.Some(s.Resident), Swap: result.Some[int64](0), HugeTLB: result.Some[int64](0)},
			Smaps:  Smaps{RSS: s.Resident, PSS: s.Resident - 1<<19, PrivateDirty: s.Resident - 1<<20, SwapPSS: result.Some[int64](0)}, SmapsAt: at,
		}
	}
	c.tick = *t
	return nil
}

func (c *changing) Read(s *Sample, want Fields, d *Detail) {
	from := *c.details[s.PID]
	have := d.Have&^want | from.Have&want
	if want&HasTitle != 0 {
		d.Title = from.Title
	}
	if want&HasStatus != 0 {
		d.Status = from.Status
	}
	if want&HasArch != 0 {
		d.Arch = from.Arch
	}
	if want&HasCgroup != 0 {
		d.Cgroup = from.Cgroup
	}
	if want&HasSmaps != 0 {
		d.Smaps, d.SmapsAt = from.Smaps, from.SmapsAt
	}
	d.Have = have
}

func (c *changing) Recorded() bool { return true } // so that PSS is read without a budget

// taped writes what the last scan of c showed as a tick.
func (c *changing) taped(t *testing.T, w *result.RecordingWriter, tick *result.RecordedTick) {
	t.Helper()
	tick.Number, tick.AtNS = c.number, int64(c.tick.Mono)
	tick.TimeUnixNS = c.tick.Time.UnixNano()
	seen := map[uint64]bool{}
	old := tick.Processes
	tick.Processes, tick.Exits = nil, nil
	for _, s := range c.tick.Samples {
		d := c.details[s.PID]
		seen[s.Start] = true
		tick.Processes = append(tick.Processes, &result.RecordedProcess{
			PID: s.PID, Start: s.Start, StartedNS: result.Some(int64(s.Started - 90*time.Second)), Role: result.RoleChild, PPID: result.Some[int64](1), UID: result.Some[int64](33),
			User: "www", State: string(rune(s.State)), Threads: result.Some[int64](3), Nice: result.Some[int64](0), Comm: result.RawText(s.Comm), Program: "worker",
			Cmdline: result.RawText(d.Title), Cgroup: "/a", Bits: 64, Machine: "x86-64",
			Virtual: result.Some(s.Virtual), Resident: result.Some(s.Resident), Shared: result.Some(s.Shared),
			Peak: d.Status.Peak, Swap: d.Status.Swap, HugeTLB: d.Status.HugeTLB,
			PSS: result.Some(d.Smaps.PSS), USS: result.Some(d.Smaps.USS()), SwapPSS: d.Smaps.SwapPSS, PSSAtNS: result.Some(tick.AtNS),
			UserNS: result.Some(int64(s.Counters.User)), SystemNS: result.Some[int64](0),
		})
	}
	for _, p := range old {
		if !seen[p.Start] {
			tick.Exits = append(tick.Exits, &result.RecordedExit{PID: p.PID, Start: p.Start, AtNS: tick.AtNS, Method: result.ExitsTicks})
		}
	}
	if err := w.Tick(tick); err != nil {
		t.Fatal(err)
	}
}

// rowsOf takes a tick and returns its records.
func rowsOf(t *testing.T, s *Sampler, name func(uint32) string) []result.Process {
	t.Helper()
	snap, procs, err := s.Next(context.Background(), &Selection{})
	if err != nil {
		t.Fatal(err)
	}
	return records(s, snap, procs, name)
}

func records(s *Sampler, snap *Snapshot, procs []*Proc, name func(uint32) string) []result.Process {
	s.Fill(procs, HasTitle|HasStatus|HasArch|HasCgroup)
	s.PSS(context.Background(), procs)
	rc := Recorder{CPUScale: 100, History: true, UserName: name}
	rows := make([]result.Process, len(procs))
	for i, p := range procs {
		rc.Record(snap, p, &rows[i])
	}
	return rows
}

const replayTicks = 400

// recordChanging samples live and records it.
func recordChanging(t *testing.T) (live [][]result.Process, file []byte) {
	t.Helper()
	uptime := int64(90)
	var buf bytes.Buffer
	w, err := result.NewRecordingWriter(&buf, &result.RecordingHeader{
		Started: time.Unix(0, replayStart), IntervalNS: 7e8, Columns: result.RecordingColumns(1e7, 4096), Host: result.Host{UptimeSeconds: &uptime},
	})
	if err != nil {
		t.Fatal(err)
	}
	src := &changing{rnd: rand.New(rand.NewPCG(1, 2))}
	s := NewSampler(src, Config{Interval: time.Second})
	var tick result.RecordedTick
	for range replayTicks {
		live = append(live, rowsOf(t, s, func(uint32) string { return "www" }))
		src.taped(t, w, &tick)
	}
	if err := w.End(&result.RecordingEnd{Reason: result.EndCommand, AtNS: tick.AtNS, Ticks: replayTicks}); err != nil {
		t.Fatal(err)
	}
	return live, buf.Bytes()
}

func openBytes(b []byte) func() (*result.RecordingReader, error) {
	return func() (*result.RecordingReader, error) { return result.NewRecordingReader(bytes.NewReader(b)) }
}

// A recording in the format of the files, played back, gives the figures of the
// live run: tick by tick, and after jumps to anywhere.
func TestReplayOfFile(t *testing.T) {
	live, file := recordChanging(t)
	r, err := NewReplay(openBytes(file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := NewSampler(r, Config{})
	for i := range live {
		if got := rowsOf(t, s, r.UserName); !reflect.DeepEqual(got, live[i]) {
			t.Fatalf("tick %d: replayed\n%+v\nlive\n%+v", i+1, got, live[i])
		}
	}
	if live[20][0].GrowBytes == (result.Bytes{}) || !live[20][0].CPUPercent.Known || !live[20][0].PSS.Known || !live[20][0].AgeNS.Known {
		t.Fatalf("%+v", live[20][0])
	}
	if _, _, err := s.Next(context.Background(), &Selection{}); !AtEnd(err) {
		t.Errorf("behind the last tick: %v", err)
	}
	for _, number := range []int64{replayTicks, replayTicks - 1, 350, 2, 1, 7, 8, 9, 399} {
		scans, err := r.GoTo(number)
		if err != nil {
			t.Fatal(err)
		}
		s := NewSampler(r, Config{})
		var got []result.Process
		for range scans {
			got = rowsOf(t, s, r.UserName)
		}
		want := live[number-1]
		if r.Tick().Number != number {
			t.Fatalf("at tick %d, want %d", r.Tick().Number, number)
		}
		for i := range got { // a history begins with the first tick that was looked at
			got[i].History, want[i].History = nil, nil
			got[i].GrowBytes, got[i].GrowNS, want[i].GrowBytes, want[i].GrowNS = result.Bytes{}, result.Bytes{}, result.Bytes{}, result.Bytes{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("jump to %d:\n%+v\nwant\n%+v", number, got, want)
		}
		snap, procs := s.Again(&Selection{PIDs: []int32{10}})
		if again := records(s, snap, procs, r.UserName); len(again) != 1 || again[0].CPUPercent != got[0].CPUPercent {
			t.Errorf("again: %+v", again)
		}
	}
}

func TestReplayFind(t *testing.T) {
	_, file := recordChanging(t)
	for _, measured := range []bool{false, true} {
		r, err := NewReplay(openBytes(file))
		if err != nil {
			t.Fatal(err)
		}
		if measured {
			r.Measure(time.Hour)
			if n, at, all := r.Last(); n != replayTicks || at != (replayTicks-1)*7e8 || !all {
				t.Errorf("%d %d %v", n, at, all)
			}
		}
		for _, tc := range []struct{ at, want int64 }{{0, 1}, {-5, 1}, {6e8, 1}, {7e8, 2}, {70e9, 101}, {70.5e9, 101}, {1e18, replayTicks}, {8e8, 2}} {
			if got := r.Find(context.Background(), tc.at); got != tc.want {
				t.Errorf("at %d: tick %d, want %d", tc.at, got, tc.want)
			}
		}
		r.Close()
	}
}

// A recording that is cut off is played as far as it goes.
func TestReplayCut(t *testing.T) {
	_, file := recordChanging(t)
	r, err := NewReplay(openBytes(file[:len(file)/2]))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := NewSampler(r, Config{})
	n := 0
	for ; ; n++ {
		if _, _, err := s.Next(context.Background(), &Selection{}); err != nil {
			if !AtEnd(err) {
				t.Fatal(err)
			}
			break
		}
	}
	if c := r.Cut(); c == nil || int(c.Ticks) != n || n < 100 {
		t.Errorf("%d ticks, %v", n, c)
	}
	if in := r.Inspect(10); len(in.Status) == 0 || len(in.Problems) != 1 {
		t.Errorf("%+v", in)
	}
	if in := r.Inspect(9999); len(in.Problems) != 2 {
		t.Errorf("%+v", in)
	}
}
