package procstat

import (
	"context"
	"os"
	"slices"
	"testing"
)

// What is skipped is left out but counted, and comes back; without a listing
// only known and named processes are there.
func TestFocus(t *testing.T) {
	src, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	self, parent := int32(os.Getpid()), int32(os.Getppid())
	skip, list, named := false, true, []int32(nil)
	f := WithFocus(src, &Focus{
		Skip:  func(pid int32) bool { return skip && pid == parent },
		Known: func() ([]int32, bool) { return named, !list },
	})
	var tick Tick
	scan := func() (pids []int32) {
		t.Helper()
		if err := f.Scan(context.Background(), &tick); err != nil {
			t.Fatal(err)
		}
		for i := range tick.Samples {
			pids = append(pids, tick.Samples[i].PID)
		}
		if !slices.IsSorted(pids) {
			t.Errorf("not in order: %v", pids)
		}
		return pids
	}
	if got := scan(); !slices.Contains(got, self) || !slices.Contains(got, parent) {
		t.Errorf("all: %v", got)
	}
	seen := tick.Seen
	skip = true
	if got := scan(); !slices.Contains(got, self) || slices.Contains(got, parent) || tick.Seen < seen-50 {
		t.Errorf("without the parent: %v of %d", got, tick.Seen)
	}
	list = false
	c := startChild(t, "idle")
	if got := scan(); !slices.Contains(got, self) || slices.Contains(got, c.pid()) {
		t.Errorf("not listed: %v", got)
	}
	skip, named = false, []int32{c.pid()}
	if got := scan(); !slices.Contains(got, c.pid()) || !slices.Contains(got, parent) {
		t.Errorf("named: %v", got)
	}
	named = nil
	c.kill()
	if got := scan(); slices.Contains(got, c.pid()) {
		t.Errorf("ended: %v", got)
	}
}

// I/O counters are those of the process, and its children's CPU time is known.
func TestReadIO(t *testing.T) {
	src, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var tick Tick
	read := func() IO {
		t.Helper()
		if err := src.Scan(context.Background(), &tick); err != nil {
			t.Fatal(err)
		}
		for i := range tick.Samples {
			if s := &tick.Samples[i]; s.PID == int32(os.Getpid()) {
				var d Detail
				src.Read(s, HasIO, &d)
				if d.Have&HasIO == 0 {
					t.Skipf("io may not be read here: %+v", d)
				}
				return d.IO
			}
		}
		t.Fatal("this process is not listed")
		return IO{}
	}
	before := read()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, err := null.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if grown := read().WriteChars - before.WriteChars; grown < 1<<20 {
		t.Errorf("wrote 1 MiB, wchar grew by %d", grown)
	}
	if s, err := ReadStat(int32(os.Getpid())); err != nil || s.PID != int32(os.Getpid()) || s.Comm == "" {
		t.Errorf("%+v, %v", s, err)
	}
	if comm, uid, st, err := ReadStatus(int32(os.Getpid())); err != nil || comm == "" || uid.Value != int64(os.Geteuid()) || st.Peak.Value < 1<<20 {
		t.Errorf("%q %v %+v %v", comm, uid, st, err)
	}
}
