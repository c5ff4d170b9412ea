//go:build ignore

// Bench starts idle processes, runs rsswatch and its peers in turn, and
// prints medians. Steady-state cost is the CPU time of a run of many ticks
// less that of a run of one tick.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tool is one program to measure. args returns its arguments for a number of
// ticks.
type tool struct {
	name, path string
	ticks      int
	args       func(ticks int) []string

	perTick []float64 // µs per process and tick
	once    []float64 // ms, of a run of one tick
	rss     []float64 // MiB
}

const interval = 200 // milliseconds between ticks, where the tool allows it

func tools(dir string) []*tool {
	ms, seconds := strconv.Itoa(interval), strconv.FormatFloat(interval/1000.0, 'f', -1, 64)
	rsswatch := func(extra ...string) func(int) []string {
		return func(n int) []string {
			return append([]string{"-b", "-n", strconv.Itoa(n), "-d", seconds, "--pss-budget", "0"}, extra...)
		}
	}
	own := filepath.Join(dir, "rsswatch")
	floor := filepath.Join(dir, "floor")
	return []*tool{
		{name: "floor: C, pread of stat and statm", path: floor, ticks: 11, args: func(n int) []string { return []string{strconv.Itoa(n), ms} }},
		{name: "floor: C, pread of stat, statm, cmdline", path: floor, ticks: 11, args: func(n int) []string { return []string{strconv.Itoa(n), ms, "title"} }},
		{name: "rsswatch -b (default columns, PSS off)", path: own, ticks: 11, args: rsswatch()},
		{name: "rsswatch -b, without titles", path: own, ticks: 11, args: rsswatch("--columns", "PID,USER,S,VIRT,RES,SHR,%CPU,TIME+")},
		{name: "top -b", path: "top", ticks: 11, args: func(n int) []string { return []string{"-b", "-n", strconv.Itoa(n), "-d", seconds} }},
		{name: "pidstat -u -r -p ALL", path: "pidstat", ticks: 3, args: func(n int) []string { return []string{"-u", "-r", "-p", "ALL", "1", strconv.Itoa(n)} }},
		{name: "gopsutil/v3: memory, times, cmdline, name", path: filepath.Join(dir, "gopsutil"), ticks: 4, args: func(n int) []string { return []string{strconv.Itoa(n), ms} }},
		{name: "gopsutil/v3: the same columns", path: filepath.Join(dir, "gopsutil"), ticks: 4, args: func(n int) []string { return []string{strconv.Itoa(n), ms, "all"} }},
		{name: "ps aux", path: "ps", ticks: 1, args: func(int) []string { return []string{"aux"} }},
	}
}

// run runs a tool and returns its CPU time and highest RSS.
func (t *tool) run(ticks int) (cpu time.Duration, rss int64, err error) {
	c := exec.Command(t.path, t.args(ticks)...)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, 0, err
	}
	defer null.Close()
	c.Stdout = null // a file, so that nothing of ours copies its output
	if err := c.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", t.name, err)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, nil
}

func (t *tool) round(processes int) error {
	one, rss, err := t.run(1)
	if err != nil {
		return err
	}
	t.once = append(t.once, float64(one.Microseconds())/1000)
	if t.ticks > 1 {
		many, r, err := t.run(t.ticks)
		if err != nil {
			return err
		}
		rss = max(rss, r)
		t.perTick = append(t.perTick, float64((many-one).Nanoseconds())/1000/float64(t.ticks-1)/float64(processes))
	}
	t.rss = append(t.rss, float64(rss)/(1<<20))
	return nil
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func main() {
	dir := flag.String("dir", "", "where the built programs are")
	n := flag.Int("processes", 2000, "idle processes to start")
	rounds := flag.Int("rounds", 7, "rounds")
	holds := flag.Int("hold", 0, "hold this many GiB instead")
	flag.Parse()
	if *holds > 0 {
		hold(*holds)
		return
	}
	if err := bench(*dir, *n, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench-watch:", err)
		os.Exit(1)
	}
}

func bench(dir string, n, rounds int) error {
	h, err := startHerd(n)
	if err != nil {
		return err
	}
	defer h.stop()
	time.Sleep(2 * time.Second)
	var all []*tool
	for _, t := range tools(dir) {
		if _, err := exec.LookPath(t.path); err == nil {
			all = append(all, t)
		}
	}
	listed, _ := filepath.Glob("/proc/[0-9]*")
	for range rounds {
		for _, t := range all {
			if err := t.round(len(listed)); err != nil {
				return err
			}
		}
	}
	printTable(all, n, len(listed), rounds)
	return printLive(dir, n)
}

func printTable(all []*tool, n, listed, rounds int) {
	var floor, top float64 // the lower of the two floors is the harder one
	for _, t := range all {
		switch {
		case strings.HasPrefix(t.name, "floor") && floor == 0:
			floor = median(t.perTick)
		case t.path == "top":
			top = median(t.perTick)
		}
	}
	ratio := func(v, of float64) string {
		if v == 0 || of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", v/of)
	}
	fmt.Printf("\n%d idle processes (%d listed), medians of %d interleaved rounds, %d ms between ticks\n\n", n, listed, rounds, interval)
	fmt.Println("| program | µs per process and tick (min..max) | of the first floor | of top | one tick, whole run, ms | peak RSS, MiB |")
	fmt.Println("|---|--:|--:|--:|--:|--:|")
	for _, t := range all {
		per, spread := "-", ""
		if m := median(t.perTick); m > 0 {
			per = fmt.Sprintf("%.2f", m)
			spread = fmt.Sprintf(" (%.2f..%.2f)", slices.Min(t.perTick), slices.Max(t.perTick))
		}
		m := median(t.perTick)
		fmt.Printf("| %s | %s%s | %s | %s | %.1f | %.1f |\n", t.name, per, spread, ratio(m, floor), ratio(m, top), median(t.once), median(t.rss))
	}
}

// printLive measures the live screen, and ticks beside a huge process.
func printLive(dir string, n int) error {
	rss, cpu, err := live(filepath.Join(dir, "rsswatch"), 8*time.Second, "-d", "0.5")
	if err != nil {
		return fmt.Errorf("live screen: %w", err)
	}
	fmt.Printf("\nLive screen, 200 by 50, PSS on, 16 ticks: peak RSS %.1f MiB, %.1f µs of CPU per process and tick, screen included\n",
		float64(rss)/(1<<20), float64(cpu.Nanoseconds())/1000/16/float64(n))
	gib := int(min(10, (field("/proc/meminfo", "MemAvailable")-2<<30)>>30))
	if gib < 1 {
		fmt.Println("\nNo huge process: not enough memory is available")
		return nil
	}
	return hugeProcess(dir, gib)
}

// hugeProcess watches a process of many GiB with PSS on: ticks must come on
// time, though reading its PSS takes longer than a tick's budget.
func hugeProcess(dir string, gib int) error {
	h := exec.Command(os.Args[0], "-hold", strconv.Itoa(gib))
	h.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := h.StdinPipe()
	if err != nil {
		return err
	}
	out, err := h.StdoutPipe()
	if err != nil {
		return err
	}
	if err := h.Start(); err != nil {
		return err
	}
	defer func() { in.Close(); h.Wait() }()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("huge process: %w", err)
	}
	begin := time.Now()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", h.Process.Pid))
	if err != nil || len(b) == 0 {
		return fmt.Errorf("smaps_rollup: %w", err)
	}
	alone := time.Since(begin)
	const ticks, delay = 20, 500 * time.Millisecond
	c := exec.Command(filepath.Join(dir, "rsswatch"), "-b", "-n", strconv.Itoa(ticks), "-d", "0.5", "--format", "jsonl",
		"-p", fmt.Sprintf("%d,%d", h.Process.Pid, os.Getpid()))
	text, err := c.Output()
	if err != nil {
		return fmt.Errorf("watching the huge process: %w", err)
	}
	var worst time.Duration
	withPSS := 0
	for line := range bytes.Lines(text) {
		var r struct {
			Type     string `json:"type"`
			PID      int    `json:"pid"`
			Interval int64  `json:"interval_ns"`
			PSS      *int64 `json:"pss_bytes"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if r.Type == "tick" && r.Interval > 0 {
			worst = max(worst, (time.Duration(r.Interval) - delay).Abs())
		}
		if r.Type == "process" && r.PID == h.Process.Pid && r.PSS != nil {
			withPSS++
		}
	}
	fmt.Printf("\nA process of %d GiB watched with its PSS, whose reading takes %v: of %d ticks of %v with a budget of %v, the latest was off by %v; %d rows had the PSS\n",
		gib, alone.Round(time.Millisecond), ticks, delay, delay/50, worst.Round(100*time.Microsecond), withPSS)
	return nil
}
