package structures

import (
	"bytes"
	"strconv"
)

// memory is what the kernel says of a process, in bytes; absent is unknown.
type memory struct{ resident, swapped *int64 }

// parseRollup reads what of a process is anonymous memory, in RAM and in swap
// space, from its /proc/PID/smaps_rollup (proc_pid_smaps_rollup(5)). Pages of
// files are not counted: they are the program, not its data.
func parseRollup(b []byte) memory {
	var m memory
	for line := range bytes.Lines(b) {
		key, rest, _ := bytes.Cut(line, []byte(":"))
		switch string(key) {
		case "Anonymous":
			m.resident = kibibytes(rest)
		case "Swap":
			m.swapped = kibibytes(rest)
		}
	}
	return m
}

// kibibytes reads " 123 kB" as bytes; nil when it isn't that.
func kibibytes(b []byte) *int64 {
	f := bytes.Fields(b)
	if len(f) != 2 || string(f[1]) != "kB" {
		return nil
	}
	n, err := strconv.ParseInt(string(f[0]), 10, 64)
	if err != nil || n < 0 || n > 1<<52 {
		return nil
	}
	return new(n << 10)
}

// parseStatm reads the same from /proc/PID/statm (proc_pid_statm(5)): what is
// resident less what is of files or shared. Kernels from 6.2 on keep these
// counts for each CPU and add them up only now and then, so that they are off
// by some pages.
func parseStatm(b []byte, page int64) memory {
	f := bytes.Fields(b)
	if len(f) < 3 {
		return memory{}
	}
	resident, err1 := strconv.ParseInt(string(f[1]), 10, 64)
	shared, err2 := strconv.ParseInt(string(f[2]), 10, 64)
	if err1 != nil || err2 != nil || shared < 0 || resident < shared || resident > 1<<42 {
		return memory{}
	}
	return memory{resident: new((resident - shared) * page)}
}
