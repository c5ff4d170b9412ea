package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wordsize/internal/result"
	"wordsize/internal/stats"
)

// matrixMetrics are shown when none is asked for.
var matrixMetrics = []string{"cpu", "pss"}

// matrices sets two parts of the labels against each other, when there are two
// that vary or the caller names them. Other parts that vary make a matrix for
// each of their combinations.
func (k *comparison) matrices(in []Labelled, o CompareOptions) ([]result.UsageMatrix, error) {
	parts, values := partsOf(in)
	var varying []string
	for _, p := range parts {
		if len(values[p]) > 1 {
			varying = append(varying, p)
		}
	}
	for _, want := range []string{o.Rows, o.Columns} {
		if want != "" && !slices.Contains(parts, want) {
			return nil, &PartError{want, parts}
		}
	}
	rows, columns := o.Rows, o.Columns
	rest := slices.DeleteFunc(slices.Clone(varying), func(p string) bool { return p == rows || p == columns })
	if rows == "" && (columns != "" || len(varying) == 2) && len(rest) > 0 {
		rows, rest = rest[0], rest[1:]
	}
	if columns == "" && rows != "" && len(rest) > 0 {
		columns, rest = rest[0], rest[1:]
	}
	if rows == "" || columns == "" || rows == columns {
		return nil, nil
	}
	names := o.Metrics
	if len(names) == 0 {
		names = matrixMetrics
	}
	list, err := findMetrics(names)
	if err != nil {
		return nil, err
	}
	var out []result.UsageMatrix
	for _, m := range list {
		if m.max == nil {
			continue
		}
		for _, where := range combinations(in, rest) {
			out = append(out, k.matrix(in, m, rows, columns, where, values))
		}
	}
	return out, nil
}

// partName names a part of a label: those without a name by their place.
func partName(l result.Label, i int) string {
	return cmp.Or(l.Name, fmt.Sprintf("part %d", i+1))
}

// partsOf returns the parts of the labels that all recordings have, in order
// of appearance, and their values: in order of size where they are numbers.
func partsOf(in []Labelled) (parts []string, values map[string][]string) {
	values = map[string][]string{}
	count := map[string]int{}
	for _, l := range in {
		for i, part := range l.Use.Header.Labels {
			name := partName(part, i)
			if count[name]++; count[name] == 1 {
				parts = append(parts, name)
			}
			if !slices.Contains(values[name], part.Value) {
				values[name] = append(values[name], part.Value)
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return count[p] < len(in) })
	for _, v := range values {
		numbers := !slices.ContainsFunc(v, func(s string) bool { _, err := strconv.ParseFloat(s, 64); return err != nil })
		if numbers {
			slices.SortFunc(v, func(a, b string) int {
				x, _ := strconv.ParseFloat(a, 64)
				y, _ := strconv.ParseFloat(b, 64)
				return cmp.Compare(x, y)
			})
		}
	}
	return parts, values
}

func valueOf(u *Usage, part string) string {
	for i, l := range u.Header.Labels {
		if partName(l, i) == part {
			return l.Value
		}
	}
	return ""
}

// combinations returns the distinct values of some parts; one that is empty
// for no parts.
func combinations(in []Labelled, parts []string) (all [][]result.Label) {
	seen := map[string]bool{}
	for _, l := range in {
		var where []result.Label
		for _, p := range parts {
			where = append(where, result.Label{Name: p, Value: valueOf(l.Use, p)})
		}
		if id := fmt.Sprint(where); !seen[id] {
			seen[id] = true
			all = append(all, where)
		}
	}
	return all
}

func (k *comparison) matrix(in []Labelled, m metric, rows, columns string, where []result.Label, values map[string][]string) result.UsageMatrix {
	out := result.UsageMatrix{Metric: m.name, Unit: m.unit, Where: where, RowPart: rows, ColumnPart: columns, Rows: values[rows], Columns: values[columns]}
	for _, r := range out.Rows {
		cells := make([]result.MatrixCell, len(out.Columns))
		for j, c := range out.Columns {
			var avg, high []float64
			for _, l := range in {
				if valueOf(l.Use, rows) != r || valueOf(l.Use, columns) != c || slices.ContainsFunc(where, func(w result.Label) bool { return valueOf(l.Use, w.Name) != w.Value }) {
					continue
				}
				g := l.Use.total.usage()
				a, ok := m.avg(&g, &l.Use.Recording)
				h, also := m.max(&g, &l.Use.Recording)
				if ok && also {
					avg, high = append(avg, a), append(high, h)
				}
			}
			if cells[j].N = len(avg); len(avg) > 0 {
				a, h := stats.Median(avg), stats.Median(high)
				cells[j].Avg, cells[j].Max = &a, &h
			}
		}
		out.Cells = append(out.Cells, cells)
	}
	return out
}

// WhereText names a combination of parts.
func WhereText(where []result.Label) string {
	words := make([]string, len(where))
	for i, l := range where {
		words[i] = l.Name + "=" + l.Value
	}
	return strings.Join(words, ", ")
}
