package result

// Host is what is known of the machine that a record was made on. Everything
// that could not be learned is absent.
type Host struct {
	Hostname      string `json:"hostname,omitempty"`
	OS            string `json:"os"`                       // GOOS
	Distribution  string `json:"distribution,omitempty"`   // such as "debian 12.11"
	Kernel        string `json:"kernel,omitempty"`         // uname -r
	KernelVersion string `json:"kernel_version,omitempty"` // uname -v
	Machine       string `json:"machine,omitempty"`        // uname -m, the kernel's own, not a personality's
	KernelBits    *int   `json:"kernel_bits,omitempty"`    // word size of the kernel, 32 or 64
	Hypervisor    string `json:"hypervisor,omitempty"`     // such as "kvm"; absent on bare metal or when unknown
	UptimeSeconds *int64 `json:"uptime_s,omitempty"`

	CPU    CPU     `json:"cpu"`
	Caches []Cache `json:"caches,omitempty"`
	Memory Memory  `json:"memory"`
	Pages  Pages   `json:"pages"`
	Cgroup *Cgroup `json:"cgroup,omitempty"`

	Modules *Modules `json:"modules,omitempty"` // what the firmware says of the memory modules

	NUMANodes     *int   `json:"numa_nodes,omitempty"`
	NUMABalancing *int   `json:"numa_balancing,omitempty"` // kernel.numa_balancing
	Overcommit    *int   `json:"overcommit_memory,omitempty"`
	AddressLimit  *int64 `json:"rlimit_as_bytes,omitempty"` // RLIMIT_AS; absent when unlimited
}

// CPU describes the processors.
type CPU struct {
	Model     string `json:"model,omitempty"`
	Vendor    string `json:"vendor,omitempty"`
	Family    string `json:"family,omitempty"`
	ModelID   string `json:"model_id,omitempty"`
	Stepping  *int   `json:"stepping,omitempty"`
	Microcode string `json:"microcode,omitempty"`

	Online        *int     `json:"online,omitempty"`         // logical CPUs that are on line
	Allowed       []int    `json:"allowed,omitempty"`        // those this process may run on (affinity mask)
	PhysicalCores *int     `json:"physical_cores,omitempty"` // among the allowed ones
	Governors     []string `json:"governors,omitempty"`      // distinct cpufreq governors of the allowed CPUs
	MaxMHz        *float64 `json:"max_mhz,omitempty"`
}

// Cache is one claim about a cache; sources may contradict each other, so
// each claim names its source.
type Cache struct {
	Level      int    `json:"level"`
	Type       string `json:"type"` // "Data", "Instruction" or "Unified"
	Bytes      int64  `json:"bytes"`
	SharedCPUs string `json:"shared_cpus,omitempty"` // CPU list, as in sysfs
	Source     string `json:"source"`                // "sysfs" or "cpuid"
}

// Memory is the host's memory as the kernel counts it.
type Memory struct {
	TotalBytes       *int64 `json:"total_bytes,omitempty"`
	AvailableBytes   *int64 `json:"available_bytes,omitempty"`
	FreeBytes        *int64 `json:"free_bytes,omitempty"`
	SwapTotalBytes   *int64 `json:"swap_total_bytes,omitempty"`
	SwapFreeBytes    *int64 `json:"swap_free_bytes,omitempty"`
	CommitLimitBytes *int64 `json:"commit_limit_bytes,omitempty"`
	CommittedBytes   *int64 `json:"committed_bytes,omitempty"`

	// Only on 32-bit kernels with HIGHMEM.
	HighTotalBytes *int64 `json:"high_total_bytes,omitempty"`
	HighFreeBytes  *int64 `json:"high_free_bytes,omitempty"`
	LowTotalBytes  *int64 `json:"low_total_bytes,omitempty"`
	LowFreeBytes   *int64 `json:"low_free_bytes,omitempty"`
}

// Modules is what the firmware claims of the memory modules. The last five are
// absent unless all of it is known of every populated slot.
type Modules struct {
	Source    string `json:"source"` // "smbios"
	Slots     int    `json:"slots"`
	Populated int    `json:"populated"`

	Channels        *int   `json:"channels,omitempty"`         // that have a module
	ChannelsAssumed bool   `json:"channels_assumed,omitempty"` // slots do not tell their channel: one was taken for each
	ChannelBits     int    `json:"channel_bits,omitempty"`     // width of the data of one
	MegaTransfers   int    `json:"megatransfers_per_s,omitempty"`
	PeakBytesPerS   *int64 `json:"peak_bytes_per_s,omitempty"` // of all channels: rate as configured times width
}

// Pages are the page sizes and the kernel's policy for large ones.
type Pages struct {
	BaseBytes      int64  `json:"base_bytes"`
	THPEnabled     string `json:"thp_enabled,omitempty"` // "always", "madvise" or "never"
	THPDefrag      string `json:"thp_defrag,omitempty"`
	HugeBytes      *int64 `json:"huge_bytes,omitempty"` // default hugetlb page size
	HugeTotalPages *int64 `json:"huge_total_pages,omitempty"`
	HugeFreePages  *int64 `json:"huge_free_pages,omitempty"`
}

// Cgroup is the tightest limit found on the process's own cgroup path,
// from its own group up to the root.
type Cgroup struct {
	Version          int      `json:"version"` // 1 or 2: the hierarchy that the memory figures come from
	Path             string   `json:"path,omitempty"`
	MemoryLimitBytes *int64   `json:"memory_limit_bytes,omitempty"` // tightest limit; absent when unlimited
	MemoryUsedBytes  *int64   `json:"memory_used_bytes,omitempty"`  // charged to the group that has it
	MemoryFreeBytes  *int64   `json:"memory_free_bytes,omitempty"`  // least room left on the whole path; reclaimable page cache counts as room
	LimitPath        string   `json:"limit_path,omitempty"`         // the group with the least room
	CPUs             *float64 `json:"cpus,omitempty"`               // tightest CPU quota, in CPUs; absent when unlimited
}

// LastLevelCache returns the largest claim in bytes of the highest level of
// data or unified cache, with its source, and ok false when nobody claims one.
// Sources contradict each other, and the larger claim is the one to be afraid
// of.
func (h *Host) LastLevelCache() (bytes int64, source string, ok bool) {
	level := 0
	for _, c := range h.Caches {
		if c.Type == "Instruction" || c.Bytes <= 0 {
			continue
		}
		if c.Level > level || c.Level == level && c.Bytes > bytes {
			level, bytes, source, ok = c.Level, c.Bytes, c.Source, true
		}
	}
	return bytes, source, ok
}
