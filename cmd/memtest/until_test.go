package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestUntilBadInput(t *testing.T) {
	for args, want := range map[string][]string{
		"2 1 5 --until x":                  {"--until", `"x"`, "percentage"},
		"2 1 5 --until 0%":                 {"--until", `"0%"`, "above 0"},
		"2 1 5 --until -1":                 {"--until", `"-1"`},
		"2 1 5 --until 101%":               {"--until", `"101%"`},
		"2 1 5 --until 1% --repeat 5":      {"--repeat", "5", "at least 6"},
		"2 1 5 --until-time 5m":            {"--until-time", "--until 1%"},
		"2 1 5 --until 1 --until-time x":   {"--until-time", `"x"`},
		"2 1 5 --until 1 --until-time -5m": {"--until-time", "-5m", "10m"},
	} {
		got := memtest(t, strings.Fields(args)...)
		if got.code != exitUsage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("memtest %s: exit %d, stdout %q, stderr %q; want exit 2 and one line", args, got.code, got.stdout, got.stderr)
		}
		for _, w := range want {
			if !strings.Contains(got.stderr, w) {
				t.Errorf("memtest %s: %q does not mention %q", args, got.stderr, w)
			}
		}
	}
}

// Any interval is within 100 % of its median on one side at least; on a
// very noisy host the other may not be, so either outcome has to be told.
func TestUntilIsSaidAndRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	got := memtest(t, "1", "0.01", "8", "--until", "100%", "--repeat", "12", "-o", path)
	b, err := os.ReadFile(path)
	if err != nil || got.code != exitOK {
		t.Fatalf("exit %d, %v, %s", got.code, err, got.stderr)
	}
	r := decode(t, b)
	if u := r.Until; u == nil || u.Launches != len(r.Launches) || u.Launches < 6 || u.Launches > 12 || len(u.Phases) != 2 || r.Args.Repeat != 12 || *r.Args.UntilPercent != 100 {
		t.Fatalf("until %+v, args %+v", r.Until, r.Args)
	}
	want := "--until 100% reached: interval of the median ±"
	if !r.Until.Reached {
		want = "Warning: the interval of the median is still ±"
	}
	if !strings.Contains(got.stdout, want) {
		t.Errorf("output lacks %q:\n%s", want, got.stdout)
	}
}

// What cannot be reached ends with the limit, a warning and success.
func TestUntilNotReached(t *testing.T) {
	args := []string{"1", "0.005", "8", "--until", "0.000001%", "--repeat", "7", "--format", "json", "--kernel", "write,read"}
	got := memtest(t, args...)
	var runs []*result.Run
	if err := json.Unmarshal([]byte(got.stdout), &runs); err != nil || got.code != exitOK || len(runs) != 2 {
		t.Fatalf("exit %d, %v: %s", got.code, err, got.stderr)
	}
	for _, r := range runs {
		if u := r.Until; u.Reached || u.Stop != result.StopRepeat || u.Launches != 7 {
			t.Errorf("%+v", u)
		}
		found := false
		for _, w := range r.Warnings {
			found = found || w.Code == result.WarnUntil && strings.Contains(w.Text, "after 7 launches")
		}
		if !found {
			t.Errorf("warnings %+v lack %s", r.Warnings, result.WarnUntil)
		}
	}
	if !strings.HasPrefix(got.stderr, "6 launches: interval of the median ±") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("standard error %q, want one line after six launches", got.stderr)
	}
	if got := memtest(t, append(args, "-q")...); got.code != exitOK || got.stderr != "" {
		t.Errorf("-q: exit %d, standard error %q", got.code, got.stderr)
	}
	got = memtest(t, "1", "0.005", "8", "--until", "0.000001%", "--until-time", "1ns")
	if got.code != exitOK || !strings.Contains(got.stdout, "no interval of the median after 1 launch (") {
		t.Errorf("exit %d: %s", got.code, got.stdout)
	}
}
