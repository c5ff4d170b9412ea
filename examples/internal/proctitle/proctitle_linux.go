// Package proctitle changes what ps, top and rsswatch show as the command line
// of this process.
//
// The kernel shows the memory between arg_start and arg_end of the process
// (proc(5), /proc/PID/cmdline). Moving these bounds with prctl(PR_SET_MM) needs
// CAP_SYS_RESOURCE; writing over the memory needs nothing, which is how servers
// have set titles since sendmail. The environment lies behind the arguments;
// when the last byte of the arguments is not zero any more, the kernel takes
// that for such a title and shows it up to the first zero byte, as far as the
// end of the environment.
//
// Go's os.Args point into this memory, hence Take has to come first in main,
// before anything keeps a part of an argument. Go copies the environment when
// it starts, so os.Getenv and children are not affected.
package proctitle

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// An Area is the memory that holds the title.
type Area struct {
	mem  []byte // arguments and environment
	args int    // bytes of mem that are arguments
}

// Take copies os.Args and returns the memory that they were in.
func Take() (*Area, error) {
	if len(os.Args) == 0 || len(os.Args[0]) == 0 {
		return nil, errors.New("title: this process was started without a name")
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil, fmt.Errorf("title: %w", err)
	}
	b, err := parseBounds(string(stat))
	if err != nil {
		return nil, fmt.Errorf("title: /proc/self/stat: %w", err)
	}
	start := unsafe.StringData(os.Args[0])
	if uint64(uintptr(unsafe.Pointer(start))) != b.argStart {
		return nil, fmt.Errorf("title: the arguments are at %p, the kernel shows those at %#x", start, b.argStart)
	}
	args := make([]string, len(os.Args))
	for i, a := range os.Args {
		args[i] = strings.Clone(a)
	}
	os.Args = args
	end := b.argEnd
	if b.envStart == b.argEnd { // with the environment right behind
		end = b.envEnd
	}
	return &Area{mem: unsafe.Slice(start, end-b.argStart), args: int(b.argEnd - b.argStart)}, nil
}

// Setter returns what sets this process' title. Where that cannot be done it
// says so on standard error, under the command's name, and does nothing: a
// server serves without titles.
func Setter(command string) func(title string) {
	area, err := Take()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", command, err)
		return func(string) {}
	}
	return area.Set
}

// Room is the length of the longest title, in bytes.
func (a *Area) Room() int { return len(a.mem) - 1 }

// Set shows title, cut to the room that there is, and its first 15 bytes as
// the name of the process (comm), as setproctitle(3) does. It must not be
// called by two goroutines at once.
func (a *Area) Set(title string) {
	title = strings.ReplaceAll(title, "\x00", " ")
	n := copy(a.mem[:a.Room()], title)
	clear(a.mem[n:])
	// Of the whole process, whichever thread this is; it is cosmetic.
	_ = os.WriteFile("/proc/self/comm", []byte(title[:min(n, 15)]), 0)
}

type bounds struct{ argStart, argEnd, envStart, envEnd uint64 }

// parseBounds takes fields 48 to 51 of /proc/PID/stat, see proc(5).
func parseBounds(stat string) (b bounds, err error) {
	_, rest, ok := cutLast(stat, ")")
	fields := strings.Fields(rest) // the first is field 3
	if !ok || len(fields) < 49 {
		return b, fmt.Errorf("%d fields after the name, want at least 49", len(fields))
	}
	for i, p := range []*uint64{&b.argStart, &b.argEnd, &b.envStart, &b.envEnd} {
		if *p, err = strconv.ParseUint(fields[48-3+i], 10, 64); err != nil {
			return b, fmt.Errorf("field %d: %w", 48+i, err)
		}
	}
	if b.argStart == 0 || b.argEnd <= b.argStart || b.envEnd < b.envStart {
		return b, fmt.Errorf("bounds %#x-%#x, %#x-%#x make no sense", b.argStart, b.argEnd, b.envStart, b.envEnd)
	}
	return b, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
