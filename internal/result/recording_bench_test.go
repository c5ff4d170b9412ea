package result

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A tick of 50 busy workers, written and read.
func BenchmarkRecordingWrite(b *testing.B) {
	p := newPool(1, 50)
	w, err := NewRecordingWriter(io.Discard, testHeader())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Tick(busyTick(p)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecordingRead(b *testing.B) {
	const ticks = 1000
	var buf bytes.Buffer
	p := newPool(1, 50)
	w, err := NewRecordingWriter(&buf, testHeader())
	if err != nil {
		b.Fatal(err)
	}
	for range ticks {
		if err := w.Tick(busyTick(p)); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(buf.Len()) / ticks)
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		rr, err := NewRecordingReader(bytes.NewReader(buf.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		for ; n < b.N; n++ {
			if _, err := rr.Next(); err != nil {
				break
			}
		}
	}
}

// busyTick is a tick on which all workers used CPU and read and wrote, half of
// them changed in size and a tenth had their PSS read.
func busyTick(p *pool) *RecordedTick {
	t := &p.tick
	t.Number++
	t.AtNS += 1e9
	t.TimeUnixNS = started.UnixNano() + t.AtNS
	t.Processes = append(t.Processes[:0], p.procs...)
	for i, w := range p.procs {
		w.UserNS.Value += p.rnd.Int64N(30) * 1e7
		w.SystemNS.Value += p.rnd.Int64N(5) * 1e7
		w.ReadChars.Value += p.rnd.Int64N(1e5)
		w.WriteChars.Value += p.rnd.Int64N(1e5)
		if p.rnd.IntN(2) == 0 {
			w.Resident.Value += (p.rnd.Int64N(100) - 50) * 4096
		}
		if (int64(i)+t.Number)%10 == 0 {
			w.PSS, w.USS, w.PSSAtNS = Some(10<<20+p.rnd.Int64N(1<<20)&^1023), Some(8<<20+p.rnd.Int64N(1<<20)&^1023), Some(t.AtNS)
		}
	}
	return t
}

// What a day at one second with 50 workers takes, in MB, from the simulation of
// two hours: busy ones as above, some of which change their titles.
func BenchmarkRecordingDay(b *testing.B) {
	for _, titles := range []int{0, 2, 50} {
		for _, suffix := range []string{"", ".gz", ".zst"} {
			b.Run(fmt.Sprintf("titles=%d%s", titles, suffix), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(dayMB(b, titles, suffix), "MB/day")
				}
			})
		}
	}
}

// dayMB simulates workers of which so many change their titles each second.
func dayMB(b *testing.B, titles int, suffix string) float64 {
	const hours = 2
	path := filepath.Join(b.TempDir(), "day.jsonl"+suffix)
	f, err := CreateRecording(path, true)
	if err != nil {
		b.Fatal(err)
	}
	p := newPool(1, 50)
	w, err := NewRecordingWriter(f, testHeader())
	if err != nil {
		b.Fatal(err)
	}
	for range hours * 3600 {
		t := busyTick(p)
		for _, w := range p.procs[:titles] {
			w.Cmdline = RawText(fmt.Sprintf("django '/users/%d/'", p.rnd.IntN(100000)))
		}
		t.SelfCPUNS = Some(2e6 + p.rnd.Int64N(1e6))
		t.TookNS = Some(1e6 + p.rnd.Int64N(1e6))
		if err := w.Tick(t); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return float64(st.Size()) * 24 / hours / 1e6
}
