package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wordsize/examples/comet/client"
	"wordsize/examples/internal/cli"
)

// The hub executes its own program as a worker: here that is the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "--worker=") || os.Getenv("COMET_HUB") != "" {
		main()
	}
	os.Exit(m.Run())
}

// readAddresses returns the two addresses of the server's first line.
func readAddresses(t *testing.T, out io.Reader) (polls, says string) {
	t.Helper()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if _, scanErr := fmt.Sscanf(strings.ReplaceAll(line, ",", " ,"), "polls on %s , messages on %s", &polls, &says); err != nil || scanErr != nil {
		t.Fatalf("first line %q: %v, %v", line, err, scanErr)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return polls, says
}

func TestChat(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"--workers", "2", "--dir", dir}, nil, in, t.Output()) }()
	polls, says := readAddresses(t, out)
	crowd, err := client.Park(t.Context(), client.Config{Hub: polls, Say: says, Conns: 200, PerSource: 90, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer crowd.Close()
	for i := range 5 {
		if d, err := crowd.Say(t.Context(), fmt.Sprintf("message %d", i)); err != nil || d.Reached != 200 {
			t.Fatalf("message %d: %+v, %v", i, d, err)
		}
	}
	fifos, _ := filepath.Glob(filepath.Join(dir, "*.fifo"))
	if len(fifos) != 2 {
		t.Errorf("FIFOs: %v", fifos)
	}
	cancel()
	if got := <-code; got != cli.OK {
		t.Errorf("exit status %d", got)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left in the folder: %v", left)
	}
}

// Messages still arrive after a worker was killed.
func TestKilledWorkerAndSignal(t *testing.T) {
	cmd := exec.Command(os.Args[0], "--workers", "1")
	cmd.Env = append(os.Environ(), "COMET_HUB=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	polls, says := readAddresses(t, out)
	crowd, err := client.Park(t.Context(), client.Config{Hub: polls, Say: says, Conns: 5, PerSource: 5, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer crowd.Close()
	if _, err := crowd.Say(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	worker := child(t, cmd.Process.Pid)
	if err := syscall.Kill(worker, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if now := child(t, cmd.Process.Pid); now != 0 && now != worker {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no other worker was started")
		}
	}
	if d, err := crowd.Say(t.Context(), "after"); err != nil || d.Reached != 5 {
		t.Errorf("%+v, %v", d, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// child returns the PID of a process' only living child, 0 if there is none.
func child(t *testing.T, parent int) int {
	t.Helper()
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, name := range lists {
		text, _ := os.ReadFile(name)
		var pid int
		if _, err := fmt.Sscan(string(text), &pid); err == nil {
			return pid
		}
	}
	return 0
}

// Out of descriptors, the hub serves those that it has and takes the others
// when some have left.
func TestOutOfDescriptors(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `ulimit -n 40 && exec "$@"`, "sh", os.Args[0], "--workers", "1")
	cmd.Env = append(os.Environ(), "COMET_HUB=1", "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	polls, says := readAddresses(t, out)
	if resp, err := http.Get("http://" + says + "/say"); err != nil { // the worker was started while there were descriptors
		t.Fatal(err)
	} else {
		resp.Body.Close()
	}
	ask := func(c net.Conn, within time.Duration) error {
		_ = c.SetDeadline(time.Now().Add(within))
		if _, err := io.WriteString(c, "GET /stats HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			return err
		}
		_, err := c.Read(make([]byte, 500))
		return err
	}
	var conns []net.Conn
	for range 60 { // the kernel takes them all
		c, err := net.Dial("tcp", polls)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	if err := ask(conns[0], 10*time.Second); err != nil {
		t.Errorf("the first: %v", err)
	}
	last := conns[len(conns)-1]
	if err := ask(last, 300*time.Millisecond); !os.IsTimeout(err) {
		t.Errorf("the last, before others left: %v", err)
	}
	line, err := bufio.NewReader(log).ReadString('\n')
	if err != nil || !strings.Contains(line, "too many open files") || !strings.Contains(line, "ulimit -n") {
		t.Errorf("log %q, %v", line, err)
	}
	for _, c := range conns[1:40] {
		c.Close()
	}
	_ = last.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := last.Read(make([]byte, 500)); err != nil {
		t.Errorf("the last, after others left: %v", err)
	}
}

func TestUsage(t *testing.T) {
	taken := filepath.Join(t.TempDir(), "worker-0.fifo")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args, want string
		code       int
	}{
		{"--workers 0", "want 1 to 1024", cli.Usage},
		{"--history 0", "--history 0", cli.Usage},
		{"--timeout 0", "--timeout", cli.Usage},
		{"--listen nowhere", "--listen", cli.Usage},
		{"--listen-say nowhere", "--listen-say", cli.Usage},
		{"--worker 1", "own use", cli.Usage},
		{"--dir " + filepath.Dir(taken), "no FIFO", cli.Failure},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(tc.args), nil, io.Discard, &stderr); code != tc.code || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: exit status %d, %q", tc.args, code, stderr.String())
		}
	}
}
