package report

import (
	"fmt"
	"strings"

	"wordsize/internal/result"
)

// FillComparison gives each note of a comparison its sentence, and says in
// words where the gate failed.
func FillComparison(c *result.Comparison) {
	for i := range c.Notes {
		c.Notes[i].Text = NoteText(&c.Notes[i])
	}
	c.Regressed = nil
	for _, r := range c.Rows {
		for g, cell := range r.Cells {
			if cell.Regressed {
				c.Regressed = append(c.Regressed, fmt.Sprintf("%s, %s: %s is %.1f %% below %s (p = %.3g)",
					r.Name(), r.Metric, c.Groups[g].Name, -100**cell.Change, c.Baseline, *cell.PHolm))
			}
		}
	}
}

// NoteText returns a note's sentence: what speaks against the comparison and,
// where something can be done, what.
func NoteText(n *result.Note) string {
	rows, groups := few(n.Rows), few(n.Groups)
	switch n.Code {
	case result.NoteDiffers:
		return fmt.Sprintf("the groups differ in %s: %s", keyName(n.Subject), differences(n.Parts))
	case result.NoteFew:
		var short []string
		for _, p := range n.Parts {
			short = append(short, fmt.Sprintf("%s (n = %d)", few(p.Groups), p.N))
		}
		if rows != "" {
			rows += ": "
		}
		return fmt.Sprintf("%stoo few launches for a 95 %% interval in %s: want 6, better 10 (--repeat 10)", rows, few(short))
	case result.NoteTurns:
		if len(n.Groups) == 2 {
			groups = n.Groups[0] + " and " + n.Groups[1] + " did not"
		} else {
			groups += " did not all"
		}
		return groups + " take turns: a drift of the host would show as a difference"
	case result.NoteDrift:
		return fmt.Sprintf("%s: %s drifts by %+.1f %% from its first launch to its last", rows, groups, 100*n.Values["change"])
	case result.NoteBimodal:
		return fmt.Sprintf("%s: the launches of %s fall into two heaps, %.1f %% apart: its median may be of neither", rows, groups, 100*(n.Values["high"]/n.Values["low"]-1))
	case result.NoteOutlier:
		return outlierText(n)
	case result.NoteUnmatched:
		return fmt.Sprintf("%s: not measured in %s", rows, groups)
	case result.NoteDoubted:
		if groups == "" {
			groups = "all groups"
		}
		return fmt.Sprintf("records of %s carry the warning %s (docs/method.md says what it means)", groups, n.Subject)
	case result.NoteInterrupted:
		return few(n.Files) + " ended early: only its complete launches count"
	case result.NoteEmulated:
		return fmt.Sprintf("emulated (%s): compare counts and footprints; no difference in speed counts as significant", n.Subject)
	case result.NoteNothing:
		return nothingText(n)
	case result.NoteBlind:
		if rows != "" {
			rows += ": "
		}
		return fmt.Sprintf("%stoo few launches for any difference to be significant (of %g tests): want %g of each group", rows, n.Values["tests"], n.Values["want"])
	case result.NoteLeftOut:
		return "left out as unusable (--keep-going): " + few(n.Files)
	}
	return n.Code + " (a note that this version does not know)"
}

// differences says which values which groups have.
func differences(parts []result.NotePart) string {
	var said []string
	for _, p := range parts {
		said = append(said, few(p.Has)+" in "+few(p.Groups))
	}
	return few(said)
}

// nothingText says why no figure could be compared, and how it can.
func nothingText(n *result.Note) string {
	text := "nothing was compared: no group has a figure in common with the baseline"
	var names []string
	for _, p := range n.Parts {
		names = append(names, keyName(p.Key))
	}
	if len(names) > 0 {
		text += "; they differ in " + strings.Join(names, " and ")
	}
	if len(names) == 1 {
		text += " (--by " + n.Parts[0].Key + " compares them all the same)"
	}
	return text
}

func outlierText(n *result.Note) string {
	word := "below"
	if n.Values["score"] > 0 {
		word = "above"
	}
	text := fmt.Sprintf("%s: %s is far %s the others (score %.1f)", few(n.Rows), few(n.Groups), word, n.Values["score"])
	var apart []string
	for _, p := range n.Parts {
		apart = append(apart, fmt.Sprintf("%s %s (others: %s)", keyName(p.Key), few(p.Has), few(p.Others)))
	}
	if own, ok := n.Values["steal_percent"]; ok {
		apart = append(apart, fmt.Sprintf("%.1f %% of its CPU time stolen by the hypervisor (others: %.1f %%)", own, n.Values["others_steal_percent"]))
	}
	if len(apart) > 0 {
		text += "; it alone has " + strings.Join(apart, ", ")
	}
	return text
}

// few joins the first words of a list.
func few(list []string) string {
	const most = 4
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most-1], ", "), len(list)-most+1)
}

// keyName returns what people call a key of a run.
func keyName(key string) string {
	if name, ok := keyNames[key]; ok {
		return name
	}
	return key
}

var keyNames = map[string]string{
	"tool.version": "memtest version", "tool.go": "Go version", "tool.goarch": "architecture of the build",
	"tool.purego": "built without assembly",
	"kernel.name": "loop", "kernel.tier": "tier", "args.processes": "N", "args.chunk_bytes": "MB (bytes a process)",
	"args.min_time_ns": "T (ns)", "args.pages": "kind of pages", "args.pin": "pinning", "args.parallel": "processes or threads", "args.numa": "NUMA placement", "args.warmup_passes": "warm-up passes",
	"args.held_load": "load held", "args.verify": "verification", "args.runner": "runner",
	"host.pages.base_bytes": "page size", "host.cgroup.memory_limit_bytes": "container's memory limit",
	"host.cgroup.cpus": "container's CPU quota", "host.cpu.allowed": "allowed CPUs",
	"host.hostname": "host", "host.cpu.model": "CPU model", "host.cpu.microcode": "microcode",
	"host.cpu.governors": "frequency governor", "host.kernel": "kernel", "host.distribution": "distribution",
	"host.hypervisor": "hypervisor", "host.pages.thp_enabled": "transparent huge pages",
	"host.numa_nodes": "NUMA nodes", "host.numa_balancing": "NUMA balancing", "host.memory.total_bytes": "memory (bytes)",
}
