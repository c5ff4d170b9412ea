package procstat

import "bytes"

// IO holds the counters of /proc/PID/io (proc_pid_io(5)), in bytes since the
// start of the process; its threads and the children that it has waited for
// are included.
type IO struct {
	ReadChars  int64 // rchar: asked for by read(2) and the like, whatever it was read from
	WriteChars int64 // wchar
	ReadBytes  int64 // read_bytes: fetched from storage
	WriteBytes int64 // write_bytes: sent to storage; truncating what was not yet written does not lower it
}

// parseIO parses /proc/PID/io.
func parseIO(b []byte, io *IO) error {
	*io = IO{}
	found := 0
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		key, value, ok := bytes.Cut(line, []byte(": "))
		if !ok {
			continue
		}
		var dst *int64
		switch string(key) {
		case "rchar":
			dst = &io.ReadChars
		case "wchar":
			dst = &io.WriteChars
		case "read_bytes":
			dst = &io.ReadBytes
		case "write_bytes":
			dst = &io.WriteBytes
		default:
			continue
		}
		v, ok := parseUint(value)
		if !ok {
			return formatError("io", string(key), line)
		}
		*dst = int64(min(v, 1<<63-1))
		found++
	}
	if found < 4 {
		return formatError("io", "field count", b)
	}
	return nil
}
