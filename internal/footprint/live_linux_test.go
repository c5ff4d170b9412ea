package footprint

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench"
)

// The test binary itself is the process that is looked at.
func TestMain(m *testing.M) {
	if os.Getenv("FOOTPRINT_HOLD") != "" {
		hold()
		return
	}
	os.Exit(m.Run())
}

type heldNode struct {
	next *heldNode
	v    int
}

// hold fills memory, prints a line, and waits for the end of its input.
func hold() {
	var head *heldNode
	for i := range 500_000 {
		head = &heldNode{head, i}
	}
	runtime.GC()
	os.Stdout.WriteString("ready\n")
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(head)
}

// start starts the held process and waits until it is ready.
func start(t *testing.T) (pid int32, stop func()) {
	t.Helper()
	host := hostinfo.Read(t.Context(), hostinfo.DefaultFS())
	if by := membench.UserModeEmulation(&host, runtime.GOARCH); by != "" {
		t.Skipf("%s runs this process: the kernel knows the emulator alone", by)
	}
	if raceDetector {
		t.Skip("the race detector marks a program's heap as not to be dumped, and such memory is never read")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FOOTPRINT_HOLD=list")
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
	stop = func() { in.Close(); cmd.Wait() }
	t.Cleanup(stop)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return int32(cmd.Process.Pid), stop
}

func TestLive(t *testing.T) {
	pid, stop := start(t)
	target, err := Open("/proc", pid)
	var refused *RefusedError
	if errors.As(err, &refused) {
		t.Skip("this system does not let a process look into its child: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	r, err := Analyze(context.Background(), target, Options{Budget: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if r.Bits != strconv.IntSize {
		t.Errorf("%d bits", r.Bits)
	}
	var golang int64
	for _, a := range r.Allocators {
		if a.Name == allocatorNames[allocGo] {
			golang = a.Bytes
		}
	}
	if want := int64(500_000 * 2 * strconv.IntSize / 8); golang < want {
		t.Errorf("%d bytes of Go's heap are recognised; the list alone takes %d: %+v", golang, want, r.Allocators)
	}
	ratio := float64(r.Estimate.Private.Value) / float64(r.PrivateBytes)
	if want := map[int]float64{64: 0.55, 32: 1.9}[strconv.IntSize]; ratio < want-0.15 || ratio > want+0.2 {
		t.Errorf("a list of pointers and ints: %.2f of now", ratio)
	}
	// Nothing of the memory itself is in the record.
	if b, err := json.Marshal(r); err != nil || len(b) > 64<<10 {
		t.Errorf("a record of %d bytes, %v", len(b), err)
	}
	stop()
	if target.Alive() {
		t.Error("it has ended, but is said to be alive")
	}
	if _, err := Analyze(context.Background(), target, Options{}); err == nil {
		t.Error("an estimate of a process that has ended")
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open("/proc", 1<<30); !errors.Is(err, ErrGone) {
		t.Errorf("no such process: %v", err)
	}
	if _, err := Open(t.TempDir(), 1); !errors.Is(err, ErrGone) {
		t.Errorf("no such directory: %v", err)
	}
}
