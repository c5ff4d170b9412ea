package result

const (
	// InfoKind tells the record of memtest info.
	InfoKind = "memtest-info"
	// KernelsKind tells the record of memtest kernels.
	KernelsKind = "memtest-kernels"
)

// Info is what memtest knows of a host.
type Info struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
	Tool   Tool   `json:"tool"`
	Host   Host   `json:"host"`
	// What one process of this build can map on this kernel, found by trying
	// on 32-bit builds and from the architecture's layout on 64-bit ones.
	LargestMappingBytes *int64 `json:"largest_mapping_bytes,omitempty"`
	AddressSpaceBytes   *int64 `json:"address_space_bytes,omitempty"`
}

// KernelList is all kernels with what is usable here.
type KernelList struct {
	Schema     int           `json:"schema"`
	Kind       string        `json:"kind"`
	Tool       Tool          `json:"tool"`
	ChunkBytes *int64        `json:"chunk_bytes,omitempty"` // when measured
	Kernels    []KernelEntry `json:"kernels"`
	Warnings   []Warning     `json:"warnings,omitempty"`
}

// KernelEntry is one kernel in one tier.
type KernelEntry struct {
	Name          string  `json:"name"`
	Tier          string  `json:"tier"`
	Doc           string  `json:"doc"`
	TierDoc       string  `json:"tier_doc"`
	WriteAllocate bool    `json:"write_allocate"`
	Usable        bool    `json:"usable"`
	Reason        string  `json:"reason,omitempty"` // why not
	Default       bool    `json:"default"`          // what the kernel's name alone selects
	Rate          *Spread `json:"bytes_per_s,omitempty"`
}
