package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wordsize/internal/page"
	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// verdicts are what a reader in a hurry takes away: what was found, and how
// much it is to be trusted.
func (b *book) verdicts() []page.Block {
	v := &page.Verdict{}
	switch {
	case len(b.c.Rows) == 0:
		v.Tone, v.Text = page.Doubt, "No phase of these records is complete: there is nothing to show"
	case b.c.Emulated != "":
		v.Tone, v.Text = page.Doubt, Emulated(printable(b.c.Emulated))
	case len(b.c.Groups) == 1:
		b.verdictOne(v)
	case len(b.c.Groups) == 2:
		b.verdictTwo(v)
	default:
		b.verdictMany(v)
	}
	v.More = append(v.More, b.doubts()...)
	if v.Tone == page.Plain && len(v.More) > 1 {
		v.Tone = page.Doubt
	}
	return []page.Block{v}
}

// main returns the row that the headline is about: the first metric's last
// row of a parallel phase, else its last.
func (b *book) main() *result.ComparedRow {
	var last *result.ComparedRow
	for i := range b.c.Rows {
		r := &b.c.Rows[i]
		if r.Metric != b.c.Rows[0].Metric {
			break
		}
		if last == nil || r.Phase == result.PhaseParallel || last.Phase != result.PhaseParallel {
			last = r
		}
	}
	return last
}

func (b *book) verdictOne(v *page.Verdict) {
	r := b.main()
	cell := &r.Cells[0]
	v.Text = fmt.Sprintf("%s: %s", r.Name(), figureText(r.Metric, cell))
	for i := range b.c.Rows {
		if o := &b.c.Rows[i]; o != r && o.Metric == r.Metric && o.Cells[0].Median != nil {
			text := fmt.Sprintf("%s: %s", o.Name(), figureText(o.Metric, &o.Cells[0]))
			if o.Phase == result.PhaseSingle && o.Processes == r.Processes && o.ChunkBytes == r.ChunkBytes && o.Kernel == r.Kernel && o.Tier == r.Tier && r.Metric == "aggregate" {
				text += fmt.Sprintf("; all together write %.2f times as much", *cell.Median / *o.Cells[0].Median)
			}
			if len(v.More) < 3 {
				v.More = append(v.More, text)
			}
		}
	}
}

// figureText writes a median with its interval in words.
func figureText(metric string, c *result.ComparedCell) string {
	if c.Median == nil {
		return "not measured"
	}
	unit := " GB/s"
	if metric == "fairness" {
		unit = ""
	}
	interval := "too few for an interval"
	if c.Lo != nil {
		interval = fmt.Sprintf("95 %% interval %s to %s", value(metric, *c.Lo), value(metric, *c.Hi))
	}
	return fmt.Sprintf("%s%s (median of %s, %s)", value(metric, *c.Median), unit, countOf(c.N, "launch"), interval)
}

// changed sorts the first metric's rows by what became of a group in them.
func (b *book) changed(g int) (slower, faster, same []*result.ComparedRow) {
	for i := range b.c.Rows {
		r := &b.c.Rows[i]
		c := &r.Cells[g]
		switch {
		case r.Metric != b.c.Rows[0].Metric || c.Change == nil:
		case !c.Significant:
			same = append(same, r)
		case *c.Change < 0:
			slower = append(slower, r)
		default:
			faster = append(faster, r)
		}
	}
	return slower, faster, same
}

// changes lists changes such as "-4.74 % (2 x 256 MiB single)".
func changes(rows []*result.ComparedRow, g int) string {
	var list []string
	for i, r := range rows {
		if i == 3 {
			list = append(list, fmt.Sprintf("and %d more", len(rows)-i))
			break
		}
		list = append(list, fmt.Sprintf("%s (%s)", percent(*r.Cells[g].Change), r.Name()))
	}
	return strings.Join(list, ", ")
}

func (b *book) verdictTwo(v *page.Verdict) {
	base := b.base()
	g := 1 - base
	was, is := b.name(base), b.name(g)
	slower, faster, same := b.changed(g)
	switch {
	case len(slower) > 0 && len(faster) > 0:
		v.Tone = page.Doubt
		v.Text = fmt.Sprintf("%s is slower than %s in part, and faster in part: %s", is, was, changes(append(slower, faster...), g))
	case len(slower) > 0:
		v.Tone, v.Text = page.Bad, fmt.Sprintf("%s is slower than %s: %s", is, was, changes(slower, g))
	case len(faster) > 0:
		v.Tone, v.Text = page.Good, fmt.Sprintf("%s is faster than %s: %s", is, was, changes(faster, g))
	case len(same) == 0:
		v.Tone, v.Text = page.Doubt, fmt.Sprintf("%s and %s have no figure in common", is, was)
	default:
		b.verdictSame(v, same, base, g)
		return
	}
	for _, r := range append(slower, faster...) {
		if len(v.More) < 3 {
			v.More = append(v.More, b.against(r, base, g))
		}
	}
	if len(same) > 0 {
		v.More = append(v.More, fmt.Sprintf("No significant difference in %s.", countOf(len(same), "other figure")))
	}
}

// against sets two groups' figures beside each other.
func (b *book) against(r *result.ComparedRow, base, g int) string {
	was, is := &r.Cells[base], &r.Cells[g]
	return fmt.Sprintf("%s: %s against %s GB/s, p = %s (%s after Holm's correction), %d and %d launches.", r.Name(),
		value(r.Metric, *is.Median), value(r.Metric, *was.Median), chance(*is.P), chance(*is.PHolm), is.N, was.N)
}

// verdictSame says that no difference was shown, and what that is worth.
func (b *book) verdictSame(v *page.Verdict, same []*result.ComparedRow, base, g int) {
	was, is := b.name(base), b.name(g)
	v.Text = fmt.Sprintf("No significant difference between %s and %s", is, was)
	r := b.main()
	n, m := r.Cells[base].N, r.Cells[g].N
	if b.blind() {
		v.Tone = page.Doubt
		v.Text = fmt.Sprintf("Too few launches to tell %s from %s: %d and %d; take --repeat 10", is, was, n, m)
		return
	}
	b.sayWide(v, same, base, g)
	v.More = append(v.More, b.against(r, base, g))
}

// blind says whether no difference could have been significant.
func (b *book) blind() bool {
	return slices.ContainsFunc(b.c.Notes, func(n result.Note) bool { return n.Code == result.NoteBlind && n.Rows == nil })
}

// sayWide says what "no significant difference" is worth.
func (b *book) sayWide(v *page.Verdict, rows []*result.ComparedRow, groups ...int) {
	wide := b.widest(rows, groups...)
	switch {
	case wide <= tooWide:
		return
	case math.IsInf(wide, 1):
		v.More = append(v.More, "There are too few launches for an interval: a large difference could go unseen.")
	default:
		v.More = append(v.More, fmt.Sprintf("But the intervals are up to %.0f %% wide: a difference of that size could go unseen. A quieter host or a larger --repeat would tell more.", 100*wide))
	}
	v.Tone = page.Doubt
}

// widest returns the widest interval of two groups, as a part of its median.
func (b *book) widest(rows []*result.ComparedRow, groups ...int) float64 {
	wide := 0.0
	for _, r := range rows {
		for _, g := range groups {
			switch c := &r.Cells[g]; {
			case c.Median == nil:
			case c.Lo == nil:
				wide = math.Inf(1)
			default:
				wide = max(wide, (*c.Hi-*c.Lo)/(*c.Median))
			}
		}
	}
	return wide
}

func (b *book) verdictMany(v *page.Verdict) {
	var slower, faster, outlying []string
	same := 0
	for g := range b.c.Groups {
		lower, higher, _ := b.changed(g)
		switch {
		case g == b.base():
		case len(lower) > 0 && len(higher) > 0:
			slower = append(slower, fmt.Sprintf("%s in part: %s", b.name(g), changes(append(lower, higher...), g)))
		case len(lower) > 0:
			slower = append(slower, fmt.Sprintf("%s: %s", b.name(g), changes(lower, g)))
		case len(higher) > 0:
			faster = append(faster, fmt.Sprintf("%s: %s", b.name(g), changes(higher, g)))
		default:
			same++
		}
		if b.outlying(g) {
			outlying = append(outlying, b.name(g))
		}
	}
	base := b.name(b.base())
	switch {
	case len(outlying) > 0:
		v.Tone, v.Text = page.Bad, fmt.Sprintf("%s is far from the others", strings.Join(outlying, ", "))
		if len(outlying) > 1 {
			v.Text = fmt.Sprintf("%s are far from the others", someOf(outlying, "groups"))
		}
	case len(slower) > 0:
		v.Tone, v.Text = page.Bad, fmt.Sprintf("%s of %d slower than %s", countOf(len(slower), "group"), len(b.c.Groups)-1, base)
	case len(faster) > 0:
		v.Tone, v.Text = page.Good, fmt.Sprintf("%s of %d faster than %s, none slower", countOf(len(faster), "group"), len(b.c.Groups)-1, base)
	case b.c.Tests == 0:
		v.Tone, v.Text = page.Doubt, fmt.Sprintf("No group has a figure in common with %s", base)
	default:
		v.Text = "No group differs significantly from " + base
		var rows []*result.ComparedRow
		for i := range b.c.Rows {
			rows = append(rows, &b.c.Rows[i])
		}
		var all []int
		for g := range b.c.Groups {
			all = append(all, g)
		}
		b.sayWide(v, rows, all...)
	}
	v.More = append(v.More, atMost(slower, "Slower than "+base+": ")...)
	v.More = append(v.More, atMost(faster, "Faster than "+base+": ")...)
	if same > 0 && len(slower)+len(faster) > 0 {
		v.More = append(v.More, fmt.Sprintf("No significant difference from %s: %s.", base, countOf(same, "group")))
	}
}

// atMost prefixes the first few of a list and counts the rest.
func atMost(list []string, prefix string) []string {
	const most = 4
	var out []string
	for i, s := range list {
		if i == most {
			return append(out, fmt.Sprintf("%s%d more", prefix, len(list)-most))
		}
		out = append(out, prefix+s+".")
	}
	return out
}

// outlying says whether a group is far from the others in any row.
func (b *book) outlying(g int) bool {
	return slices.ContainsFunc(b.c.Rows, func(r result.ComparedRow) bool {
		s := r.Cells[g].Score
		return s != nil && math.Abs(*s) > stats.OutlierScore
	})
}

// doubts are what speaks against all of it.
func (b *book) doubts() []string {
	var list []string
	warned, early := 0, 0
	var codes []string
	for i := range b.Records {
		run := b.Records[i].Run
		if len(run.Warnings) > 0 {
			warned++
		}
		if run.Interrupted || run.Error != "" {
			early++
		}
		for _, w := range run.Warnings {
			if !slices.Contains(codes, w.Code) {
				codes = append(codes, w.Code)
			}
		}
	}
	if early > 0 {
		list = append(list, fmt.Sprintf("%s ended early: complete phases alone count.", countOf(early, "record")))
	}
	if warned > 0 {
		slices.Sort(codes)
		list = append(list, fmt.Sprintf("%d of %s carry warnings (%s): trust the figures accordingly; see Warnings.", warned, countOf(len(b.Records), "record"), printable(strings.Join(codes, ", "))))
	}
	if n := len(b.c.Notes); n > 0 && len(b.c.Groups) > 1 {
		list = append(list, fmt.Sprintf("%s on the comparison: see below its table.", countOf(n, "note")))
	}
	for _, r := range b.c.Regressed {
		list = append(list, "Gate: "+printable(r)+".")
	}
	return list
}
