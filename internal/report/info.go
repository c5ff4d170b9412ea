package report

import (
	"fmt"
	"io"
	"strings"

	"wordsize/internal/result"
)

// Info writes a host's description, a line a fact; what is not known is said.
func Info(w io.Writer, info *result.Info) error {
	h := &info.Host
	var b strings.Builder
	line := func(key, format string, args ...any) {
		fmt.Fprintf(&b, "%-16s %s\n", key+":", fmt.Sprintf(format, args...))
	}
	hostLines(line, h, &info.Tool)
	line("one process", "largest mapping %s, address space %s", size(info.LargestMappingBytes), size(info.AddressSpaceBytes))
	_, err := io.WriteString(w, b.String())
	return err
}

// hostLines says what is known of a host and the build that looked at it.
func hostLines(line func(key, format string, args ...any), h *result.Host, tool *result.Tool) {
	line("host", "%s", orUnknown(h.Hostname))
	line("system", "%s", orUnknown(strings.TrimSpace(h.Distribution+" "+h.OS)))
	line("kernel", "%s, %s, machine %s", orUnknown(h.Kernel), bits(h.KernelBits), orUnknown(h.Machine))
	line("build", "%s, %d-bit, %s", tool.GOARCH, tool.WordBits, tool.Version)
	if h.Hypervisor != "" {
		line("virtual", "%s", h.Hypervisor)
	}
	infoCPU(line, h)
	infoMemory(line, h)
}

func infoCPU(line func(key, format string, args ...any), h *result.Host) {
	c := &h.CPU
	line("cpu", "%s", orUnknown(c.Model))
	allowed := unknown
	if len(c.Allowed) > 0 {
		allowed = fmt.Sprint(len(c.Allowed))
	}
	line("cpus", "%s on line, %s allowed, %s cores", count(c.Online), allowed, count(c.PhysicalCores))
	governors := strings.Join(c.Governors, ", ")
	line("governor", "%s", orUnknown(governors))
	for _, k := range h.Caches {
		line("cache", "L%d %s %s (says %s)", k.Level, strings.ToLower(k.Type), size(&k.Bytes), k.Source)
	}
	if len(h.Caches) == 0 {
		line("cache", "unknown")
	}
	line("numa", "%s nodes, balancing %s", count(h.NUMANodes), onOff(h.NUMABalancing))
}

func infoMemory(line func(key, format string, args ...any), h *result.Host) {
	m, p := &h.Memory, &h.Pages
	line("memory", "%s, %s available", size(m.TotalBytes), size(m.AvailableBytes))
	if mods := h.Modules; mods != nil {
		rate := "channels or rate unknown"
		if p, source, ok := peak(&result.Run{Host: *h}); ok {
			rate = fmt.Sprintf("peak %.4g GB/s (%s)", p/gb, source)
		}
		line("modules", "%d of %d slots populated, %s", mods.Populated, mods.Slots, rate)
	}
	line("swap", "%s, %s free", size(m.SwapTotalBytes), size(m.SwapFreeBytes))
	if m.HighTotalBytes != nil {
		line("high memory", "%s, %s free; low %s, %s free", size(m.HighTotalBytes), size(m.HighFreeBytes), size(m.LowTotalBytes), size(m.LowFreeBytes))
	}
	base := unknown
	if p.BaseBytes > 0 {
		base = size(&p.BaseBytes)
	}
	line("pages", "%s; transparent huge: %s; huge pool: %s of %s free", base, orUnknown(p.THPEnabled), count64(p.HugeFreePages), count64(p.HugeTotalPages))
	if c := h.Cgroup; c != nil {
		limit := "no limit"
		if c.MemoryLimitBytes != nil {
			limit = size(c.MemoryLimitBytes)
		}
		line("cgroup memory", "%s, room %s (v%d)", limit, size(c.MemoryFreeBytes), c.Version)
		if c.CPUs != nil {
			line("cgroup cpu", "%.4g CPUs", *c.CPUs)
		}
	}
	if h.AddressLimit != nil {
		line("ulimit -v", "%s", size(h.AddressLimit))
	}
}

const unknown = "unknown"

func orUnknown(s string) string {
	if s == "" {
		return unknown
	}
	return s
}

func bits(n *int) string {
	if n == nil {
		return "word size " + unknown
	}
	return fmt.Sprintf("%d-bit", *n)
}

func count(n *int) string {
	if n == nil {
		return unknown
	}
	return fmt.Sprint(*n)
}

func count64(n *int64) string {
	if n == nil {
		return unknown
	}
	return fmt.Sprint(*n)
}

func onOff(n *int) string {
	switch {
	case n == nil:
		return unknown
	case *n == 0:
		return "off"
	}
	return "on"
}

// size writes bytes in the largest binary unit that keeps it readable.
func size(n *int64) string {
	if n == nil {
		return unknown
	}
	v := float64(*n)
	for _, unit := range []string{"bytes", "KiB", "MiB", "GiB", "TiB"} {
		if v < 10240 || unit == "TiB" {
			return fmt.Sprintf("%.4g %s", v, unit)
		}
		v /= 1024
	}
	return "" // not reached
}
