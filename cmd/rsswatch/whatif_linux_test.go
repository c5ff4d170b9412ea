package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wordsize/internal/result"
)

// heldNode is half pointers and half integers of a word: it halves.
type heldNode struct {
	next *heldNode
	v    int
}

// holdList fills so many MiB with a list, says so, and waits for the end of
// its input.
func holdList(mib int) {
	var head *heldNode
	for i := range mib << 20 / (2 * strconv.IntSize / 8) {
		head = &heldNode{head, i}
	}
	runtime.GC()
	os.Stdout.WriteString("ready\n")
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(head)
}

// held starts a process of this size that may be looked at.
func held(t *testing.T, mib int) (pid string) {
	t.Helper()
	skipEmulated(t)
	if raceDetector {
		t.Skip("the race detector marks a program's heap as not to be dumped, and such memory is never read")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asHelper+"=hold "+strconv.Itoa(mib))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	pid = strconv.Itoa(cmd.Process.Pid)
	switch code, _, stderr := execute(t, context.Background(), "whatif", pid); {
	case code == exitFailure && strings.Contains(stderr, "may not read its memory"):
		t.Skip("this system does not let a process look into its child: ", stderr)
	case code != exitOK:
		t.Fatalf("exit %d, %s", code, stderr)
	}
	return pid
}

// isHalf checks an estimate of a process that holds a list.
func isHalf(t *testing.T, f *result.WhatIfFigures, res int64) {
	t.Helper()
	low, high := 0.45, 0.8
	if strconv.IntSize == 32 {
		low, high = 1.3, 2.3
	}
	if ratio := float64(f.Value.Value) / float64(res); !f.Value.Known || ratio < low || ratio > high {
		t.Errorf("%.2f of RES", ratio)
	}
	if f.Low > f.Value.Value || f.High < f.Value.Value || f.Low <= 0 {
		t.Errorf("%+v: the estimate is not in its interval", f)
	}
}

// ticksOf runs rsswatch for JSON.
func ticksOf(t *testing.T, args ...string) (ticks []result.WatchTick) {
	t.Helper()
	code, stdout, stderr := execute(t, context.Background(), append([]string{"--format", "json"}, args...)...)
	var doc struct{ Ticks []result.WatchTick }
	if err := json.Unmarshal([]byte(stdout), &doc); code != 0 || err != nil || len(doc.Ticks) == 0 {
		t.Fatalf("exit %d, %v, %s", code, err, stderr)
	}
	return doc.Ticks
}

func TestWhatIfColumnLive(t *testing.T) {
	pid := held(t, 64)
	p := ticksOf(t, "-n", "1", "-c", "PID,RES,WHATIF32", "-p", pid)[0].Processes[0]
	if p.WhatIf == nil || p.WhatIf.AgeNS.Known {
		t.Fatalf("%+v", p)
	}
	isHalf(t, &p.WhatIf.WhatIfFigures, p.Resident.Value)

	// Beside the ticks: none on the first, the same one on those after it.
	ticks := ticksOf(t, "-n", "10", "-d", "0.25", "--whatif-budget", "100%", "-c", "PID,RES,WHATIF32", "-p", pid)
	if p := ticks[0].Processes[0]; p.WhatIf != nil || ticks[0].Counts.WhatIfPending != 1 {
		t.Errorf("on the first tick: %+v, %+v", p.WhatIf, ticks[0].Counts)
	}
	last := ticks[len(ticks)-1]
	if p = last.Processes[0]; p.WhatIf == nil || !p.WhatIf.AgeNS.Known || last.Counts.WhatIfRead != 1 {
		t.Fatalf("%+v, %+v", p.WhatIf, last.Counts)
	}
	isHalf(t, &p.WhatIf.WhatIfFigures, p.Resident.Value)

	total := ticksOf(t, "-n", "1", "-g", "program", "-c", "RES,WHATIF32,GROUP", "-p", pid)[0].Total
	if total.WhatIf == nil || total.WhatIf.Processes != 1 || total.WhatIf.Missing != 0 {
		t.Fatalf("%+v", total.WhatIf)
	}
	isHalf(t, total.WhatIf.WhatIfFigures, total.Resident.Value)
}

// Nobody is looked into who was not asked for.
func TestWhatIfOnlyByName(t *testing.T) {
	pid := held(t, 1)
	for _, args := range [][]string{{"-c", "all"}, {}, {"-c", "PID,WHATIF32", "--whatif-budget", "0"}} {
		if p := ticksOf(t, append(args, "-n", "1", "-p", pid)...)[0].Processes[0]; p.WhatIf != nil {
			t.Errorf("%q: %+v", args, p.WhatIf)
		}
	}
	_, stdout, _ := execute(t, context.Background(), "-n", "1", "--format", "csv", "-c", "all,WHATIF32", "-p", pid)
	header, row, _ := strings.Cut(stdout, "\n")
	if !strings.HasSuffix(header, ",whatif32_bytes") || strings.HasSuffix(strings.TrimSpace(row), ",") {
		t.Errorf("%s\n%s", header, row)
	}
}

// As nobody against root's process: refused, with the reason.
func TestWhatIfRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a process as another user")
	}
	pid := held(t, 1)
	dir, err := os.MkdirTemp("", "rsswatch-nobody") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "rsswatch")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	asNobody := func(args ...string) (string, string, int) {
		var out, errs strings.Builder
		c := exec.Command(program, args...)
		c.Dir, c.Stdout, c.Stderr = "/", &out, &errs
		c.Env = append(os.Environ(), asRsswatch+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := c.Run(); c.ProcessState == nil {
			t.Skip("this system does not let nobody run a program: ", err)
		}
		return out.String(), errs.String(), c.ProcessState.ExitCode()
	}
	out, errs, code := asNobody("whatif", pid)
	if code != exitFailure || out != "" || !strings.Contains(errs, "PID "+pid+": may not read its memory") || !strings.Contains(errs, "CAP_SYS_PTRACE") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	out, errs, code = asNobody("-n", "1", "-w", "200", "-c", "WHATIF32,PID", "-p", pid)
	if code != 0 || !strings.Contains(out, "WHATIF32 of 0, 1 refused") || !strings.Contains(" "+strings.Join(strings.Fields(out), " "), " ? "+pid) {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	out, errs, code = asNobody("-n", "1", "--format", "jsonl", "-c", "PID,WHATIF32", "-p", pid)
	if code != 0 || !strings.Contains(out, `"refused":["whatif"]`) || strings.Contains(out, `"whatif":{`) {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

// A recording with estimates, and what report and replay make of it.
func TestRecordWhatIf(t *testing.T) {
	pid := held(t, 64)
	r := newRecorder(t, "r.jsonl", "", "--whatif", "--whatif-budget", "100%", "-d", "0.2", "--for", "2s", "-p", pid)
	if code := r.run(t); code != 0 {
		t.Fatalf("exit %d: %s", code, r.out.String())
	}
	code, stdout, stderr := execute(t, context.Background(), "report", "--format", "json", r.path)
	var rep result.UsageReport
	if err := json.Unmarshal([]byte(stdout), &rep); code != 0 || err != nil {
		t.Fatalf("exit %d, %v, %s", code, err, stderr)
	}
	w := rep.Labels[0].Total.WhatIf
	if w == nil || w.Avg == nil || w.End == nil {
		t.Fatalf("%+v", w)
	}
	isHalf(t, &w.Avg.WhatIfFigures, w.Avg.RESBytes)
	isHalf(t, &w.End.WhatIfFigures, w.End.RESBytes)
	if code, stdout, _ = execute(t, context.Background(), "report", r.path); code != 0 || !strings.Contains(stdout, "RES as builds of the other word size") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	code, stdout, stderr = execute(t, context.Background(), "replay", "-b", "--format", "json", "--columns", "PID,WHATIF32", r.path)
	var doc struct{ Ticks []result.WatchTick }
	if err := json.Unmarshal([]byte(stdout), &doc); code != 0 || err != nil || len(doc.Ticks) < 2 {
		t.Fatalf("exit %d, %v, %s", code, err, stderr)
	}
	p := doc.Ticks[len(doc.Ticks)-1].Processes[0]
	if p.WhatIf == nil || !p.WhatIf.AgeNS.Known {
		t.Fatalf("%+v", p)
	}
	isHalf(t, &p.WhatIf.WhatIfFigures, w.End.RESBytes)
}
