package main

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// FuzzOptions: whatever stands on the command line, the answer is options
// whose values are in range or one line that names what was wrong.
func FuzzOptions(f *testing.F) {
	f.Add("nginx", "2", "2%", "10M", "+RES", "PID,RES", "program")
	f.Add("ba(d", "NaN", "-1%", "1e400", "x", "", "regex")
	f.Add("-", "1h", "100", "9e18K", "%CPU", "all", "")
	f.Fuzz(func(t *testing.T, pattern, delay, budget, size, sort, columns, group string) {
		fl := flags{format: "table", cpuMode: "one", pssTimeout: "5", delay: delay, pssBudget: budget, whatIf: budget, minRSS: size, sort: sort, columns: columns, group: group}
		opt, err := fl.options([]string{pattern}, func(string) bool { return false }, false)
		if err != nil {
			var usage *usageError
			if !errors.As(err, &usage) || strings.TrimSpace(err.Error()) == "" {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if opt.delay <= 0 || !(opt.pssBudget >= 0 && opt.pssBudget <= 1) || opt.sel.MinRSS < 0 {
			t.Errorf("%+v", opt)
		}
	})
}

func FuzzSize(f *testing.F) {
	for _, s := range []string{"10M", "1.5GiB", "1kB", "-1", "1e30", "NaN", "KK", "0x10", "1 MB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := parseSize(s); err == nil && v < 0 {
			t.Errorf("%q: %d", s, v)
		}
		if d, err := parseSeconds(s); err == nil && math.Abs(d.Hours()) > 24*366*300 {
			t.Errorf("%q: %v", s, d)
		}
		if v, err := parseShare(s); err == nil && !(v >= 0 && v <= 1) {
			t.Errorf("%q: %v", s, v)
		}
	})
}
