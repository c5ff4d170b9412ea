package procstat

// readIO reads io, whose permission the kernel checks on every read, so that
// its descriptor may be kept as those of the first tier are.
func (s *linuxSource) readIO(e *entry, p *Sample, d *Detail) Outcome {
	if p.Kernel {
		return None
	}
	var n int
	var res Outcome
	if e != nil && s.fdKept < s.fdLimit/2 || e != nil && e.io >= 0 {
		n, res = s.readKept(e, &e.io, "io")
	} else {
		var b []byte
		b, res = s.readFile(p.PID, "io")
		n = len(b)
	}
	if res == Done && parseIO(s.buf[:n], &d.IO) != nil {
		return Failed
	}
	return res
}
