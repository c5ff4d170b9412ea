package main

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestWhatIfUsage(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
		code int
	}{
		{nil, "name a process", exitUsage},
		{[]string{"--format", "csv", "1"}, "--format csv", exitUsage},
		{[]string{"--model", "vax", "1"}, "--model vax", exitUsage},
		{[]string{"--ints", "both", "1"}, "--ints both", exitUsage},
		{[]string{"--limit", "0", "1"}, "--limit 0", exitUsage},
		{[]string{"--all", "--limit", "1", "1"}, "--all", exitUsage},
		{[]string{"--tree", ""}, "--tree is empty", exitUsage},
		{[]string{"--tree", "x"}, "--tree x", exitUsage},
		{[]string{"--tree", "999999999"}, "--tree 999999999", exitUsage},
		{[]string{"999999999"}, "999999999", exitUsage},
		{[]string{"0"}, "whatif 0", exitUsage},
		{[]string{"ba(d"}, `"ba(d"`, exitUsage},
		{[]string{"-w", "-1", "1"}, "--width -1", exitUsage},
		{[]string{"no such title $^"}, "no process matches", exitFailure},
	} {
		code, stdout, stderr := execute(t, context.Background(), append([]string{"whatif"}, tc.args...)...)
		if code != tc.code || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", tc.args, code, stdout, stderr)
		}
	}
}

// A process may always look at itself.
func TestWhatIfSelf(t *testing.T) {
	skipEmulated(t)
	self := strconv.Itoa(os.Getpid())
	code, stdout, stderr := execute(t, context.Background(), "whatif", "--format", "json", self)
	if runtime.GOOS != "linux" {
		if code != exitFailure || !strings.Contains(stderr, "Linux only") {
			t.Errorf("exit %d, %q", code, stderr)
		}
		return
	}
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var rec result.WhatIf
	if err := json.Unmarshal([]byte(stdout), &rec); err != nil || rec.Schema != result.WhatIfSchema || len(rec.Processes) != 1 {
		t.Fatalf("%v: %s", err, stdout)
	}
	p := rec.Processes[0]
	if p.PID != int32(os.Getpid()) || p.Bits != strconv.IntSize || p.Estimate == nil || p.Start == 0 || p.PrivateBytes == 0 || p.Coverage.ReadBytes == 0 {
		t.Errorf("%+v", p)
	}
	code, stdout, _ = execute(t, context.Background(), "whatif", self)
	if code != 0 || strings.Count(stdout, "\n") > 24 {
		t.Errorf("exit %d; a table of %d lines", code, strings.Count(stdout, "\n"))
	}
	for line := range strings.Lines(stdout) {
		if len([]rune(strings.TrimSuffix(line, "\n"))) > 80 {
			t.Errorf("longer than 80 columns: %s", line)
		}
	}
}

// A pattern that is a subcommand's name elsewhere is a pattern still.
func TestHelpIsAPattern(t *testing.T) {
	code, _, stderr := execute(t, context.Background(), "-b", "-n", "1", "help")
	if code == exitUsage {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
