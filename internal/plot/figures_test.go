package plot

import (
	"math"
	"slices"
)

var nan = math.NaN()

// The figures of the golden tests: one of each kind, with what is missing,
// extreme or hostile in it.

func barFigure() *Figure {
	return &Figure{
		Title: "Bandwidth of two builds", Desc: "amd64: 28.6 GB/s alone, 50.1 together; 386: 28.4 and 47.3.",
		Parts: []Part{&Bars{
			Title: "write/avx2, 2 x 256 MiB", Axis: Axis{Label: "GB/s (10^9 bytes)"}, Series: []string{"one process alone", "2 processes together"},
			Groups: []BarGroup{
				{Name: "amd64", Bars: []Bar{{Value: 28.6, Lo: 27.7, Hi: 29.9, Note: "28.60", Samples: []float64{27.5, 28, 28.6, 29, 30}}, {Value: 50.1, Lo: 49, Hi: 51, Note: "50.10", Tip: "n = 12"}}},
				{Name: "386", Bars: []Bar{{Value: 28.4, Lo: nan, Hi: nan, Note: "28.40 ~"}, {Value: 47.3, Lo: math.Inf(-1), Hi: math.Inf(1), Note: "47.30 -5.6 %"}}},
				{Name: "a host with a name that is much too long to stand beside its bars, as some are", Bars: []Bar{{Value: nan, Note: "not measured"}, {Value: 12, Note: "12.00"}}},
			},
		}},
	}
}

func shareFigure() *Figure {
	return &Figure{
		Title: "Placement", Desc: "All above 4 GiB but for 4 %.", Width: 380,
		Parts: []Part{&Bars{
			Stacked: true, Axis: Axis{Label: "% of the chunks", Max: 100}, Series: []string{"below 16 MiB", "to 896 MiB", "to 4 GiB", "above"},
			Groups: []BarGroup{{Name: "host1", Bars: []Bar{{Value: 0}, {Value: 4}, {Value: 30}, {Value: 66}}}, {Name: "host2", Note: "unknown", Bars: []Bar{{Value: nan}}}},
		}},
	}
}

func lineFigure() *Figure {
	n := []float64{1, 2, 4, 8, 16}
	return &Figure{
		Title: "Scaling", Desc: "Twice the processes, less than twice the bandwidth.",
		Parts: []Part{&XY{
			X: Axis{Label: "processes", Scale: Log2}, Y: Axis{Label: "GB/s"},
			Lines: []Line{
				{Name: "write", X: n, Y: []float64{28, 50, nan, 80, 82}, Lo: []float64{27, 48, nan, 76, 80}, Hi: []float64{29, 51, nan, 83, 84}, Markers: true},
				{Name: "write-nt", X: n, Y: []float64{20, 40, 70, 95, 99}, Markers: true},
				{Name: "ideal", X: []float64{1, 4}, Y: []float64{28, 112}},
			},
		}},
	}
}

func stackFigure() *Figure {
	var t []float64
	values := make([][]float64, 3)
	for i := range 200 {
		t = append(t, float64(i))
		for k := range values {
			values[k] = append(values[k], float64(k+1)*1e8*(1.5+math.Sin(float64(i)/20+float64(k))))
			if i > 80 && i < 90 {
				values[k][i] = nan
			}
		}
	}
	return &Figure{
		Title: "Memory of a pool", Desc: "Three groups; nothing was recorded from 81 s to 89 s.",
		Parts: []Part{
			&XY{
				Title: "PSS", X: Axis{Scale: Duration}, Y: Axis{Label: "PSS", Scale: Bytes}, Height: 160,
				Stack: &Stack{X: t, Names: []string{"nginx", "uwsgi", "postgres"}, Values: values},
				Marks: []Mark{{40, "worker 12 started"}, {45, "worker 13 started"}, {46, "worker 14 started"}, {150, "worker 12 ended"}},
			},
			&XY{
				Title: "Processes", X: Axis{Scale: Duration, Label: "since the start"}, Height: 80,
				Lines: []Line{{Name: "processes", X: []float64{0, 40, 45, 46, 150, 199}, Y: []float64{11, 12, 13, 14, 13, 13}, Step: true}},
			},
		},
	}
}

func rowFigure() *Figure {
	lane := func(name string, stall int) Row {
		r := Row{Name: name, Tip: name + ": 24 passes"}
		for i := range 24 {
			c := Cell{From: float64(i), To: float64(i + 1), Level: 0.9}
			switch {
			case i == stall:
				c.Level, c.Shade = 0.3, Bad
			case i == stall+1:
				c.Level, c.Shade = 0.7, Slow
			case i >= 20:
				c.Shade = Aside
			}
			r.Cells = append(r.Cells, c)
		}
		return r
	}
	return &Figure{
		Title: "Every pass of every worker", Desc: "Worker 1 stalls in its 8th pass.",
		Parts: []Part{&Rows{
			X: Axis{Label: "seconds since the start"}, Rows: []Row{lane("alone", 90), lane("worker 0", 90), lane("worker 1", 7)},
			Breaks: []Mark{{0, "1"}, {12, "2"}},
			Shades: []ShadeName{{Good, "as usual"}, {Slow, "slow"}, {Bad, "below half"}, {Aside, "held load"}},
		}},
	}
}

// hostile is what a name from a file may be.
const hostile = "<script>alert(1)</script>\"'&\x1b]52;c;\x07\u202eevil\u2066\xff\xfe\x00"

func hostileFigure() *Figure {
	return &Figure{
		Title: hostile, Desc: hostile,
		Parts: []Part{
			&Bars{Title: hostile, Axis: Axis{Label: hostile}, Series: []string{hostile, hostile}, Groups: []BarGroup{{Name: hostile, Bars: []Bar{{Value: 1, Note: hostile, Tip: hostile}}}}},
			&XY{Lines: []Line{{Name: hostile, X: []float64{1, 2}, Y: []float64{1, 2}}}, Marks: []Mark{{1, hostile}}},
			&Rows{Rows: []Row{{Name: hostile, Tip: hostile, Cells: []Cell{{0, 1, 1, Bad}}}}, Breaks: []Mark{{0, hostile}}},
		},
	}
}

func emptyFigure() *Figure {
	return &Figure{Title: "Nothing", Parts: []Part{
		&Bars{}, &Bars{Stacked: true, Groups: []BarGroup{{Name: "x"}}}, &XY{}, &XY{X: Axis{Scale: Log2}, Stack: &Stack{}}, &Rows{}, &Rows{Rows: []Row{{Name: "x"}}},
		&XY{Lines: []Line{{X: []float64{3}, Y: []float64{0}}, {X: []float64{nan}, Y: []float64{nan}}}},
	}}
}

func allFigures() map[string]*Figure {
	return map[string]*Figure{
		"bars": barFigure(), "shares": shareFigure(), "lines": lineFigure(), "stack": stackFigure(), "rows": rowFigure(),
		"hostile": hostileFigure(), "empty": emptyFigure(),
	}
}

var goldenFigures = slices.Values([]string{"bars", "shares", "lines", "rows"})
