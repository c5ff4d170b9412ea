package procstat

import "fmt"

// Inspect reads status, limits, cgroup and all mappings of a process.
func (s *linuxSource) Inspect(pid int32) (in Inspection) {
	file := func(name string) []byte {
		b, res := s.readBig(pid, name, nil)
		if err := res.err(); err != nil {
			in.Problems = append(in.Problems, fmt.Sprintf("%s: %v", name, err))
			return nil
		}
		return b
	}
	in.Status = memoryLines(file("status"))
	in.Limits = limitLines(file("limits"))
	if b := file("cgroup"); len(b) > 0 {
		in.Cgroup, _ = parseCgroup(b) // a system without memory groups has none
	}
	var err error
	if in.Mappings, err = parseMappings(file("smaps")); err != nil {
		in.Problems = append(in.Problems, err.Error())
	}
	return in
}
