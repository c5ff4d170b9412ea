package procstat

import (
	"context"
	"testing"
)

// scanBench measures steady-state scans of all processes of this host, and
// reports nanoseconds and allocations per process and tick.
func scanBench(b *testing.B, setup func(*linuxSource), detail Fields) {
	src, err := Open("/proc")
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	setup(src.(*linuxSource))
	var t Tick
	details := map[int32]*Detail{}
	pass := func() {
		if err := src.Scan(context.Background(), &t); err != nil {
			b.Fatal(err)
		}
		if detail == 0 {
			return
		}
		for i := range t.Samples {
			d := details[t.Samples[i].PID]
			if d == nil {
				d = new(Detail)
				details[t.Samples[i].PID] = d
			}
			src.Read(&t.Samples[i], detail, d)
		}
	}
	pass()
	pass()
	b.ReportAllocs()
	procs := 0
	for b.Loop() {
		pass()
		procs += len(t.Samples)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(procs), "ns/process")
}

func BenchmarkScan(b *testing.B) {
	b.Run("raw", func(b *testing.B) { scanBench(b, func(*linuxSource) {}, 0) })
	b.Run("blocking", func(b *testing.B) { scanBench(b, func(s *linuxSource) { s.pread = preadBlocking }, 0) })
	b.Run("raw+title", func(b *testing.B) { scanBench(b, func(*linuxSource) {}, HasTitle) })
	b.Run("reopen", func(b *testing.B) { scanBench(b, func(s *linuxSource) { s.fdLimit = 0 }, 0) })
}
