package hostinfo

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"wordsize/internal/result"
)

// Read returns what this machine is. It never fails: what cannot be read is
// absent from the record. It starts no program and takes a few milliseconds,
// more on hosts with hundreds of CPUs.
//
// With another tree than [DefaultFS] everything comes from that tree, which
// is taken for that of a Linux system. The page size is that of the running
// system in any case, since no file tells.
func Read(ctx context.Context, fs FS) result.Host {
	if fs == DefaultFS() && runtime.GOOS != "linux" {
		return readPortable(ctx)
	}
	h := result.Host{OS: "linux"}
	fs.readKernel(&h)
	h.Distribution = fs.distribution(ctx)

	mem, _ := fs.readMemInfo() // a damaged file gives what is left of it
	h.Memory = mem.memory
	h.Pages = fs.pages(mem)
	machine := fs.machine()
	if bits, ok := fs.kernelBits(machine, mem); ok {
		h.KernelBits = &bits
		machine = ownMachine(machine, bits)
	}
	h.Machine = machine

	b, _ := readHead(fs.proc("cpuinfo"), maxCPUInfo) // nothing parses as nothing
	info := parseCPUInfo(b)
	h.CPU = fs.processors(info)
	h.Caches = fs.caches(h.CPU.Allowed)
	h.Hypervisor = fs.hypervisor(info)
	h.Cgroup, _ = fs.ReadCgroup() // unknown limits are absent
	h.Modules = fs.modules()
	return h
}

// readKernel fills in names, version and settings of the kernel.
func (fs FS) readKernel(h *result.Host) {
	h.Hostname = readText(fs.proc("sys/kernel/hostname"))
	if h.Hostname == "" && fs.live() {
		h.Hostname, _ = os.Hostname() // "" when unknown
	}
	h.Kernel = readText(fs.proc("sys/kernel/osrelease"))
	h.KernelVersion = readText(fs.proc("sys/kernel/version"))
	h.UptimeSeconds = parseUptime(readText(fs.proc("uptime")))
	h.NUMABalancing = readInt(fs.proc("sys/kernel/numa_balancing"))
	h.Overcommit = readInt(fs.proc("sys/vm/overcommit_memory"))
	h.AddressLimit = fs.addressLimit()
	if nodes, err := ParseCPUList(readText(fs.sys("devices/system/node/online"))); err == nil && len(nodes) > 0 {
		n := len(nodes)
		h.NUMANodes = &n
	}
}

// parseUptime reads /proc/uptime, "568.75 1007.29": seconds since boot, and
// idle ones.
func parseUptime(s string) *int64 {
	whole, _, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// addressLimit returns the soft RLIMIT_AS of this process in bytes, absent
// when there is none.
func (fs FS) addressLimit() *int64 {
	for line := range linesOf(fs.proc("self/limits")) {
		rest, ok := strings.CutPrefix(line, "Max address space")
		if !ok {
			continue
		}
		f := strings.Fields(rest)
		if len(f) == 0 {
			return nil
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			return nil // "unlimited"
		}
		return &n
	}
	return nil
}

// pages reports page sizes and the policy for transparent huge pages
// (Documentation/admin-guide/mm/transhuge.rst).
func (fs FS) pages(m memInfo) result.Pages {
	return result.Pages{
		BaseBytes:      int64(os.Getpagesize()),
		THPEnabled:     bracketed(readText(fs.sys("kernel/mm/transparent_hugepage/enabled"))),
		THPDefrag:      bracketed(readText(fs.sys("kernel/mm/transparent_hugepage/defrag"))),
		HugeBytes:      m.hugeBytes,
		HugeTotalPages: m.hugeTotal,
		HugeFreePages:  m.hugeFree,
	}
}

// processors completes what cpuinfo says with sysfs, the affinity mask and,
// on the running system, CPUID.
func (fs FS) processors(info cpuInfo) result.CPU {
	c := info.cpu
	if c.Model == "" && fs.live() {
		c.Model = strings.TrimSpace(cpuid.CPU.BrandName)
	}
	if fs.live() {
		c.Allowed = AllowedCPUs()
	} else {
		c.Allowed = fs.taskCPUs()
	}
	if n, ok := fs.onlineCPUs(); ok {
		c.Online = &n
	} else if info.processors > 0 {
		c.Online = &info.processors
	}
	if cores, ok := fs.cores(c.Allowed); ok {
		n := len(cores)
		c.PhysicalCores = &n
	}
	for _, cpu := range c.Allowed {
		if g := readText(fs.cpuFile(cpu, "cpufreq/scaling_governor")); g != "" && !slices.Contains(c.Governors, g) {
			c.Governors = append(c.Governors, g)
		}
		if khz := readInt(fs.cpuFile(cpu, "cpufreq/cpuinfo_max_freq")); khz != nil {
			mhz := float64(*khz) / 1000
			if c.MaxMHz == nil || mhz > *c.MaxMHz {
				c.MaxMHz = &mhz
			}
		}
	}
	return c
}

// caches returns all claims about the caches of the first allowed CPU, those
// of sysfs first. They contradict each other at times, above all on virtual
// machines.
func (fs FS) caches(allowed []int) []result.Cache {
	first := 0
	if len(allowed) > 0 {
		first = allowed[0]
	}
	caches := fs.sysfsCaches(first)
	if fs.live() {
		caches = append(caches, cpuidCaches()...)
	}
	return caches
}
