//go:build !linux

package procstat

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v3/process"
)

// portableSource asks gopsutil, for systems without Linux' /proc.
type portableSource struct {
	base  time.Time
	procs map[int32]*process.Process
}

// Open returns a source over the processes of this host. Only Linux can read
// another root.
func Open(root string) (Source, error) {
	if root != "" && root != "/proc" {
		return nil, fmt.Errorf("reading %s: another proc tree than the host's own is supported on Linux only", root)
	}
	return &portableSource{base: time.Now(), procs: map[int32]*process.Process{}}, nil
}

// Close does nothing: no descriptors are kept.
func (s *portableSource) Close() error { return nil }

// Scan asks for every process.
func (s *portableSource) Scan(ctx context.Context, t *Tick) error {
	*t = Tick{Samples: t.Samples[:0], Time: time.Now(), Mono: time.Since(s.base)}
	pids, err := process.PidsWithContext(ctx)
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	slices.Sort(pids)
	t.Seen = len(pids)
	for _, pid := range pids {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := process.NewProcessWithContext(ctx, pid)
		if err != nil {
			t.Vanished++
			continue
		}
		out := Sample{Ident: Ident{PID: pid}, ReadAt: time.Since(s.base)}
		s.sample(ctx, p, t.Time, &out)
		if out.Have&(HasCPU|HasMemory) == 0 {
			t.Unreadable++
		}
		s.procs[pid] = p
		t.Samples = append(t.Samples, out)
	}
	for pid := range s.procs {
		if _, ok := slices.BinarySearch(pids, pid); !ok {
			delete(s.procs, pid)
		}
	}
	return nil
}

// sample reads what gopsutil knows here. Field by field, since what may not
// be read differs from system to system.
func (s *portableSource) sample(ctx context.Context, p *process.Process, now time.Time, out *Sample) {
	if created, err := p.CreateTimeWithContext(ctx); err == nil {
		out.Start = uint64(created)
		out.Started = time.UnixMilli(created).Sub(now)
	}
	if name, err := p.NameWithContext(ctx); err == nil {
		out.Comm = name
		out.Have |= HasStat
	}
	out.PPID, out.Threads = unknown, unknown
	if ppid, err := p.PpidWithContext(ctx); err == nil {
		out.PPID = ppid
	}
	if st, err := p.StatusWithContext(ctx); err == nil && len(st) > 0 {
		out.State = stateLetter(st[0])
	}
	if n, err := p.NumThreadsWithContext(ctx); err == nil {
		out.Threads = n
	}
	if n, err := p.NiceWithContext(ctx); err == nil {
		out.Nice = n
	}
	if uids, err := p.UidsWithContext(ctx); err == nil && len(uids) > 0 {
		out.UID = uint32(uids[min(1, len(uids)-1)])
		out.Have |= HasUID
	}
	if tm, err := p.TimesWithContext(ctx); err == nil {
		out.Counters.User = time.Duration(tm.User * float64(time.Second))
		out.Counters.System = time.Duration(tm.System * float64(time.Second))
		out.Have |= HasCPU
	} else {
		out.Denied |= HasCPU
	}
	if m, err := p.MemoryInfoWithContext(ctx); err == nil {
		out.Virtual, out.Resident = int64(m.VMS), int64(m.RSS)
		out.Have |= HasMemory
	} else {
		out.Denied |= HasMemory
	}
}

// stateLetter gives gopsutil's words the letters of Linux' stat.
func stateLetter(word string) byte {
	switch word {
	case process.Running:
		return 'R'
	case process.Blocked:
		return 'D'
	case process.Idle:
		return 'I'
	case process.Lock:
		return 'L'
	case process.Stop:
		return 'T'
	case process.Zombie:
		return 'Z'
	}
	return 'S'
}

// Read reads the title; the other fields are not known here.
func (s *portableSource) Read(p *Sample, want Fields, d *Detail) {
	proc := s.procs[p.PID]
	if proc == nil || want&HasTitle == 0 {
		return
	}
	args, err := proc.CmdlineSlice()
	if err != nil {
		d.set(HasTitle, Denied)
		return
	}
	title := ""
	for i, a := range args {
		if i > 0 {
			title += "\x00"
		}
		title += a
	}
	d.Title = title
	d.set(HasTitle, Done)
}

// Threads knows none.
func (s *portableSource) Threads(_ *Sample, dst []Sample) []Sample { return dst }

// ReadSmaps knows no PSS.
func (s *portableSource) ReadSmaps(_ int32, buf []byte, _ *Smaps) ([]byte, Outcome) {
	return buf, None
}

// Inspect knows nothing more.
func (s *portableSource) Inspect(int32) Inspection {
	return Inspection{Problems: []string{"details are known on Linux only"}}
}
