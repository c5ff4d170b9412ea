package membench

import (
	"errors"
	"strings"
	"testing"
)

// FuzzArguments: an argument is a value in range or an error that names it and
// says what would be right.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{"4", "1500", "0.5", "2G", "1.5GiB", "10s", "1e400", "NaN", "-1", "0x10", "1_0", "99999999999999999999", "0-3,8", "auto", "4k"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clear := func(name string, err error) {
			var arg *ArgError
			if err != nil && (!errors.As(err, &arg) || arg.Name == "" || arg.Want == "" || !strings.Contains(err.Error(), arg.Name)) {
				t.Errorf("%s %q: %v", name, s, err)
			}
		}
		n, err := ParseProcesses(s)
		clear("N", err)
		if err == nil && (n < 1 || n > maxProcesses) {
			t.Errorf("N %q: %d", s, n)
		}
		d, err := ParseMinTime(s)
		clear("T", err)
		if err == nil && (d < 0 || d > maxMinTime) {
			t.Errorf("T %q: %v", s, d)
		}
		size, err := ParseChunk(s)
		clear("MB", err)
		if err == nil && (size <= 0 || size%chunkStep != 0) {
			t.Errorf("MB %q: %d", s, size)
		}
		_, err = ParsePin(s, []int{0, 1})
		clear("--pin", err)
		_, err = ParsePages(s)
		clear("--pages", err)
		_, err = ParseSeed(s)
		clear("--seed-pattern", err)
	})
}
