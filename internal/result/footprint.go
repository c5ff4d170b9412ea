package result

import "time"

const (
	// FootprintKind tells the record of memtest footprint.
	FootprintKind = "memtest-footprint"
	// FootprintPairKind tells the record of two builds' footprints.
	FootprintPairKind = "memtest-footprint-pair"
)

// Where a resident size was read.
const (
	SourceRollup = "smaps_rollup"
	SourceStatm  = "statm"
)

// Footprint is what data structures take in memory in one build.
type Footprint struct {
	Schema      int                  `json:"schema"`
	Kind        string               `json:"kind"`
	Tool        Tool                 `json:"tool"`
	Started     time.Time            `json:"started"` // wall clock
	ElapsedNS   int64                `json:"elapsed_ns"`
	Interrupted bool                 `json:"interrupted"`
	Error       string               `json:"error,omitempty"` // why it ended early
	Elements    []int64              `json:"elements"`        // sizes asked for, in rising order
	Repeat      int                  `json:"repeat"`
	Forced      bool                 `json:"forced"` // memory checks overridden
	Host        Host                 `json:"host"`
	Structures  []FootprintStructure `json:"structures"`
	Warnings    []Warning            `json:"warnings"`
}

// FootprintStructure is one structure at all sizes.
type FootprintStructure struct {
	Name  string          `json:"name"`
	Group string          `json:"group"`
	Type  string          `json:"type"`  // in Go
	Shape string          `json:"shape"` // what it was filled with
	Sizes []FootprintSize `json:"sizes"` // one a size asked for
}

// FootprintSize is one structure at one size. Figures per element are medians
// over the samples with their range; absent ones were not measured.
type FootprintSize struct {
	Elements int64             `json:"elements"`
	Copies   int64             `json:"copies"` // structures of that size that a sample builds
	Heap     *Spread           `json:"heap_bytes_per_element,omitempty"`
	Resident *Spread           `json:"resident_bytes_per_element,omitempty"`
	Missing  string            `json:"missing,omitempty"` // why there are no figures
	Samples  []FootprintSample `json:"samples,omitempty"` // one a process
}

// FootprintSample is what building the structure, Copies times, took in a
// process of its own: bytes afterwards less bytes before.
type FootprintSample struct {
	HeapBytes     int64  `json:"heap_bytes"`               // live objects and goroutine stacks, by the Go runtime
	ResidentBytes *int64 `json:"resident_bytes,omitempty"` // private memory in RAM, by the kernel
	SwappedBytes  *int64 `json:"swapped_bytes,omitempty"`  // of the whole process, afterwards
	PeakBytes     *int64 `json:"peak_bytes,omitempty"`     // most that was resident of the whole process
	Source        string `json:"source,omitempty"`         // of the resident size: a file of /proc/PID
	HugeOff       bool   `json:"huge_off"`                 // the process had no transparent huge pages
}

// Summarize derives Heap and Resident from the samples.
func (s *FootprintSize) Summarize() {
	var heap, resident []float64
	total := float64(s.Elements) * float64(s.Copies)
	for i := range s.Samples {
		heap = append(heap, float64(s.Samples[i].HeapBytes)/total)
		if r := s.Samples[i].ResidentBytes; r != nil {
			resident = append(resident, float64(*r)/total)
		}
	}
	s.Heap, s.Resident = nil, nil
	if len(heap) > 0 {
		s.Heap = new(SpreadOf(heap))
	}
	if len(resident) > 0 {
		s.Resident = new(SpreadOf(resident))
	}
}

// FootprintPair sets two builds' footprints side by side.
type FootprintPair struct {
	Schema   int                `json:"schema"`
	Kind     string             `json:"kind"`
	Wide     string             `json:"wide"`   // GOARCH of the 64-bit build
	Narrow   string             `json:"narrow"` // GOARCH of the 32-bit build
	Rows     []FootprintPairRow `json:"rows"`
	Records  []string           `json:"records"` // files of the two runs
	Warnings []string           `json:"warnings"`
}

// FootprintPairRow is one structure at one size. Sizes are medians in bytes
// an element, ratios narrow over wide; what was not measured is absent.
type FootprintPairRow struct {
	Name           string   `json:"name"`
	Elements       int64    `json:"elements"`
	WideHeap       *float64 `json:"wide_heap_bytes_per_element,omitempty"`
	NarrowHeap     *float64 `json:"narrow_heap_bytes_per_element,omitempty"`
	HeapRatio      *float64 `json:"heap_ratio,omitempty"`
	WideResident   *float64 `json:"wide_resident_bytes_per_element,omitempty"`
	NarrowResident *float64 `json:"narrow_resident_bytes_per_element,omitempty"`
	ResidentRatio  *float64 `json:"resident_ratio,omitempty"`
	WideMissing    string   `json:"wide_missing,omitempty"` // why there are no figures
	NarrowMissing  string   `json:"narrow_missing,omitempty"`
}

// PairFootprints joins the records of two builds, row by row, in the order of
// the wide one; what only one of them has is left out.
func PairFootprints(wide, narrow *Footprint) *FootprintPair {
	p := &FootprintPair{
		Schema: RunSchema, Kind: FootprintPairKind, Wide: wide.Tool.GOARCH, Narrow: narrow.Tool.GOARCH,
		Rows: []FootprintPairRow{}, Records: []string{}, Warnings: []string{},
	}
	type key struct {
		name     string
		elements int64
	}
	others := make(map[key]*FootprintSize)
	for i := range narrow.Structures {
		s := &narrow.Structures[i]
		for j := range s.Sizes {
			others[key{s.Name, s.Sizes[j].Elements}] = &s.Sizes[j]
		}
	}
	for i := range wide.Structures {
		s := &wide.Structures[i]
		for j := range s.Sizes {
			if other := others[key{s.Name, s.Sizes[j].Elements}]; other != nil {
				p.Rows = append(p.Rows, pairRow(s.Name, &s.Sizes[j], other))
			}
		}
	}
	return p
}

func pairRow(name string, wide, narrow *FootprintSize) FootprintPairRow {
	r := FootprintPairRow{Name: name, Elements: wide.Elements, WideMissing: wide.Missing, NarrowMissing: narrow.Missing}
	r.WideHeap, r.NarrowHeap, r.HeapRatio = ratio(wide.Heap, narrow.Heap)
	r.WideResident, r.NarrowResident, r.ResidentRatio = ratio(wide.Resident, narrow.Resident)
	return r
}

// ratio returns two medians and the second over the first, where there are any.
func ratio(wide, narrow *Spread) (w, n, r *float64) {
	if wide != nil {
		w = &wide.Median
	}
	if narrow != nil {
		n = &narrow.Median
	}
	if w != nil && n != nil && *w > 0 {
		r = new(*n / *w)
	}
	return w, n, r
}
