package membench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"wordsize/internal/hostinfo"
	"wordsize/internal/membench/kernel"
	"wordsize/internal/result"
)

// spy is an executor that tells the PIDs of what it starts.
type spy struct {
	Executor
	pids chan int
}

func (s *spy) start(i int) (conn, error) {
	c, err := s.Executor.start(i)
	if err == nil {
		s.pids <- c.pid()
	}
	return c, err
}

// endless is a request that would run for an hour.
func endless(c *Config) { c.MinTime = time.Hour }

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// soon waits until a condition holds, at most for limit.
func soon(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return holds()
}

func TestKilledWorker(t *testing.T) {
	s := &spy{processes(t), make(chan int, 8)}
	c := config(t, 2)
	endless(&c)
	e := env(t, s)
	timed := make(chan struct{}, 8)
	e.Progress = func(p Progress) {
		if p.Stage == StageTimed {
			timed <- struct{}{}
		}
	}
	type kill struct {
		pid int
		at  time.Time
	}
	killed := make(chan kill, 1)
	go func() {
		k := kill{pid: <-s.pids}
		<-timed
		k.at = time.Now()
		syscall.Kill(k.pid, syscall.SIGKILL)
		killed <- k
	}()
	_, err := Run(t.Context(), c, e)
	k := <-killed
	pid, took := k.pid, time.Since(k.at)
	var we *WorkerError
	if !errors.As(err, &we) || we.Worker != 0 || we.PID != pid || !strings.Contains(err.Error(), "signal: killed") || !strings.Contains(err.Error(), "OOM killer") {
		t.Errorf("error %v, want one that names worker 0, pid %d, the signal and the OOM killer", err, pid)
	}
	if took > time.Second {
		t.Errorf("it took %v to notice", took)
	}
	if !gone(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

func TestInterruptEndsWorkers(t *testing.T) {
	s := &spy{processes(t), make(chan int, 8)}
	c := config(t, 1)
	endless(&c)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := Run(ctx, c, env(t, s))
	if !errors.Is(err, ErrInterrupted) {
		t.Errorf("error %v, want ErrInterrupted", err)
	}
	if pid := <-s.pids; !gone(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

// endlessParent is the main function of a parent that is to be killed: it
// prints its workers' PIDs and runs on.
func endlessParent() int {
	p, err := NewProcesses(nil, nil)
	if err != nil {
		return 1
	}
	s := &spy{p, make(chan int)}
	go func() {
		for pid := range s.pids {
			fmt.Println(pid)
		}
	}()
	fs := hostinfo.DefaultFS()
	host := hostinfo.Read(context.Background(), fs)
	os.Unsetenv(envParent) // not for the workers
	write, err := kernel.Select(kernel.Default)
	if err != nil {
		return 1
	}
	c := Config{Processes: 2, ChunkBytes: 8 << 20, Kernel: write, Held: true, Repeat: 1, Pages: PagesDefault, MinTime: time.Hour}
	Run(context.Background(), c, Env{Executor: s, FS: fs, Host: &host})
	return 0
}

func TestKilledParentLeavesNoOrphan(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), envParent+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
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
	time.Sleep(100 * time.Millisecond) // into the timed passes
	if gone(pid) {
		t.Fatalf("worker %d isn't there", pid)
	}
	parent.Process.Kill()
	parent.Wait()
	// A zombie of ours is reaped by whoever adopted it; it holds nothing.
	dead := func() bool { return gone(pid) || zombie(pid) }
	if !soon(3*time.Second, dead) {
		t.Errorf("worker %d outlives its parent", pid)
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func zombie(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(b, ')')
	return err == nil && i > 0 && len(b) > i+2 && b[i+2] == 'Z'
}

// An outer taskset is obeyed: workers run on the one CPU that is left.
func TestStaysInsideTheMask(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		t.Fatal(err)
	}
	allowed := hostinfo.AllowedCPUs()
	only := allowed[len(allowed)-1]
	var one unix.CPUSet
	one.Set(only)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &old)
	e := env(t, processes(t))
	if got := e.Host.CPU.Allowed; len(got) != 1 || got[0] != only {
		t.Fatalf("allowed CPUs %v, want %d alone", got, only)
	}
	run, err := Run(t.Context(), config(t, 2), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range run.Launches[0].Phases {
		for _, w := range p.Workers {
			if *w.StartCPU != only || *w.EndCPU != only {
				t.Errorf("worker %d ran on CPUs %d and %d, allowed is %d", w.Index, *w.StartCPU, *w.EndCPU, only)
			}
		}
	}
	found := false
	for _, w := range run.Warnings {
		found = found || w.Code == result.WarnOversubscribed
	}
	if !found {
		t.Error("two processes on one CPU went without a warning")
	}
}

func TestPinsWorkersToDifferentCPUs(t *testing.T) {
	allowed := hostinfo.AllowedCPUs()
	if len(allowed) < 2 {
		t.Skip("one CPU alone is allowed here")
	}
	run, err := Run(t.Context(), config(t, 2), env(t, processes(t)))
	if err != nil {
		t.Fatal(err)
	}
	ws := run.Launches[0].Phases[1].Workers
	for _, w := range ws {
		if w.PinnedCPU == nil || *w.StartCPU != *w.PinnedCPU || *w.EndCPU != *w.PinnedCPU {
			t.Errorf("worker %d: pinned %v, ran on %d and %d", w.Index, w.PinnedCPU, *w.StartCPU, *w.EndCPU)
		}
	}
	if *ws[0].PinnedCPU == *ws[1].PinnedCPU {
		t.Error("both workers on one CPU")
	}
}

func TestRunnerIsPutInFront(t *testing.T) {
	p := processes(t, "env", "WORDSIZE_TEST_RUNNER=1")
	c := config(t, 1)
	c.Runner = p.Argv[:2]
	run, err := Run(t.Context(), c, env(t, p))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(run.Args.Runner, " "); got != "env WORDSIZE_TEST_RUNNER=1" {
		t.Errorf("runner recorded as %q", got)
	}
	if run.Launches[0].Phases[0].Workers[0].PinnedCPU != nil {
		t.Error("a worker behind a runner was pinned over its head")
	}
}

func TestWorkersAreFirstForTheOOMKiller(t *testing.T) {
	run, err := Run(t.Context(), config(t, 1), env(t, processes(t)))
	if err != nil {
		t.Fatal(err)
	}
	if v := run.Launches[0].Phases[0].Workers[0].OOMScoreAdj; v == nil || *v != 1000 {
		t.Errorf("oom_score_adj %v, want 1000", v)
	}
}

// The worker's own limit is met when the check was overridden.
func TestForcedBeyondAddressSpace(t *testing.T) {
	if by := os.Getenv("WORDSIZE_EMULATED"); by != "" {
		t.Skip(by + " needs more address space for itself than the limit that this test sets")
	}
	p := processes(t, "sh", "-c", `ulimit -v 3000000; exec "$0" "$@"`)
	c := config(t, 1)
	c.ChunkBytes, c.Force = 4<<30, true
	_, err := Run(t.Context(), c, env(t, p))
	if err == nil || !strings.Contains(err.Error(), "cannot map 4096 MiB: the system gave") {
		t.Errorf("error %v, want one that says how much could be mapped", err)
	}
}

func TestPagesKinds(t *testing.T) {
	for _, kind := range []Pages{Pages4K, PagesTHP} {
		c := config(t, 1)
		c.Pages, c.ChunkBytes = kind, 32<<20
		run, err := Run(t.Context(), c, env(t, processes(t)))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		w := run.Launches[0].Phases[0].Workers[0]
		if w.ChunkHuge == nil {
			t.Fatalf("%s: huge pages unknown", kind)
		}
		switch mode := run.Host.Pages.THPEnabled; {
		case kind == Pages4K && *w.ChunkHuge != 0:
			t.Errorf("4k: %d bytes in huge pages", *w.ChunkHuge)
		case kind == PagesTHP && (mode == "always" || mode == "madvise") && *w.ChunkHuge < c.ChunkBytes/2:
			// The kernel may be short of them, but then it must be said.
			if !slices.Contains(codes(run.Warnings), result.WarnNotHuge) {
				t.Errorf("thp: %d of %d bytes in huge pages, and no warning", *w.ChunkHuge, c.ChunkBytes)
			}
		}
	}
}

func TestClockIsTheSystems(t *testing.T) {
	for range 100 {
		before := rawMonotonic()
		mine := now()
		after := rawMonotonic()
		const slack = 20_000 // two readings of a clock are not one moment
		if mine < before-slack || mine > after+slack {
			t.Fatalf("now() says %d between %d and %d", mine, before, after)
		}
	}
}

// A runner may leave something behind that holds our pipes for long.
func TestRunnerThatForks(t *testing.T) {
	for name, script := range map[string]string{
		"leaves a child":       `sleep 30 & exec "$0" "$@"`,
		"waits for the worker": `"$0" "$@"; exit $?`,
		"unfinished line":      `printf x; exec "$0" "$@"`,
	} {
		start := time.Now()
		if _, err := Run(t.Context(), config(t, 1), env(t, processes(t, "sh", "-c", script))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// The worker's own loop: passes are made until the time is over and no longer,
// and a number of passes is made exactly. Nothing here depends on how fast the
// host is at the moment.
func TestTimedLoop(t *testing.T) {
	for _, minTime := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
		c := config(t, 1)
		c.ChunkBytes, c.MinTime = 1<<20, minTime
		run, err := Run(t.Context(), c, env(t, processes(t)))
		if err != nil {
			t.Fatal(err)
		}
		alone, after := run.Launches[0].Phases[0], run.Launches[0].Phases[1]
		if a, b := alone.Passes, after.Workers[0].Passes; a != b {
			t.Errorf("%d passes alone, %d after it", a, b)
		}
		w := alone.Workers[0]
		if took := time.Duration(w.EndNS - w.StartNS); took < minTime {
			t.Errorf("%v: over after %v", minTime, took)
		}
		// The last counted pass began before the time was over.
		if n := w.Passes/w.PassStride - 2; w.PassStride == 1 && n >= 0 {
			if before := time.Duration(w.PassEndNS[n] - w.StartNS); before >= minTime {
				t.Errorf("%v: another pass was begun after %v", minTime, before)
			}
		}
	}
}

// Workers under a real-time policy, one on every CPU, still hear that they
// are to stop: they once kept their CPUs from their own listening threads for
// ever, and the host with them.
func TestRealTimeWorkersEnd(t *testing.T) {
	if err := exec.Command("chrt", "-f", "1", "true").Run(); err != nil {
		t.Skipf("no real-time policy to be had here (chrt: %v)", err)
	}
	for _, runner := range [][]string{{"chrt", "-f", "1"}, {"chrt", "-R", "-f", "1"}} {
		c := config(t, len(hostinfo.AllowedCPUs()))
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		run, err := Run(ctx, c, env(t, processes(t, runner...)))
		if err != nil {
			t.Fatalf("%v: %v", runner, err)
		}
		for _, p := range run.Launches[0].Phases {
			if len(p.Workers) != p.Processes {
				t.Errorf("%v: phase %s has %d workers, want %d", runner, p.Name, len(p.Workers), p.Processes)
			}
		}
	}
}

// The policy is told with the flag that keeps it from children, too.
func TestRealTimeWithResetOnFork(t *testing.T) {
	ended := make(chan string)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its policy
		priority := int32(1)
		_, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETSCHEDULER, 0, unix.SCHED_RR|unix.SCHED_RESET_ON_FORK, uintptr(unsafe.Pointer(&priority)))
		switch {
		case errno != 0:
			ended <- "skip: " + errno.Error()
		case !realTime():
			ended <- "a thread under SCHED_RR with SCHED_RESET_ON_FORK is not taken for a real-time one"
		default:
			ended <- ""
		}
	}()
	switch said := <-ended; {
	case strings.HasPrefix(said, "skip: "):
		t.Skipf("no real-time policy to be had here (%s)", said)
	case said != "":
		t.Error(said)
	}
}
