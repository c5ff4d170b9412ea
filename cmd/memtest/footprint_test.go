package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wordsize/internal/membench"
	"wordsize/internal/result"
)

func TestFootprintBadInput(t *testing.T) {
	exists := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(exists, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	badCalls(t, "footprint", map[string][]string{
		"nosuch":                          {`"nosuch"`, "slice-int", "maps"},
		"list -5":                         {`"-5"`},
		"list --elements 0":               {"--elements", `"0"`},
		"list --elements -1":              {"--elements", `"-1"`},
		"list --elements 1000,":           {"--elements", `""`, "1000,100k"},
		"list --elements 1.5k":            {"--elements", `"1.5k"`},
		"list --elements 1G":              {"--elements", `"1G"`},
		"list --elements 99999999999999M": {"--elements"},
		"list --repeat 0":                 {"--repeat", "from 1"},
		"list --format text":              {"--format", `"text"`, "markdown"},
		"list -o -":                       {"-o", "--format json"},
		"list -o " + exists:               {"-o", exists, "--overwrite"},
		"list --elements 1000000M":        {"footprint: may need", "MiB", "leaves", "--force"},
	})
	if b, _ := os.ReadFile(exists); string(b) != "precious" {
		t.Errorf("a refused run changed the old file: %q", b)
	}
}

func TestParseElements(t *testing.T) {
	got, err := parseElements("--elements", "10M,1000,100k,1k")
	if err != nil || len(got) != 3 || got[0] != 1000 || got[1] != 100_000 || got[2] != 10_000_000 {
		t.Errorf("%v, %v: want 1000, 100000 and 10000000", got, err)
	}
}

// The size that no memory holds is left out with its reason, the other stays.
func TestFootprint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.json")
	args := []string{"footprint", "list", "slice-int64", "--elements", "100k,1000000M", "--repeat", "2", "-o", file}
	got := memtest(t, args...)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q; want 0 and silence", got.code, got.stderr)
	}
	for _, want := range []string{"100k", "slice-int64", "Note: list, 1000000M elements: not measured: may need", runtime.GOARCH, "spread"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("output lacks %q:\n%s", want, got.stdout)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f result.Footprint
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if f.Kind != result.FootprintKind || f.Schema != result.RunSchema || f.Tool.GOARCH != runtime.GOARCH || len(f.Structures) != 2 || len(f.Structures[0].Sizes[0].Samples) != 2 {
		t.Errorf("record %+v", f)
	}
	if v := f.Structures[0].Sizes[0].Heap.Median; v < 8 || v > 8.1 {
		t.Errorf("an int64 takes %.2f bytes", v)
	}
	if again := memtest(t, args...); again.code != exitUsage || !strings.Contains(again.stderr, "--overwrite") {
		t.Errorf("second run: exit %d, %q", again.code, again.stderr)
	}
}

func TestFootprintFormats(t *testing.T) {
	got := memtest(t, "footprint", "list", "--elements", "5", "--repeat", "1", "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil || got.code != exitOK || len(rows) != 2 || rows[1][3] != "list" || rows[1][7] != "5" {
		t.Errorf("exit %d, %v: want a header and a row:\n%s", got.code, err, got.stdout)
	}
	got = memtest(t, "footprint", "list", "--elements", "5", "--repeat", "1", "--format", "markdown")
	if got.code != exitOK || !strings.HasPrefix(got.stdout, "| structure | 5 heap | 5 res |") {
		t.Errorf("exit %d:\n%s", got.code, got.stdout)
	}
	got = memtest(t, "footprint", "maps", "--list")
	if got.code != exitOK || !strings.HasPrefix(got.stdout, "maps\n") || !strings.Contains(got.stdout, "map[int]int: grown one by one") {
		t.Errorf("exit %d:\n%s", got.code, got.stdout)
	}
}

func TestFootprintLimits(t *testing.T) {
	room := membench.Room{Available: new(int64(10 << 30)), Cgroup: new(int64(1 << 30)), CgroupPath: "/small", AddressSpace: new(int64(3 << 30))}
	l := footprintLimits(room)
	if l.Together.Bytes == nil || *l.Together.Bytes > 1<<30 || *l.Together.Bytes < 900<<20 || !strings.Contains(l.Together.Name, "/small") {
		t.Errorf("together %v %s, want a little less than the cgroup's", l.Together.Bytes, l.Together.Name)
	}
	if l.Process.Bytes == nil || *l.Process.Bytes > 3<<30 || *l.Process.Bytes < 3<<30-64<<20 {
		t.Errorf("process %v, want a little less than the address space", l.Process.Bytes)
	}
	if l := footprintLimits(membench.Room{}); l.Process.Bytes != nil || l.Together.Bytes != nil {
		t.Errorf("%+v: want no limits", l)
	}
}
