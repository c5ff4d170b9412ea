package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wordsize/internal/procstat"
	"wordsize/internal/report"
)

const fixture = "../../internal/procstat/testdata/basic"

// execute runs the command and returns its exit code and output.
func execute(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestUsageErrors(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string // part of the one line
	}{
		{[]string{"ba(d"}, `"ba(d"`},
		{[]string{"--columns", "PID,NOPE"}, `"NOPE"`},
		{[]string{"--sort", "NOPE"}, `"NOPE"`},
		{[]string{"--group", "program", "--columns", "PID"}, `"PID"`},
		{[]string{"--group", "x"}, "program, cmd, user"},
		{[]string{"--group", "regex"}, "needs a pattern"},
		{[]string{"-d", "0"}, "-d 0"},
		{[]string{"-d", "-1"}, "-d -1"},
		{[]string{"-d", "NaN"}, "-d NaN"},
		{[]string{"-d", "x"}, "-d x"},
		{[]string{"-n", "-1"}, "-n -1"},
		{[]string{"-n", "x"}, "-n"},
		{[]string{"-p", "999999999"}, "999999999"},
		{[]string{"-p", "abc"}, "-p abc"},
		{[]string{"-p", ""}, "--pid is empty"},
		{[]string{"-u", ""}, "--user is empty"},
		{[]string{"--tree", " "}, "--tree is empty"},
		{[]string{"--cgroup", ""}, "--cgroup is empty"},
		{[]string{"--group", ""}, "--group is empty"},
		{[]string{"--sort", "RES,PID"}, `"RES,PID"`},
		{[]string{"-p", "0"}, "-p 0"},
		{[]string{"--tree", "999999999"}, "--tree 999999999"},
		{[]string{"-u", "no-such-user"}, "no-such-user"},
		{[]string{"--format", "xml"}, "--format xml"},
		{[]string{"--min-rss", "10X"}, "--min-rss 10X"},
		{[]string{"--pss-budget", "200%"}, "--pss-budget"},
		{[]string{"--whatif-budget", "200%"}, "--whatif-budget"},
		{[]string{"--cpu-mode", "two"}, "--cpu-mode two"},
		{[]string{"--cgroup", "relative"}, "--cgroup relative"},
		{[]string{"--top", "-1"}, "--top -1"},
		{[]string{"--no-such-flag"}, "--no-such-flag"},
		{[]string{"--proc", "/no/such/dir"}, "/no/such/dir"},
	} {
		code, stdout, stderr := execute(t, context.Background(), tc.args...)
		if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, tc.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", tc.args, code, stdout, stderr)
		}
	}
}

// volatile matches what differs from host to host in the header lines.
var volatile = regexp.MustCompile(`(?m)^(rsswatch |memory |\(sizes).*\n`)

func golden(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := execute(t, context.Background(), append([]string{"--proc", fixture, "-b", "-n", "1"}, args...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit %d, %s", args, code, stderr)
	}
	return volatile.ReplaceAllString(stdout, "")
}

func TestTableGolden(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("reading a captured proc tree is supported on Linux only")
	}
	if os.Getpagesize() != 4096 {
		t.Skip("the captured tree is of a host with pages of 4096 bytes")
	}
	got := golden(t, "--columns", "PID,PPID,ARCH,S,VIRT,RES,SHR,PSS,USS,SWAP,HUGE,PEAK,AGE,COMMAND", "--sort", "+PID")
	want := `9 processes  0 not readable  PSS of 7
note: PSS marked ! is below what is private (1 process): the kernel under-reports it, as 32-bit kernels do with huge pages
PID* PPID ARCH      S VIRT  RES  SHR  PSS  USS SWAP HUGE PEAK  AGE COMMAND
   1    0 64 x86-64 S 8000  400  240  200  100    8    0  500 1h23 /sbin/init splash
   2    0 -         S    -    -    -    -    -    -    -    - 1h23 [kthreadd]
 100    1 32 i386   S 8000  400  240  300  210    0    0  400 1h23 evil ) (
 101    1 32 arm    S 8000  400  240  300  210    0    0  400 1h23 tit\x1b]0;x\x07le \xff\xfe
 102  100 -         Z    -    -    -    -    -    -    -    - 1h23 [defunct]
 103    1 64 x86-64 S  47t 1.0g 4000 1.0g 1.0g    0    0 1.0g 1h23 ./asan
 104    1 64 x86-64 S 5.7g 195m 156m 98m+  39m    0 2.0g 205m 1h23 hugedb: writer
 105    1 32 i386   S 8000  400  240 59m!  70m    0    0  78m 1h23 thp32
 106    1 64 x86-64 S 8000  400  240  500  410   16    0  800 1h23 /usr/bin/python3 /usr/bin/gunicorn-long-name app:app
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestGroupGolden(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("reading a captured proc tree is supported on Linux only")
	}
	got := golden(t, "--group", "cgroup", "--columns", "PROCS,PSS,NOPSS,GROUP")
	for _, want := range []string{"1 1.0g 0 /docker/abc:def", "1 200 0 /init.scope", "1 - 0 /\n", "9 1.2g! 0 TOTAL"} {
		if !strings.Contains(strings.Join(strings.Fields(got), " ")+"\n", strings.TrimSpace(want)) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestSelectionFlags(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("reading a captured proc tree is supported on Linux only")
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"asan"}, "103"},
		{[]string{"^hugedb: writer$", "thp"}, "104 105"},
		{[]string{"--cgroup", "/docker"}, "103"},
		{[]string{"--tree", "100"}, "100 102"},
		{[]string{"-p", "2,105"}, "2 105"},
		{[]string{"--", "-long-"}, "106"},
		{[]string{"-p", "1,100", "--sort", "-PID"}, "100 1"},
		{[]string{"--sort", "PID", "--top", "2"}, "1 2"},
	} {
		args := append([]string{"--columns", "PID"}, tc.args...)
		if !strings.Contains(strings.Join(tc.args, " "), "--sort") {
			args = append([]string{"--sort", "PID"}, args...)
		}
		fields := strings.Fields(golden(t, args...))
		i := len(fields) - len(strings.Fields(tc.want))
		if got := strings.Join(fields[i:], " "); got != tc.want || !strings.HasPrefix(fields[i-1], "PID") {
			t.Errorf("%q: %q, want %q", tc.args, fields, tc.want)
		}
	}
}

func TestNothingMatches(t *testing.T) {
	code, _, stderr := execute(t, context.Background(), "-b", "-n", "1", "no such title $^")
	if code != exitFailure || !strings.Contains(stderr, "no process matches") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// Piped output is one tick, with nothing but text.
func TestPiped(t *testing.T) {
	code, stdout, _ := execute(t, context.Background())
	if code != 0 || strings.Count(stdout, "COMMAND") != 1 || strings.ContainsRune(stdout, '\x1b') {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

func TestTicksCSV(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	code, stdout, stderr := execute(t, context.Background(), "--format", "csv", "-n", "3", "-d", "0.1", "-p", self, "--columns", "PID,RES,PSS,%CPU")
	if code != 0 {
		t.Fatal(stderr)
	}
	lines, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatalf("%v\n%s", err, stdout)
	}
	if lines[0][1] != "pid" || lines[1][1] != self || lines[1][4] != "" || lines[3][4] == "" {
		t.Errorf("the first CPU share must be empty, the last not: %q", lines)
	}
	if res, err := strconv.ParseInt(lines[1][2], 10, 64); err != nil || res < 1<<20 {
		t.Errorf("RES %q", lines[1][2])
	}
}

func TestJSON(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	code, stdout, stderr := execute(t, context.Background(), "--format", "json", "-n", "2", "-d", "0.1", "-p", self)
	if code != 0 {
		t.Fatal(stderr)
	}
	var doc struct {
		Schema string
		Host   struct{ OS string }
		Ticks  []struct {
			Processes []struct {
				PID int
				Res int64  `json:"res_bytes"`
				Cmd string `json:"cmdline"`
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema == "" || doc.Host.OS == "" || len(doc.Ticks) != 2 || doc.Ticks[1].Processes[0].Res == 0 || doc.Ticks[1].Processes[0].Cmd == "" {
		t.Errorf("%+v", doc)
	}
	code, stdout, _ = execute(t, context.Background(), "--format", "jsonl", "-n", "1", "--group", "program")
	if code != 0 {
		t.Fatal(stdout)
	}
	types := map[string]int{}
	for line := range strings.Lines(stdout) {
		var rec struct{ Type string }
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(line, err)
		}
		types[rec.Type]++
	}
	if types["host"] != 1 || types["tick"] != 1 || types["group"] == 0 {
		t.Error(types)
	}
}

// An interrupted run closes its JSON document.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	code, stdout, _ := execute(t, ctx, "--format", "json", "-n", "0", "-d", "0.05", "-p", strconv.Itoa(os.Getpid()))
	if code != exitInterrupted || !json.Valid([]byte(stdout)) {
		t.Errorf("exit %d, valid JSON: %v", code, json.Valid([]byte(stdout)))
	}
}

// Standard output that cannot be written to is a failure, not silence.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	var errs bytes.Buffer
	if code := run(context.Background(), []string{"-b", "-n", "1"}, strings.NewReader(""), full, &errs); code != exitFailure || !strings.Contains(errs.String(), "write") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}

// --tree follows what the root starts.
func TestTreeLive(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	c := exec.Command(sh, "-c", "sleep 100 & sleep 100 & wait")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { c.Process.Kill(); c.Wait() }()
	root := strconv.Itoa(c.Process.Pid)
	var out string
	for range 100 {
		_, out, _ = execute(t, context.Background(), "-b", "-n", "1", "--tree", root, "--columns", "PID,COMMAND", "--sort", "PID")
		if strings.Contains(out, "3 of ") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !strings.Contains(out, "3 of ") {
		t.Errorf("%s", out)
	}
	for line := range strings.Lines(out) { // the sleeps outlive their shell
		if f := strings.Fields(line); len(f) == 3 && f[1] == "sleep" {
			if pid, err := strconv.Atoi(f[0]); err == nil {
				if p, err := os.FindProcess(pid); err == nil {
					defer p.Kill()
				}
			}
		}
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]int64{"512": 512, "1K": 1024, "10M": 10 << 20, "10MiB": 10 << 20, "10MB": 10e6, "1.5g": 3 << 29, "2T": 2 << 40, "7B": 7} {
		if got, err := parseSize(in); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for in, want := range map[string]time.Duration{"0.5": 500 * time.Millisecond, "2": 2 * time.Second, "250ms": 250 * time.Millisecond, "1m": time.Minute} {
		if got, err := parseSeconds(in); err != nil || got != want {
			t.Errorf("parseSeconds(%q) = %v, %v", in, got, err)
		}
	}
	if v, err := parseShare("2%"); err != nil || v != 0.02 {
		t.Error(v, err)
	}
	for locale, want := range map[string]bool{"C.UTF-8": true, "en_US.utf8": true, "C": false, "": false, "pl_PL.ISO-8859-2": false} {
		if got := utf8Locale(func(k string) string { return map[string]string{"LANG": locale}[k] }); got != want {
			t.Errorf("locale %q: %v", locale, got)
		}
	}
}

// Every column that costs a file is known to the collector by its name.
func TestColumnNeeds(t *testing.T) {
	for name := range columnNeeds {
		if !slices.Contains(report.ColumnNames(report.ProcessColumns), name) && !slices.Contains(report.ColumnNames(report.GroupColumns), name) {
			t.Errorf("there is no column %s", name)
		}
	}
	var _ procstat.Fields = columnNeeds["PSS"]
}

// A column that is only sorted by is read, too.
func TestSortByPSSThatIsNotShown(t *testing.T) {
	code, stdout, stderr := execute(t, context.Background(), "-b", "-n", "1", "-p", strconv.Itoa(os.Getpid()), "--columns", "PID,RES", "-s", "PSS")
	if code != 0 || !strings.Contains(stdout, "PSS of ") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

// In CSV a thread's row can be told from its process's.
func TestThreadsInCSV(t *testing.T) {
	_, stdout, stderr := execute(t, context.Background(), "-b", "-n", "1", "-p", strconv.Itoa(os.Getpid()), "--threads", "--format", "csv", "--columns", "PID,S")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) < 3 || !strings.HasSuffix(lines[0], ",pid,tid,state") {
		t.Fatalf("%q %s", lines, stderr)
	}
	for i, l := range lines[1:] {
		if tid := strings.Split(l, ",")[2]; (tid == "") != (i == 0) {
			t.Errorf("row %d: tid %q in %q", i, tid, l)
		}
	}
}

// CPU use is between two ticks: asked for by name it is measured even when
// one tick is printed.
func TestCPUOfOneTick(t *testing.T) {
	self := strconv.Itoa(os.Getpid())
	for _, tc := range []struct {
		flags []string
		want  bool
	}{
		{[]string{"--columns", "pid,%cpu"}, true},
		{[]string{"--sort", "%cpu"}, true},
		{nil, false},
	} {
		args := append([]string{"-b", "-n", "1", "-d", "0.05", "--format", "json", "-p", self}, tc.flags...)
		_, out, stderr := execute(t, context.Background(), args...)
		if got := strings.Contains(out, `"cpu_percent"`); got != tc.want || stderr != "" {
			t.Errorf("%q: CPU shown %v, stderr %q", args, got, stderr)
		}
	}
}
