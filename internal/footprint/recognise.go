package footprint

import "sort"

// recognise finds the allocators whose own records say where objects lie.
func (a *analysis) recognise() {
	if minor, ok := pythonVersion(a.maps); ok {
		a.scan.py = newPython(minor, a.scan.from, a.scan.to, a.peek)
		a.scan.w.hashes = true
	}
	a.scan.w.interpreter(interpreterOf(a.maps))
	if a.golang {
		a.scan.spans = findSpans(a.scan.l, a.scan.sp, a.dataSegments(0), a.peek)
	} else {
		a.jemalloc()
	}
}

// maxSegments bounds how much of data segments, or of an allocator's own
// records, is read beside the sample.
const maxSegments = 16 << 20

// dataSegments reads the pages that are in memory of the data segments and
// .bss of a file, of which the first mapping is given.
func (a *analysis) dataSegments(first int) (list [][]byte) {
	name, left := "", uint64(maxSegments)
	for i := first; i < len(a.maps) && left > 0; i++ {
		m := &a.maps[i]
		if name == "" && m.file() {
			name = m.name
		}
		if a.kinds[i] == kindBss && i > 0 && a.maps[i-1].name == name || a.kinds[i] == kindData && m.name == name {
			list = append(list, a.present(m, m.start, m.end, &left)...)
		}
	}
	return list
}

// present reads the stretches of a mapping that are in memory, taking what it
// reads from left.
func (a *analysis) present(m *vma, lo, hi uint64, left *uint64) (list [][]byte) {
	if !m.readable() || m.forbidden() != "" {
		return nil
	}
	page := uint64(a.t.PageSize())
	var entries [512]uint64
	for at := lo; at < hi; {
		n, err := a.t.Pagemap(entries[:min(uint64(len(entries)), (hi-at+page-1)/page)], at)
		if err != nil || n == 0 {
			return list
		}
		for i := 0; i < n; {
			j := i
			for j < n && entries[j]&pagePresent != 0 {
				j++
			}
			if size := uint64(j-i) * page; j > i {
				if size > *left {
					return list
				}
				*left -= size
				b := make([]byte, size)
				got, err := a.t.Read(b, at+uint64(i)*page)
				if err != nil {
					return list
				}
				list = append(list, b[:got])
			}
			i = max(j, i+1)
		}
		at += uint64(n) * page
	}
	return list
}

// mapping returns the mapping that an address is in, nil for none.
func (a *analysis) mapping(addr uint64) *vma {
	i := sort.Search(len(a.maps), func(i int) bool { return a.maps[i].end > addr })
	if i == len(a.maps) || a.maps[i].start > addr {
		return nil
	}
	return &a.maps[i]
}

// peek reads a piece of memory if all of it is in memory.
func (a *analysis) peek(p []byte, addr uint64) bool {
	if m := a.mapping(addr); m == nil || !m.readable() || m.forbidden() != "" || addr+uint64(len(p)) > m.end {
		return false
	}
	page := uint64(a.t.PageSize())
	first := addr &^ (page - 1)
	n := int((addr + uint64(len(p)) - first + page - 1) / page)
	var room [16]uint64
	entries := room[:]
	if n > len(entries) {
		entries = make([]uint64, n)
	}
	got, err := a.t.Pagemap(entries[:n], first)
	if err != nil || got < n {
		return false
	}
	for _, e := range entries[:n] {
		if e&pagePresent == 0 {
			return false
		}
	}
	m, err := a.t.Read(p, addr)
	return err == nil && m == len(p)
}
