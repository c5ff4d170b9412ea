package membench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// Config is one validated request. Make it with the Parse functions.
type Config struct {
	Processes  int           // N; threads of one process with Threads
	Threads    bool          // the workers of a phase are threads of one process
	MinTime    time.Duration // T: the single process makes passes for at least so long
	ChunkBytes int64         // of each process
	Kernel     kernel.Variant
	KernelSpec string // NAME or NAME/TIER
	Pin        Pin
	Pages      Pages
	NUMA       NUMA
	Repeat     int // launches; the most with Until
	Warmup     int // passes between first touch and timing
	Seed       uint32
	Held       bool // workers go on until all have made their passes
	Verify     bool
	Force      bool     // skip the memory checks
	Runner     []string // command put in front of each worker
	Peak       float64  // theoretical bytes a second of the host; 0: not given
	Progress   bool     // workers report passes as they go

	nodes result.NUMANodes // of the host, where NUMA asks for some

	Until     float64       // launches go on until Env.Enough, which wants so many percent; 0: all of Repeat are made
	UntilTime time.Duration // and no launch begins later; 0: no limit
}

// DefaultSeed is the seed of the patterns unless told otherwise.
const DefaultSeed = 0x7e57ae37

// ArgError is a bad argument: it names the argument, its value, and what
// would be right.
type ArgError struct {
	Name, Value, Want string
}

func (e *ArgError) Error() string {
	return fmt.Sprintf("%s: %q is not right: want %s", e.Name, e.Value, e.Want)
}

// maxProcesses bounds N: more would only measure process starts.
const maxProcesses = 10000

// ParseProcesses reads N.
func ParseProcesses(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxProcesses {
		return 0, &ArgError{"N", s, fmt.Sprintf("a whole number of processes from 1 to %d, such as 4", maxProcesses)}
	}
	return n, nil
}

// maxPerCPU bounds N without --force: with more runnable processes for each
// CPU a host answers nobody any more, the parent of the workers included.
const maxPerCPU = 64

// checkCrowd refuses more processes than the allowed CPUs can take turns in.
func checkCrowd(n, cpus int) error {
	if cpus < 1 || n <= maxPerCPU*cpus {
		return nil
	}
	return &ArgError{"N", strconv.Itoa(n), fmt.Sprintf("at most %d here, %d for each of %d allowed CPUs, or --force", maxPerCPU*cpus, maxPerCPU, cpus)}
}

// descriptorsEach is how many open files the parent keeps for a worker, while
// it is started: both ends of a pipe less what it closes at once.
const (
	descriptorsEach  = 4
	descriptorsSpare = 32
)

// checkDescriptors refuses more workers than the limit of open files allows;
// 0 is no limit.
func checkDescriptors(n int, limit uint64) error {
	if limit == 0 || uint64(n)*descriptorsEach+descriptorsSpare <= limit {
		return nil
	}
	most := 0
	if limit > descriptorsSpare {
		most = int((limit - descriptorsSpare) / descriptorsEach)
	}
	return &ArgError{"N", strconv.Itoa(n), fmt.Sprintf("at most %d with a limit of %d open files (ulimit -n), or --force", most, limit)}
}

const maxMinTime = 365 * 24 * time.Hour

// ParseMinTime reads T: seconds, with fractions, or a Go duration.
func ParseMinTime(s string) (time.Duration, error) {
	bad := &ArgError{"T", s, "seconds >= 0, such as 10, 0.5, 10s or 2m"}
	if sec, err := strconv.ParseFloat(s, 64); err == nil {
		if !(sec >= 0 && sec <= maxMinTime.Seconds()) || isHex(s) {
			return 0, bad
		}
		return time.Duration(sec * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxMinTime {
		return 0, bad
	}
	return d, nil
}

func isHex(s string) bool { return strings.ContainsAny(s, "xX_") }

// chunkStep is what a chunk must be a multiple of: a page of most systems.
const chunkStep = 4096

// ParseChunk reads MB, the size of each process' chunk, in units of 2^20
// bytes as in test-mem, or with a suffix: K, M, G or KiB, MiB, GiB, all
// powers of two. It returns bytes.
func ParseChunk(s string) (int64, error) {
	bad := func(want string) error { return &ArgError{"MB", s, want} }
	const want = "a size above 0 in units of 2^20 bytes, such as 1500, 1500M, 2G or 2GiB"
	number, unit := s, int64(1<<20)
	if i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }); i >= 0 {
		number = s[:i]
		switch suffix := s[i:]; suffix {
		case "K", "k", "KiB":
			unit = 1 << 10
		case "M", "m", "MiB":
			unit = 1 << 20
		case "G", "g", "GiB":
			unit = 1 << 30
		case "T", "t", "TiB":
			unit = 1 << 40
		case "kB", "KB", "MB", "GB", "TB":
			return 0, bad("a unit that is a power of two: " + strings.ToUpper(suffix[:1]) + " or " + strings.ToUpper(suffix[:1]) + "iB, for " + suffix + " could mean a power of ten")
		default:
			return 0, bad(want)
		}
	}
	f, err := strconv.ParseFloat(number, 64)
	bytes := f * float64(unit)
	switch {
	case err != nil || !(bytes > 0):
		return 0, bad(want)
	case bytes >= 1<<62:
		return 0, bad("less than 2^62 bytes")
	case bytes != math.Trunc(bytes) || int64(bytes)%chunkStep != 0:
		return 0, bad("a multiple of 4096 bytes")
	}
	return int64(bytes), nil
}

// Pin says how workers are bound to CPUs.
type Pin struct {
	Mode PinMode
	CPUs []int // with PinList
}

// PinMode is the kind of a Pin.
type PinMode int

const (
	PinAuto PinMode = iota // one worker to one allowed CPU while N fits
	PinNone
	PinList
)

// String returns the flag's value.
func (p Pin) String() string {
	switch p.Mode {
	case PinAuto:
		return "auto"
	case PinNone:
		return "none"
	}
	list := make([]string, len(p.CPUs))
	for i, c := range p.CPUs {
		list[i] = strconv.Itoa(c)
	}
	return strings.Join(list, ",")
}

// ParsePin reads --pin. A list may only name CPUs that are allowed.
func ParsePin(s string, allowed []int) (Pin, error) {
	switch s {
	case "auto":
		return Pin{Mode: PinAuto}, nil
	case "none":
		return Pin{Mode: PinNone}, nil
	}
	want := "auto, none, or a list of allowed CPUs out of " + hostinfo.FormatCPUList(allowed)
	var cpus []int // in the order given: worker i gets the i-th
	for part := range strings.SplitSeq(s, ",") {
		some, err := hostinfo.ParseCPUList(part)
		if err != nil || len(some) == 0 {
			return Pin{}, &ArgError{"--pin", s, want}
		}
		cpus = append(cpus, some...)
	}
	is := make(map[int]bool, len(allowed))
	for _, c := range allowed {
		is[c] = true
	}
	for _, c := range cpus {
		if !is[c] {
			return Pin{}, &ArgError{"--pin", s, want}
		}
	}
	return Pin{Mode: PinList, CPUs: cpus}, nil
}

// Pages is the kind of pages that chunks are asked to be made of.
type Pages string

const (
	PagesDefault Pages = "default" // whatever the kernel does with a plain mapping
	Pages4K      Pages = "4k"      // no huge pages (the base size, where that isn't 4 KiB)
	PagesTHP     Pages = "thp"     // transparent huge pages
	PagesHugeTLB Pages = "hugetlb" // preallocated huge pages
)

// ParsePages reads --pages.
func ParsePages(s string) (Pages, error) {
	switch p := Pages(s); p {
	case PagesDefault, Pages4K, PagesTHP, PagesHugeTLB:
		return p, nil
	}
	return "", &ArgError{"--pages", s, "default, 4k, thp or hugetlb"}
}

// ParsePeak reads --peak: GB/s (10^9 bytes). It returns bytes a second, 0 for
// an empty string.
func ParsePeak(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	const most = 1e6
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0 && v <= most) || isHex(s) {
		return 0, &ArgError{"--peak", s, "the theoretical bandwidth in GB/s (10^9 bytes), such as 51.2: channels x 8 bytes x transfer rate"}
	}
	return v * 1e9, nil
}

// ParseSeed reads --seed-pattern: a 32-bit number, decimal or 0x….
func ParseSeed(s string) (uint32, error) {
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil {
		return 0, &ArgError{"--seed-pattern", s, "a 32-bit number, such as 12345 or 0x7e57ae37"}
	}
	return uint32(v), nil
}
