package footprint

import (
	"context"
	"errors"
	"testing"
)

// dying is a process that is ended for real once so much of it has been read.
type dying struct {
	Target
	left int64
	end  func()
}

func (d *dying) Read(p []byte, addr uint64) (int, error) {
	if d.left -= int64(len(p)); d.left <= 0 && d.end != nil {
		d.end()
		d.end = nil
	}
	return d.Target.Read(p, addr)
}

// A process that exits in the middle: what was read until then is a partial
// estimate that says so.
func TestExitInTheMiddle(t *testing.T) {
	pid, stop := start(t)
	target, err := Open("/proc", pid)
	var refused *RefusedError
	if errors.As(err, &refused) {
		t.Skip("this system does not let a process look into its child: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	d := &dying{Target: target, left: 2 << 20, end: stop}
	r, err := Analyze(context.Background(), d, Options{})
	if err != nil || r.Estimate == nil {
		t.Fatalf("no estimate of what was read: %v", err)
	}
	if d.end != nil {
		t.Fatal("it was not ended")
	}
	if c := r.Coverage; !r.Partial || c.ReadBytes == 0 || c.ReadBytes >= 2<<20 || c.ReadBytes >= c.OfBytes {
		t.Errorf("partial %v, %+v", r.Partial, c)
	}
	said := false
	for _, p := range r.Problems {
		said = said || p.Code == "ended"
	}
	if !said {
		t.Errorf("the end is not told of: %+v", r.Problems)
	}
}
