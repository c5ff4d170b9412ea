package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestParseModes(t *testing.T) {
	o, err := parseOptions(strings.Fields("footprint maps --elements 1k --repeat 4 --format csv --bin-386=a --out d"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(o.args, " ") != "maps --elements 1k --repeat 4" || o.mode != modeFootprint || o.format != "csv" || o.bins["386"] != "a" || o.out != "d" {
		t.Errorf("%+v", o)
	}
	o, err = parseOptions(strings.Fields("chase --repeat 4 --nodes 1k,2k"))
	if err != nil || o.repeat != 4 || strings.Join(o.args, " ") != "--nodes 1k,2k" || o.mode != modeChase {
		t.Errorf("%+v, %v", o, err)
	}
	for args, want := range map[string]string{
		"footprint --format xml":    "--format",
		"footprint --kernels x":     "--kernels",
		"footprint --list":          "--list",
		"footprint -o x":            "-o",
		"footprint --help":          "memtest footprint --help",
		"footprint --repeat":        "--repeat",
		"chase --fail-above 5":      "--fail-above",
		"chase --pair mips":         "--pair",
		"chase --repeat 0":          "--repeat",
		"maps footprint --repeat 2": "N T MB",
	} {
		if _, err := parseOptions(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that mentions %q", args, err, want)
		}
	}
}

func TestHelp(t *testing.T) {
	// The script puts its own flags behind.
	for _, args := range []string{"--help", "-h --bin-386 a --out d"} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(args), &out, &errs); code != exitOK || out.String() != usage+"\n" || errs.Len() > 0 {
			t.Errorf("%s: exit status %d, %q, %q", args, code, out.String(), errs.String())
		}
	}
}
