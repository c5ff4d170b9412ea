package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReportPage(t *testing.T) {
	t.Chdir(t.TempDir())
	twoBuilds(t, ".", -0.05)
	got := memtest(t, "report", "wide=amd64-*.json", "narrow=386-*.json", "-o", "r.html", "--svg", "f.svg", "--png", "f.png", "--figure", "timeline")
	if got.code != exitOK || got.stdout != "" || got.stderr != "" {
		t.Fatalf("%+v", got)
	}
	page := readFile(t, "r.html")
	if !strings.Contains(page, "narrow is slower than wide: -") || !strings.Contains(page, "386-11.json") {
		t.Error("the page lacks its verdict or a record")
	}
	// The other way to the same page, and to standard output.
	html := memtest(t, "compare", "wide=amd64-*.json", "narrow=386-*.json", "--format", "html")
	piped := memtest(t, "report", "wide=amd64-*.json", "narrow=386-*.json")
	dash := memtest(t, "report", "wide=amd64-*.json", "narrow=386-*.json", "-o", "-")
	if html.stdout != page || piped.stdout != page || dash.stdout != page || html.code != exitOK {
		t.Error("compare --format html, report into a pipe and report -o - should write the same page")
	}
	svg := readFile(t, "f.svg")
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(svg, "Every pass of every worker") {
		t.Error("--figure timeline is another figure")
	}
	img, err := png.Decode(strings.NewReader(readFile(t, "f.png")))
	if err != nil || img.Bounds().Dx() < 1000 {
		t.Errorf("%v, %v", img, err)
	}
	if entries, _ := filepath.Glob(".*.tmp"); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// A file that exists is safe, whatever becomes of the rest.
func TestReportOverwrite(t *testing.T) {
	t.Chdir(t.TempDir())
	twoBuilds(t, ".", 0)
	if err := os.WriteFile("r.html", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := memtest(t, "report", ".", "-o", "r.html", "--svg", "new.svg")
	if got.code != exitUsage || !strings.Contains(got.stderr, "--overwrite") || readFile(t, "r.html") != "old" {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat("new.svg"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("half of a failed report was written")
	}
	if got := memtest(t, "report", ".", "-o", "r.html", "--overwrite", "--by", "arch"); got.code != exitOK || !strings.HasPrefix(readFile(t, "r.html"), "<!DOCTYPE html>") {
		t.Errorf("%+v", got)
	}
	// A report that fails leaves the old file.
	if got := memtest(t, "report", ".", "nosuch.json", "-o", "r.html", "--overwrite"); got.code != exitUsage || !strings.HasPrefix(readFile(t, "r.html"), "<!DOCTYPE html>") {
		t.Errorf("%+v", got)
	}
	if entries, _ := filepath.Glob(".*.tmp"); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestReportBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	saveRuns(t, ".", "a", savedRun("h", "amd64", 1, 2, 3, 1e9))
	if err := os.Mkdir("empty", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("cut.json", []byte(`{"schema": 1, "kind": "mem`), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string][]string{
		"":                                   {"want results"},
		"-o r.html":                          {"want results"},
		"a-00.json -o no/such/r.html":        {"-o", "no/such"},
		"a-00.json -o empty":                 {"-o", "folder"},
		"a-00.json --svg no/such.svg":        {"--svg", "cannot write there", "no/"},
		"a-00.json --png f.png --figure pie": {"--figure", `"pie"`, "bars, launches, timeline, placement, scaling, sweep, latency or loaded"},
		"a-00.json --png f.png --figure placement":  {"--figure", "placement", "root"},
		"a-00.json --svg f.svg --figure launches":   {"--figure", "one launch"},
		"a-00.json -o - --svg -":                    {"--svg", "one file"},
		"empty -o r.html":                           {"report", "empty", "no memtest results"},
		"cut.json -o r.html":                        {"report", "cut.json", "truncated"},
		"nosuch.json -o r.html":                     {"report", "nosuch.json", "no such file"},
		"a-00.json a-00.json -o r.html":             {"report", "twice"},
		"a-00.json -o r.html --by colour":           {"colour", "kernel-version"},
		"a-00.json -o r.html --baseline x":          {`"x"`, "want one of"},
		"a-00.json -o r.html --metric speed":        {"--metric", `"speed"`},
		"a-00.json -o r.html --format html":         {"--format"},
		"a-00.json cut.json --keep-going -o k.html": {"report: left out: cut.json"},
	} {
		got := memtest(t, append([]string{"report"}, strings.Fields(args)...)...)
		if got.code != exitUsage || got.stdout != "" || !strings.HasPrefix(got.stderr, "memtest: ") {
			t.Errorf("report %s: exit %d, stdout %q, stderr %q; want exit 2 and a line", args, got.code, got.stdout, got.stderr)
		}
		for _, w := range want {
			if !strings.Contains(got.stderr, w) {
				t.Errorf("report %s: %q does not mention %q", args, got.stderr, w)
			}
		}
		if _, err := os.Stat("r.html"); err == nil {
			t.Errorf("report %s: there is a page", args)
		}
	}
	if !strings.Contains(readFile(t, "k.html"), "a-00") {
		t.Error("--keep-going lost the rest")
	}
}

// fullDisk is a full disk.
type fullDisk struct{ room int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestReportFullOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	twoBuilds(t, ".", 0)
	for _, args := range [][]string{{"-o", "-"}, {"--svg", "-"}, {"--png", "-"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), append([]string{"memtest", "report", "."}, args...), nil, &fullDisk{1000}, &errs); code != exitFailure || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%v: exit %d, %q", args, code, errs.String())
		}
	}
}

// Curves of several builds or hosts are in one figure; bars are not among them.
func TestReportOfCurves(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.json", "b.json"} {
		file := filepath.Join(dir, name)
		files = append(files, file)
		if got := memtest(t, "sweep", "--to", "64K", "--repeat", "1", "--steps", "1", "--seconds", "0.002", "-o", file); got.code != exitOK {
			t.Fatalf("exit %d, %q", got.code, got.stderr)
		}
	}
	page, figure := filepath.Join(dir, "r.html"), filepath.Join(dir, "r.svg")
	got := memtest(t, append([]string{"report", "-o", page, "--svg", figure}, files...)...)
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit %d, %q", got.code, got.stderr)
	}
	for _, file := range []string{page, figure} {
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), "(2)") || !strings.Contains(string(b), "Bandwidth by size") {
			t.Errorf("%s: %v: want both curves by name", file, err)
		}
	}
	got = memtest(t, "report", files[0], "--svg", "-", "--figure", "bars")
	if got.code != exitUsage || !strings.Contains(got.stderr, "want sweep") {
		t.Errorf("exit %d, %q", got.code, got.stderr)
	}
}
