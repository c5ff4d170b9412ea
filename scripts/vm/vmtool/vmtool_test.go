package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wordsize/internal/vm/guest"
	"wordsize/internal/vm/machine"
)

func noEnv(string) string { return "" }

func TestParseTest(t *testing.T) {
	tests := []struct {
		args    string
		goArgs  string
		verbose bool
	}{
		{"", "-count=1 ./...", false},
		{"-v", "-count=1 -v ./...", true},
		{"-v=false -run Abc", "-count=1 -v=false -run Abc ./...", false},
		{"--kernel amd64 --mem=1024 -short ./internal/...", "-count=1 -short ./internal/...", false},
		{"--beside-native -- -run X .", "-count=1 -run X .", false},
	}
	for _, tt := range tests {
		o, err := parseTest(strings.Fields(tt.args), noEnv)
		if err != nil || strings.Join(o.goArgs, " ") != tt.goArgs || o.verbose != tt.verbose || o.goarch != "386" {
			t.Errorf("%q: %+v, %v", tt.args, o, err)
		}
	}
	for _, args := range []string{"--nosuch", "--kernel x", "--goarch arm", "-json", "-exec=x", "--mem"} {
		if o, err := parseTest(strings.Fields(args), noEnv); err == nil {
			t.Errorf("%q: accepted: %+v", args, o)
		}
	}
	if _, err := parseTest([]string{"--help"}, noEnv); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
}

func TestTestShares(t *testing.T) {
	got := testShares("/r", "/tmp/b", []string{"/r/p", "/tmp/b", "/r"})
	want := []machine.Share{{Host: "/r", Guest: "/r", Mode: guest.CopyOnWrite}, {Host: "/tmp/b", Guest: "/tmp/b", Mode: guest.ReadWrite},
		{Host: "/r/p", Guest: "/r/p", Mode: guest.ReadWrite}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := testShares("/r", "/r/build", nil); len(got) != 1 {
		t.Errorf("a binary inside of the module: %v", got)
	}
}

// TestStatuses: every kind of failure has its exit status and one clear line.
func TestStatuses(t *testing.T) {
	_, usage := machine.FindKernel("x")
	tests := []struct {
		err  error
		want int
		says string
	}{
		{usage, 2, "unknown kernel"},
		{errUsage("wrong"), 2, "vm: wrong"},
		{&machine.Error{Reason: "no power", Console: "line 1\nline 2"}, 125, "machine failed: no power"},
		{&machine.Error{Reason: "not up", Err: machine.ErrTimeLimit}, 124, "not up"},
		{fmt.Errorf("%w after 9s", machine.ErrTimeLimit), 124, "time limit reached after 9s"},
		{context.Canceled, 130, "interrupted"},
		{fmt.Errorf("%w: x", machine.ErrNoKernel), 125, "not set up"},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		got := (&tool{stderr: &out}).fail(tt.err)
		if got != tt.want || !strings.Contains(out.String(), tt.says) {
			t.Errorf("%v: status %d, %q", tt.err, got, out.String())
		}
	}
}

func TestSubcommands(t *testing.T) {
	for _, args := range [][]string{nil, {"nosuch"}, {"prepare-kernel"}, {"run"}, {"go-exec"}, {"user-arm"}} {
		var out bytes.Buffer
		tl := &tool{stdout: &out, stderr: &out, getenv: noEnv}
		if got := tl.run(context.Background(), args); got != exitUsage || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%q: status %d, %q", args, got, out.String())
		}
	}
	var out bytes.Buffer
	tl := &tool{stdout: &out, stderr: &out, getenv: noEnv}
	if got := tl.run(context.Background(), []string{"run", "--help"}); got != 0 || !strings.Contains(out.String(), "--kernel") {
		t.Errorf("--help: %d, %q", got, out.String())
	}
}

func TestHostGoEnv(t *testing.T) {
	got := hostGoEnv([]string{"GOARCH=386", "PATH=/bin", "GOFLAGS=-v", "GOPROXY=x", "CGO_ENABLED=0"})
	if !slices.Equal(got, []string{"PATH=/bin", "GOPROXY=x"}) {
		t.Errorf("got %q", got)
	}
}

func TestRules(t *testing.T) {
	for _, f := range armFormats {
		r := f.rule("/usr/bin/" + f.programs[0])
		if fields := strings.Split(r, ":"); len(fields) != 8 || fields[1] != f.name || fields[7] != "F" {
			t.Errorf("%q", fields)
		}
		if n := elfLen(f.magic); n != elfLen(elfMask) {
			t.Errorf("%s: %d bytes of magic, %d of mask", f.name, n, elfLen(elfMask))
		}
	}
}

// elfLen counts the bytes that a string with \x escapes stands for.
func elfLen(s string) int {
	n := 0
	for i := 0; i < len(s); n++ {
		if s[i] == '\\' {
			i += 4
		} else {
			i++
		}
	}
	return n
}
