//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// corrupt changes bytes all over the largest writable mapping of a worker,
// again and again until the run has ended, so that some are changed between
// the last pass and the verification.
func corrupt(tr *trial, ended <-chan struct{}) {
	pid := tr.worker(ended)
	if pid == 0 {
		return
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_WRONLY, 0)
	if err != nil {
		tr.noted = err.Error()
		return
	}
	defer mem.Close()
	const spots = 64
	var longest time.Duration
	rounds, last := 0, time.Now()
	for {
		select {
		case <-ended:
			tr.noted = fmt.Sprintf("%d rounds, longest gap %v", rounds, longest)
			// Descheduled for long, it may have missed the moment.
			tr.idle = rounds == 0 || longest > 5*time.Millisecond
			return
		default:
		}
		from, to := largest(pid)
		if to-from < 200<<20 { // not there yet, or no more
			continue
		}
		for i := range 200 {
			for k := range int64(spots) {
				if _, err := mem.WriteAt([]byte{byte(i), 0xa5}, from+(to-from)/spots*k+512); err != nil {
					break
				}
			}
			rounds++
			now := time.Now()
			if rounds > 1 {
				longest = max(longest, now.Sub(last))
			}
			last = now
		}
	}
}

// largest returns the largest writable private mapping.
func largest(pid int) (from, to int64) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var lo, hi int64
		var perm string
		if n, _ := fmt.Sscanf(sc.Text(), "%x-%x %s", &lo, &hi, &perm); n == 3 && strings.HasPrefix(perm, "rw") && hi-lo > to-from && hi-lo <= 300<<20 {
			from, to = lo, hi
		}
	}
	return from, to
}

// foundCorruption: the verification must have found it, unless the moment
// between the last write and the check may have been missed.
func foundCorruption(tr *trial) error {
	if tr.status == "exit 0" && tr.idle {
		return nil
	}
	if tr.status != "exit 0" {
		tr.idle = false
	}
	return errors.Join(want(tr, "exit 1"), says(tr, "memory is wrong"))
}

// cgroupRoot is where memory limits are made: version 1 or 2.
func cgroupRoot() (dir, limit string, err error) {
	if _, err := os.Stat("/sys/fs/cgroup/memory/memory.limit_in_bytes"); err == nil {
		return "/sys/fs/cgroup/memory", "memory.limit_in_bytes", nil
	}
	b, err := os.ReadFile("/sys/fs/cgroup/cgroup.subtree_control")
	if err != nil || !strings.Contains(string(b), "memory") {
		return "", "", errors.New("no memory cgroup that one may make groups in")
	}
	return "/sys/fs/cgroup", "memory.max", nil
}

func cgroups() error {
	if err := root(); err != nil {
		return err
	}
	_, _, err := cgroupRoot()
	return err
}

// memoryLimit starts the run in a cgroup with less memory than it asks for.
func memoryLimit(tr *trial) (func(), error) {
	dir, file, err := cgroupRoot()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, filepath.Base(tr.dir))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	after := func() {
		for range 100 {
			if os.Remove(dir) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	limit := 40<<20 + tr.rnd.Int64N(80<<20)
	if err := os.WriteFile(filepath.Join(dir, file), []byte(strconv.FormatInt(limit, 10)), 0o644); err != nil {
		after()
		return nil, err
	}
	enter := `echo $$ > "$0"; exec "$@"`
	tr.cmd.Args = append([]string{"sh", "-c", enter, filepath.Join(dir, "cgroup.procs")}, tr.cmd.Args...)
	tr.cmd.Path = "/bin/sh"
	return after, nil
}
