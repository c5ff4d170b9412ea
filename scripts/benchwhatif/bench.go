//go:build linux

// Benchwhatif measures what `rsswatch whatif` costs: its own time and memory
// against a process of 1 GiB, and by how much that process is slowed down while
// it is being read. The process counts the iterations of its loop; windows in
// which it is read alternate with windows of the same length in which it is
// not. A third kind of window runs a loop of additions beside it instead, which
// reads nothing of anybody's: what it costs the target is the machine's doing.
//
//	go build -o rsswatch ./cmd/rsswatch
//	go run ./scripts/benchwhatif ./rsswatch
package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"wordsize/internal/stats"
)

func main() {
	pairs := flag.Int("pairs", 24, "pairs of windows for each loop")
	loops := flag.String("loops", "count,chase", "loops of the target: count (registers), chase (reads all over its memory)")
	most := flag.Duration("for", 20*time.Second, "time for each loop at most; fewer pairs then")
	flag.Parse()
	chosen, err := parseLoops(*loops)
	switch {
	case os.Getenv("BENCHWHATIF_TARGET") != "":
		err = target(os.Getenv("BENCHWHATIF_TARGET"))
	case os.Getenv("BENCHWHATIF_SPIN") != "":
		d, _ := time.ParseDuration(os.Getenv("BENCHWHATIF_SPIN"))
		spin(d)
	case err != nil || flag.NArg() != 1:
		fmt.Fprintln(os.Stderr, "benchwhatif:", cmp.Or(err, errors.New("usage: benchwhatif [flags] RSSWATCH")))
		os.Exit(2)
	default:
		for _, loop := range chosen {
			if err = bench(flag.Arg(0), loop, *pairs, *most); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchwhatif:", err)
		os.Exit(1)
	}
}

// Loops of the target.
const (
	loopCount = "count"
	loopChase = "chase"
)

// parseLoops reads the flag's names of loops.
func parseLoops(names string) ([]string, error) {
	loops := strings.Split(names, ",")
	for _, l := range loops {
		if l != loopCount && l != loopChase {
			return nil, fmt.Errorf("--loops: %q is no loop: want %s, %s or both with a comma", l, loopCount, loopChase)
		}
	}
	return loops, nil
}

const targetBytes = 1 << 30

type node struct {
	next *node
	v    uint64
}

// spin adds for as long as d.
func spin(d time.Duration) {
	sum := uint64(1)
	for begin := time.Now(); time.Since(begin) < d; {
		for i := range uint64(1 << 16) {
			sum += sum<<1 ^ i
		}
	}
	runtime.KeepAlive(sum)
}

// target fills its memory with a list and counts the iterations of a loop into
// the page that is its file 3, until its input ends.
func target(loop string) error {
	runtime.LockOSThread() // the main thread's schedstat is that of the loop
	page, err := unix.Mmap(3, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	const n = targetBytes / 24 // a node of 16 bytes and the pointer to it
	nodes := make([]*node, n)
	var last *node
	for i := range nodes {
		last = &node{last, uint64(i)}
		nodes[i] = last
	}
	debug.SetGCPercent(-1) // no collection during the windows
	fmt.Println("ready")
	go func() {
		bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}()
	shared := (*atomic.Uint64)(unsafe.Pointer(&page[0]))
	count, random, sum := uint64(0), uint64(88172645463325252), uint64(0)
	for {
		for range 256 { // xorshift64
			random ^= random << 13
			random ^= random >> 7
			random ^= random << 17
			sum += random
			if loop == loopChase {
				p := nodes[random%n]
				sum += p.v
				if p.next != nil {
					sum += p.next.v
				}
			}
		}
		count += 256
		shared.Store(count | sum>>63<<63) // with a bit of the sum, so that the sum has to be made
	}
}

// process is the target as it is measured.
type process struct {
	*exec.Cmd
	page []byte
}

func start(loop string) (*process, error) {
	fd, err := unix.MemfdCreate("count", 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "count")
	defer file.Close()
	if err := file.Truncate(int64(os.Getpagesize())); err != nil {
		return nil, err
	}
	p := &process{Cmd: exec.Command("/proc/self/exe")}
	if p.page, err = unix.Mmap(fd, 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return nil, err
	}
	p.Env, p.ExtraFiles, p.Stderr = append(os.Environ(), "BENCHWHATIF_TARGET="+loop), []*os.File{file}, os.Stderr
	if _, err = p.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	return p, nil
}

// stand is where the loop has got to.
type stand struct {
	count uint64
	at    time.Time
	cpu   float64 // seconds
}

func (p *process) stand() (s stand, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", p.Process.Pid)) // time on a CPU in ns is the first field
	if err != nil {
		return s, err
	}
	ns, err := strconv.ParseFloat(strings.Fields(string(b))[0], 64)
	s = stand{binary.NativeEndian.Uint64(p.page) &^ (1 << 63), time.Now(), ns / 1e9}
	return s, err
}

// rates are iterations per second of real time and of CPU time.
type rates struct{ wall, cpu float64 }

func (p *process) window(what func() error) (r rates, took time.Duration, err error) {
	a, err := p.stand()
	if err == nil {
		err = what()
	}
	if err != nil {
		return r, 0, err
	}
	b, err := p.stand()
	n := float64(b.count - a.count)
	took = b.at.Sub(a.at)
	return rates{n / took.Seconds(), n / (b.cpu - a.cpu)}, took, err
}

// results are what the windows of one loop gave.
type results struct {
	wall, peak                               []float64 // seconds and MiB of rsswatch
	readWall, readCPU, besideWall, besideCPU []float64 // loss in percent
	without                                  []float64 // rates, for the noise
}

func bench(rsswatch, loop string, pairs int, most time.Duration) error {
	p, err := start(loop)
	if err != nil {
		return err
	}
	defer func() { p.Process.Kill(); p.Wait() }()
	var r results
	for begin := time.Now(); len(r.wall) < pairs && time.Since(begin) < most; {
		if err := r.turn(p, rsswatch); err != nil {
			return err
		}
	}
	fmt.Printf("loop %s, %d pairs:\n", loop, len(r.wall))
	show("rsswatch whatif, s", r.wall)
	show("its peak RSS, MiB", r.peak)
	show("target's loss of iterations per second while read, %", r.readWall)
	show("the same per second of its CPU time, %", r.readCPU)
	show("its loss beside a loop of additions, %", r.besideWall)
	show("the same per second of its CPU time, %", r.besideCPU)
	s := stats.Summarize(r.without)
	fmt.Printf("  windows without: slowest %.3f and fastest %.3f of the median\n", slices.Min(r.without)/s.Median, slices.Max(r.without)/s.Median)
	return nil
}

// turn measures a window with reading, one without, and one beside additions,
// beginning with another one at each turn.
func (r *results) turn(p *process, rsswatch string) error {
	read := func() (time.Duration, rates, error) {
		c := exec.Command(rsswatch, "whatif", strconv.Itoa(p.Process.Pid))
		c.Stderr = os.Stderr
		rt, took, err := p.window(c.Run)
		if err != nil {
			return 0, rt, err
		}
		r.wall = append(r.wall, took.Seconds())
		r.peak = append(r.peak, float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024)
		return took, rt, nil
	}
	took := 200 * time.Millisecond
	if n := len(r.wall); n > 0 {
		took = time.Duration(r.wall[n-1] * float64(time.Second))
	}
	var with, without, beside rates
	steps := []func() error{
		func() (err error) { took, with, err = read(); return err },
		func() (err error) {
			without, _, err = p.window(func() error { time.Sleep(took); return nil })
			return err
		},
		func() (err error) {
			c := exec.Command("/proc/self/exe")
			c.Env = append(os.Environ(), "BENCHWHATIF_SPIN="+took.String())
			beside, _, err = p.window(c.Run)
			return err
		},
	}
	first := len(r.wall) % len(steps)
	for i := range steps {
		if err := steps[(first+i)%len(steps)](); err != nil {
			return err
		}
	}
	loss := func(with, without float64) float64 { return 100 * (1 - with/without) }
	r.readWall = append(r.readWall, loss(with.wall, without.wall))
	r.readCPU = append(r.readCPU, loss(with.cpu, without.cpu))
	r.besideWall = append(r.besideWall, loss(beside.wall, without.wall))
	r.besideCPU = append(r.besideCPU, loss(beside.cpu, without.cpu))
	r.without = append(r.without, without.wall)
	return nil
}

func show(what string, values []float64) {
	s := stats.Summarize(values)
	interval := "[?]" // of fewer than six
	if s.Finite() {
		interval = fmt.Sprintf("[%.3f, %.3f]", s.Lo, s.Hi)
	}
	fmt.Printf("  %-52s median %7.3f %s, highest %.3f\n", what, s.Median, interval, slices.Max(values))
}
