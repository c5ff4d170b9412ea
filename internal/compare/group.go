package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wordsize/internal/result"
)

// members are the inputs of one group, by index.
type members struct {
	name   string
	inputs []int
}

// group sorts the inputs into groups in order of appearance and returns the
// key that was used. Without a wanted one, records of two arguments, of
// folders and of named ones are grouped by these; many single files by the
// first of host, architecture, kernel and version in which they differ.
func group(in []Input, by string, sorted bool) ([]members, string, error) {
	path := key(by)
	if by == "" {
		path = choose(in, sorted)
	}
	var groups []members
	found := false
	for i := range in {
		name := in[i].Label
		if path != Argument {
			var ok bool
			if name, ok = treeOf(in[i].Run).get(path); !ok {
				name = Unknown
			} else {
				found = true
			}
			if path == "args.chunk_bytes" {
				name = fmt.Sprintf("%g MiB", float64(in[i].Run.Args.ChunkBytes)/(1<<20))
			}
		}
		at := slices.IndexFunc(groups, func(g members) bool { return g.name == name })
		if at < 0 {
			at = len(groups)
			groups = append(groups, members{name: name})
		}
		groups[at].inputs = append(groups[at].inputs, i)
	}
	if path != Argument && !found {
		return nil, path, &FieldError{by}
	}
	if len(groups) == 1 {
		return nil, path, &GroupsError{path, groups[0].name}
	}
	return groups, path, nil
}

// choose picks what to group by.
func choose(in []Input, sorted bool) string {
	labels := make(map[string]bool)
	for i := range in {
		labels[in[i].Label] = true
	}
	// Two arguments, or folders: the user has sorted the records already.
	if len(labels) == 2 || len(labels) > 1 && (sorted || holdSeveral(in)) {
		return Argument
	}
	for _, path := range []string{"host.hostname", "tool.goarch", "host.kernel", "tool.version"} {
		values := make(map[string]bool)
		for i := range in {
			v, _ := treeOf(in[i].Run).get(path)
			values[v] = true
		}
		if len(values) > 1 {
			return path
		}
	}
	return Argument
}

// holdSeveral says whether some argument holds several runs of one loop. One
// run of several loops is a file of several records, and no group yet.
func holdSeveral(in []Input) bool {
	type loop struct{ label, kernel, tier string }
	seen := make(map[loop]bool)
	for i := range in {
		l := loop{in[i].Label, in[i].Run.Kernel.Name, in[i].Run.Kernel.Tier}
		if seen[l] {
			return true
		}
		seen[l] = true
	}
	return false
}

// SameMeaning refuses, with a *MeaningError, records of one loop whose figures
// mean different things.
func SameMeaning(in []Input) error {
	first := make(map[string]int)
	for i := range in {
		r := in[i].Run
		loop := r.Kernel.Name + "/" + r.Kernel.Tier
		j, ok := first[loop]
		if !ok {
			first[loop] = i
			continue
		}
		q := in[j].Run
		var what []string
		say := func(format string, a ...any) { what = append(what, fmt.Sprintf(format, a...)) }
		if q.Schema != r.Schema {
			say("schema %d and %d", q.Schema, r.Schema)
		}
		if q.Kernel.WriteAllocate != r.Kernel.WriteAllocate {
			say("%s writes with and without write-allocate", loop)
		}
		if counts(q) != counts(r) {
			say("%s counts %g and %g bytes a byte of the chunk", loop, counts(q), counts(r))
		}
		if q.Args.Held != r.Args.Held {
			say("the load was held until all had finished in one only (--classic)")
		}
		if len(what) > 0 {
			return &MeaningError{in[j].File, in[i].File, strings.Join(what, "; ")}
		}
	}
	return nil
}

// counts returns how many bytes a pass counts for each byte of the chunk, to
// the whole: a chunk that is divided into arrays leaves some pages over.
func counts(r *result.Run) float64 {
	if r.Args.ChunkBytes == 0 {
		return 0
	}
	return math.Round(float64(r.Kernel.BytesPerPass) / float64(r.Args.ChunkBytes))
}
