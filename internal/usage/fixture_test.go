package usage

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wordsize/internal/result"
)

var update = flag.Bool("update", false, "write the recordings in testdata anew")

// poolTape is a pool of three workers under one parent, one of which is
// replaced, and short children, on a host of the given word size.
func poolTape(t testing.TB, bits int, label string) *tape {
	tp := newTape(t, time.Second, func(h *result.RecordingHeader) {
		h.Labels = []result.Label{{Name: "bits", Value: label}}
		h.Command = []result.RawText{"pool", "--workers", "3"}
		h.Started = began.Add(time.Duration(bits) * time.Minute)
		h.Boot = "fixture"
	})
	unit := int64(mib)
	machine := "x86-64"
	if bits == 32 {
		unit, machine = mib*65/100, "i386"
	}
	add := func(pid int32, program string, res int64) *result.RecordedProcess {
		p := tp.start(pid, program, res*unit&^4095)
		if p.Bits, p.Machine = bits, machine; bits == 32 {
			p.Virtual = result.Some(3 * res * unit &^ 4095)
		}
		return p
	}
	parent := add(100, "pool", 8)
	parent.Role = result.RoleCommand
	workers := []*result.RecordedProcess{add(101, "worker", 40), add(102, "worker", 50), add(103, "worker", 60)}
	for i := range 60 {
		s := time.Duration(i) * time.Second
		var exits []*result.RecordedExit
		if i == 30 {
			exits = append(exits, gone(workers[1], s-300*time.Millisecond, workers[1].UserNS.Value+5e6, 52*unit&^1023))
			workers[1] = add(104, "worker", 45)
		}
		if i > 0 && i%10 == 0 {
			exits = append(exits, unseen(int32(200+i), "helper", s-500*time.Millisecond, s-400*time.Millisecond, 2e7, 3*unit&^1023))
		}
		for k, w := range workers {
			if i == 0 {
				break // nothing was used before the recording began
			}
			w.UserNS.Value += int64(k+1) * 1e8
			w.ReadChars.Value += int64(k+1) * 2_000_000
			w.WriteChars.Value += 500_000
		}
		size(workers[2], (60+int64(i)/2)*unit&^4095)
		tp.take(exits...)
	}
	tp.end()
	return tp
}

// The recordings in testdata, which other packages test with, are as these
// tests would write them.
func TestFixtures(t *testing.T) {
	for name, tp := range map[string]*tape{"pool64.jsonl": poolTape(t, 64, "64"), "pool32.jsonl": poolTape(t, 32, "32")} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, tp.buf.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(tp.buf.Bytes(), want) {
			t.Errorf("%s differs: go test -update writes it anew", path)
		}
	}
}
