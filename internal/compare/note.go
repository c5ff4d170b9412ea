package compare

import (
	"fmt"
	"slices"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// watched are the keys in which groups should not differ unless they are
// compared by them.
var watched = []struct{ path, name string }{
	{"tool.version", "memtest version"}, {"tool.go", "Go version"}, {"tool.goarch", "architecture of the build"},
	{"tool.purego", "built without assembly"},
	{"kernel.name", "loop"}, {"kernel.tier", "tier"}, {"args.processes", "N"}, {"args.chunk_bytes", "MB (bytes a process)"},
	{"args.min_time_ns", "T (ns)"}, {"args.pages", "kind of pages"}, {"args.pin", "pinning"}, {"args.parallel", "processes or threads"}, {"args.warmup_passes", "warm-up passes"},
	{"args.held_load", "load held"}, {"args.verify", "verification"}, {"args.runner", "runner"},
	{"host.pages.base_bytes", "page size"}, {"host.cgroup.memory_limit_bytes", "container's memory limit"},
	{"host.cgroup.cpus", "container's CPU quota"}, {"host.cpu.allowed", "allowed CPUs"},
	{"host.hostname", "host"}, {"host.cpu.model", "CPU model"}, {"host.cpu.microcode", "microcode"},
	{"host.cpu.governors", "frequency governor"}, {"host.kernel", "kernel"}, {"host.distribution", "distribution"},
	{"host.hypervisor", "hypervisor"}, {"host.pages.thp_enabled", "transparent huge pages"},
	{"host.numa_nodes", "NUMA nodes"}, {"host.numa_balancing", "NUMA balancing"}, {"host.memory.total_bytes", "memory (bytes)"},
}

func (k *comparison) say(code, format string, args ...any) {
	n := result.Note{Code: code, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(k.Notes, n) {
		k.Notes = append(k.Notes, n)
	}
}

// note looks for reasons to doubt the comparison.
func (k *comparison) note() {
	if k.Emulated != "" {
		k.say(result.NoteEmulated, "emulated (%s): compare counts and footprints; no difference in speed counts as significant", k.Emulated)
	}
	trees := make([]tree, len(k.in))
	for i := range k.in {
		trees[i] = treeOf(k.in[i].Run)
	}
	k.noteDiffers(trees)
	k.noteSamples()
	k.noteTurns(trees)
	k.noteOutliers(trees)
	k.noteRecords()
}

// valuesOf returns the distinct values that a key has in each group.
func (k *comparison) valuesOf(trees []tree, path string) [][]string {
	values := make([][]string, len(k.Groups))
	for i, t := range trees {
		v, ok := t.get(path)
		if !ok {
			v = Unknown
		}
		if g := k.groupOf[i]; !slices.Contains(values[g], v) {
			values[g] = append(values[g], v)
		}
	}
	for _, v := range values {
		slices.Sort(v)
	}
	return values
}

func (k *comparison) noteDiffers(trees []tree) {
	for _, w := range watched {
		if w.path == k.By {
			continue
		}
		values := k.valuesOf(trees, w.path)
		same := true
		for _, v := range values {
			same = same && slices.Equal(v, values[0])
		}
		if same {
			continue
		}
		// Groups with the same values share a mention.
		var said []string
		for g, v := range values {
			first := slices.IndexFunc(values, func(o []string) bool { return slices.Equal(o, v) })
			if first != g {
				continue
			}
			var names []string
			for h := g; h < len(values); h++ {
				if slices.Equal(values[h], v) {
					names = append(names, k.Groups[h].Name)
				}
			}
			said = append(said, few(v)+" in "+few(names))
		}
		k.say(result.NoteDiffers, "the groups differ in %s: %s", w.name, few(said))
	}
}

// few joins the first words of a list.
func few(list []string) string {
	const most = 4
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most-1], ", "), len(list)-most+1)
}

func (k *comparison) noteSamples() {
	rows := make(map[string][]string) // of each list of groups that are short of launches
	var lists []string
	for _, r := range k.Rows {
		var short, missing []string
		for g, c := range r.Cells {
			name := k.Groups[g].Name
			switch {
			case c.N == 0:
				missing = append(missing, name)
				continue
			case c.N < stats.MinForInterval:
				short = append(short, fmt.Sprintf("%s (n = %d)", name, c.N))
			}
			if change, drifts := stats.Drift(c.Samples); drifts {
				k.say(result.NoteDrift, "%s: %s drifts by %+.1f %% from its first launch to its last", r.Name(), name, 100*change)
			}
			if low, high, two := stats.Modes(c.Samples); two {
				k.say(result.NoteBimodal, "%s: the launches of %s fall into two heaps, %.1f %% apart: its median may be of neither", r.Name(), name, 100*(high/low-1))
			}
		}
		if len(missing) > 0 {
			k.say(result.NoteUnmatched, "%s: not measured in %s", r.Name(), few(missing))
		}
		if list := few(short); list != "" {
			if rows[list] == nil {
				lists = append(lists, list)
			}
			rows[list] = append(rows[list], r.Name())
		}
	}
	for _, list := range lists {
		where := few(rows[list]) + ": "
		if len(rows[list]) == len(k.Rows) {
			where = ""
		}
		k.say(result.NoteFew, "%stoo few launches for a 95 %% interval in %s: want 6, better 10 (--repeat 10)", where, list)
	}
}

// noteTurns warns when a group on the baseline's host ran before or after it.
func (k *comparison) noteTurns(trees []tree) {
	hosts := k.valuesOf(trees, "host.hostname")
	for g := range k.Groups {
		if g == k.base || !slices.ContainsFunc(hosts[g], func(h string) bool { return slices.Contains(hosts[k.base], h) }) {
			continue
		}
		for r := range k.Rows {
			var labels []bool
			n := [2]int{}
			for _, s := range k.order[r] {
				if s.group == g || s.group == k.base {
					labels = append(labels, s.group == g)
					n[b2i(s.group == g)]++
				}
			}
			if n[0] > 1 && n[1] > 1 && !stats.Interleaved(labels) {
				k.say(result.NoteTurns, "%s and %s did not take turns: a drift of the host would show as a difference", k.Baseline, k.Groups[g].Name)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// noteOutliers names groups that are far from the others, with what sets them
// apart.
func (k *comparison) noteOutliers(trees []tree) {
	for _, r := range k.Rows {
		for g, c := range r.Cells {
			if c.Score == nil || *c.Score < stats.OutlierScore && *c.Score > -stats.OutlierScore {
				continue
			}
			word := "below"
			if *c.Score > 0 {
				word = "above"
			}
			text := fmt.Sprintf("%s: %s is far %s the others (score %.1f)", r.Name(), k.Groups[g].Name, word, *c.Score)
			if apart := k.apart(trees, g); len(apart) > 0 {
				text += "; it alone has " + strings.Join(apart, ", ")
			}
			k.say(result.NoteOutlier, "%s", text)
		}
	}
}

// apart lists in what a group differs from all others, which agree.
func (k *comparison) apart(trees []tree, g int) []string {
	var list []string
	for _, w := range watched {
		if w.path == k.By || w.path == "host.hostname" {
			continue
		}
		values := k.valuesOf(trees, w.path)
		other := values[(g+1)%len(values)]
		agree := true
		for h := range values {
			agree = agree && (h == g || slices.Equal(values[h], other))
		}
		if agree && !slices.Equal(values[g], other) {
			list = append(list, fmt.Sprintf("%s %s (others: %s)", w.name, few(values[g]), few(other)))
		}
	}
	if own, rest := k.steal(g); own > rest+1 {
		list = append(list, fmt.Sprintf("%.1f %% of its CPU time stolen by the hypervisor (others: %.1f %%)", own, rest))
	}
	return list
}

// steal returns the mean percentage of stolen CPU time, of a group and of the
// others; unknown ones are left out.
func (k *comparison) steal(g int) (own, rest float64) {
	var sum [2]float64
	var n [2]int
	for i := range k.in {
		for _, l := range k.in[i].Run.Launches {
			for _, p := range l.Phases {
				if s := p.Host.StealPercent; s != nil {
					sum[b2i(k.groupOf[i] == g)] += *s
					n[b2i(k.groupOf[i] == g)]++
				}
			}
		}
	}
	return sum[1] / float64(max(1, n[1])), sum[0] / float64(max(1, n[0]))
}

// noteRecords passes on that records have warnings or ended early.
func (k *comparison) noteRecords() {
	groups := make(map[string][]string) // by warning
	var codes []string
	for i := range k.in {
		name := k.Groups[k.groupOf[i]].Name
		for _, w := range k.in[i].Run.Warnings {
			if w.Code == result.WarnEmulated {
				continue
			}
			if groups[w.Code] == nil {
				codes = append(codes, w.Code)
			}
			if !slices.Contains(groups[w.Code], name) {
				groups[w.Code] = append(groups[w.Code], name)
			}
		}
		if r := k.in[i].Run; r.Interrupted || r.Error != "" {
			k.say(result.NoteInterrupted, "%s ended early: only its complete launches count", k.in[i].File)
		}
	}
	slices.Sort(codes)
	for _, code := range codes {
		who := few(groups[code])
		if len(groups[code]) == len(k.Groups) {
			who = "all groups"
		}
		k.say(result.NoteDoubted, "records of %s carry the warning %s (docs/method.md says what it means)", who, code)
	}
}
