package membench

import (
	"fmt"
	"math"
	"strings"
)

// Room is what limits the memory of a run, in bytes; absent limits are nil.
type Room struct {
	Available    *int64 // what the host can give without swapping: MemAvailable
	Cgroup       *int64 // least room on the cgroup's path
	CgroupPath   string
	Commit       *int64 // CommitLimit - Committed_AS, with overcommit mode 2 only
	PerProcessAS *int64 // RLIMIT_AS less what the program itself takes
	AddressSpace *int64 // what one process of this build can map on this kernel
	HugePages    *int64 // free hugetlb memory, when asked for
	HugeBytes    int64  // size of one hugetlb page
}

const (
	// workerOverhead is what a worker takes beyond its chunk.
	workerOverhead = 8 << 20
	// addressMargin is what must stay unmapped in a worker for its runtime.
	addressMargin = 16 << 20
)

// reserve is what a run leaves untouched of the memory that is there: 64 MiB
// or 2 %, whichever is more.
func reserve(available int64) int64 { return max(64<<20, available/50) }

// FitError says that the chunks do not fit, by how much, and what would.
type FitError struct {
	Processes  int
	ChunkBytes int64
	Limit      string // what is too small
	Room       int64  // bytes that it leaves: to all processes, or to each
	PerProcess bool
	Threads    bool  // all chunks are one process'
	MaxN       int   // that would fit with this chunk; 0 if none
	MaxChunk   int64 // bytes that would fit with this N; 0 if none
}

func (e *FitError) Error() string {
	var b strings.Builder
	if e.PerProcess && e.Threads {
		fmt.Fprintf(&b, "%d x %s do not fit into one process, whose threads are to have them: %s leaves %s", e.Processes, mib(e.ChunkBytes), e.Limit, mib(e.Room))
	} else if e.PerProcess {
		fmt.Fprintf(&b, "a chunk of %s does not fit into one process: %s leaves %s", mib(e.ChunkBytes), e.Limit, mib(e.Room))
	} else {
		fmt.Fprintf(&b, "%d x %s = %.6g MiB do not fit: %s leaves %s", e.Processes, mib(e.ChunkBytes), float64(e.Processes)*inMiB(e.ChunkBytes), e.Limit, mib(e.Room))
	}
	var would []string
	if e.MaxN > 0 && !e.PerProcess {
		would = append(would, fmt.Sprintf("N = %d with MB = %g", e.MaxN, inMiB(e.ChunkBytes)))
	}
	if e.MaxChunk > 0 {
		would = append(would, fmt.Sprintf("MB = %d with N = %d", e.MaxChunk>>20, e.Processes))
	}
	if len(would) > 0 {
		b.WriteString("; what fits is " + strings.Join(would, ", or "))
	}
	b.WriteString("; --force overrides")
	return b.String()
}

func mib(bytes int64) string { return fmt.Sprintf("%.6g MiB", inMiB(bytes)) }

func inMiB(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// Fit checks a request against the room there is. The error is a *FitError
// for the limit that leaves the least.
func (r Room) Fit(n int, chunk int64) error {
	worst := r.worst(n, chunk)
	if worst == nil {
		return nil
	}
	// Another limit may stand against what this one would allow.
	if worst.MaxN > 0 && r.worst(worst.MaxN, chunk) != nil {
		worst.MaxN = 0
	}
	return worst
}

// FitIn is Fit for n chunks that lie in so many processes: n, or 1.
func (r Room) FitIn(processes, n int, chunk int64) error {
	if err := r.Fit(n, chunk); err != nil || processes == n {
		return err
	}
	all := min(int64(n), math.MaxInt64/2/chunk) * chunk // Fit allows no more than there is
	if e := r.worst(1, all); e != nil && e.PerProcess {
		e.Threads, e.Processes, e.ChunkBytes = true, n, chunk
		e.MaxChunk = wholeMiB(e.Room / int64(n))
		return e
	}
	return nil
}

func (r Room) worst(n int, chunk int64) *FitError {
	// Huge pages come out of their pool, not out of what is available.
	charged := chunk
	if r.HugePages != nil {
		charged = 0
	}
	var worst *FitError
	consider := func(e *FitError) {
		if worst == nil || e.MaxChunk < worst.MaxChunk {
			worst = e
		}
	}
	perProcess := func(limit string, room *int64, overhead int64) {
		if room == nil || chunk+overhead <= *room {
			return
		}
		consider(&FitError{Processes: n, ChunkBytes: chunk, Limit: limit, Room: max(0, *room-overhead), PerProcess: true, MaxChunk: wholeMiB(*room - overhead)})
	}
	together := func(limit string, room *int64, overhead int64) {
		if room == nil {
			return
		}
		// Not n*(chunk+overhead): it could overflow.
		if *room > 0 && int64(n) <= *room/(charged+overhead) {
			return
		}
		consider(&FitError{Processes: n, ChunkBytes: chunk, Limit: limit, Room: max(0, *room), MaxN: int(max(0, *room) / (charged + overhead)), MaxChunk: wholeMiB(*room/int64(n) - overhead)})
	}
	less := func(p *int64) *int64 {
		if p == nil {
			return nil
		}
		return new(*p - reserve(*p))
	}
	perProcess("the address space of one process of this build on this kernel", r.AddressSpace, addressMargin)
	perProcess("RLIMIT_AS (ulimit -v)", r.PerProcessAS, addressMargin)
	together("MemAvailable, less a reserve,", less(r.Available), workerOverhead)
	together(fmt.Sprintf("the memory limit of cgroup %s, less a reserve,", r.CgroupPath), less(r.Cgroup), workerOverhead)
	together("the commit limit (vm.overcommit_memory = 2)", r.Commit, workerOverhead)
	if r.HugePages != nil && r.HugeBytes > 0 {
		rounded := (chunk + r.HugeBytes - 1) / r.HugeBytes * r.HugeBytes
		if *r.HugePages < rounded || int64(n) > *r.HugePages/rounded {
			consider(&FitError{Processes: n, ChunkBytes: chunk, Limit: fmt.Sprintf("the pool of free huge pages of %s (vm.nr_hugepages)", mib(r.HugeBytes)), Room: *r.HugePages,
				MaxN: int(*r.HugePages / rounded), MaxChunk: wholeMiB(*r.HugePages / int64(n) / r.HugeBytes * r.HugeBytes)})
		}
	}
	return worst
}

// wholeMiB rounds down to 2^20 bytes; 0 when nothing is left.
func wholeMiB(bytes int64) int64 { return max(0, bytes) &^ (1<<20 - 1) }
