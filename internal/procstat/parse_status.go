package procstat

import (
	"bytes"

	"wordsize/internal/result"
)

// Status holds the memory lines of /proc/PID/status (proc_pid_status(5)), in
// bytes. Kernel threads and zombies have none of them.
type Status struct {
	Peak     result.Bytes // VmHWM: the highest RSS so far
	PeakVirt result.Bytes // VmPeak
	Anon     result.Bytes // RssAnon
	File     result.Bytes // RssFile
	Shmem    result.Bytes // RssShmem
	Data     result.Bytes // VmData
	Stack    result.Bytes // VmStk
	Locked   result.Bytes // VmLck
	PTE      result.Bytes // VmPTE: page tables, outside RSS
	Swap     result.Bytes // VmSwap: private pages that are swapped out
	HugeTLB  result.Bytes // HugetlbPages: outside RSS and PSS
}

// parseStatus parses /proc/PID/status. Lines it does not know are skipped; a
// known one without a number is an error.
func parseStatus(b []byte, st *Status) error {
	*st = Status{}
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		dst := st.field(string(key))
		if dst == nil {
			continue
		}
		v, ok := parseKB(value)
		if !ok {
			return formatError("status", string(key), line)
		}
		*dst = result.Some(v)
	}
	return nil
}

func (st *Status) field(key string) *result.Bytes {
	switch key {
	case "VmHWM":
		return &st.Peak
	case "VmPeak":
		return &st.PeakVirt
	case "RssAnon":
		return &st.Anon
	case "RssFile":
		return &st.File
	case "RssShmem":
		return &st.Shmem
	case "VmData":
		return &st.Data
	case "VmStk":
		return &st.Stack
	case "VmLck":
		return &st.Locked
	case "VmPTE":
		return &st.PTE
	case "VmSwap":
		return &st.Swap
	case "HugetlbPages":
		return &st.HugeTLB
	}
	return nil
}

// parseKB parses a value such as "   1696 kB" and returns bytes. The kernel
// writes kB and means 1024 bytes.
func parseKB(b []byte) (int64, bool) {
	b, ok := bytes.CutSuffix(bytes.TrimSpace(b), []byte(" kB"))
	if !ok {
		return 0, false
	}
	v, ok := parseUint(bytes.TrimSpace(b))
	if !ok || v >= 1<<53 {
		return 0, false
	}
	return int64(v) * 1024, true
}

// parseCgroup parses /proc/PID/cgroup (cgroups(7)) and returns the path in
// the hierarchy that accounts memory: version 1's memory controller where it
// is mounted, else version 2's. A path may hold colons.
func parseCgroup(b []byte) (string, error) {
	unified, found := "", false
	for rest := b; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		parts := bytes.SplitN(line, []byte(":"), 3)
		if len(parts) < 3 {
			continue
		}
		if len(parts[1]) == 0 && string(parts[0]) == "0" {
			unified, found = string(parts[2]), true
			continue
		}
		for _, c := range bytes.Split(parts[1], []byte(",")) {
			if string(c) == "memory" {
				return string(parts[2]), nil
			}
		}
	}
	if !found {
		return "", formatError("cgroup", "memory hierarchy", b)
	}
	return unified, nil
}
