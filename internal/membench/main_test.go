package membench

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"unsafe"

	"wordsize/internal/hostinfo"
)

// A worker in a test is the test binary itself, and so is a parent that is to
// be killed. The environment tells what a worker should do wrong.
const (
	envCorrupt = "WORDSIZE_TEST_CORRUPT" // "WORKER OFFSET": flip a bit there before verification
	envParent  = "WORDSIZE_TEST_PARENT"  // be a parent that runs until killed
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == WorkerArg:
		os.Exit(workerMain(os.Stdin, os.Stdout, os.Exit, corruption()))
	case len(os.Args) == 2 && os.Args[1] == ChaseArg:
		os.Exit(ChaseMain(os.Stdin, os.Stdout, os.Exit))
	case os.Getenv(envParent) != "":
		os.Exit(endlessParent())
	}
	os.Exit(m.Run())
}

// corruption returns the hook that spoils a chunk, as the environment says.
// A worker's index isn't known to the hook, so that all workers are spoilt.
func corruption() func(*chunk) {
	s := os.Getenv(envCorrupt)
	if s == "" {
		return nil
	}
	target, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", envCorrupt, err))
	}
	return func(c *chunk) {
		at := target
		for _, s := range c.segments {
			if at >= 0 && at < int64(s.size) {
				*(*uint32)(unsafe.Add(s.base, at)) ^= 1 << 7
			}
			at -= int64(s.size)
		}
	}
}

// config returns a small request that runs in a moment.
func config(t *testing.T, n int) Config {
	t.Helper()
	c := Config{Processes: n, ChunkBytes: 9 << 20, KernelSpec: "write", Pin: Pin{Mode: PinAuto}, Pages: PagesDefault, Repeat: 1, Warmup: 1, Seed: DefaultSeed, Held: true, Verify: true}
	c.Kernel = mustKernel(t, c.KernelSpec)
	return c
}

func env(t *testing.T, x Executor) Env {
	t.Helper()
	fs := hostinfo.DefaultFS()
	host := hostinfo.Read(t.Context(), fs)
	return Env{Executor: x, FS: fs, Host: &host}
}

// processes returns the executor that starts real workers.
func processes(t *testing.T, runner ...string) *Processes {
	t.Helper()
	p, err := NewProcesses(runner, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
