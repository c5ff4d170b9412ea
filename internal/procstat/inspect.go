package procstat

import (
	"bytes"
	"strings"
)

// Inspection is all that there is to know of one process's memory. It holds
// text from outside as it was read.
type Inspection struct {
	Status   [][2]string // the memory lines of status: name and value
	Limits   [][2]string // name, and soft and hard limit
	Cgroup   string
	Mappings []Mapping
	Problems []string // what could not be read, and why
}

// memoryLines picks the memory lines of status.
func memoryLines(b []byte) (lines [][2]string) {
	for line := range bytes.Lines(b) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		name := string(key)
		if strings.HasPrefix(name, "Vm") || strings.HasPrefix(name, "Rss") || name == "HugetlbPages" || name == "THP_enabled" {
			lines = append(lines, [2]string{name, string(bytes.TrimSpace(value))})
		}
	}
	return lines
}

// memoryLimits are the limits that have to do with memory and descriptors.
var memoryLimits = []string{
	"Max data size", "Max stack size", "Max resident set", "Max processes", "Max open files", "Max locked memory", "Max address space",
}

// limitLines picks lines of limits (proc_pid_limits(5)).
func limitLines(b []byte) (lines [][2]string) {
	for line := range bytes.Lines(b) {
		for _, name := range memoryLimits {
			if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
				lines = append(lines, [2]string{name[4:], strings.Join(strings.Fields(string(rest)), " ")})
			}
		}
	}
	return lines
}
