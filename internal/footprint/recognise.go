package footprint

// recognise finds the allocators whose own records say where objects lie.
func (a *analysis) recognise() {
	if minor, ok := pythonVersion(a.maps); ok {
		a.scan.py = newPython(minor, a.scan.from, a.scan.to, a.peek)
		a.scan.w.hashes = true
	}
	if !a.golang {
		a.jemalloc()
	}
	if a.golang {
		a.scan.spans = findSpans(a.scan.l, a.scan.sp, a.dataSegments(0, 8<<20), a.peek)
	}
}

// dataSegments reads the pages that are in memory of data segments and .bss
// of the program, or of the library with index lib.
func (a *analysis) dataSegments(first int, limit uint64) (list [][]byte) {
	program := ""
	for i := first; i < len(a.maps); i++ {
		m := &a.maps[i]
		if program == "" && m.file() {
			program = m.name
		}
		if a.kinds[i] != kindData && a.kinds[i] != kindBss || m.file() && m.name != program || m.size() > limit {
			continue
		}
		if b := a.present(m.start, m.end); len(b) > 0 {
			list = append(list, b)
		}
	}
	return list
}

// present reads a stretch of memory; what is not in memory is zero.
func (a *analysis) present(lo, hi uint64) []byte {
	page := uint64(a.t.PageSize())
	b := make([]byte, hi-lo)
	entries := make([]uint64, (hi-lo+page-1)/page)
	n, err := a.t.Pagemap(entries, lo)
	if err != nil {
		return nil
	}
	for i := 0; i < n; {
		j := i
		for j < n && entries[j]&pagePresent != 0 {
			j++
		}
		if j > i {
			if _, err := a.t.Read(b[uint64(i)*page:min(uint64(j)*page, hi-lo)], lo+uint64(i)*page); err != nil {
				return b
			}
		}
		i = max(j, i+1)
	}
	return b
}

// peek reads a piece of memory if all of it is in memory.
func (a *analysis) peek(p []byte, addr uint64) bool {
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
