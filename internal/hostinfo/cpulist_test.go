package hostinfo

import (
	"slices"
	"strings"
	"testing"
)

func TestParseCPUList(t *testing.T) {
	tests := []struct {
		in   string
		want []int
		err  string // part of the error
	}{
		{"0", []int{0}, ""},
		{"0,2-5\n", []int{0, 2, 3, 4, 5}, ""},
		{"3, 1 , 2", []int{1, 2, 3}, ""},
		{"0-3,2-5,1", []int{0, 1, 2, 3, 4, 5}, ""},
		{"", nil, ""},
		{"\n", nil, ""},
		{"65535", []int{65535}, ""},
		{"0,,2", nil, `"" is not a CPU number or a range like 2-5`},
		{"0,x", nil, `"x"`},
		{"-3", nil, `"-3"`},
		{"2-", nil, `"2-" is not a range`},
		{"1-2-3", nil, `"1-2-3"`},
		{"5-2", nil, `range "5-2" runs backwards`},
		{"0-4000000000", nil, `"4000000000" is not a number from 0 to 65535`},
		{"70000", nil, `"70000" is above the highest possible CPU, 65535`},
		{"0-31:2/4", nil, `"31:2/4"`},
	}
	for _, tt := range tests {
		got, err := ParseCPUList(tt.in)
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("ParseCPUList(%q): error %v, want %q", tt.in, err, tt.err)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("ParseCPUList(%q) = %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestFormatCPUList(t *testing.T) {
	tests := []struct {
		in   []int
		want string
	}{
		{nil, ""}, {[]int{7}, "7"}, {[]int{0, 1}, "0-1"},
		{[]int{5, 0, 3, 4, 4}, "0,3-5"},
	}
	for _, tt := range tests {
		if got := FormatCPUList(tt.in); got != tt.want {
			t.Errorf("FormatCPUList(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A list that names everything many times must neither take long nor grow.
func TestParseCPUListRepeated(t *testing.T) {
	got, err := ParseCPUList(strings.Repeat("0-65535,", 100_000) + "0")
	if err != nil || len(got) != 65536 {
		t.Errorf("%d CPUs, error %v", len(got), err)
	}
}

func FuzzCPUList(f *testing.F) {
	for _, s := range []string{"0,2-5", "0-65535", "", "1-0", "99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cpus, err := ParseCPUList(s)
		if err != nil {
			return
		}
		if !slices.IsSorted(cpus) || len(cpus) > maxCPU+1 {
			t.Fatalf("%q: %v", s, cpus)
		}
		again, err := ParseCPUList(FormatCPUList(cpus))
		if err != nil || !slices.Equal(again, cpus) {
			t.Fatalf("%q: written and read again: %v %v", s, again, err)
		}
	})
}

func TestTopology(t *testing.T) {
	smt := captured("amd64-vm-v1") // cores {0,2} and {1,3}
	tests := []struct {
		name          string
		fs            FS
		allowed, want []int
		cores         int
	}{
		{"two threads a core", smt, []int{0, 1, 2, 3}, []int{0, 1, 2, 3}, 2},
		{"first thread not allowed", smt, []int{1, 2, 3}, []int{1, 2, 3}, 2},
		{"one core", smt, []int{2, 0}, []int{0, 2}, 1},
		{"unsorted", smt, []int{3, 2, 1, 0}, []int{0, 1, 2, 3}, 2},
		{"adjacent siblings", tree(t, map[string]string{
			"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-1\n",
			"sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "0-1\n",
			"sys/devices/system/cpu/cpu2/topology/thread_siblings_list": "2-3\n",
			"sys/devices/system/cpu/cpu3/topology/thread_siblings_list": "2-3\n",
		}), []int{0, 1, 2, 3}, []int{0, 2, 1, 3}, 2},
		{"one CPU without files", smt, []int{0, 1, 2, 3, 9}, []int{0, 1, 9, 2, 3}, 3},
		{"no files", FS{Sys: t.TempDir()}, []int{4, 2, 3}, []int{4, 2, 3}, 0},
		{"no CPUs", smt, nil, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.allowed)
			if got := tt.fs.Topology(tt.allowed); !slices.Equal(got, tt.want) {
				t.Errorf("Topology(%v) = %v, want %v", tt.allowed, got, tt.want)
			}
			if !slices.Equal(before, tt.allowed) {
				t.Errorf("the argument was changed to %v", tt.allowed)
			}
			if cores, ok := tt.fs.cores(tt.allowed); ok != (tt.cores > 0) || ok && len(cores) != tt.cores {
				t.Errorf("%d cores (%v), want %d", len(cores), ok, tt.cores)
			}
		})
	}
}
