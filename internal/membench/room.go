package membench

import (
	"os"
	"strconv"
	"strings"

	"wordsize/internal/hostinfo"
	"wordsize/internal/result"
)

// ReadRoom learns the limits from a host's description and, where one is
// worth asking for, by trying.
func ReadRoom(h *result.Host, pages Pages) Room {
	r := Room{Available: h.Memory.AvailableBytes}
	if c := h.Cgroup; c != nil {
		r.Cgroup, r.CgroupPath = c.MemoryFreeBytes, c.LimitPath
	}
	const strict = 2
	if m := h.Memory; h.Overcommit != nil && *h.Overcommit == strict && m.CommitLimitBytes != nil && m.CommittedBytes != nil {
		r.Commit = new(*m.CommitLimitBytes - *m.CommittedBytes)
	}
	if h.AddressLimit != nil {
		r.PerProcessAS = new(*h.AddressLimit - ownAddressSpace())
	}
	// The probe meets RLIMIT_AS too; then that is what to name.
	if _, total, err := hostinfo.AddressSpace(); err == nil && total > 0 && h.AddressLimit == nil {
		r.AddressSpace = &total
	}
	if p := h.Pages; pages == PagesHugeTLB && p.HugeBytes != nil && p.HugeFreePages != nil {
		r.HugeBytes = *p.HugeBytes
		r.HugePages = new(*p.HugeFreePages * *p.HugeBytes)
	}
	return r
}

// ownAddressSpace returns the size in bytes of this process' address space,
// which a worker's is about the same as; 0 where it cannot be read.
func ownAddressSpace() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.SplitN(string(b), " ", 2)[0], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
