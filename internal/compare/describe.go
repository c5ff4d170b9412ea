package compare

import (
	"errors"
	"slices"

	"wordsize/internal/result"
)

// Summarize compares as Compare does, but is content with one group: then the
// comparison has medians, intervals and notes, and no change.
//
// More than two files that differ in nothing to group by are launches of one
// thing: one group, not one each.
func Summarize(in []Input, o Options) (*result.Comparison, error) {
	if o.By == "" && len(in) > 2 && choose(in, o.Sorted) == Argument && !o.Sorted && !holdSeveral(in) {
		o.By = "host"
	}
	c, err := Compare(in, o)
	var one *GroupsError
	if !errors.As(err, &one) {
		return c, err
	}
	if o.Baseline != "" && o.Baseline != one.Only {
		return nil, &BaselineError{o.Baseline, []string{one.Only}}
	}
	if !o.Force {
		if err := SameMeaning(in); err != nil {
			return nil, err
		}
	}
	group := result.ComparedGroup{Name: one.Only}
	for i := range in {
		group.Files = append(group.Files, in[i].File)
		group.Samples += len(in[i].Run.Launches)
	}
	k := &comparison{in: in, groupOf: make([]int, len(in)), Comparison: &result.Comparison{
		Schema: result.RunSchema, Kind: result.ComparisonKind, By: one.By, Baseline: one.Only,
		Groups: []result.ComparedGroup{group}, Notes: []result.Note{},
	}}
	metrics := o.Metrics
	if len(metrics) == 0 {
		metrics = []string{Aggregate}
	}
	for _, m := range metrics {
		k.addRows(m)
	}
	k.Emulated = emulated(in)
	k.note()
	return k.Comparison, nil
}

// GroupOf returns the index of each input's group in a comparison of them.
func GroupOf(in []Input, c *result.Comparison) []int {
	of := make([]int, len(in))
	groups, _, err := group(in, c.By, false)
	if err != nil { // one group
		return of
	}
	for g := range groups {
		for _, i := range groups[g].inputs {
			of[i] = g
		}
	}
	return of
}

// Field is something that is known of each record.
type Field struct {
	Path    string
	Values  [][]string // the distinct ones of each group, sorted; Unknown where a record lacks it
	Differs bool       // between groups
}

// Fields returns what may explain a difference between the groups of a
// comparison.
func Fields(in []Input, c *result.Comparison) []Field {
	k := &comparison{Comparison: c, in: in, groupOf: GroupOf(in, c)}
	trees := make([]tree, len(in))
	for i := range in {
		trees[i] = treeOf(in[i].Run)
	}
	fields := make([]Field, len(watched))
	for i, w := range watched {
		f := Field{Path: w, Values: k.valuesOf(trees, w)}
		for _, v := range f.Values {
			f.Differs = f.Differs || !slices.Equal(v, f.Values[0])
		}
		fields[i] = f
	}
	return fields
}
