//go:build linux

// Command faults injects faults into runs of memtest, at random moments so
// that every phase gets its share, and checks after each that the run ended in
// bounded time with the right exit status and message, that no process and no
// temporary file is left, that a record is whole, and that no wrong figure was
// printed as right. faults.sh builds memtest and starts it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	fl := flag.NewFlagSet("faults", flag.ContinueOnError)
	fl.SetOutput(stderr)
	memtest := fl.String("memtest", "", "the program under test")
	count := fl.Int("count", 1000, "faults to inject")
	seed := fl.Uint64("seed", uint64(time.Now().UnixNano()), "of the random choices")
	only := fl.String("only", "", "comma-separated names of faults (default all that can be made here)")
	list := fl.Bool("list", false, "list the faults and end")
	if err := fl.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	kinds := faults
	if *only != "" {
		kinds = nil
		for name := range strings.SplitSeq(*only, ",") {
			i := slices.IndexFunc(faults, func(f *fault) bool { return f.name == name })
			if i < 0 {
				fmt.Fprintf(stderr, "faults: --only %s: no such fault; see --list\n", name)
				return 2
			}
			kinds = append(kinds, faults[i])
		}
	}
	if *list {
		for _, f := range kinds {
			fmt.Fprintf(stdout, "%-16s %s\n", f.name, f.what)
		}
		return 0
	}
	if *memtest == "" || *count < 1 || fl.NArg() > 0 {
		fmt.Fprintln(stderr, "faults: want --memtest FILE, --count above 0 and no arguments")
		return 2
	}
	s := &session{memtest: *memtest, rnd: rand.New(rand.NewPCG(*seed, 0)), stderr: stderr}
	usable := s.usable(kinds)
	if len(usable) == 0 {
		s.report(stdout)
		fmt.Fprintln(stderr, "faults: none of these can be made here; the table says why")
		return 1
	}
	fmt.Fprintf(stderr, "seed %d\n", *seed)
	for i := range *count {
		s.inject(usable[i%len(usable)])
	}
	s.report(stdout)
	if s.failures > 0 {
		return 1
	}
	return 0
}

// session is one series of faults.
type session struct {
	memtest  string
	rnd      *rand.Rand
	stderr   io.Writer
	failures int
	tallies  []*tally
}

// tally counts what came of one kind of fault.
type tally struct {
	*fault
	skipped  string // why it could not be made here
	injected int
	ends     map[string]int // exit status or signal
	idle     int            // the fault came too late to matter
	failed   int
	longest  time.Duration
}

// usable returns the kinds that this machine lets one inject; the others are
// named in the report.
func (s *session) usable(kinds []*fault) (usable []*tally) {
	for _, f := range kinds {
		t := &tally{fault: f, ends: map[string]int{}}
		s.tallies = append(s.tallies, t)
		if f.possible != nil {
			if err := f.possible(); err != nil {
				t.skipped = err.Error()
				continue
			}
		}
		usable = append(usable, t)
	}
	return usable
}

func (s *session) report(w io.Writer) {
	fmt.Fprintln(w, "| fault | injected | too late to matter | ended with | longest run | failed checks |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	total := 0
	for _, t := range s.tallies {
		if t.skipped != "" {
			fmt.Fprintf(w, "| %s | not here: %s | | | | |\n", t.what, t.skipped)
			continue
		}
		total += t.injected
		var ends []string
		for end, n := range t.ends {
			ends = append(ends, fmt.Sprintf("%s: %d", end, n))
		}
		slices.Sort(ends)
		fmt.Fprintf(w, "| %s | %d | %d | %s | %.1f s | %d |\n", t.what, t.injected, t.idle, strings.Join(ends, ", "), t.longest.Seconds(), t.failed)
	}
	fmt.Fprintf(w, "\n%d faults, %d failed checks.\n", total, s.failures)
}
