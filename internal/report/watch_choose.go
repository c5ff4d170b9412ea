package report

import (
	"fmt"
	"slices"
	"strings"
)

// The growth column's name, and the one for keyboards and terminals without
// Greek letters.
const growthName, growthASCII = "ΔRES", "DRES"

// FindColumn returns the column of a name, in any case.
func FindColumn[R any](all []WatchColumn[R], name string) (*WatchColumn[R], error) {
	want := strings.ToUpper(strings.TrimSpace(name))
	if want == growthASCII {
		want = growthName
	}
	for i := range all {
		if strings.ToUpper(all[i].Name) == want {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("unknown column %q: use one of %s", name, strings.Join(ColumnNames(all), ","))
}

// ColumnNames lists the names of columns.
func ColumnNames[R any](cols []WatchColumn[R]) []string {
	names := make([]string, len(cols))
	for i := range cols {
		names[i] = cols[i].Name
	}
	return names
}

// ParseColumns returns the columns of a comma-separated list.
func ParseColumns[R any](all []WatchColumn[R], list string) ([]*WatchColumn[R], error) {
	var cols []*WatchColumn[R]
	for name := range strings.SplitSeq(list, ",") {
		col, err := FindColumn(all, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(cols, col) {
			cols = append(cols, col)
		}
	}
	return cols, nil
}

// A default column is shown from some width of the terminal on.
type defaultColumn struct {
	name string
	from int
}

// pssColumns are left out where PSS is not read.
var pssColumns = []string{"PSS", "USS", "SWPSS"}

// What fits: the COMMAND has at least 15 columns left at each step.
var processDefaults = []defaultColumn{
	{"PID", 0}, {"PPID", 190}, {"USER", 60}, {"ARCH", 96}, {"S", 50}, {"NI", 190}, {"THR", 140},
	{"VIRT", 40}, {"RES", 0}, {"SHR", 60}, {"PSS", 30}, {"USS", 104}, {"SWAP", 120}, {"PEAK", 130},
	{"%CPU", 50}, {"%MEM", 160}, {"TIME+", 72}, {"AGE", 150}, {"ΔRES", 112}, {"COMMAND", 0},
}

var groupDefaults = []defaultColumn{
	{"PROCS", 0}, {"THR", 130}, {"VIRT", 60}, {"RES", 30}, {"PSS", 0}, {"USS", 70}, {"SWAP", 76}, {"HUGE", 140},
	{"MIN", 96}, {"AVG", 80}, {"MAX", 88}, {"%CPU", 50}, {"%MEM", 110}, {"TIME+", 120}, {"NOPSS", 60}, {"GROUP", 0},
}

// DefaultProcessColumns returns the columns for a screen of the given width.
func DefaultProcessColumns(width int, pss bool) []*ProcessColumn {
	return defaults(ProcessColumns, processDefaults, width, pss)
}

// DefaultGroupColumns is the same for groups.
func DefaultGroupColumns(width int, pss bool) []*GroupColumn {
	return defaults(GroupColumns, groupDefaults, width, pss)
}

func defaults[R any](all []WatchColumn[R], set []defaultColumn, width int, pss bool) []*WatchColumn[R] {
	var cols []*WatchColumn[R]
	for _, d := range set {
		if width < d.from || !pss && slices.Contains(pssColumns, d.name) {
			continue
		}
		if col, err := FindColumn(all, d.name); err == nil {
			cols = append(cols, col)
		}
	}
	return cols
}

// CheapProcessColumns returns the columns that take no file of a process but
// those that are read anyway, and its title.
func CheapProcessColumns() []*ProcessColumn {
	cols, err := ParseColumns(ProcessColumns, "PID,USER,S,VIRT,RES,SHR,%CPU,TIME+,ΔRES,COMMAND")
	if err != nil {
		panic(err) // the names above are wrong
	}
	return cols
}
