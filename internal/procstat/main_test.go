package procstat

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// helperEnv makes the test binary play a process that is watched.
const helperEnv = "PROCSTAT_TEST_HELPER"

func TestMain(m *testing.M) {
	if role := os.Getenv(helperEnv); role != "" {
		helper(role)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// helper reports "ready" and does its role until standard input ends.
func helper(role string) {
	var held []byte
	switch role {
	case "burn":
		go func() {
			for n := uint64(1); n != 0; n += 2 { // odd, so never 0
			}
		}()
	case "hold":
		held = make([]byte, 64<<20)
		for i := 0; i < len(held); i += 4096 {
			held[i] = byte(i>>12) | 1
		}
	}
	in := bufio.NewReader(os.Stdin)
	os.Stdout.WriteString("ready\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		retitle(strings.TrimSuffix(line, "\n"))
		os.Stdout.WriteString("ready\n")
	}
	if held != nil && held[4096] == 0 {
		os.Exit(3)
	}
}

// retitle overwrites the first argument in place, as setproctitle does.
func retitle(s string) {
	arg := unsafe.Slice(unsafe.StringData(os.Args[0]), len(os.Args[0]))
	for i := range arg {
		arg[i] = 0
	}
	copy(arg, s)
}

// child is a helper process.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startChild(t testing.TB, role string) *child {
	t.Helper()
	if role == "" {
		t.Fatal("without a role the child would run the tests, and so on")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+role)
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
	c := &child{cmd, in, bufio.NewReader(out)}
	t.Cleanup(c.kill)
	c.ready(t)
	return c
}

func (c *child) ready(t testing.TB) {
	t.Helper()
	if line, err := c.out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("helper said %q, %v", line, err)
	}
}

func (c *child) pid() int32 { return int32(c.Process.Pid) }

// kill ends the child; twice is once.
func (c *child) kill() {
	c.in.Close()
	if c.ProcessState == nil {
		c.Process.Kill()
		c.Wait()
	}
}

// wait polls for a condition that the kernel brings about.
func wait(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for range 500 {
		if cond() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}
