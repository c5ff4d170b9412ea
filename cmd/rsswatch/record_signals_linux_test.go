package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wordsize/internal/result"
)

// Signals reach the command once each.
func TestRecordSignals(t *testing.T) {
	r := newRecorder(t, "r.jsonl", "signals", "--", os.Args[0])
	out, err := r.StdoutPipeOnly()
	if err != nil {
		t.Fatal(err)
	}
	r.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGUSR2} {
		if err := r.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond)
	}
	if line, _ := lines.ReadString('\n'); line != "INT 1 TERM 2 USR1 1 HUP 1\n" {
		t.Errorf("the command got %q", line)
	}
	if err := r.Wait(); err != nil {
		t.Error(err)
	}
	if rec := read(t, r.path); rec.end == nil || rec.end.Reason != result.EndCommand {
		t.Errorf("%+v", rec.end)
	}
}

// Ctrl-C reaches the command once, from the terminal alone.
func TestRecordTerminal(t *testing.T) {
	r := newRecorder(t, "r.jsonl", "signals", "--", os.Args[0])
	master, slave := openTerminal(t)
	r.Stdin, r.Stdout, r.Stderr = slave, slave, slave
	r.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	lines := bufio.NewReader(master)
	for line := ""; strings.TrimSpace(line) != "ready"; {
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := master.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if err := r.Process.Signal(syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	line := ""
	for !strings.Contains(line, "TERM") {
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(line, "INT 1 TERM 0") {
		t.Errorf("the command got %q", line)
	}
	if err := r.Wait(); err != nil {
		t.Error(err)
	}
}

// openTerminal returns both ends of a pseudo-terminal (pts(4)).
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(n)), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	return master, slave
}
