package structures

import (
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
	"wordsize/internal/result"
)

// known is what the Go heap holds per element: for a build of 64 bits and for
// one of 32. Sizes are those of the runtime's size classes: 12 bytes take 16,
// 20 take 24, 36 take 48, 60 take 64, 92 take 96, and 8 bytes without
// pointers share a block with another 8.
var known = map[string][2]float64{
	"slice-int":    {8, 4},
	"slice-int64":  {8, 8},
	"slice-ptr":    {8 + 16, 4 + 16},
	"slice-string": {16, 8},
	"slice-any":    {16, 8},
	"slice-bytes":  {24 + 64, 12 + 64},
	"string-8":     {16 + 8, 8 + 8},
	"string-100":   {16 + 112, 8 + 112},
	"any-int":      {16 + 8, 8 + 4},
	"any-struct":   {16 + 24, 8 + 16},
	"record":       {8 + 64 + 24 + 16, 4 + 48 + 24 + 16},
	"list":         {16, 8},
	"list-std":     {48 + 8, 24 + 4},
	"tree":         {32, 16},
	"chan":         {8 + 112, 4 + 64},
	"chan-8":       {8 + 176, 4 + 96},
	"slice-time":   both(unsafe.Sizeof(time.Time{})),
	"struct-bad":   both(unsafe.Sizeof(badOrder{})),
	"struct-good":  both(unsafe.Sizeof(goodOrder{})),
}

// measured builds a structure in a process of its own, often enough to take
// some megabytes.
func measured(t *testing.T, s Structure, elements int64) (sample *result.FootprintSample, copies int64) {
	t.Helper()
	const some = 6 << 20
	copies = max(1, some/(s.Need(elements, 1)-spareBytes))
	sample, err := askChild(t.Context(), Task{s.Name, elements, copies})
	if err != nil {
		t.Fatalf("%s of %d: %v", s.Name, elements, err)
	}
	return sample, copies
}

func TestKnownSizes(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's runtime allocates otherwise, and has memory of its own")
	}
	host := hostinfo.Read(t.Context(), hostinfo.DefaultFS())
	foreign := membench.UserModeEmulation(&host, runtime.GOARCH) != ""
	sizes := []int64{1000, 100_000}
	if foreign { // slow, and the kernel's figures are the emulator's
		sizes = sizes[:1]
	}
	for _, s := range Structures() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			for _, n := range sizes {
				sample, copies := measured(t, s, n)
				checkHeap(t, s, n, float64(n*copies), sample)
				if runtime.GOOS == "linux" && !foreign {
					checkResident(t, s, n, copies, sample)
				}
			}
		})
	}
}

func checkHeap(t *testing.T, s Structure, n int64, total float64, sample *result.FootprintSample) {
	t.Helper()
	low, high := bounds(s.Name, n)
	// An array is rounded up to a size class, or to 8 KiB; the runtime takes
	// stacks in pieces of 32 KiB.
	const stacks = 100 << 10
	if heap := float64(sample.HeapBytes) / total; heap < low-stacks/total || heap > high*1.001+stacks/total {
		t.Errorf("%d elements: %.2f heap bytes each, want %.2f to %.2f", n, heap, low, high)
	}
}

func checkResident(t *testing.T, s Structure, n, copies int64, sample *result.FootprintSample) {
	t.Helper()
	if !sample.HugeOff {
		t.Errorf("%d elements: the process had transparent huge pages", n)
	}
	if sample.ResidentBytes == nil || sample.PeakBytes == nil {
		t.Fatalf("%d elements: no resident size, or no peak", n)
	}
	if *sample.PeakBytes > s.Need(n, copies) {
		t.Errorf("%d elements: %d bytes were resident once, more than the %d that were to be enough", n, *sample.PeakBytes, s.Need(n, copies))
	}
	// Large objects end in memory that was never touched; the runtime keeps
	// marks and bitmaps of its own, and holes where a map outgrew its tables.
	const runtimes = 1 << 20
	heap, resident := float64(sample.HeapBytes), float64(*sample.ResidentBytes)
	if resident < 0.93*heap || resident > 1.15*heap+runtimes {
		t.Errorf("%d elements: %.0f bytes resident, %.0f on the heap", n, resident, heap)
	}
}

func both(size uintptr) [2]float64 { return [2]float64{float64(size), float64(size)} }

// bounds returns what an element may take on the heap.
func bounds(name string, n int64) (low, high float64) {
	const word = wordBytes
	if k, ok := known[name]; ok {
		v := k[0]
		if word == 4 {
			v = k[1]
		}
		if n == 1000 { // the array: 1000 words and more, up to the next class
			return v, v + word*1.5
		}
		return v, v * 1.005
	}
	switch name {
	case "slice-append": // the capacity grows by a quarter
		return word, word * 1.35
	case "goroutine": // stack, g, sudog
		return 2048 + 200, 2048 + 700
	}
	// A map is filled to 7/16 at least and 7/8 at most, a byte of control for
	// each slot.
	slot := map[string]float64{"map-int": 2 * word, "map-sized": 2 * word, "map-int64": 16, "map-string": 4 * word, "map-ptr": 3 * word, "set-string": 3 * word}[name] + 1
	own := map[string]float64{"map-string": 8 + 24, "map-ptr": 8 + 16, "set-string": 8}[name]
	return slot*8/7 + own, slot*16/7*1.22 + own
}

func TestSelect(t *testing.T) {
	got, err := Select([]string{"list", "maps", "map-int"})
	if err != nil || len(got) != 7 || got[0].Name != "list" {
		t.Errorf("%d structures, %v; want list and six maps", len(got), err)
	}
	if all, err := Select(nil); err != nil || len(all) != len(Structures()) {
		t.Errorf("%d structures, %v; want all", len(all), err)
	}
	if _, err := Select([]string{"list", "heap"}); err == nil || !strings.Contains(err.Error(), `"heap"`) || !strings.Contains(err.Error(), "slice-int") {
		t.Errorf("%v: want the wrong name and the right ones", err)
	}
	seen := make(map[string]bool)
	for _, s := range Structures() {
		if seen[s.Name] || s.Shape == "" || s.Type == "" || s.Group == "" || s.words+s.bytes == 0 {
			t.Errorf("%+v: a name twice, or something missing", s)
		}
		seen[s.Name] = true
	}
}

func TestCopiesMakeSomethingToMeasure(t *testing.T) {
	for _, s := range Structures() {
		for _, n := range []int64{1, 1000, 1e7} {
			c := s.copies(n)
			if need := s.Need(n, c) - spareBytes; need < measuredBytes || c > 1 && need > measuredBytes+s.Need(n, 1) {
				t.Errorf("%s: %d copies of %d take %d bytes", s.Name, c, n, need)
			}
		}
	}
}

func TestParseRollup(t *testing.T) {
	const text = "5654f1a00000-7ffd [rollup]\nRss:  9000 kB\nPrivate_Clean: 12 kB\nAnonymous:            3456 kB\nSwap:                  4 kB\nSwapPss: 3 kB\n"
	m := parseRollup([]byte(text))
	if m.resident == nil || *m.resident != 3456<<10 || m.swapped == nil || *m.swapped != 4<<10 {
		t.Errorf("%+v", m)
	}
	for _, bad := range []string{"", "Rss: 5 kB\n", "Anonymous: 5\n", "Anonymous: -5 kB\n", "Anonymous: x kB\n", "Anonymous: 5 MB\n", "Anonymous: 99999999999999999999 kB\n"} {
		if m := parseRollup([]byte(bad)); m.resident != nil {
			t.Errorf("%q: %d, want nothing", bad, *m.resident)
		}
	}
}

func TestParseStatm(t *testing.T) {
	if m := parseStatm([]byte("5000 1200 200 400 0 800 0\n"), 4096); m.resident == nil || *m.resident != 1000*4096 {
		t.Errorf("%+v", m)
	}
	for _, bad := range []string{"", "5000 1200", "a b c d", "5 2 3", "5 2 -3", "1 99999999999999999 1"} {
		if m := parseStatm([]byte(bad), 4096); m.resident != nil {
			t.Errorf("%q: %d, want nothing", bad, *m.resident)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("Anonymous: 3456 kB\nSwap: 1 kB\n"))
	f.Add([]byte("5000 1200 200 400 0 800 0\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range []memory{parseRollup(b), parseStatm(b, 1<<16)} {
			if m.resident != nil && (*m.resident < 0 || *m.resident > math.MaxInt64/2) {
				t.Errorf("%q: %d", b, *m.resident)
			}
		}
	})
}

// counter checks what of the processes it stands for run at once.
type counter struct {
	mu              sync.Mutex
	now, most       int64
	running, atOnce int
}

func (c *counter) enter(need int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.running = c.now+need, c.running+1
	c.most, c.atOnce = max(c.most, c.now), max(c.atOnce, c.running)
}

func (c *counter) leave(need int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.running = c.now-need, c.running-1
}
