package procstat

import (
	"bytes"

	"wordsize/internal/result"
)

// Smaps is what smaps_rollup says of a process, or smaps summed over all
// mappings (proc_pid_smaps(5)), in bytes.
type Smaps struct {
	RSS          int64
	PSS          int64 // each page divided by the number of processes that map it
	PrivateClean int64
	PrivateDirty int64
	Anonymous    int64
	Swap         int64
	SwapPSS      result.Bytes // absent before Linux 4.3
	// HugeTLB pages are outside RSS and PSS.
	PrivateHuge, SharedHuge int64
}

// USS returns the bytes that no other process maps: what would come free if
// the process ended.
func (m *Smaps) USS() int64 { return m.PrivateClean + m.PrivateDirty }

// Doubtful reports whether PSS is too low to be true: a page that nobody else
// maps counts in full, so PSS is at least what is private. A 32-bit kernel
// loses part of the PSS of huge pages. The kernel rounds each line to KiB, and
// smaps sums them per mapping; one page of slack covers that.
func (m *Smaps) Doubtful() bool { return m.PSS+4096 < m.USS() }

// parseSmaps sums the lines of smaps or smaps_rollup. Only the sums are kept;
// see parseMappings for the kinds.
func parseSmaps(b []byte, m *Smaps) error {
	*m = Smaps{}
	seen := false
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		ok, err := m.addLine(line)
		if err != nil {
			return err
		}
		seen = seen || ok
	}
	if !seen {
		return formatError("smaps", "Pss", nil)
	}
	return nil
}

// addLine adds one line to the sums; it reports whether the line was the PSS.
func (m *Smaps) addLine(line []byte) (pss bool, err error) {
	key, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || len(key) == 0 || bytes.IndexByte(key, ' ') >= 0 {
		return false, nil // a mapping's first line
	}
	var dst *int64
	switch string(key) {
	case "Rss":
		dst = &m.RSS
	case "Pss":
		dst, pss = &m.PSS, true
	case "Private_Clean":
		dst = &m.PrivateClean
	case "Private_Dirty":
		dst = &m.PrivateDirty
	case "Anonymous":
		dst = &m.Anonymous
	case "Swap":
		dst = &m.Swap
	case "SwapPss":
		dst, m.SwapPSS.Known = &m.SwapPSS.Value, true
	case "Private_Hugetlb":
		dst = &m.PrivateHuge
	case "Shared_Hugetlb":
		dst = &m.SharedHuge
	default:
		return false, nil
	}
	v, ok := parseKB(value)
	if !ok || *dst+v < *dst {
		return false, formatError("smaps", string(key), line)
	}
	*dst += v
	return pss, nil
}

// Mapping is the sum of all mappings of one kind or file.
type Mapping struct {
	Name  string // "heap", "stack", "anonymous", "kernel (vdso, vvar)", or a file's path, raw bytes
	Count int
	Size  int64 // bytes of address space
	Smaps
}

// parseMappings sums smaps by kind and file, in the order of appearance.
func parseMappings(b []byte) ([]Mapping, error) {
	var all []Mapping
	at := map[string]int{}
	cur := -1
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		if name, size, ok := parseMapLine(line); ok {
			i, known := at[name]
			if !known {
				i = len(all)
				at[name] = i
				all = append(all, Mapping{Name: name})
			}
			all[i].Count++
			all[i].Size += size
			cur = i
			continue
		}
		if cur < 0 {
			continue
		}
		if _, err := all[cur].addLine(line); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// parseMapLine parses a line such as
// "7f2c8a5c3000-7f2c8a5c4000 rw-p 00022000 08:01 1052 /usr/lib/libc.so.6".
func parseMapLine(line []byte) (name string, size int64, ok bool) {
	span, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok {
		return "", 0, false
	}
	from, to, ok := bytes.Cut(span, []byte("-"))
	if !ok {
		return "", 0, false
	}
	lo, ok1 := parseHex(from)
	hi, ok2 := parseHex(to)
	if !ok1 || !ok2 || hi < lo || hi-lo > 1<<62 {
		return "", 0, false
	}
	for range 4 { // permissions, offset, device, inode
		rest = bytes.TrimLeft(rest, " ")
		_, rest, _ = bytes.Cut(rest, []byte(" "))
	}
	return mappingKind(string(bytes.TrimLeft(rest, " "))), int64(hi - lo), true
}

func mappingKind(path string) string {
	switch {
	case path == "":
		return "anonymous"
	case path == "[heap]":
		return "heap"
	case path == "[stack]" || len(path) > 7 && path[:7] == "[stack:":
		return "stack"
	case path == "[vdso]" || path == "[vvar]" || path == "[vvar_vclock]" || path == "[vsyscall]":
		return "kernel (vdso, vvar)"
	case len(path) > 6 && path[:6] == "[anon:":
		return "anonymous"
	}
	return path
}

func parseHex(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 16 {
		return 0, false
	}
	var v uint64
	for _, c := range b {
		var d byte
		switch {
		case c >= '0' && c <= '9':
			d = c - '0'
		case c >= 'a' && c <= 'f':
			d = c - 'a' + 10
		default:
			return 0, false
		}
		v = v<<4 | uint64(d)
	}
	return v, true
}
