package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"wordsize/internal/result"
)

// WatchHeaderLines returns the lines above the table, each as segments: those
// that do not fit are left out, the first of them being the last to go.
func WatchHeaderLines(host *result.Host, mem *result.Memory, t *result.WatchTick, pss bool) [][]string {
	return [][]string{headHost(host, t), headMemory(mem, host.Cgroup), headCounts(t, pss)}
}

// JoinSegments joins as many segments as fit into width columns, 0 for all.
func JoinSegments(segments []string, width int) string {
	if width <= 0 {
		return strings.Join(segments, "  ")
	}
	line, used := "", 0
	for i, s := range segments {
		w := displaywidth.String(s)
		switch {
		case i == 0 && w > width:
			b, _ := WatchText{}.Append(nil, s, width)
			return string(b)
		case i == 0:
			line, used = s, w
		case used+2+w <= width:
			line, used = line+"  "+s, used+2+w
		}
	}
	return line
}

func headHost(h *result.Host, t *result.WatchTick) []string {
	var seg []string
	clean := func(s string) string { b, _ := WatchText{}.Append(nil, s, 40); return string(b) }
	seg = append(seg, "rsswatch "+time.Unix(0, t.TimeUnixNS).Format("15:04:05"))
	if h.Hostname != "" {
		seg = append(seg, clean(h.Hostname))
	}
	kernel := strings.TrimSpace(h.OS + " " + clean(h.Kernel))
	if h.KernelBits != nil {
		kernel += fmt.Sprintf(" %d-bit", *h.KernelBits)
	}
	if h.Machine != "" {
		kernel += " " + clean(h.Machine)
	}
	seg = append(seg, kernel)
	if t.UptimeNS.Known {
		seg = append(seg, "up "+string(AppendWatchAge(nil, time.Duration(t.UptimeNS.Value))))
	}
	if len(t.Load) == 3 {
		seg = append(seg, fmt.Sprintf("load %.2f %.2f %.2f", t.Load[0], t.Load[1], t.Load[2]))
	}
	return seg
}

func headMemory(m *result.Memory, cg *result.Cgroup) []string {
	size := func(v *int64) string { return string(AppendWatchSize(nil, *v)) }
	var seg []string
	if m.TotalBytes != nil {
		s := "memory " + size(m.TotalBytes)
		if m.AvailableBytes != nil {
			s += ", " + size(m.AvailableBytes) + " available"
		}
		seg = append(seg, s)
	}
	switch {
	case m.LowFreeBytes == nil || m.HighFreeBytes == nil:
	case lowmemShort(m):
		seg = append(seg, "LOWMEM SHORT: LowFree "+size(m.LowFreeBytes)+" of "+size(m.LowTotalBytes)+" while HighFree "+size(m.HighFreeBytes))
	default:
		seg = append(seg, "LowFree "+size(m.LowFreeBytes), "HighFree "+size(m.HighFreeBytes))
	}
	if cg != nil && cg.MemoryLimitBytes != nil {
		s := "cgroup limit " + size(cg.MemoryLimitBytes)
		if cg.MemoryUsedBytes != nil {
			s += ", " + size(cg.MemoryUsedBytes) + " used"
		}
		seg = append(seg, s)
	}
	if m.SwapTotalBytes != nil && m.SwapFreeBytes != nil {
		if *m.SwapTotalBytes == 0 {
			seg = append(seg, "no swap")
		} else {
			seg = append(seg, fmt.Sprintf("swap %s, %s free", size(m.SwapTotalBytes), size(m.SwapFreeBytes)))
		}
	}
	return append(seg, "(sizes KiB; m g t = 2^20 2^30 2^40)")
}

// lowmemShort says whether a 32-bit kernel is about to run out of the memory
// that it can address itself while there is plenty that it cannot: the classic
// way for such a host to die with gigabytes free.
func lowmemShort(m *result.Memory) bool {
	if m.LowTotalBytes == nil || m.HighTotalBytes == nil || *m.HighTotalBytes == 0 {
		return false
	}
	return *m.LowFreeBytes < *m.LowTotalBytes/10 && *m.HighFreeBytes > *m.HighTotalBytes/10
}

func headCounts(t *result.WatchTick, pss bool) []string {
	c := &t.Counts
	s := plural(c.Seen, "process", "processes")
	if c.Selected != c.Seen-c.Vanished {
		s = fmt.Sprintf("%d of %s", c.Selected, plural(c.Seen, "process", "processes"))
	}
	if c.OthersHidden {
		s += " (others hidden)"
	}
	seg := []string{s, fmt.Sprintf("%d not readable", c.Unreadable)}
	if self := selfCost(t); self != "" {
		seg = append(seg, self)
	}
	if pss {
		p := fmt.Sprintf("PSS of %d", c.PSSRead)
		if c.PSSRefused > 0 {
			p += fmt.Sprintf(", %d refused", c.PSSRefused)
		}
		if c.PSSPending > 0 {
			p += fmt.Sprintf(", %d not read", c.PSSPending)
		}
		seg = append(seg, p)
	}
	if s := whatIfCounts(c); s != "" {
		seg = append(seg, s)
	}
	return seg
}

// selfCost says what rsswatch itself uses.
func selfCost(t *result.WatchTick) string {
	if !t.Self.RSSBytes.Known && !t.Self.CPUDeltaNS.Known {
		return ""
	}
	s := "self"
	if t.Self.CPUDeltaNS.Known && t.IntervalNS.Value > 0 {
		s += " " + strconv.FormatFloat(100*float64(t.Self.CPUDeltaNS.Value)/float64(t.IntervalNS.Value), 'f', 1, 64) + "% CPU"
	}
	if t.Self.RSSBytes.Known {
		s += " " + string(AppendWatchSize(nil, t.Self.RSSBytes.Value)) + " RES"
	}
	if t.Counts.SelfLeftOut {
		s += ", not listed"
	}
	return s
}

// WatchNotes returns the warnings of a tick: what its figures do not tell.
func WatchNotes(t *result.WatchTick) (notes []string) {
	doubt, estimate, missing := 0, 0, 0
	for _, p := range t.Processes {
		if p.PSSDoubt {
			doubt++
		}
	}
	for _, g := range t.Groups {
		if g.PSSMissing > 0 {
			estimate++
		}
	}
	if t.Total != nil { // of all groups, those not shown too
		doubt, missing = t.Total.PSSDoubt, t.Total.PSSMissing
	}
	if doubt > 0 {
		notes = append(notes, "note: PSS marked ! is below what is private ("+plural(doubt, "process", "processes")+
			"): the kernel under-reports it, as 32-bit kernels do with huge pages")
	}
	if estimate > 0 {
		notes = append(notes, "note: PSS marked ~ is an estimate: "+
			plural(missing, "process", "processes")+" without PSS counted as RES-SHR each, and their largest SHR once")
	}
	return append(notes, whatIfNotes(t)...)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
