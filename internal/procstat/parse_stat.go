package procstat

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// userHZ is the kernel's unit for times in stat. It is part of the user ABI:
// 100 on every architecture that Go runs on.
const userHZ = 100

// tick is the length of one clock tick.
const tick = time.Second / userHZ

// pfKthread is PF_KTHREAD of the kernel's task flags (include/linux/sched.h).
const pfKthread = 0x00200000

// ErrFormat is wrapped by the errors of all parsers.
var ErrFormat = errors.New("unexpected format")

func formatError(file, field string, text []byte) error {
	if len(text) > 80 {
		text = text[:80]
	}
	return fmt.Errorf("%w: %s: %s in %q", ErrFormat, file, field, text)
}

// parseStat parses /proc/PID/stat (proc_pid_stat(5)) into s and returns comm,
// which lies in b: the caller compares it before it makes a string. Memory is
// left to statm, whose figures are exact. comm may hold anything, `) (` and
// newlines too, so fields are counted from the last parenthesis.
func parseStat(b []byte, s *Sample) (comm []byte, err error) {
	open := bytes.IndexByte(b, '(')
	end := bytes.LastIndexByte(b, ')')
	if open < 2 || end < open || end+4 > len(b) {
		return nil, formatError("stat", "comm", b)
	}
	pid, ok := parseUint(b[:open-1])
	if !ok || pid > 1<<31-1 {
		return nil, formatError("stat", "pid", b)
	}
	comm = b[open+1 : end]
	s.State = b[end+2]
	var f [statFields]int64
	n := parseInts(b[end+3:], f[:])
	if n < statNeeded {
		return nil, formatError("stat", "field count", b)
	}
	s.PID = int32(pid)
	s.PPID = int32(f[0])
	s.PGRP = int32(f[1])
	s.Session = int32(f[2])
	s.Kernel = f[5]&pfKthread != 0
	s.Counters.MinorFaults = uint64(f[6])
	s.Counters.MajorFaults = uint64(f[8])
	s.Counters.User = time.Duration(f[10]) * tick
	s.Counters.System = time.Duration(f[11]) * tick
	s.ChildUser = time.Duration(f[12]) * tick
	s.ChildSystem = time.Duration(f[13]) * tick
	s.ChildFaults = uint64(f[7])
	s.Nice = int32(f[15])
	s.Threads = int32(f[16])
	s.Start = uint64(f[18])
	s.Started = time.Duration(f[18]) * tick
	// Where text and stack lie changes with nearly every exec; all are 0 where
	// we may not trace the process, and then its exe may not be read either.
	s.Image = uint64(f[22])*31 ^ uint64(f[23])*1000003 ^ uint64(f[24])
	for _, c := range comm {
		s.Image = s.Image*131 + uint64(c)
	}
	s.Have |= HasStat | HasCPU | HasFaults
	return comm, nil
}

// Fields of stat after comm and state: index 0 is ppid, field 4 of the manual
// page. statNeeded reaches to starttime (22), statFields to startstack (28).
const (
	statNeeded = 19
	statFields = 25
)

// parseInts reads decimal numbers separated by spaces into dst and returns
// how many there were. Numbers beyond 63 bits saturate: they are addresses
// and limits, never sizes in use.
func parseInts(b []byte, dst []int64) int {
	n, i := 0, 0
	for n < len(dst) {
		for i < len(b) && b[i] == ' ' {
			i++
		}
		neg := i < len(b) && b[i] == '-'
		if neg {
			i++
		}
		start := i
		var v uint64
		for i < len(b) && b[i]-'0' <= 9 {
			v = v*10 + uint64(b[i]-'0')
			i++
		}
		if i == start {
			return n
		}
		if i-start > 18 {
			v = saturate(b[start:i])
		}
		if dst[n] = int64(v); neg {
			dst[n] = -dst[n]
		}
		n++
	}
	return n
}

func saturate(digits []byte) uint64 {
	v, ok := parseUint(digits)
	if !ok || v > 1<<63-1 {
		return 1<<63 - 1
	}
	return v
}

// parseUint reads an unsigned decimal number that fills all of b.
func parseUint(b []byte) (uint64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	var v uint64
	for _, c := range b {
		d := uint64(c - '0')
		if d > 9 || v > (1<<64-1-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	return v, true
}

// parseStatm parses /proc/PID/statm (proc_pid_statm(5)), whose unit is pages,
// into s. A page is pageSize bytes.
func parseStatm(b []byte, pageSize int64, s *Sample) error {
	var f [3]int64
	if parseInts(b, f[:]) < 3 {
		return formatError("statm", "field count", b)
	}
	for _, pages := range f {
		if pages < 0 || pages > (1<<63-1)/pageSize {
			return formatError("statm", "pages", b)
		}
	}
	s.Virtual, s.Resident, s.Shared = f[0]*pageSize, f[1]*pageSize, f[2]*pageSize
	s.Have |= HasMemory | HasShared
	return nil
}

// parseUptime parses /proc/uptime (proc_uptime(5)): seconds with two decimals.
func parseUptime(b []byte) (time.Duration, error) {
	field, _, _ := bytes.Cut(b, []byte(" "))
	whole, frac, _ := bytes.Cut(bytes.TrimSpace(field), []byte("."))
	s, ok := parseUint(whole)
	if !ok || s > 1<<32 {
		return 0, formatError("uptime", "seconds", b)
	}
	d := time.Duration(s) * time.Second
	if c, ok := parseUint(frac); ok && len(frac) == 2 {
		d += time.Duration(c) * (time.Second / 100)
	}
	return d, nil
}
