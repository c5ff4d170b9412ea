package footprint

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

// listTarget is a process with a heap that holds a linked list, and mappings
// that may not be read.
func listTarget(t *testing.T) *fakeTarget {
	sizes := make([]int, 40000)
	for i := range sizes {
		sizes[i] = 32
	}
	heap := heapOf(8, sizes, func(m *memory, i, off, _ int) { m.put(off, m.base+uint64(off), uint64(i)) })
	secret := make([]byte, 4*fakePage)
	for i := range secret {
		secret[i] = 's'
	}
	return &fakeTarget{t: t, status: "Name:\tx\nVmPeak:\t    4096 kB\n", maps: []fakeMap{
		{start: 0x400000, data: make([]byte, 10*fakePage), perms: "r-xp", name: "/usr/bin/x", shared: true},
		{start: heap.base, data: heap.b, perms: "rw-p", name: "[heap]", holes: map[int]bool{3: true, 4: true, 200: true}},
		{start: 0x7f2000000000, data: secret, perms: "rw-p", flags: "rd wr mr dd"},
		{start: 0x7f2100000000, data: secret, perms: "rw-p", flags: "rd wr io pf"},
	}}
}

func TestAnalyze(t *testing.T) {
	target := listTarget(t)
	r, err := Analyze(context.Background(), target, Options{Budget: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	e := r.Estimate
	if e == nil || r.Partial || r.Undecided || r.Bits != 64 || r.Model != "ilp32" {
		t.Fatalf("%+v", r)
	}
	heap := int64(len(target.maps[1].data) - 3*fakePage)
	if want := heap + 8*fakePage; r.PrivateBytes != want || r.FileBytes != 10*fakePage || r.RSSBytes != want+10*fakePage {
		t.Errorf("private %d, want %d; files %d; RSS %d", r.PrivateBytes, want, r.FileBytes, r.RSSBytes)
	}
	if r.Coverage.ReadBytes != heap || r.Coverage.OfBytes != r.PrivateBytes {
		t.Errorf("coverage %+v, of a heap of %d", r.Coverage, heap)
	}
	if share := float64(e.Private.Value) / float64(r.PrivateBytes); share < 0.47 || share > 0.56 {
		t.Errorf("the estimate is %.2f of now", share)
	}
	if !(e.PrivateLow <= e.Private.Value && e.Private.Value <= e.PrivateHigh && e.RSSLow <= e.RSS.Value && e.RSS.Value <= e.RSSHigh) {
		t.Errorf("%+v", e)
	}
	unread := 0
	for _, m := range r.Mappings {
		if m.Unread != "" {
			unread++
			if m.ReadBytes != 0 {
				t.Errorf("%d bytes read of what must not be", m.ReadBytes)
			}
		}
	}
	if unread == 0 {
		t.Error("no mapping is said to be left out")
	}
	if f := r.Fits; f == nil || f.In3GiB != "yes" || f.In4GiB != "yes" {
		t.Errorf("fits: %+v", r.Fits)
	}
}

// A budget is kept, and what is read is spread over the heap.
func TestBudget(t *testing.T) {
	target := listTarget(t)
	target.maps[1].holes = nil
	r, err := Analyze(context.Background(), target, Options{Budget: 512 << 10})
	if err != nil {
		t.Fatal(err)
	}
	if r.Coverage.ReadBytes > 800<<10 || r.Coverage.ReadBytes < 200<<10 {
		t.Errorf("%d bytes read for a budget of 512 KiB", r.Coverage.ReadBytes)
	}
	if share := float64(r.Estimate.Private.Value) / float64(r.PrivateBytes); share < 0.46 || share > 0.58 {
		t.Errorf("the estimate is %.2f of now", share)
	}
}

func TestEndsMidway(t *testing.T) {
	target := listTarget(t)
	target.dieAt = 4
	r, err := Analyze(context.Background(), target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Partial || r.Estimate == nil || len(r.Problems) == 0 {
		t.Errorf("partial %v, problems %v, estimate %v", r.Partial, r.Problems, r.Estimate)
	}
	target = listTarget(t)
	target.dieAt = 1
	if _, err := Analyze(context.Background(), target, Options{}); err == nil {
		t.Error("an estimate of nothing")
	}
}

// When the time is over before the first block there still is an estimate.
func TestLimit(t *testing.T) {
	target := listTarget(t)
	target.maps[1].holes = nil
	sizes := make([]int, 1_000_000)
	for i := range sizes {
		sizes[i] = 32
	}
	heap := heapOf(8, sizes, func(m *memory, i, off, _ int) { m.put(off, m.base+uint64(off), uint64(i)) })
	target.maps[1].data = heap.b
	r, err := Analyze(context.Background(), target, Options{Limit: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	if r.Coverage.ReadBytes == 0 || r.Coverage.ReadBytes > 16<<20 {
		t.Errorf("%d bytes read", r.Coverage.ReadBytes)
	}
	if share := float64(r.Estimate.Private.Value) / float64(r.PrivateBytes); share < 0.46 || share > 0.58 {
		t.Errorf("the estimate is %.2f of now", share)
	}
}

func TestModels(t *testing.T) {
	for model, want := range map[string]float64{"ilp32": 0.51, "x32": 0.51, "ptr32": 1} {
		target := listTarget(t)
		target.maps = target.maps[:2]
		r, err := Analyze(context.Background(), target, Options{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		about(t, model, float64(r.Estimate.Private.Value)/float64(r.PrivateBytes), want, 0.06)
		if model != "ilp32" && r.Estimate.RSSHigh-r.Estimate.PrivateHigh != r.FileBytes {
			t.Errorf("%s: text is that of the 64-bit build", model)
		}
	}
	if _, err := Analyze(context.Background(), listTarget(t), Options{Model: "vax"}); err == nil {
		t.Error("no such model")
	}
}

// 32-bit processes are asked about the other way round.
func TestAnalyze32(t *testing.T) {
	sizes := make([]int, 40000)
	for i := range sizes {
		sizes[i] = 16
	}
	heap := heapOf(4, sizes, func(m *memory, i, off, _ int) { m.put(off, m.base+uint64(off), uint64(i)) })
	target := &fakeTarget{t: t, maps: []fakeMap{{start: heap.base, data: heap.b, perms: "rw-p", name: "[heap]"}}}
	r, err := Analyze(context.Background(), target, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Bits != 32 || r.Model != "lp64" {
		t.Fatalf("%d bits, model %s", r.Bits, r.Model)
	}
	about(t, "ratio", float64(r.Estimate.Private.Value)/float64(r.PrivateBytes), 2, 0.1)
}

func TestRefused(t *testing.T) {
	for scope, want := range map[string]string{"": "no ptrace_scope", "0": "is 0", "1": "only descendants", "2": "a must", "3": "nobody"} {
		s := (&RefusedError{What: "pagemap", Scope: scope, Err: fs.ErrPermission}).Error()
		if !strings.Contains(s, want) || !strings.Contains(s, "CAP_SYS_PTRACE") {
			t.Errorf("%q: %s", scope, s)
		}
	}
	if !errors.Is(&RefusedError{Err: fs.ErrPermission}, fs.ErrPermission) {
		t.Error("the cause is lost")
	}
}

func TestSum(t *testing.T) {
	proc := func(rss, pss, mid int64) result.WhatIfProcess {
		return result.WhatIfProcess{RSSBytes: rss, PSSBytes: result.Some(pss), Estimate: &result.WhatIfEstimate{RSS: result.Some(mid), RSSLow: mid - 10, RSSHigh: mid + 10}}
	}
	if Sum([]result.WhatIfProcess{proc(100, 50, 60)}) != nil {
		t.Error("one process is no group")
	}
	g := Sum([]result.WhatIfProcess{proc(100, 50, 60), proc(200, 100, 140), {RSSBytes: 5}})
	if g.Processes != 3 || g.LeftOut != 1 || g.PSSBytes.Value != 150 || g.PSS.Value.Value != 100 || g.PSS.Low != 90 || g.PSS.High != 110 {
		t.Errorf("%+v %+v", g, g.PSS)
	}
	undecided := proc(100, 100, 60)
	undecided.Undecided = true
	if g := Sum([]result.WhatIfProcess{proc(100, 50, 60), undecided}); g.PSS.Value.Known || !g.Undecided {
		t.Errorf("%+v", g.PSS)
	}
}

func TestPasses(t *testing.T) {
	blocks := make([]block, 103)
	for i := range blocks {
		blocks[i].addr = uint64(i)
	}
	for _, n := range []int{1, 2, 3, 4, 5, 7, 10} {
		seen := map[uint64]bool{}
		for i, b := range passes(blocks, n) {
			if seen[b.addr] {
				t.Fatalf("%d passes: block %d twice", n, b.addr)
			}
			seen[b.addr] = true
			// Any prefix of a pass covers the range evenly.
			if i == len(blocks)/n-1 {
				low := 0
				for a := range seen {
					if a < 52 {
						low++
					}
				}
				if low < len(seen)/2-1 || low > len(seen)/2+2 {
					t.Errorf("%d passes: %d of %d of the first are in the lower half", n, low, len(seen))
				}
			}
		}
		if len(seen) != len(blocks) {
			t.Errorf("%d passes: %d blocks", n, len(seen))
		}
	}
}
