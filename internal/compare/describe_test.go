package compare

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// one is a record a rate, of one argument.
func one(label, host string, rates ...float64) (in []Input) {
	for i, r := range rates {
		in = append(in, Input{label, fmt.Sprintf("%s%d.json", label, i), fakeRun(host, "amd64", i, r)})
	}
	return in
}

func TestSummarizeOneGroup(t *testing.T) {
	in := one("a", "h", 1, 2, 3, 4, 5, 6)
	if _, err := Compare(in, Options{By: "host"}); err == nil {
		t.Fatal("Compare takes one group")
	}
	c, err := Summarize(in, Options{By: "host"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Groups) != 1 || c.Groups[0].Name != "h" || c.Groups[0].Samples != 6 || c.Tests != 0 || len(c.Rows) == 0 {
		t.Errorf("%+v", c)
	}
	if cell := c.Rows[0].Cells[0]; cell.N != 6 || *cell.Median != 1.75 || *cell.Lo != 0.5 || *cell.Hi != 3 || cell.Change != nil || cell.P != nil {
		t.Errorf("%+v", cell)
	}
	if !slices.Equal(GroupOf(in, c), make([]int, 6)) {
		t.Errorf("groups %v", GroupOf(in, c))
	}
	var base *BaselineError
	if _, err := Summarize(in, Options{By: "host", Baseline: "g"}); !errors.As(err, &base) {
		t.Errorf("a baseline that is none: %v", err)
	}
}

// Many files that differ in nothing are one group; two are two still.
func TestSummarizeManyFiles(t *testing.T) {
	var in []Input
	for i := range 6 {
		in = append(in, one(fmt.Sprint("f", i), "h", float64(i+1))...)
	}
	for n, want := range map[int]int{6: 1, 2: 2} {
		c, err := Summarize(in[:n], Options{})
		if err != nil || len(c.Groups) != want {
			t.Errorf("%d files: %v, %v; want %d groups", n, c, err, want)
		}
	}
}

func TestFields(t *testing.T) {
	in := append(one("a", "h1", 1, 2), one("b", "h2", 3)...)
	in[1].Run.Host.CPU.Microcode = "0x2"
	c, err := Summarize(in, Options{By: "host"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(GroupOf(in, c), []int{0, 0, 1}) {
		t.Errorf("groups %v", GroupOf(in, c))
	}
	seen := 0
	for _, f := range Fields(in, c) {
		switch f.Path {
		case "host.cpu.microcode":
			seen++
			if !f.Differs || !slices.Equal(f.Values[0], []string{"0x2", Unknown}) || !slices.Equal(f.Values[1], []string{Unknown}) {
				t.Errorf("%+v", f)
			}
		case "kernel.name":
			seen++
			if f.Differs {
				t.Errorf("%+v", f)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 fields", seen)
	}
}
