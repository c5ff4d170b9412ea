package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestRecordUsage(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.jsonl")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "new.jsonl")
	for _, tc := range []struct {
		args []string
		want string // part of the one line
	}{
		{nil, "want a command behind --"},
		{[]string{"--label", "a"}, "want a command behind --"},
		{[]string{"-d", "0", "--", "true"}, "-d 0:"},
		{[]string{"-d", "-1", "--", "true"}, "-d -1:"},
		{[]string{"-d", "NaN", "--", "true"}, "-d NaN:"},
		{[]string{"-d", "0.001", "--", "true"}, "0.01 to 86400"},
		{[]string{"-d", "x", "--", "true"}, "-d x:"},
		{[]string{"--for", "0", "--", "true"}, "--for 0:"},
		{[]string{"--for", "-5s", "--", "true"}, "--for -5s:"},
		{[]string{"--for", "", "--", "true"}, "--for :"},
		{[]string{"--pss-budget", "101%", "--", "true"}, "--pss-budget 101%"},
		{[]string{"--whatif", "--whatif-budget", "0", "--", "true"}, "--whatif-budget 0"},
		{[]string{"--whatif-budget", "1%", "--", "true"}, "without --whatif"},
		{[]string{"--watch", "ba(d", "--", "true"}, `"ba(d"`},
		{[]string{"--watch", "", "--", "true"}, "--watch is empty"},
		{[]string{"--pid", "", "--", "true"}, "--pid is empty"},
		{[]string{"--tree", " "}, "--tree is empty"},
		{[]string{"--cgroup", "relative"}, "--cgroup relative"},
		{[]string{"-u", "no-such-user"}, "no-such-user"},
		{[]string{"-p", "999999999", "-o", out}, "-p 999999999: there is no such process"},
		{[]string{"--tree", "999999999", "-o", out}, "--tree 999999999: there is no such process"},
		{[]string{"--wait-all", "-p", "1"}, "no command to wait for"},
		{[]string{"--exits", "ptrace", "-p", "1"}, "not for running processes"},
		{[]string{"--exits", "magic", "--", "true"}, "auto, taskstats"},
		{[]string{"--label", "a=", "--", "true"}, `--label "a="`},
		{[]string{"--label", "=b", "--", "true"}, `--label "=b"`},
		{[]string{"--label", "a=1,,b=2", "--", "true"}, `--label "a=1,,b=2"`},
		{[]string{"--label", "a=1", "--label", "a=2", "--", "true"}, "a is given twice"},
		{[]string{"-o", "-", "--", "true"}, "standard output is the command's"},
		{[]string{"-o", "", "--", "true"}, "want a file's name"},
		{[]string{"-o", old, "-p", "1"}, "--overwrite"},
		{[]string{"-o", dir, "-p", "1"}, "is a folder"},
		{[]string{"-o", filepath.Join(dir, "none", "r.jsonl"), "-p", "1"}, "cannot write there"},
		{[]string{"--no-such-flag"}, "--no-such-flag"},
	} {
		code, stdout, stderr := execute(t, context.Background(), append([]string{"record"}, tc.args...)...)
		if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", tc.args, code, stdout, stderr)
		}
	}
	if b, err := os.ReadFile(old); err != nil || string(b) != "old" {
		t.Errorf("the old file holds %q, %v", b, err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was left though nothing was recorded")
	}
}

func TestRecordLabels(t *testing.T) {
	f := recordFlags{labels: []string{"strategy=thread, conns=64", "quick", "a==b"}, delay: "1", pssBudget: "0", whatShare: "2%", exits: "auto"}
	o, err := f.options([]string{"true"}, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	want := []result.Label{{Name: "strategy", Value: "thread"}, {Name: "conns", Value: "64"}, {Value: "quick"}, {Name: "a", Value: "=b"}}
	if !slices.Equal(o.config.Labels, want) {
		t.Errorf("%+v", o.config.Labels)
	}
}

// A pattern that is a subcommand's name is given behind --, and the help says
// so.
func TestPatternNamedRecord(t *testing.T) {
	code, stdout, stderr := execute(t, context.Background(), "-b", "-n", "1", "--", "record")
	if code == exitUsage || !strings.Contains(stdout+stderr, "process") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if _, stdout, _ = execute(t, context.Background(), "--help"); !strings.Contains(stdout, "rsswatch -- record") {
		t.Error(stdout)
	}
}
