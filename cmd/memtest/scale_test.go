package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wordsize/internal/result"
)

// strictly decodes a record in which every key must be known.
func strictly(t *testing.T, file string, record any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(record); err != nil {
		t.Fatal(err)
	}
}

func TestScaleBadInput(t *testing.T) {
	exists := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(exists, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	badCalls(t, "scale", map[string][]string{
		"5":                   {"scale", `"5"`},
		"--max -1":            {"--max", "-1", "from 1"},
		"--max 99999":         {"--max", "99999"},
		"--max x":             {"--max", "whole number"},
		"--mb 0":              {"--mb", `"0"`},
		"--mb 1MB":            {"--mb", "power of two"},
		"--mb 9000000":        {"not fit", "--force"},
		"--seconds -1":        {"--seconds", `"-1"`},
		"--kernel fly":        {"--kernel", `"fly"`},
		"--kernel read,write": {"--kernel", "read,write"},
		"--limit 0":           {"--limit", `"0"`},
		"--limit never":       {"--limit", "never"},
		"--repeat 0":          {"--repeat", "from 1"},
		"--pin 99999":         {"--pin", `"99999"`},
		"--pages 3k":          {"--pages", `"3k"`},
		"--format text":       {"--format", `"text"`},
		"--plot x.gif":        {"--plot", ".svg or .png"},
		"-o " + exists:        {"-o", exists, "--overwrite"},
		"-o -":                {"-o", "--format json"},
	})
}

func TestScale(t *testing.T) {
	dir := t.TempDir()
	file, figure := filepath.Join(dir, "s.json"), filepath.Join(dir, "s.svg")
	got := memtest(t, "scale", "--max", "3", "--repeat", "2", "--mb", "4", "--seconds", "0.02", "-o", file, "--plot", figure)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q; want 0 and silence", got.code, got.stderr)
	}
	for _, want := range []string{"processes", "efficiency", "100 %", "[n < 6]", "GB/s:", " 3 processes"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, got.stdout)
		}
	}
	var s result.Scale
	strictly(t, file, &s)
	if s.Kind != result.ScaleKind || s.Tool.GOARCH != runtime.GOARCH || len(s.Points) != 3 || len(s.Launches) != 2 || s.Knee == nil || s.Knee.Text == "" {
		t.Errorf("record %+v", s)
	}
	if b, err := os.ReadFile(figure); err != nil || !bytes.Contains(b, []byte("<svg")) {
		t.Errorf("%v: the figure is no SVG", err)
	}
	// The record is none of a run, and compare says so.
	got = memtest(t, "compare", file)
	if got.code != exitUsage || !strings.Contains(got.stderr, "is a memtest-scale record") {
		t.Errorf("compare: exit %d, %q", got.code, got.stderr)
	}
}

// What is complete when the signal comes is printed and kept.
func TestScaleInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	file := filepath.Join(t.TempDir(), "s.json")
	got := named(ctx, "memtest", "scale", "--max", "1", "--repeat", "500", "--mb", "1", "--seconds", "0.1", "-q", "-o", file)
	var s result.Scale
	strictly(t, file, &s)
	if got.code != exitFailure || !strings.Contains(got.stderr, "interrupted") || !s.Interrupted || len(s.Launches) == 0 || len(s.Points) != 1 || !strings.Contains(got.stdout, "aggregate") {
		t.Errorf("exit %d, stderr %q, %d launches", got.code, got.stderr, len(s.Launches))
	}
}
