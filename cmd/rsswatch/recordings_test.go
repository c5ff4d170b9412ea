package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"wordsize/internal/result"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

const recordings = "../../internal/usage/testdata/"

// sameAsFile compares output with a golden file.
func sameAsFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(want)
	if filepath.Ext(name) == ".svg" && runtime.GOARCH != "amd64" && runtime.GOARCH != "386" {
		// Other processors multiply and add with one rounding: coordinates may
		// differ in their last digit.
		number := regexp.MustCompile(`\d+(\.\d+)?`)
		got, text = number.ReplaceAllString(got, "0"), number.ReplaceAllString(text, "0")
	}
	if got != text {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", path, got)
	}
}

func TestRecordingGoldens(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	two := []string{recordings + "pool64.jsonl", recordings + "pool32.jsonl"}
	for name, args := range map[string][]string{
		"report.txt":         {"report", "--plot", "-w", "60", two[0]},
		"report-role.txt":    {"report", "-g", "role", "--of", "command", two[0]},
		"report.md":          {"report", "--format", "markdown", two[0]},
		"report.csv":         {"report", "--format", "csv", two[0], two[1]},
		"report.json":        {"report", "--format", "json", two[1]},
		"report.svg":         {"report", "--format", "svg", two[0]},
		"compare.txt":        {"compare", two[0], two[1]},
		"compare.md":         {"compare", "--metric", "pss,cpu", "--format", "markdown", two[0], two[1]},
		"compare.csv":        {"compare", "--format", "csv", two[0], two[1]},
		"replay.txt":         {"replay", "-b", "-n", "1", "--from", "31", two[0]},
		"replay-program.txt": {"replay", "-n", "1", "--from", "31", "-g", "program", two[0]},
	} {
		code, stdout, stderr := execute(t, context.Background(), args...)
		if code != 0 || stderr != "" {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
		stdout = regexp.MustCompile(`(?m)^rsswatch \d\d:\d\d:\d\d`).ReplaceAllString(stdout, "rsswatch TIME") // local time
		sameAsFile(t, name, stdout)
	}
}

func TestRecordingErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := recordings+"pool64.jsonl", recordings+"pool32.jsonl"
	whole, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	memtest := write("memtest.json", "{\n \"schema\": 1,\n \"kind\": \"memtest-run\"\n}\n")
	other := write("other.jsonl", strings.Replace(string(whole), "rsswatch-recording/1", "rsswatch-recording/7", 1))
	copied := write("copy.jsonl", string(whole))
	empty := write("empty.jsonl", "")
	text := write("text.jsonl", "hello\n")
	header, _, _ := strings.Cut(string(whole), "\n")
	noTick := write("header.jsonl", header+"\n")
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"report"}, "want a recording"},
		{[]string{"compare"}, "want recordings"},
		{[]string{"replay"}, "want a recording"},
		{[]string{"report", "/no/such/file"}, "no such file"},
		{[]string{"report", dir + "/*.nothing"}, "no file matches"},
		{[]string{"report", dir + "/folder"}, "holds no recordings"},
		{[]string{"report", memtest}, "it is a record of memtest"},
		{[]string{"replay", memtest}, "it is a record of memtest"},
		{[]string{"compare", a, memtest}, "it is a record of memtest"},
		{[]string{"report", other}, `"rsswatch-recording/7", this rsswatch reads "rsswatch-recording/1"`},
		{[]string{"report", text}, "no recording"},
		{[]string{"report", empty}, "is empty"},
		{[]string{"replay", empty}, "is empty"},
		{[]string{"replay", noTick}, "no complete tick"},
		{[]string{"report", a, a}, "is given twice"},
		{[]string{"report", a, copied}, "it holds the same recording as"},
		{[]string{"compare", a, copied}, "is given twice"},
		{[]string{"compare", a}, "one label only"},
		{[]string{"compare", "--baseline", "x", a, b}, `"x" is no label: want one of bits=64; bits=32`},
		{[]string{"compare", "--metric", "speed", a, b}, "--metric speed"},
		{[]string{"compare", "--rows", "x", a, b}, `"x" is no part of these labels: want one of bits`},
		{[]string{"compare", "--rows", "bits", "--columns", "bits", a, b}, "bits twice"},
		{[]string{"compare", "--matrix", "maybe", a, b}, "--matrix maybe"},
		{[]string{"compare", "--matrix", "no", "--rows", "bits", a, b}, "--matrix no"},
		{[]string{"compare", "--format", "html", a, b}, "--format html"},
		{[]string{"compare", "--of", "nginx", a, b}, "none of these recordings"},
		{[]string{"report", "--format", "xml", a}, "--format xml"},
		{[]string{"report", "--format", "svg", a, b}, "draws one recording, not 2"},
		{[]string{"report", "--group", "x", a}, `"x" is no kind of group`},
		{[]string{"report", "--of", "nginx", a}, "--of nginx"},
		{[]string{"report", "--plot", "--format", "csv", a}, "--plot goes with"},
		{[]string{"report", "-w", "5", a}, "--width 5"},
		{[]string{"report", "-o", copied, a}, "exists: want another name, or --overwrite"},
		{[]string{"report", "-o", dir, a}, "is a folder"},
		{[]string{"replay", "--from", "-1", a}, "--from -1"},
		{[]string{"replay", "--from", "1h", a}, "ends after 59.0 s"},
		{[]string{"replay", "--speed", "0", a}, "--speed 0"},
		{[]string{"replay", "--speed", "NaN", a}, "--speed NaN"},
		{[]string{"replay", a, "ba(d"}, `"ba(d"`},
	} {
		code, stdout, stderr := execute(t, context.Background(), tc.args...)
		if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q, want %q", tc.args, code, stdout, stderr, tc.want)
		}
	}
}

// A recording that is cut off is used as far as it goes.
func TestCutRecording(t *testing.T) {
	whole, err := os.ReadFile(recordings + "pool64.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.jsonl")
	if err := os.WriteFile(path, whole[:len(whole)*2/3], 0o644); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := execute(t, context.Background(), "report", path)
	if code != 0 || stderr != "" || !strings.Contains(stdout, "Warning: it is cut off after") || !strings.Contains(stdout, "worker") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = execute(t, context.Background(), "replay", path, "worker")
	if code != 0 || strings.Count(stdout, "PID") < 20 || !strings.Contains(stderr, "is cut off after") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// The page is written whole, asks for nothing, and has every part.
func TestReportPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.html")
	code, stdout, stderr := execute(t, context.Background(), "report", "--format", "html", "-o", path, "64 bits="+recordings+"pool64.jsonl", recordings+"pool32.jsonl")
	if code != 0 || stdout != "" || stderr != "" {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>rsswatch: 64 bits, bits=32</title>", "Memory: PSS", "Processes at once", "end of worker (102)", "sum of VmHWM", "recorder: ", "prefers-color-scheme:dark", "worker (103)"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if rest := strings.ReplaceAll(string(b), "http://www.w3.org/2000/svg", ""); strings.Contains(rest, "http:") || strings.Contains(rest, "https:") || strings.Contains(rest, "<script") {
		t.Error("the page asks for something")
	}
}

func TestReportFromStandardInput(t *testing.T) {
	f, err := os.Open(recordings + "pool32.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out, errs strings.Builder
	if code := run(context.Background(), []string{"report", "--format", "json", "-"}, f, &out, &errs); code != 0 {
		t.Fatalf("exit %d, %s", code, &errs)
	}
	var r result.UsageReport
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema != result.UsageSchema || r.Labels[0].Label != "bits=32" || r.Labels[0].Total.Arch[0] != "32 i386" {
		t.Errorf("%+v", r)
	}
}

// Titles and labels may hold anything; no output may be broken by them.
func TestHostileRecording(t *testing.T) {
	whole, err := os.ReadFile(recordings + "pool64.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	evil := `=1+1\u001b]0;x\u0007|<script>alert(1)</script>\n`
	text := strings.ReplaceAll(string(whole), `"worker"`, `"`+evil+`"`)
	text = strings.Replace(text, `"value":"64"`, `"value":"`+evil+`"`, 1)
	path := filepath.Join(t.TempDir(), "evil.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"table", "markdown", "html", "svg"} {
		code, stdout, stderr := execute(t, context.Background(), "report", "--format", format, path)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		if strings.ContainsAny(stdout, "\x1b\x07") || format != "table" && strings.Contains(stdout, "<script") {
			t.Errorf("%s: %.2000s", format, stdout)
		}
	}
	_, stdout, _ := execute(t, context.Background(), "report", "--format", "csv", path)
	records, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if name := records[1][2]; !strings.HasPrefix(name, "'=1+1") {
		t.Errorf("a formula: %q", name)
	}
}

// Two files of one name are two labels; a glob with an equals sign in a folder's
// name is no NAME=FILES.
func TestLabelsOfFiles(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	var b [2][]byte
	for i, name := range []string{"pool64.jsonl", "pool32.jsonl"} {
		text, err := os.ReadFile(recordings + name)
		if err != nil {
			t.Fatal(err)
		}
		b[i] = regexp.MustCompile(`"labels":\[.*?\],?`).ReplaceAll(text, nil) // as recorded without --label
	}
	t.Chdir(t.TempDir())
	for i, dir := range []string{"old", "k=v"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "r.jsonl"), b[i], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := execute(t, context.Background(), "compare", "old/r.jsonl", "k=v/*.jsonl")
	if code != 0 || !strings.Contains(stdout, filepath.Join("k=v", "r.jsonl")) || !strings.Contains(stdout, "Recordings against old/r.jsonl") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// A recording whose watched processes alone count, beside one in which all do.
func TestCompareSaysWhoCounts(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	b, err := os.ReadFile(recordings + "pool64.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "watched.jsonl")
	text := strings.Replace(string(b), `"command":[`, `"watch":{"patterns":["x"]},"command":[`, 1)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, `"role":"child"`, `"role":"watched"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := execute(t, context.Background(), "compare", "w="+path, recordings+"pool32.jsonl")
	if code != 0 || !strings.Contains(stdout, "(watched, or all where none were, processes)") || !strings.Contains(stdout, "some recordings are of watched processes alone") || strings.Contains(stdout, "watched processes alone;") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}
