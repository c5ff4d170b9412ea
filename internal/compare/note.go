package compare

import (
	"math"
	"reflect"
	"slices"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// watched are the keys in which groups should not differ unless they are
// compared by them.
var watched = []string{
	"tool.version", "tool.go", "tool.goarch", "tool.purego",
	"kernel.name", "kernel.tier", "args.processes", "args.chunk_bytes",
	"args.min_time_ns", "args.pages", "args.pin", "args.parallel", "args.numa", "args.warmup_passes",
	"args.held_load", "args.verify", "args.runner",
	"host.pages.base_bytes", "host.cgroup.memory_limit_bytes",
	"host.cgroup.cpus", "host.cpu.allowed",
	"host.hostname", "host.cpu.model", "host.cpu.microcode",
	"host.cpu.governors", "host.kernel", "host.distribution",
	"host.hypervisor", "host.pages.thp_enabled",
	"host.numa_nodes", "host.numa_balancing", "host.memory.total_bytes",
}

// Watched returns the keys of a run that a note may have as its subject.
func Watched() []string { return slices.Clone(watched) }

// add takes a note unless there is the same one: rows of several metrics are
// of the same launches.
func (k *comparison) add(n result.Note) {
	if !slices.ContainsFunc(k.Notes, func(o result.Note) bool { return reflect.DeepEqual(o, n) }) {
		k.Notes = append(k.Notes, n)
	}
}

// note looks for reasons to doubt the comparison.
func (k *comparison) note() {
	if k.Emulated != "" {
		k.add(result.Note{Code: result.NoteEmulated, Subject: k.Emulated})
	}
	trees := make([]tree, len(k.in))
	for i := range k.in {
		trees[i] = treeOf(k.in[i].Run)
	}
	k.noteDiffers(trees)
	if len(k.Groups) > 1 {
		k.noteTests(trees)
	}
	k.noteSamples()
	k.noteTurns()
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
	for _, path := range watched {
		if path == k.By {
			continue
		}
		var parts []result.NotePart // groups with the same values share one
		for g, v := range k.valuesOf(trees, path) {
			at := slices.IndexFunc(parts, func(p result.NotePart) bool { return slices.Equal(p.Has, v) })
			if at < 0 {
				at = len(parts)
				parts = append(parts, result.NotePart{Has: v})
			}
			parts[at].Groups = append(parts[at].Groups, k.Groups[g].Name)
		}
		if len(parts) > 1 {
			k.add(result.Note{Code: result.NoteDiffers, Subject: path, Parts: parts})
		}
	}
}

func (k *comparison) noteSamples() {
	var few []result.Note // one for each list of groups that are short of launches
	for _, r := range k.Rows {
		name := []string{r.Name()}
		var short []result.NotePart
		var missing []string
		for g, c := range r.Cells {
			group := []string{k.Groups[g].Name}
			switch {
			case c.N == 0:
				missing = append(missing, group...)
				continue
			case c.N < stats.MinForInterval:
				short = append(short, result.NotePart{Groups: group, N: c.N})
			}
			if change, drifts := stats.Drift(c.Samples); drifts {
				k.add(result.Note{Code: result.NoteDrift, Rows: name, Groups: group, Values: map[string]float64{"change": change}})
			}
			if low, high, two := stats.Modes(c.Samples); two {
				k.add(result.Note{Code: result.NoteBimodal, Rows: name, Groups: group, Values: map[string]float64{"low": low, "high": high}})
			}
		}
		if len(missing) > 0 {
			k.add(result.Note{Code: result.NoteUnmatched, Rows: name, Groups: missing})
		}
		if len(short) == 0 {
			continue
		}
		at := slices.IndexFunc(few, func(n result.Note) bool { return reflect.DeepEqual(n.Parts, short) })
		if at < 0 {
			at = len(few)
			few = append(few, result.Note{Code: result.NoteFew, Parts: short})
		}
		few[at].Rows = append(few[at].Rows, name...)
	}
	for _, n := range few {
		if len(n.Rows) == len(k.Rows) {
			n.Rows = nil
		}
		k.add(n)
	}
}

// noteOutliers names groups that are far from the others, with what sets them
// apart.
func (k *comparison) noteOutliers(trees []tree) {
	for _, r := range k.Rows {
		for g, c := range r.Cells {
			if c.Score == nil || math.Abs(*c.Score) <= stats.OutlierScore {
				continue
			}
			n := result.Note{Code: result.NoteOutlier, Rows: []string{r.Name()}, Groups: []string{k.Groups[g].Name}, Parts: k.apart(trees, g)}
			n.Values = map[string]float64{"score": *c.Score}
			if own, rest := k.steal(g); own > rest+1 {
				n.Values["steal_percent"], n.Values["others_steal_percent"] = own, rest
			}
			k.add(n)
		}
	}
}

// apart lists in what a group differs from all others, which agree.
func (k *comparison) apart(trees []tree, g int) (list []result.NotePart) {
	for _, path := range watched {
		if path == k.By || path == "host.hostname" {
			continue
		}
		values := k.valuesOf(trees, path)
		other := values[(g+1)%len(values)]
		agree := true
		for h := range values {
			agree = agree && (h == g || slices.Equal(values[h], other))
		}
		if agree && !slices.Equal(values[g], other) {
			list = append(list, result.NotePart{Key: path, Has: values[g], Others: other})
		}
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
			if w.Code == result.WarnEmulated || k.noted(w.Code, name) {
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
			k.add(result.Note{Code: result.NoteInterrupted, Files: []string{k.in[i].File}})
		}
	}
	slices.Sort(codes)
	for _, code := range codes {
		n := result.Note{Code: result.NoteDoubted, Subject: code}
		if len(groups[code]) < len(k.Groups) {
			n.Groups = groups[code]
		}
		k.add(n)
	}
}

// noted says whether a note of the samples says of a group what a warning of
// its records does.
func (k *comparison) noted(warning, group string) bool {
	code, ok := map[string]string{result.WarnLaunchDrift: result.NoteDrift, result.WarnLaunchHeaps: result.NoteBimodal}[warning]
	return ok && slices.ContainsFunc(k.Notes, func(n result.Note) bool { return n.Code == code && slices.Contains(n.Groups, group) })
}
