//go:build linux

package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestRunSaysWhatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"--help", 0, "-only"},
		{"--no-such", 2, "not defined: -no-such"},
		{"--only nosuch", 2, "--only nosuch: no such fault; see --list"},
		{"--count 3", 2, "want --memtest FILE"},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(tc.args), &out, &errs); code != tc.code || !strings.Contains(errs.String(), tc.stderr) {
			t.Errorf("%s: exit status %d, %q", tc.args, code, errs.String())
		}
	}
}

// Where no kind of fault can be made the table says why, and nothing is started.
func TestNoFaultCanBeMade(t *testing.T) {
	was := faults
	defer func() { faults = was }()
	faults = []*fault{{name: "oom", what: "OOM killer", possible: func() error { return errors.New("no memory cgroup") }}}
	var out, errs bytes.Buffer
	code := run([]string{"--memtest", "/no/such/file", "--only", "oom"}, &out, &errs)
	if code != 1 || !strings.Contains(out.String(), "| OOM killer | not here: no memory cgroup |") || !strings.Contains(errs.String(), "none of these can be made here") {
		t.Errorf("exit status %d, %q, %q", code, out.String(), errs.String())
	}
}
