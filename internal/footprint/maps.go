package footprint

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// vma is one mapping of a process as /proc/PID/smaps shows it; see
// proc_pid_smaps(5). Sizes are bytes.
type vma struct {
	start, end uint64
	perms      string // as in maps, such as rw-p
	name       string // "" for anonymous memory; raw
	rss        uint64
	pss        uint64
	anon       uint64 // resident anonymous memory, in private file mappings too
	flags      string // VmFlags, two letters each
}

func (v *vma) size() uint64   { return v.end - v.start }
func (v *vma) writable() bool { return len(v.perms) > 1 && v.perms[1] == 'w' }
func (v *vma) shared() bool   { return len(v.perms) > 3 && v.perms[3] == 's' }
func (v *vma) exec() bool     { return len(v.perms) > 2 && v.perms[2] == 'x' }
func (v *vma) readable() bool { return len(v.perms) > 0 && v.perms[0] == 'r' }

// file reports whether the mapping is of a file.
func (v *vma) file() bool { return strings.HasPrefix(v.name, "/") }

// flag reports whether VmFlags has a flag.
func (v *vma) flag(f string) bool {
	for s := range strings.FieldsSeq(v.flags) {
		if s == f {
			return true
		}
	}
	return false
}

// forbidden returns why a mapping is never read, or "". dd is MADV_DONTDUMP:
// what a program wants out of a core dump we do not look at either; reading
// io (device memory) and pf (raw page frames) may have side effects.
func (v *vma) forbidden() string {
	switch {
	case v.flag("dd"):
		return "excluded from core dumps (dd)"
	case v.flag("io"):
		return "device memory (io)"
	case v.flag("pf"):
		return "raw page frames (pf)"
	case v.name == "[vvar]" || v.name == "[vvar_vclock]" || v.name == "[vsyscall]" || v.name == "[vdso]":
		return "of the kernel"
	}
	return ""
}

// parseSmaps parses /proc/PID/smaps.
func parseSmaps(b []byte) ([]vma, error) {
	var all []vma
	for line := range bytes.Lines(b) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if m, ok := parseMapLine(line); ok {
			all = append(all, m)
			continue
		}
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || len(all) == 0 {
			continue
		}
		m := &all[len(all)-1]
		var dst *uint64
		switch string(key) {
		case "Rss":
			dst = &m.rss
		case "Pss":
			dst = &m.pss
		case "Anonymous":
			dst = &m.anon
		case "VmFlags":
			m.flags = string(bytes.TrimSpace(value))
			continue
		default:
			continue
		}
		kb, err := strconv.ParseUint(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("kB")))), 10, 53)
		if err != nil {
			return nil, fmt.Errorf("smaps: %s: %q is no number of kB", key, bytes.TrimSpace(value))
		}
		*dst = kb << 10
	}
	return all, nil
}

// parseMapLine parses a line such as
// "7f2c8a5c3000-7f2c8a5c4000 rw-p 00022000 08:01 1052    /usr/lib/libc.so.6".
func parseMapLine(line []byte) (m vma, ok bool) {
	span, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok {
		return m, false
	}
	from, to, ok := bytes.Cut(span, []byte("-"))
	if !ok {
		return m, false
	}
	var err1, err2, err3 error
	m.start, err1 = strconv.ParseUint(string(from), 16, 64)
	m.end, err2 = strconv.ParseUint(string(to), 16, 64)
	var fields [4]string // permissions, offset, device, inode
	for i := range fields {
		rest = bytes.TrimLeft(rest, " ")
		var f []byte
		f, rest, _ = bytes.Cut(rest, []byte(" "))
		fields[i] = string(f)
	}
	_, err3 = strconv.ParseUint(fields[1], 16, 64)
	if err1 != nil || err2 != nil || err3 != nil || m.end < m.start || len(fields[0]) != 4 {
		return m, false
	}
	m.perms, m.name = fields[0], string(bytes.TrimLeft(rest, " "))
	return m, true
}

// The bits of a pagemap entry that are used here; see
// Documentation/admin-guide/mm/pagemap.rst in the kernel's sources.
const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
	pageFile    = 1 << 61 // of a file, or shared anonymous
)

// privatePage reports whether a pagemap entry is of a page that is in memory
// and private: reading any other would change the process.
func privatePage(entry uint64) bool {
	return entry&(pagePresent|pageFile) == pagePresent
}

// kind sorts mappings by what is in them.
type kind uint8

const (
	kindAnon kind = iota
	kindHeap
	kindStack
	kindData   // private pages of a writable file mapping
	kindBss    // what follows that: zeroed data, perhaps merged with other memory
	kindRelro  // private pages of a read-only file mapping: relocated data
	kindShared // shared memory, shared file mappings
	kindFile   // text and read-only data
	kindKernel
)

// kindOf sorts one mapping; prev is the mapping before it.
func kindOf(v, prev *vma) kind {
	switch {
	case v.name == "[heap]":
		return kindHeap
	case v.name == "[stack]" || strings.HasPrefix(v.name, "[stack:"):
		return kindStack
	case strings.HasPrefix(v.name, "[v"):
		return kindKernel
	case v.shared():
		return kindShared
	case v.file() && v.writable():
		return kindData
	case v.file() && v.anon > 0:
		return kindRelro
	case v.file():
		return kindFile
	case prev != nil && prev.end == v.start && prev.file() && prev.writable() && v.writable() && v.name == "":
		return kindBss
	}
	return kindAnon
}

// label names a mapping for people.
func label(v *vma, k kind) string {
	switch {
	case v.name != "":
		return v.name
	case k == kindBss:
		return "zeroed data (.bss)"
	}
	return "anonymous"
}
