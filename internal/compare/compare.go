package compare

import (
	"fmt"
	"slices"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// Input is one run with the names that it may be grouped by.
type Input struct {
	Label string // of the argument that named it
	File  string
	Run   *result.Run
}

// Metrics that can be compared. All but Fairness are bytes a second; of all
// more is better.
const (
	Aggregate = "aggregate" // of all processes together
	Process   = "process"   // of the median process
	Fairness  = "fairness"  // slowest over fastest process
)

// Options say how to compare.
type Options struct {
	By       string   // "", Argument, an alias or a key; "" chooses
	Baseline string   // a group's name; "" is the first
	Metrics  []string // none is Aggregate
	Force    bool     // compare what does not mean the same
	Sorted   bool     // labels are names or folders: groups, unless By says otherwise
}

// The errors that are the caller's to mend.
type (
	// GroupsError says that there are not two groups.
	GroupsError struct{ By, Only string }
	// BaselineError is a baseline that is no group's name.
	BaselineError struct {
		Name   string
		Groups []string
	}
	// MeaningError is a pair of records whose figures do not mean the same.
	MeaningError struct{ FileA, FileB, What string }
)

func (e *GroupsError) Error() string {
	return fmt.Sprintf("there is one group only, %q by %s: want two at least (another --by, or more records)", e.Only, e.By)
}

func (e *BaselineError) Error() string {
	return fmt.Sprintf("%q is no group: want one of %s", e.Name, strings.Join(e.Groups, ", "))
}

func (e *MeaningError) Error() string {
	return fmt.Sprintf("%s and %s do not measure the same: %s; --force compares them all the same", e.FileA, e.FileB, e.What)
}

// sample is one launch's figures.
type sample struct {
	group int
	run   int // index of its record
	value float64
}

// rowKey is what two samples must share to be compared.
type rowKey struct {
	kernel, tier string
	processes    int
	chunk        int64
	pages        string
	numa         string
	phase        string
}

// Compare compares the groups of inputs.
func Compare(in []Input, o Options) (*result.Comparison, error) {
	groups, by, err := group(in, o.By, o.Sorted)
	if err != nil {
		return nil, err
	}
	c := &result.Comparison{Schema: result.RunSchema, Kind: result.ComparisonKind, By: by, Notes: []result.Note{}}
	for _, g := range groups {
		c.Groups = append(c.Groups, result.ComparedGroup{Name: g.name})
	}
	base, err := baseline(c, o.Baseline)
	if err != nil {
		return nil, err
	}
	if !o.Force {
		if err := SameMeaning(in); err != nil {
			return nil, err
		}
	}
	k := &comparison{Comparison: c, in: in, base: base, groupOf: make([]int, len(in))}
	for g, members := range groups {
		for _, i := range members.inputs {
			k.groupOf[i] = g
			c.Groups[g].Files = append(c.Groups[g].Files, in[i].File)
			c.Groups[g].Samples += len(in[i].Run.Launches)
		}
	}
	metrics := o.Metrics
	if len(metrics) == 0 {
		metrics = []string{Aggregate}
	}
	for _, m := range metrics {
		k.addRows(m)
	}
	k.correct()
	for _, m := range metrics {
		k.geomeans(m)
	}
	k.note()
	return c, nil
}

// comparison is a comparison in the making.
type comparison struct {
	*result.Comparison
	in      []Input
	groupOf []int // of each input
	base    int
	order   [][]sample // of each row: all samples in order of time
}

func baseline(c *result.Comparison, name string) (int, error) {
	var names []string
	for i, g := range c.Groups {
		if name == "" || g.Name == name {
			c.Baseline = g.Name
			return i, nil
		}
		names = append(names, g.Name)
	}
	return 0, &BaselineError{name, names}
}

// addRows collects the samples of one metric and makes their rows.
func (k *comparison) addRows(metric string) {
	byTime := order(len(k.in))
	slices.SortStableFunc(byTime, func(i, j int) int { return k.in[i].Run.Started.Compare(k.in[j].Run.Started) })
	aligned := k.alignNUMA()
	samples := make(map[rowKey][]sample)
	var keys []rowKey
	for _, i := range byTime {
		run := k.in[i].Run
		for _, l := range run.Launches {
			for p := range l.Phases {
				v, ok := valueOf(&l.Phases[p], metric)
				if !ok {
					continue
				}
				key := k.rowKey(run, l.Phases[p].Name)
				key.numa = numaOf(run, aligned)
				if samples[key] == nil {
					keys = append(keys, key)
				}
				samples[key] = append(samples[key], sample{k.groupOf[i], i, v})
			}
		}
	}
	slices.SortFunc(keys, compareKeys)
	for _, key := range keys {
		k.Rows = append(k.Rows, k.row(key, metric, samples[key]))
		k.order = append(k.order, samples[key])
	}
}

// rowKey leaves out what the groups are made by.
func (k *comparison) rowKey(run *result.Run, phase string) rowKey {
	key := rowKey{kernel: run.Kernel.Name, tier: run.Kernel.Tier, processes: run.Args.Processes, chunk: run.Args.ChunkBytes, pages: run.Args.Pages, phase: phase}
	switch k.By {
	case "kernel.name":
		key.kernel, key.tier = "", "" // another loop has other tiers
	case "kernel.tier":
		key.tier = ""
	case "args.processes":
		key.processes = 0
	case "args.chunk_bytes":
		key.chunk = 0
	case "args.pages":
		key.pages = ""
	}
	return key
}

func compareKeys(a, b rowKey) int {
	text := func(k rowKey) string {
		order := 0 // single stands before parallel
		if k.phase != result.PhaseSingle {
			order = 1
		}
		return fmt.Sprintf("%s\x00%s\x00%012d\x00%020d\x00%s\x00%s\x00%d%s", k.kernel, k.tier, k.processes, k.chunk, k.pages, k.numa, order, k.phase)
	}
	return strings.Compare(text(a), text(b))
}

// valueOf returns a launch's figure in a phase.
func valueOf(p *result.Phase, metric string) (float64, bool) {
	s := p.Summary
	switch {
	case s == nil:
		return 0, false
	case metric == Aggregate:
		if s.Aggregate == nil {
			return 0, false
		}
		return *s.Aggregate, *s.Aggregate > 0
	case metric == Process:
		return s.PerProcess.Median, s.PerProcess.Median > 0
	case metric == Fairness:
		return s.Fairness, len(p.Workers) > 1 && s.Fairness > 0
	}
	return 0, false
}

// row compares each group with the baseline.
func (k *comparison) row(key rowKey, metric string, all []sample) result.ComparedRow {
	r := result.ComparedRow{
		Kernel: key.kernel, Tier: key.tier, Processes: key.processes, ChunkBytes: key.chunk, Pages: key.pages, NUMA: key.numa,
		Phase: key.phase, Metric: metric, Cells: make([]result.ComparedCell, len(k.Groups)),
	}
	for _, s := range all {
		r.Cells[s.group].Samples = append(r.Cells[s.group].Samples, s.value)
	}
	base := r.Cells[k.base].Samples
	for g := range r.Cells {
		cell := &r.Cells[g]
		cell.N = len(cell.Samples)
		if cell.N == 0 {
			continue
		}
		c := stats.Compare(base, cell.Samples)
		cell.Median = &c.B.Median
		if c.B.Finite() {
			cell.Lo, cell.Hi = &c.B.Lo, &c.B.Hi
		}
		if g != k.base && len(base) > 0 {
			cell.Change, cell.P = &c.Change, &c.P
		}
	}
	rank(r.Cells)
	return r
}

// rank marks the best and the worst group, and scores all.
func rank(cells []result.ComparedCell) {
	var with []int
	var medians []float64
	for g := range cells {
		if cells[g].Median != nil {
			with = append(with, g)
			medians = append(medians, *cells[g].Median)
		}
	}
	if len(with) < 3 {
		return
	}
	lo, hi := slices.Min(medians), slices.Max(medians)
	scores := stats.OutlierScores(medians)
	for i, g := range with {
		cells[g].Best, cells[g].Worst = hi > lo && medians[i] == hi, hi > lo && medians[i] == lo
		if scores != nil {
			cells[g].Score = &scores[i]
		}
	}
}

// correct applies Holm's method to all tests. Emulated figures get no verdict.
func (k *comparison) correct() {
	var p []float64
	var cells []*result.ComparedCell
	for r := range k.Rows {
		for g := range k.Rows[r].Cells {
			if c := &k.Rows[r].Cells[g]; c.P != nil {
				p = append(p, *c.P)
				cells = append(cells, c)
			}
		}
	}
	k.Tests = len(p)
	k.Emulated = emulated(k.in)
	for i, v := range stats.Holm(p) {
		cells[i].PHolm = &v
		cells[i].Significant = v < stats.Alpha && k.Emulated == ""
	}
}

func emulated(in []Input) string {
	for i := range in {
		for _, w := range in[i].Run.Warnings {
			if w.Code == result.WarnEmulated {
				return w.Subject
			}
		}
	}
	return ""
}

// geomeans averages each group's ratios over the rows that it shares with the
// baseline.
func (k *comparison) geomeans(metric string) {
	for g := range k.Groups {
		var ratios []float64
		for _, r := range k.Rows {
			if c := r.Cells[g]; r.Metric == metric && c.Change != nil {
				ratios = append(ratios, 1+*c.Change)
			}
		}
		if len(ratios) > 1 {
			k.Geomeans = append(k.Geomeans, result.Geomean{Group: k.Groups[g].Name, Metric: metric, Rows: len(ratios), Change: stats.Geomean(ratios) - 1})
		}
	}
}

// Gate marks where a group is significantly slower than the baseline by more
// than a part of it, and returns in how many places.
func Gate(c *result.Comparison, above float64) (regressed int) {
	c.FailAbove = &above
	for r := range c.Rows {
		for g := range c.Rows[r].Cells {
			cell := &c.Rows[r].Cells[g]
			cell.Regressed = cell.Significant && -*cell.Change > above
			regressed += b2i(cell.Regressed)
		}
	}
	return regressed
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
