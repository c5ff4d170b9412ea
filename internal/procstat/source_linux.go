package procstat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// descriptor limits: each kept descriptor of stat or statm also holds a page
// of kernel memory, so there is a ceiling beside the share of RLIMIT_NOFILE.
const (
	fdShareNum, fdShareDen = 15, 16
	fdCeiling              = 24 << 10

	// A shortage passes: after so many scans more are kept again, and later
	// each time that this ended in a shortage.
	fdFirstPause, fdLongestPause = 30, 3600
)

// linuxSource reads a /proc tree.
type linuxSource struct {
	root     string
	dir      int // descriptor of root
	base     time.Time
	pageSize int64
	pread    func(fd int, b []byte) (int, unix.Errno)

	fdMost  int // how many descriptors may be kept at most
	fdLimit int // the same, less while the host or the program is short of them
	fdKept  int
	fdWait  int // scans until a lowered fdLimit is raised again
	fdPause int // what fdWait is set to by the next shortage

	entries, next []*entry // in ascending order of PID; next is being built by Scan
	pids          []int32
	seen          int // listed by the last list
	dents         []byte
	buf           []byte // stat, statm, status and the like
	title         []byte
	path          []byte
	statx         unix.Statx_t
	noStatx       bool
}

// entry is what the source keeps of a process between ticks.
type entry struct {
	pid                      int32
	stat, statm, cmdline, io int32 // kept descriptors, -1 for none
	comm                     string

	uid    uint32
	hasUID bool
	owned  uint64        // Start of the process whose owner uid is
	uidIn  uint8         // ticks until the owner is looked up again
	uidAt  time.Duration // when it was looked up
}

// The owner of a process can change, but hardly ever does after its first
// moments, and asking for it is a tenth of a tick's cost.
const (
	uidYoung = 10 * time.Second // younger processes are asked on every tick,
	uidOften = time.Second / 2  // but not more often than this
	uidEvery = 8                // older ones every so many ticks
)

// Open returns a source over the /proc tree at root ("" means /proc).
func Open(root string) (Source, error) {
	if root == "" {
		root = "/proc"
	}
	dir, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", root, err)
	}
	s := &linuxSource{
		root:     root,
		dir:      dir,
		base:     time.Now(),
		pageSize: int64(os.Getpagesize()),
		pread:    preadBlocking,
		fdMost:   keepLimit(),
		fdPause:  fdFirstPause,
		dents:    make([]byte, 32<<10),
		buf:      make([]byte, 4096),
		title:    make([]byte, 4096),
		path:     make([]byte, 0, 64),
	}
	s.fdLimit = s.fdMost
	var fs unix.Statfs_t
	if err := unix.Fstatfs(dir, &fs); err == nil && int64(fs.Type) == unix.PROC_SUPER_MAGIC {
		s.pread = preadRaw
	}
	return s, nil
}

// keepLimit returns how many descriptors may be kept open.
func keepLimit() int {
	var rl unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &rl); err != nil {
		return 0
	}
	return int(min(uint64(rl.Cur)*fdShareNum/fdShareDen, fdCeiling))
}

// Close closes all kept descriptors.
func (s *linuxSource) Close() error {
	for _, e := range s.entries {
		s.drop(e)
	}
	s.entries = nil
	return unix.Close(s.dir)
}

// Scan reads stat, statm and the owner of every process.
func (s *linuxSource) Scan(ctx context.Context, t *Tick) error { return s.scan(ctx, t, nil) }

// scan is Scan of the processes that f leaves; nil leaves all.
func (s *linuxSource) scan(ctx context.Context, t *Tick, f *Focus) error {
	*t = Tick{Samples: t.Samples[:0], Time: time.Now()}
	if pids, ok := f.known(); ok {
		s.relist(pids)
	} else if err := s.list(); err != nil {
		return fmt.Errorf("list %s: %w", s.root, err)
	} else {
		s.seen = len(s.pids)
	}
	t.Seen = s.seen
	t.Hidden = len(s.pids) > 0 && s.pids[0] != 1
	t.Mono = time.Since(s.base)
	t.Uptime = s.uptime()
	s.raiseLimit()

	old := s.entries
	for i, pid := range s.pids {
		if i%256 == 0 && ctx.Err() != nil {
			break
		}
		for len(old) > 0 && old[0].pid < pid {
			s.drop(old[0])
			old = old[1:]
		}
		var e *entry
		if len(old) > 0 && old[0].pid == pid {
			e, old = old[0], old[1:]
			if f.skips(pid) {
				s.next = append(s.next, e)
				continue
			}
		} else {
			e = &entry{pid: pid, stat: -1, statm: -1, cmdline: -1, io: -1}
		}
		s.next = append(s.next, e)
		t.Samples = append(t.Samples, Sample{})
		switch s.sample(e, t.Uptime, &t.Samples[len(t.Samples)-1]) {
		case Gone:
			t.Vanished++
			s.drop(e)
			s.next = s.next[:len(s.next)-1]
			t.Samples = t.Samples[:len(t.Samples)-1]
		case Denied, Failed:
			t.Unreadable++
		}
	}
	if err := ctx.Err(); err != nil {
		s.next = append(s.next, old...) // not reached: stays as it was
	} else {
		for _, e := range old {
			s.drop(e)
		}
	}
	s.entries, s.next = s.next, s.entries[:0]
	return ctx.Err()
}

func outcomeOf(err unix.Errno) Outcome {
	switch err {
	case 0:
		return Done
	case unix.ENOENT, unix.ESRCH:
		return Gone
	case unix.EACCES, unix.EPERM:
		return Denied
	}
	return Failed
}

// sample reads the first tier of one process.
func (s *linuxSource) sample(e *entry, uptime time.Duration, out *Sample) Outcome {
	out.PID = e.pid
	n, res := s.readKept(e, &e.stat, "stat")
	if res == Gone {
		return Gone
	}
	out.ReadAt = time.Since(s.base)
	if res == Done {
		if comm, err := parseStat(s.buf[:n], out); err != nil || out.PID != e.pid {
			res, out.Have, out.PID = Failed, 0, e.pid
		} else if e.comm == string(comm) {
			out.Comm = e.comm
		} else {
			e.comm = string(comm)
			out.Comm = e.comm
		}
	}
	if res != Done {
		out.Denied |= HasStat | HasCPU | HasFaults
	}
	s.owner(e, uptime, out)
	if res == Done && !out.Own() {
		return Done
	}
	n, mem := s.readKept(e, &e.statm, "statm")
	if mem == Gone {
		// It ended between the two reads; what stat said is still true.
		if res == Done {
			out.State = 'X'
			return Done
		}
		return Gone
	}
	if mem != Done || parseStatm(s.buf[:n], s.pageSize, out) != nil {
		out.Denied |= HasMemory | HasShared
		return res
	}
	return Done
}

// owner sets the effective user: the directory's owner, which is right also
// where files inside belong to root because the process is not dumpable.
func (s *linuxSource) owner(e *entry, uptime time.Duration, out *Sample) {
	if e.uidIn == 0 || e.owned != out.Start || uptime-out.Started < uidYoung && out.ReadAt-e.uidAt >= uidOften {
		e.uidAt = out.ReadAt
		e.uid, e.hasUID = s.lookupOwner(e.pid)
		e.owned, e.uidIn = out.Start, uidEvery
		if uptime-out.Started >= uidYoung {
			e.uidIn = uint8(e.pid)%uidEvery + 1 // spread over the ticks
		}
	}
	e.uidIn--
	if out.UID = e.uid; e.hasUID {
		out.Have |= HasUID
	}
}

func (s *linuxSource) lookupOwner(pid int32) (uint32, bool) {
	s.path = append(strconv.AppendInt(s.path[:0], int64(pid), 10), 0)
	if !s.noStatx {
		err := statxUID(s.dir, s.path, &s.statx)
		if err == 0 {
			return s.statx.Uid, true
		}
		if err != unix.ENOSYS && err != unix.EPERM { // seccomp filters say EPERM
			return 0, false
		}
		s.noStatx = true
	}
	var st unix.Stat_t
	if err := unix.Fstatat(s.dir, string(s.path[:len(s.path)-1]), &st, 0); err != nil {
		return 0, false
	}
	return st.Uid, true
}

// readKept reads a file of the process into s.buf, through the descriptor in
// *fd if there is one, else by opening it, and keeps it open while the limit
// allows. A kept descriptor belongs to one process: when that has ended, reads
// fail with ESRCH, and the PID may be another's by now.
func (s *linuxSource) readKept(e *entry, fd *int32, file string) (int, Outcome) {
	if *fd >= 0 {
		n, err := s.pread(int(*fd), s.buf)
		if err == 0 && n > 0 {
			return n, Done
		}
		s.drop(e)
	}
	f, err := s.openPID(e.pid, file)
	if err != 0 {
		return 0, outcomeOf(err)
	}
	n, err := s.pread(f, s.buf)
	if err == 0 && s.fdKept < s.fdLimit {
		*fd = int32(f)
		s.fdKept++
	} else {
		unix.Close(f)
	}
	return n, outcomeOf(err)
}

// openPID opens root/PID/file. Out of descriptors, it gives back half of the
// kept ones and makes that the limit.
func (s *linuxSource) openPID(pid int32, file string) (int, unix.Errno) {
	s.path = append(strconv.AppendInt(s.path[:0], int64(pid), 10), '/')
	s.path = append(append(s.path, file...), 0)
	fd, err := openat(s.dir, s.path)
	if (err == unix.EMFILE || err == unix.ENFILE) && s.fdKept > 0 {
		s.lowerLimit()
		for _, e := range slices.Concat(s.entries, s.next) {
			if s.fdKept <= s.fdLimit {
				break
			}
			s.drop(e)
		}
		fd, err = openat(s.dir, s.path)
	}
	return fd, err
}

// lowerLimit halves what is kept, for some scans.
func (s *linuxSource) lowerLimit() {
	s.fdLimit = s.fdKept / 2
	s.fdWait = s.fdPause
	s.fdPause = min(2*s.fdPause, fdLongestPause)
}

// raiseLimit lets more be kept when the last shortage was long enough ago.
func (s *linuxSource) raiseLimit() {
	if s.fdLimit == s.fdMost {
		return
	}
	if s.fdWait--; s.fdWait <= 0 {
		s.fdLimit = min(s.fdMost, 2*s.fdLimit+16)
	}
}

// drop closes what is kept open of one process.
func (s *linuxSource) drop(e *entry) {
	for _, fd := range [...]*int32{&e.stat, &e.statm, &e.cmdline, &e.io} {
		if *fd >= 0 {
			unix.Close(int(*fd))
			*fd = -1
			s.fdKept--
		}
	}
}

func (s *linuxSource) uptime() time.Duration {
	fd, err := openat(s.dir, []byte("uptime\x00"))
	if err != 0 {
		return 0
	}
	defer unix.Close(fd)
	n, err := preadBlocking(fd, s.buf)
	if err != 0 {
		return 0
	}
	up, perr := parseUptime(s.buf[:n])
	if perr != nil {
		return 0
	}
	return up
}

// relist fills s.pids with the processes that are known from before and the
// given ones.
func (s *linuxSource) relist(more []int32) {
	s.pids = append(s.pids[:0], more...)
	for _, e := range s.entries {
		s.pids = append(s.pids, e.pid)
	}
	slices.Sort(s.pids)
	s.pids = slices.Compact(s.pids)
}

// list fills s.pids, ascending.
func (s *linuxSource) list() error {
	s.pids = s.pids[:0]
	if _, err := unix.Seek(s.dir, 0, 0); err != nil {
		return err
	}
	for {
		n, err := unix.Getdents(s.dir, s.dents)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if n <= 0 {
			break
		}
		s.pids = appendPIDs(s.pids, s.dents[:n])
	}
	if !slices.IsSorted(s.pids) { // plain directories are not
		slices.Sort(s.pids)
	}
	return nil
}
