package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/internal/result"
)

// The test binary plays rsswatch itself, which must be a process of its own to
// adopt orphans, and the commands that it records.
const (
	asRsswatch = "RSSWATCH_TEST_RUN"
	asHelper   = "RSSWATCH_TEST_HELPER"
)

func init() {
	if role := os.Getenv(asHelper); role != "" && os.Getenv(asRsswatch) == "" {
		recordHelper(strings.Fields(role))
		os.Exit(0)
	}
	if os.Getenv(asRsswatch) != "" {
		os.Unsetenv(asRsswatch)
		main()
	}
}

// recordHelper is a command that is recorded.
func recordHelper(role []string) {
	number := func(i int) int { n, _ := strconv.Atoi(role[i]); return n }
	switch role[0] {
	case "steps": // allocates so many MiB each time, and says what it then has
		for i := range role[1:] {
			b, err := unix.Mmap(-1, 0, number(i+1)<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
			if err != nil {
				os.Exit(3)
			}
			for k := 0; k < len(b); k += 4096 {
				b[k] = 1
			}
			time.Sleep(60 * time.Millisecond)
			_ = unix.Munmap(b)
		}
	case "spawn": // so many short children, one after the other
		for range number(1) {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), asHelper+"=exit 3")
			if err := c.Run(); err == nil {
				os.Exit(4)
			}
		}
	case "exit":
		os.Exit(number(1))
	case "hold":
		holdList(number(1))
	case "signals": // counts signals until SIGUSR2
		got := make(chan os.Signal, 16)
		signal.Notify(got, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGUSR2)
		fmt.Println("ready")
		counts := map[os.Signal]int{}
		for s := range got {
			if s == syscall.SIGUSR2 {
				fmt.Printf("INT %d TERM %d USR1 %d HUP %d\n", counts[syscall.SIGINT], counts[syscall.SIGTERM], counts[syscall.SIGUSR1], counts[syscall.SIGHUP])
				return
			}
			counts[s]++
		}
	}
}

// recorder is an rsswatch record under way.
type recorder struct {
	*exec.Cmd
	path string
	out  bytes.Buffer // standard output and error
}

// newRecorder prepares a run of rsswatch record that writes to name.
func newRecorder(t *testing.T, name, helper string, args ...string) *recorder {
	t.Helper()
	skipEmulated(t)
	r := &recorder{path: filepath.Join(t.TempDir(), name)}
	if filepath.IsAbs(name) {
		r.path = name
	}
	r.Cmd = exec.Command(os.Args[0], append([]string{"record", "-q", "-o", r.path}, args...)...)
	r.Env = append(os.Environ(), asRsswatch+"=1", asHelper+"="+helper)
	r.Stdout, r.Stderr = &r.out, &r.out
	return r
}

// run runs it and returns its exit status.
func (r *recorder) run(t *testing.T) int {
	t.Helper()
	err := r.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return r.ProcessState.ExitCode()
}

// recording is a recording as it was read back.
type recording struct {
	header *result.RecordingHeader
	ticks  int
	seen   map[string]int // ticks by program
	peak   map[string]int64
	exits  []*result.RecordedExit
	end    *result.RecordingEnd
	cut    *result.RecordingCut
}

func read(t *testing.T, path string) *recording {
	t.Helper()
	rr, err := result.OpenRecording(path)
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Close()
	rec := &recording{header: rr.Header(), seen: map[string]int{}, peak: map[string]int64{}}
	for {
		tick, err := rr.Next()
		if err == io.EOF {
			rec.end, rec.cut = rr.End(), rr.Cut()
			return rec
		}
		rec.ticks++
		for _, p := range tick.Processes {
			rec.seen[string(p.Program)]++
			rec.peak[string(p.Program)] = max(rec.peak[string(p.Program)], p.Peak.Value)
		}
		rec.exits = append(rec.exits, tick.Exits...)
	}
}

// command returns the end of the command.
func (rec *recording) command(t *testing.T) *result.RecordedExit {
	t.Helper()
	for _, e := range rec.exits {
		if e.PID == rec.header.PID {
			return e
		}
	}
	t.Fatalf("the command's end is not among %d", len(rec.exits))
	return nil
}

func needSh(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
}

// A short command: its exit status passes, its peak is there, and its output is
// untouched; for each kind of file and each method that is allowed here.
func TestRecordShortCommand(t *testing.T) {
	needSh(t)
	for _, name := range []string{"r.jsonl", "r.jsonl.gz", "r.jsonl.zst"} {
		for _, method := range []string{"auto", "wait", "ptrace"} {
			r := newRecorder(t, name, "", "--exits", method, "--", "sh", "-c", "sleep 0.05; echo out; echo err >&2; exit 7")
			if code := r.run(t); code != 7 {
				if method == "ptrace" && strings.Contains(r.out.String(), "not permitted") {
					continue // as in many containers
				}
				t.Fatalf("%s %s: exit %d: %s", name, method, code, r.out.String())
			}
			if r.out.String() != "out\nerr\n" {
				t.Errorf("%s %s: output %q", name, method, r.out.String())
			}
			rec := read(t, r.path)
			x := rec.command(t)
			if x.Code != result.Some[int64](7) || x.Peak.Value > 100<<20 || x.Rusage == nil {
				t.Errorf("%s %s: %+v", name, method, x)
			}
			// Before Linux 6.2 a thread's pages are counted 64 faults later, so
			// that of so small a process nearly all may be missing. And on a busy
			// host the one tick that saw it may have come right after its start:
			// then there is an upper bound.
			if x.Peak.Value < 4096 || x.PeakFrom == result.PeakFromTick && x.PeakAtMost.Known && x.PeakAtMost.Value < 100<<10 {
				t.Errorf("%s %s: peak %+v", name, method, x)
			}
			if rec.cut != nil || rec.end.Status != 7 || rec.end.Reason != result.EndCommand || !rec.end.SelfCPUNS.Known {
				t.Errorf("%s %s: end %+v, cut %v", name, method, rec.end, rec.cut)
			}
		}
	}
}

func TestRecordExitStatus(t *testing.T) {
	needSh(t)
	dir := t.TempDir()
	plain, binary, script := filepath.Join(dir, "plain"), filepath.Join(dir, "binary"), filepath.Join(dir, "script")
	for path, text := range map[string]string{plain: "text", binary: "\x7fNOT\x00ELF", script: "exit 5\n"} {
		mode := os.FileMode(0o755)
		if path == plain {
			mode = 0o644
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		command []string
		code    int
		message string // part of the one line; then no file is left
	}{
		{[]string{"sh", "-c", "kill -9 $$"}, 137, ""},
		{[]string{"sh", "-c", "kill -TERM $$"}, 143, ""},
		{[]string{"sh", "-c", "exit 255"}, 255, ""},
		{[]string{script}, 5, ""},
		{[]string{"no-such-command-here"}, 127, "no-such-command-here"},
		{[]string{"./no/such/command"}, 127, "./no/such/command"},
		{[]string{plain}, 126, "not executable"},
		{[]string{dir}, 126, "is a folder"},
		{[]string{binary}, 126, "another architecture"},
	} {
		r := newRecorder(t, "r.jsonl", "", append([]string{"--"}, tc.command...)...)
		code := r.run(t)
		_, err := os.Stat(r.path)
		if code != tc.code || (err == nil) != (tc.message == "") {
			t.Errorf("%q: exit %d, want %d; file: %v; %s", tc.command, code, tc.code, err, r.out.String())
		}
		if tc.message != "" && (strings.Count(r.out.String(), "\n") != 1 || !strings.Contains(r.out.String(), tc.message)) {
			t.Errorf("%q: %q", tc.command, r.out.String())
		}
	}
}

// The peak of a command that allocates in steps is what it is.
func TestRecordSteps(t *testing.T) {
	r := newRecorder(t, "r.jsonl", "steps 40 80 160", "-d", "0.05", "--", os.Args[0])
	if code := r.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, r.out.String())
	}
	const top, base = 160 << 20, 40 << 20 // the test binary itself has less than that
	if p := read(t, r.path).command(t).Peak.Value; p < top || p > top+base {
		t.Errorf("peak %d MiB", p>>20)
	}
}

// A tree of 200 short children: where the kernel tells of all, all are counted;
// elsewhere the recording says that some may be missing.
func TestRecordShortChildren(t *testing.T) {
	const n = 200
	r := newRecorder(t, "r.jsonl", "spawn 200", "--", os.Args[0])
	if code := r.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, r.out.String())
	}
	rec := read(t, r.path)
	pids := map[int32]bool{}
	for _, e := range rec.exits {
		if e.Role == result.RoleChild {
			pids[e.PID] = true
		}
	}
	told := len(pids)
	switch {
	case rec.end.Complete && (told < n || told > n+1): // one more where a process lies between
		t.Errorf("%d of %d children by %s: %+v", told, n, rec.header.Exits.Method, rec.end)
	case !rec.end.Complete && rec.end.MissedAtMost.Value < int64(n-told):
		t.Errorf("%d of %d children, at most %+v missed", told, n, rec.end.MissedAtMost)
	}
	t.Logf("%d of %d by %+v", told, n, rec.header.Exits)
	// None may be missing when each is stopped at its end.
	r = newRecorder(t, "r.jsonl", "spawn 20", "--exits", "ptrace", "--", os.Args[0])
	if code := r.run(t); code != 0 {
		if strings.Contains(r.out.String(), "not permitted") {
			t.Skip("ptrace is not permitted here")
		}
		t.Fatalf("exit %d: %s", code, r.out.String())
	}
	told = 0
	for _, e := range read(t, r.path).exits {
		if e.Code == result.Some[int64](3) && e.Peak.Value > 1<<20 && e.PeakFrom == result.PeakFromPtrace {
			told++
		}
	}
	if told != 20 {
		t.Errorf("ptrace: %d of 20", told)
	}
}

// kill -9 of the recorder leaves what was written, and the command running.
func TestRecordKilled(t *testing.T) {
	needSh(t)
	for _, name := range []string{"r.jsonl", "r.jsonl.gz", "r.jsonl.zst"} {
		r := newRecorder(t, name, "", "-d", "0.02", "--", "sh", "-c", "echo $$; exec sleep 100")
		out, err := r.StdoutPipeOnly()
		if err != nil {
			t.Fatal(err)
		}
		pid := startAndReadPID(t, r, out)
		time.Sleep(300 * time.Millisecond)
		if err := r.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = r.Wait()
		if err := syscall.Kill(pid, 0); err != nil {
			t.Errorf("%s: the command ended with the recorder: %v", name, err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		rec := read(t, r.path)
		if rec.cut == nil || rec.end != nil || rec.ticks == 0 || name == "r.jsonl" && rec.ticks < 5 {
			t.Errorf("%s: %d ticks, %v", name, rec.ticks, rec.cut)
		}
	}
}

// StdoutPipeOnly returns the command's standard output as a pipe.
func (r *recorder) StdoutPipeOnly() (io.Reader, error) {
	r.Stdout, r.Stderr = nil, nil
	return r.StdoutPipe()
}

// startAndReadPID starts it and reads the first line that the command writes.
func startAndReadPID(t *testing.T, r *recorder, out io.Reader) int {
	t.Helper()
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// A daemon that forks twice and leaves session and group is followed all the
// same; --wait-all goes on until it ends, else it is named.
func TestRecordDaemon(t *testing.T) {
	needSh(t)
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid here")
	}
	const daemon = "(setsid sh -c 'sleep 0.4; exit 9' >/dev/null 2>&1 &) ; exit 4"
	r := newRecorder(t, "r.jsonl", "", "-d", "0.05", "--wait-all", "--", "sh", "-c", daemon)
	begin := time.Now()
	if code := r.run(t); code != 4 || time.Since(begin) < 400*time.Millisecond {
		t.Errorf("exit %d after %v: %s", code, time.Since(begin), r.out.String())
	}
	rec := read(t, r.path)
	found := false
	for _, e := range rec.exits {
		found = found || e.Code == result.Some[int64](9) && e.Role == result.RoleChild && e.Rusage != nil
	}
	if !found || len(rec.end.Running) != 0 || rec.end.Code != result.Some[int64](4) {
		t.Errorf("the daemon's end is not there: %+v", rec.end)
	}
	r = newRecorder(t, "r.jsonl", "", "-d", "0.05", "--", "sh", "-c", daemon)
	if code := r.run(t); code != 4 || !strings.Contains(r.out.String(), "still running") || !strings.Contains(r.out.String(), "--wait-all") {
		t.Errorf("exit %d: %s", code, r.out.String())
	}
	if rec := read(t, r.path); len(rec.end.Running) == 0 {
		t.Errorf("%+v", rec.end)
	}
}

// A full disk: one message, and the command goes on to its own end.
func TestRecordFullDisk(t *testing.T) {
	needSh(t)
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	r := newRecorder(t, "/dev/full", "", "-d", "0.02", "--", "sh", "-c", "sleep 0.2; echo done; exit 6")
	if code := r.run(t); code != 6 || !strings.Contains(r.out.String(), "done\n") || strings.Count(r.out.String(), "no space left") != 1 || strings.Count(r.out.String(), "\n") != 2 {
		t.Errorf("exit %d: %s", code, r.out.String())
	}
	// A file that may not grow beyond 16 KiB holds what was written until then.
	for _, name := range []string{"r.jsonl", "r.jsonl.gz", "r.jsonl.zst"} {
		r = newRecorder(t, name, "", "-d", "0.01", "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.05; done; exit 6")
		r.Args = append([]string{"sh", "-c", `ulimit -f 16; exec "$@"`, "sh", r.Path}, r.Args[1:]...)
		r.Path = "/bin/sh"
		code := r.run(t)
		rec := read(t, r.path)
		if name != "r.jsonl" { // these stay below the limit
			if code != 6 || rec.cut != nil {
				t.Errorf("%s: exit %d, %v: %s", name, code, rec.cut, r.out.String())
			}
			continue
		}
		if code != 6 || rec.cut == nil || rec.ticks < 3 || strings.Count(r.out.String(), "\n") != 1 || !strings.Contains(r.out.String(), "file too large") {
			t.Errorf("%s: exit %d, %d ticks, %v: %s", name, code, rec.ticks, rec.cut, r.out.String())
		}
	}
}

// Running processes are recorded until the time is over, a signal comes, or
// none is left.
func TestRecordWatch(t *testing.T) {
	needSh(t)
	watched := exec.Command("sh", "-c", "sleep 100; exit 3")
	if err := watched.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() { watched.Process.Kill(); watched.Wait() })
	defer end()
	tree := strconv.Itoa(watched.Process.Pid)

	r := newRecorder(t, "time.jsonl", "", "-d", "0.05", "--for", "0.3", "--tree", tree)
	if code := r.run(t); code != 0 || r.out.Len() != 0 {
		t.Errorf("exit %d: %s", code, r.out.String())
	}
	rec := read(t, r.path)
	if rec.end.Reason != result.EndDuration || rec.seen["sleep"] < 2 || rec.seen["sh"] < 2 || rec.header.Watch.Trees[0] != int32(watched.Process.Pid) {
		t.Errorf("%+v, %v", rec.end, rec.seen)
	}

	r = newRecorder(t, "signal.jsonl.gz", "", "-d", "0.05", "--pid", tree)
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if err := r.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		t.Error(err, r.out.String())
	}
	if rec = read(t, r.path); rec.end == nil || rec.end.Reason != result.EndSignal || rec.seen["sh"] < 2 || rec.seen["sleep"] != 0 {
		t.Errorf("%+v, %v", rec.end, rec.seen)
	}

	r = newRecorder(t, "gone.jsonl", "", "-d", "0.05", "--pid", tree)
	time.AfterFunc(300*time.Millisecond, end)
	if code := r.run(t); code != 0 {
		t.Errorf("exit %d: %s", code, r.out.String())
	}
	rec = read(t, r.path)
	if rec.end.Reason != result.EndWatched || len(rec.exits) != 1 || rec.exits[0].ID == 0 || rec.exits[0].Role != result.RoleWatched {
		t.Errorf("%+v, %+v", rec.end, rec.exits)
	}
}

// With --for the recording ends before the command, whose status still counts.
func TestRecordForWithCommand(t *testing.T) {
	needSh(t)
	r := newRecorder(t, "r.jsonl", "", "-d", "0.05", "--for", "0.1", "--", "sh", "-c", "sleep 0.4; exit 8")
	if code := r.run(t); code != 8 {
		t.Errorf("exit %d: %s", code, r.out.String())
	}
	rec := read(t, r.path)
	if e := rec.end; e.Reason != result.EndDuration || e.AtNS > int64(300*time.Millisecond) || len(e.Running) == 0 || e.Code.Known {
		t.Errorf("%+v", e)
	}
}

// Without -o the file has the time in its name; nothing is ever written over.
func TestRecordDefaultName(t *testing.T) {
	needSh(t)
	dir := t.TempDir()
	for range 3 {
		r := newRecorder(t, "unused", "", "--", "true")
		r.Args = append(r.Args[:2], "--", "sh", "-c", "exit 0")
		r.Dir = dir
		if code := r.run(t); code != 0 || !strings.Contains(r.out.String(), ".jsonl.gz: ") {
			t.Errorf("exit %d: %s", code, r.out.String())
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "rsswatch-*.jsonl.gz"))
	if err != nil || len(files) != 3 {
		t.Errorf("%v, %v", files, err)
	}
	for _, f := range files {
		if rec := read(t, f); rec.cut != nil {
			t.Errorf("%s: %v", f, rec.cut)
		}
	}
}

// A title is matched like the live screen does, and rsswatch is not its own
// catch.
func TestRecordPattern(t *testing.T) {
	needSh(t)
	r := newRecorder(t, "r.jsonl", "", "-d", "0.05", "--for", "0.2", "--watch", "no-such-title-anywhere")
	if code := r.run(t); code != 0 || !strings.Contains(r.out.String(), "none matched") {
		t.Errorf("exit %d: %s", code, r.out.String())
	}
}
