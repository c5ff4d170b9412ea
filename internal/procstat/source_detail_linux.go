package procstat

import (
	"slices"
	"sort"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// maxTitle bounds how much of a command line is read.
const maxTitle = 256 << 10

// Read reads title, status, ELF header, cgroup and I/O counters.
func (s *linuxSource) Read(p *Sample, want Fields, d *Detail) {
	e := s.entry(p.PID)
	for _, step := range [...]struct {
		field Fields
		read  func(*entry, *Sample, *Detail) Outcome
	}{
		{HasTitle, s.readTitle},
		{HasStatus, s.readStatus},
		{HasArch, s.readArch},
		{HasCgroup, s.readCgroup},
		{HasIO, s.readIO},
	} {
		if want&step.field == 0 {
			continue
		}
		d.set(step.field, step.read(e, p, d))
	}
}

// entry finds what is kept of a process, nil for one that the last scan did
// not see.
func (s *linuxSource) entry(pid int32) *entry {
	i, ok := slices.BinarySearchFunc(s.entries, pid, func(e *entry, pid int32) int { return int(e.pid) - int(pid) })
	if ok {
		return s.entries[i]
	}
	return nil
}

func (s *linuxSource) readTitle(e *entry, p *Sample, d *Detail) Outcome {
	if p.Kernel {
		d.Title = ""
		return Done
	}
	n, res := s.readCmdline(e, p.PID)
	if res != Done {
		return res
	}
	b := s.title[:n]
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	if d.Title != string(b) {
		d.Title = string(b)
	}
	return Done
}

// readCmdline reads the whole command line into s.title, as far as maxTitle.
func (s *linuxSource) readCmdline(e *entry, pid int32) (int, Outcome) {
	if e != nil && e.cmdline >= 0 {
		n, res := s.readTitleFD(int(e.cmdline))
		if res != Gone {
			return n, res
		}
		s.drop(e) // its process has ended; the PID may be another's
	}
	fd, err := s.openPID(pid, "cmdline")
	if err != 0 {
		return 0, outcomeOf(err)
	}
	n, res := s.readTitleFD(fd)
	// stat and statm are read more often, so half of the limit is for them.
	if e != nil && res == Done && s.fdKept < s.fdLimit/2 {
		e.cmdline = int32(fd)
		s.fdKept++
	} else {
		unix.Close(fd)
	}
	return n, res
}

func (s *linuxSource) readTitleFD(fd int) (int, Outcome) {
	for {
		n, err := preadBlocking(fd, s.title)
		if err != 0 {
			return 0, outcomeOf(err)
		}
		if n < len(s.title) || n >= maxTitle {
			return n, Done
		}
		s.title = make([]byte, 2*len(s.title))
	}
}

// readFile reads a small file of the process into s.buf.
func (s *linuxSource) readFile(pid int32, file string) ([]byte, Outcome) {
	fd, err := s.openPID(pid, file)
	if err != 0 {
		return nil, outcomeOf(err)
	}
	defer unix.Close(fd)
	for {
		n, err := preadBlocking(fd, s.buf)
		if err != 0 || n < len(s.buf) || len(s.buf) >= maxSmallFile {
			return s.buf[:n], outcomeOf(err)
		}
		s.buf = make([]byte, 2*len(s.buf)) // thousands of groups make a long status
	}
}

// maxSmallFile bounds what is read of a file such as status.
const maxSmallFile = 1 << 20

func (s *linuxSource) readStatus(_ *entry, p *Sample, d *Detail) Outcome {
	if !p.Own() {
		return None
	}
	b, res := s.readFile(p.PID, "status")
	if res == Done && parseStatus(b, &d.Status) != nil {
		return Failed
	}
	return res
}

func (s *linuxSource) readArch(_ *entry, p *Sample, d *Detail) Outcome {
	if !p.Own() {
		return None
	}
	b, res := s.readFile(p.PID, "exe")
	if res != Done {
		return res
	}
	a, err := parseELF(b[:min(len(b), elfHeaderSize)])
	if err != nil {
		return Failed
	}
	d.Arch = a
	return Done
}

func (s *linuxSource) readCgroup(_ *entry, p *Sample, d *Detail) Outcome {
	b, res := s.readFile(p.PID, "cgroup")
	if res != Done {
		return res
	}
	if len(b) == 0 {
		return None // a kernel without cgroups
	}
	path, err := parseCgroup(b)
	if err != nil {
		return None
	}
	if d.Cgroup != path {
		d.Cgroup = path
	}
	return Done
}

// ReadSmaps reads smaps_rollup, or smaps where the kernel has none.
func (s *linuxSource) ReadSmaps(pid int32, buf []byte, m *Smaps) ([]byte, Outcome) {
	for _, file := range [...]string{"smaps_rollup", "smaps"} {
		b, res := s.readBig(pid, file, buf)
		buf = b[:cap(b)]
		if res == Gone && file == "smaps_rollup" {
			continue // no such file, or no such process: smaps tells
		}
		if res != Done {
			return buf, res
		}
		if len(b) == 0 {
			return buf, None
		}
		if parseSmaps(b, m) != nil {
			return buf, Failed
		}
		return buf, Done
	}
	return buf, Gone
}

// readBig reads a whole file of any length; it shares nothing with Scan, so
// that it may run beside one.
func (s *linuxSource) readBig(pid int32, file string, buf []byte) ([]byte, Outcome) {
	path := append(strconv.AppendInt(make([]byte, 0, 32), int64(pid), 10), '/')
	path = append(append(path, file...), 0)
	fd, err := openat(s.dir, path)
	if err != 0 {
		return buf[:0], outcomeOf(err)
	}
	defer unix.Close(fd)
	b := buf[:0]
	for {
		if cap(b)-len(b) < 4096 {
			b = slices.Grow(b, max(4096, cap(b)))
		}
		n, err := unix.Read(fd, b[len(b):cap(b)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			errno, _ := err.(unix.Errno)
			return b, outcomeOf(errno)
		}
		if n == 0 {
			return b, Done
		}
		b = b[:len(b)+n]
	}
}

// Threads reads the stat of every thread of a process.
func (s *linuxSource) Threads(p *Sample, dst []Sample) []Sample {
	if p.Have&HasStat == 0 {
		return dst
	}
	tids, err := s.listTasks(p.PID)
	if err != 0 {
		return dst
	}
	for _, tid := range tids {
		b, res := s.readFile(p.PID, "task/"+strconv.Itoa(int(tid))+"/stat")
		if res != Done {
			continue
		}
		t := Sample{TID: tid, ReadAt: time.Since(s.base)}
		comm, perr := parseStat(b, &t)
		if perr != nil || t.PID != tid {
			continue
		}
		t.Comm, t.PID, t.UID = string(comm), p.PID, p.UID
		t.Have |= p.Have & HasUID
		dst = append(dst, t)
	}
	return dst
}

func (s *linuxSource) listTasks(pid int32) ([]int32, unix.Errno) {
	fd, err := s.openPID(pid, "task")
	if err != 0 {
		return nil, err
	}
	defer unix.Close(fd)
	var tids []int32
	for {
		n, err := unix.Getdents(fd, s.dents)
		if err != nil || n <= 0 {
			break
		}
		tids = appendPIDs(tids, s.dents[:n])
	}
	sort.Slice(tids, func(i, j int) bool { return tids[i] < tids[j] })
	return tids, 0
}
