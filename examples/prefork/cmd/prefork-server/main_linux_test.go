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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wordsize/examples/internal/cli"
	"wordsize/examples/prefork/client"
)

// The parent executes its own program as a worker: here that is the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (strings.HasPrefix(os.Args[1], "--worker=") || os.Getenv("PREFORK_PARENT") != "") {
		main()
	}
	os.Exit(m.Run())
}

const small = "--workers 3 --pages 300 --cache 200 --warm 100"

// start runs the parent in this process and returns when all workers serve.
func start(t *testing.T, args string) (addr string, end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- run(ctx, strings.Fields(args), nil, in, t.Output()) }()
	addr = readReady(t, out)
	end = func() int {
		cancel()
		select {
		case c := <-code:
			code <- c
			return c
		case <-time.After(20 * time.Second):
			return -1
		}
	}
	t.Cleanup(func() { end() })
	return addr, end
}

func readReady(t *testing.T, out io.Reader) (addr string) {
	t.Helper()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if a, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			addr = a
		}
		if strings.HasPrefix(lines.Text(), "ready") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return addr
		}
	}
	t.Fatal("the server did not become ready")
	return ""
}

// children returns the PIDs and titles of a process' children.
func children(t *testing.T, parent int) map[int]string {
	t.Helper()
	found := map[int]string{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // gone
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // state, PPID
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) || fields[0] == "Z" {
			continue
		}
		title, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		found[pid] = strings.TrimRight(string(title), "\x00")
	}
	return found
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

func load(t *testing.T, addr string, requests int) *client.Result {
	t.Helper()
	res, err := client.Run(t.Context(), client.Config{Addr: addr, Requests: requests, Concurrency: 6, Pages: 300, Seed: 5})
	if err != nil || res.Wrong+res.Failed > 0 || res.Right != requests {
		t.Fatalf("%d right, %d wrong, %d failed: %v, %v", res.Right, res.Wrong, res.Failed, res.First, err)
	}
	return res
}

func TestPagesTitlesAndRestarts(t *testing.T) {
	addr, end := start(t, small)
	if res := load(t, addr, 600); len(res.Workers) != 3 {
		t.Errorf("pages by worker: %v, want three workers", res.Workers)
	}
	workers := children(t, os.Getpid())
	if len(workers) != 3 {
		t.Fatalf("%d children: %v", len(workers), workers)
	}
	var victim int
	for pid, title := range workers {
		if !strings.HasPrefix(title, "page '/") || !strings.HasSuffix(title, "/'") {
			t.Errorf("worker %d has the title %q", pid, title)
		}
		victim = pid
	}

	// A title is that of the page just served.
	resp, err := http.Get("http://" + addr + "/news/2/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	pid, _ := strconv.Atoi(resp.Header.Get("X-Worker"))
	if title := children(t, os.Getpid())[pid]; title != "page '/news/2/'" {
		t.Errorf("the worker that served /news/2/ has the title %q", title)
	}

	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "another worker for the killed one", func() bool {
		now := children(t, os.Getpid())
		_, still := now[victim]
		return len(now) == 3 && !still
	})
	load(t, addr, 300)

	if code := end(); code != cli.OK {
		t.Errorf("exit status %d", code)
	}
	if left := children(t, os.Getpid()); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestNoSuchPage(t *testing.T) {
	addr, _ := start(t, small)
	for _, path := range []string{"/", "/users/2/", "/gallery/300/", "/gallery/3000000000/"} {
		resp, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

// A connection that sends nothing keeps one worker, not the others.
func TestSilentConnection(t *testing.T) {
	addr, _ := start(t, "--workers 2 --pages 300 --warm 0")
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if res := load(t, addr, 50); len(res.Workers) != 1 {
		t.Errorf("pages by worker: %v, want one worker, the other waits", res.Workers)
	}
}

// Workers end when their parent was killed and could not tell them.
func TestKilledParent(t *testing.T) {
	cmd := exec.Command(os.Args[0], strings.Fields(small)...)
	cmd.Env = append(os.Environ(), "PREFORK_PARENT=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr := readReady(t, out)
	load(t, addr, 30)
	workers := children(t, cmd.Process.Pid)
	if len(workers) != 3 {
		t.Errorf("workers: %v", workers)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	waitFor(t, "the end of the killed parent's workers", func() bool {
		for pid := range workers {
			if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !strings.Contains(string(stat), ") Z ") {
				return false
			}
		}
		return true
	})
}

func TestUsage(t *testing.T) {
	for _, tc := range []struct {
		args, want string
		code       int
	}{
		{"--workers 0", "want 1 to 4096", cli.Usage},
		{"--pages 0", "--pages 0", cli.Usage},
		{"--warm -1", "cannot be negative", cli.Usage},
		{"--procs 0", "--procs 0", cli.Usage},
		{"--grace 0", "--grace 0s", cli.Usage},
		{"--listen nowhere", "--listen", cli.Usage},
		{"--listen 192.0.2.1:0", "192.0.2.1", cli.Failure},
	} {
		var stderr strings.Builder
		if code := run(t.Context(), strings.Fields(tc.args), nil, io.Discard, &stderr); code != tc.code || !strings.Contains(stderr.String(), tc.want) {
			t.Errorf("%s: exit status %d, %q", tc.args, code, stderr.String())
		}
	}
}
