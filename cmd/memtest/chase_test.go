package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wordsize/internal/result"
)

func TestChaseBadInput(t *testing.T) {
	exists := filepath.Join(t.TempDir(), "old.svg")
	if err := os.WriteFile(exists, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	badCalls(t, "chase", map[string][]string{
		"5":                        {"chase", `"5"`},
		"--nodes 0":                {"--nodes", `"0"`},
		"--nodes 1K":               {"--nodes", `"1K"`},
		"--nodes 1000000M":         {"--nodes", "at most", "--force"},
		"--repeat 0":               {"--repeat", "from 1"},
		"--pin 99999":              {"--pin", `"99999"`},
		"--pages 3k":               {"--pages", `"3k"`},
		"--format text":            {"--format", `"text"`},
		"--plot x.gif":             {"--plot", ".svg or .png"},
		"--plot " + exists:         {"--plot", exists, "--overwrite"},
		"--plot /nosuch/dir/x.svg": {"--plot", "/nosuch/dir"},
		"-o " + exists:             {"-o", exists, "--overwrite"},
	})
	if b, _ := os.ReadFile(exists); string(b) != "precious" {
		t.Errorf("a refused run changed the old file: %q", b)
	}
}

func TestChase(t *testing.T) {
	dir := t.TempDir()
	file, figure := filepath.Join(dir, "c.json"), filepath.Join(dir, "c.png")
	got := memtest(t, "chase", "--nodes", "512,1k,20k", "--repeat", "2", "-o", file, "--plot", figure)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q; want 0 and silence", got.code, got.stderr)
	}
	for _, want := range []string{"20000", "nanoseconds a hop", "o " + runtime.GOARCH, "[n < 6]", "Warning: the "} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, got.stdout)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c result.Chase
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&c); err != nil {
		t.Fatal(err)
	}
	if c.Kind != result.ChaseKind || c.Tool.GOARCH != runtime.GOARCH || len(c.Points) != 3 || len(c.Launches) != 2 {
		t.Errorf("record %+v", c)
	}
	if b, err := os.ReadFile(figure); err != nil || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("%v: the figure is no PNG", err)
	}
	got = memtest(t, "chase", "--nodes", "512", "--repeat", "1", "--format", "csv")
	if got.code != exitOK || strings.Count(got.stdout, "\n") != 6 || !strings.Contains(got.stderr, "Warning: ") {
		t.Errorf("exit %d: want a header and five rounds, and a warning aside:\n%s%s", got.code, got.stdout, got.stderr)
	}
}
